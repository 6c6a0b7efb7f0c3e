"""Per-topic variance of files: what it prints, and what it refuses."""

from __future__ import annotations

import gzip

import pytest

STUDY = ("study", "per-topic-variance")
TOPICS = ("3", "1", "2")


def run_lines(tag, ranks):
    """Return a run of 20 documents a topic, the two relevant ones at these ranks; last topic none."""
    lines = []
    for topic in TOPICS:
        for rank in range(1, 21):
            number = ranks.index(rank) if rank in ranks else None
            document = f"other{rank}" if number is None else f"relevant{topic}-{number}"
            lines.append(f"{topic} Q0 {document} {rank} {50 - rank}.5 {tag}\n")
    return "".join(lines)


@pytest.fixture
def files(tmp_path):
    """A folder of three runs, one gzipped, and assessments: topic 2 has nothing relevant."""
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "first").write_text(run_lines("first", [1, 2]))
    (folder / "second").write_text(run_lines("second", [2, 4]))
    (folder / "third.gz").write_bytes(gzip.compress(run_lines("third", [10, 20]).encode()))
    judged = [f"{topic} 0 relevant{topic}-{number} 1\n" for topic in "31" for number in range(2)]
    qrels = tmp_path / "qrels"
    qrels.write_text("".join([*judged, "3 0 nowhere 2\n", "3 0 other5 0\n", "2 0 other1 0\n"]))
    return folder, qrels


def test_runs_in_files(command, files):
    folder, qrels = files
    of_files = (*STUDY, "--file", str(folder), "--qrels", str(qrels), "--trials", "400")
    printed = command(*of_files, "--format", "json").json
    assert (printed["topics"], printed["runs"], printed["task"]) == (3, 3, None)
    assert len(printed["files"]) == 3
    assert printed["qrels"] == str(qrels)
    assert (printed["topics_without_relevant"], printed["lists_without_relevant"]) == (1, 3)
    (scale,) = printed["scales"]
    assert (scale["scale"], scale["pairs"], len(scale["bins"])) == ("raw", 3, 21)
    assert [run["run"] for run in scale["by_run"]] == ["first", "second", "third"]
    # Topic 3 has three relevant documents, topic 1 two, topic 2 none.
    assert scale["by_run"][0]["mean"] == pytest.approx((2 / 3 + 1) / 3)
    assert scale["by_run"][2]["mean"] == pytest.approx(0.1 * (2 / 3 + 1) / 3)
    topics = {topic["topic"]: topic for topic in scale["by_topic"]}
    assert list(topics) == ["3", "1", "2"]
    assert (topics["3"]["relevant"], topics["2"]["relevant"]) == (3, 0)
    assert (topics["2"]["sd"], topics["2"]["drawn_mean"]) == (0, 0)
    # All relevant documents come first: precision 1, of as many as are drawn.
    assert scale["by_run"][0]["drawn_mean"] == pytest.approx((0.632 + 0.865) / 3, abs=0.05)
    assert -1 <= scale["krcc_low"] < scale["krcc"] < scale["krcc_high"] == 1
    assert scale["significant_rate"] == pytest.approx(0, abs=0.05)
    assert sum(one["count"] for one in scale["bins"]) == 3 * 400
    assert scale["needed_trials"] == 400

    kde = command(*of_files, "--model", "kde", "--denominator", "fixed", "--format", "json").json
    assert kde["scales"][0]["krcc"] < scale["krcc"]
    assert "Gaussian kernel density estimates" in kde["protocol"]
    assert "divided by R of the assessments" in kde["protocol"]

    table = command(*of_files, "--depth", "15", "--padded").out
    text = " ".join(table.split())
    assert "AP, 3 runs on 3 topics." in text
    assert "Lists without a relevant document, of which AP is 0 in every draw: 3, of topics" in text
    assert "15 documents a list; documents drawn with replacement" in text
    rows = command(*of_files, "--format", "csv").table
    assert [row["run"] for row in rows] == ["first", "second", "third"]
    assert float(rows[0]["sd"]) == scale["by_run"][0]["sd"]


def test_what_cannot_be_studied(command, files, tmp_path):
    folder, qrels = files
    of_files = (*STUDY, "--file", str(folder), "--qrels", str(qrels))
    refused = command(*of_files, "--measure", "nDCG@10").refusal()
    assert (
        refused
        == "Per-topic variance can be studied of AP, and not of nDCG@10; leave out --measure."
    )
    one = command(*STUDY, "--file", str(folder / "first"), "--qrels", str(qrels)).refusal()
    assert one == "Per-topic variance needs at least 2 runs, not 1."
    unassessed = tmp_path / "unassessed"
    unassessed.write_text("9 0 relevant3-0 1\n")
    other = command(*STUDY, "--file", str(folder), "--qrels", str(unassessed)).refusal()
    assert "have no topic of" in other
    unassessed.write_text("1 0 other1 0\n3 0 other1 0\n")
    none = command(*STUDY, "--file", str(folder), "--qrels", str(unassessed)).refusal()
    assert "these assessments find nothing relevant" in none
    (folder / "notes.txt").write_text("what we did\n")
    assert "six fields" in command(*of_files).refusal()
    usage = command(*STUDY, "--file", str(folder))
    assert (usage.code, usage.out) == (2, "")
    assert "--qrels" in usage.err
    usage = command(*of_files, "--depth", "2000")
    assert (usage.code, usage.out) == (2, "")
    assert "--save keeps a study of a round" in command(*of_files, "--save", "x").err
