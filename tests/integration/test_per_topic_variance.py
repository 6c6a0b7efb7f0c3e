"""Per-topic variance of a round's runs: as of the files, kept, stale and renewed."""

from __future__ import annotations

import pytest
from tests.factories import log_qrels, log_runs, verify_record

pytestmark = pytest.mark.one_server

STUDY = ("study", "per-topic-variance", "t", "1", "--trials", "130")


@pytest.fixture
def files(tmp_path):
    """Three runs of six documents on three topics, and two relevant documents a topic."""
    paths = []
    for number, tag in enumerate(("early", "middle", "late")):
        lines = [
            f"{topic} Q0 d{(rank + 3 * number + topic) % 9} {rank} {1 / rank:.4f} {tag}\n"
            for topic in range(3)
            for rank in range(1, 7)
        ]
        paths.append(tmp_path / tag)
        paths[-1].write_text("".join(lines))
    qrels = tmp_path / "qrels"
    judged = [f"{j} 0 d{(k + j) % 9} {k - 1}\n" for j in range(3) for k in range(1, 4)]
    qrels.write_text("".join(judged))
    return paths, qrels


def test_a_round(engine, terminal, files):
    paths, qrels = files
    log_runs(engine, "t", "1", paths[0], create=True)
    missing = terminal(*STUDY)
    assert (missing.code, "no relevance assessments" in missing.err) == (1, True)
    log_qrels(engine, "t", "1", qrels)
    assert "at least 2 runs, not 1" in terminal(*STUDY).err
    log_runs(engine, "t", "1", *paths[1:])
    for model in ("bst", "kde"):
        printed = terminal(*STUDY, "--model", model, "--format", "json").json
        assert (printed["upload"], printed["revision"]) == (2, 1)
        assert (printed["assessments"], printed["matrix"]) == ("official", None)
        of_files = [word for path in paths for word in ("--file", str(path))]
        alone = (*STUDY[:2], *STUDY[4:], *of_files, "--qrels", str(qrels), "--model", model)
        assert terminal(*alone, "--format", "json").json["scales"] == printed["scales"]
    assert "t, round '1': AP, 3 runs on 3 topics (runs to upload 2" in terminal(*STUDY).out

    saved = terminal(*STUDY, "--save", "stable", "--format", "json").json
    assert (saved["name"], saved["status"], saved["stale"]) == ("stable", "saved", False)
    assert "It stands" in terminal("result", "show", "stable").out
    assert "per-topic-variance: Kendall's tau raw" in terminal("result", "list", "t").out
    assert verify_record(engine).status == "verified"
    qrels.write_text(qrels.read_text().replace(" 2\n", " 0\n"))
    log_qrels(engine, "t", "1", qrels, revise="misprints")
    (stale,) = terminal("result", "list", "t", "--stale", "--format", "json").json["results"]
    assert stale["name"] == "stable"
    # By the assessments as they were.
    verified = verify_record(engine)
    assert (verified.status, verified.not_computed) == ("verified", [])
    assert terminal("result", "renew", "stable").code == 0
    again = terminal("result", "show", "stable", "--format", "json").json
    assert (again["version"], again["revision"]) == (2, 2)
    assert again["scales"] != saved["scales"]


def test_runs_of_equal_means_have_no_ranking_to_agree_with(terminal, tmp_path):
    words = ["study", "per-topic-variance", "--trials", "130"]
    for tag, firsts in (("a", "relevant other"), ("b", "other relevant")):
        lines = []
        for topic, first in enumerate(firsts.split()):
            ranked = [first, "other" if first == "relevant" else "relevant", "third"]
            lines += [f"{topic} Q0 {name} {n} {9 - n} {tag}\n" for n, name in enumerate(ranked, 1)]
        (tmp_path / tag).write_text("".join(lines))
        words += ["--file", str(tmp_path / tag)]
    (tmp_path / "qrels").write_text("0 0 relevant 1\n1 0 relevant 1\n")
    words += ["--qrels", str(tmp_path / "qrels")]
    (scale,) = terminal(*words, "--format", "json").json["scales"]
    assert [scale[name] for name in ("krcc", "krcc_low", "krcc_high")] == [None, None, None]
    printed = " ".join(terminal(*words).out.split())
    assert (
        "All runs tie as they are, so that there is no ranking for draws to agree with." in printed
    )
    assert "tau of 0.000" not in printed
