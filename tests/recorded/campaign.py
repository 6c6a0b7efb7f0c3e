"""Score and team files of simulated rounds: the input of the recorded commands.

No score was ever measured. On the logit scale, the score of run i on topic j is

    hardness_j + ability_i + interaction_ij,

all of them normal, and the score is its inverse logit, rounded to four decimals. The draws come
from ``random.Random.random``, which every version of Python draws alike.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import NormalDist

Scores = dict[str, dict[str, float]]  # run, then topic

SEED = 20261121


def write_files(directory: Path) -> None:
    """Write every file that a recorded command reads into a directory."""
    for write in (_web, _drift, _odd, _draft, _bad, _retrieved):
        # The name is a part of the seed: a function that is renamed draws other scores.
        write(directory, Random(f"{SEED} {write.__name__}"))


def simulate(
    random: Random,
    hardness: Mapping[str, float],
    abilities: Mapping[str, float],
    spread: float = 0.7,
) -> Scores:
    """Simulate the scores of runs on topics.

    Parameters
    ----------
    random : random.Random
    hardness : float by topic, logit scale; lower is harder
    abilities : float by run, logit scale
    spread : float
        Sd of the interactions, logit scale.

    Returns
    -------
    float in (0, 1) by run and topic, four decimals
    """
    return {
        run: {
            topic: round(1 / (1 + math.exp(-hard - ability - spread * _normal(random))), 4)
            for topic, hard in hardness.items()
        }
        for run, ability in abilities.items()
    }


def _normal(random: Random) -> float:
    return NormalDist().inv_cdf(0.000_001 + 0.999_998 * random.random())


def _hardness(random: Random, topics: Sequence[str]) -> dict[str, float]:
    return {topic: -0.4 + 0.9 * _normal(random) for topic in topics}


def _abilities(runs: Sequence[str], centre: float = 0.0) -> dict[str, float]:
    """Return evenly spaced normal quantiles, so that rounds differ by their centres alone."""
    quantile = NormalDist(centre, 0.6).inv_cdf
    return {run: quantile((position + 0.5) / len(runs)) for position, run in enumerate(runs)}


def _topics(first: int, number: int) -> list[str]:
    return [str(topic) for topic in range(first, first + number)]


def _wide(scores: Scores) -> str:
    topics = next(iter(scores.values()))
    rows = [["topic", *scores]]
    rows += [[topic, *(repr(scores[run][topic]) for run in scores)] for topic in topics]
    return _lines(rows, ",")


def _lines(rows: Sequence[Sequence[str]], separator: str) -> str:
    return "".join(separator.join(row) + "\n" for row in rows)


def _web(directory: Path, random: Random) -> None:
    """A web task of five rounds of eight runs, each round in another layout."""
    shared = _hardness(random, _topics(1, 8))
    for number, year in enumerate(("2021", "2022", "2023", "2024", "2025")):
        hardness = shared | _hardness(random, _topics(101 + 10 * number, 4))
        runs = [f"{system}-{year}" for system in ("bm25", "rm3", "dense", "hybrid")]
        runs += [f"new{position}-{year}" for position in range(1, 5)]
        scores = simulate(random, hardness, _abilities(runs, 0.1 * number))
        precision = {
            run: {topic: round(5 * score) / 5 for topic, score in row.items()}
            for run, row in scores.items()
        }
        for row in precision.values():
            row["3"] = 0.0  # a topic without spread
        (directory / f"teams-{year}.csv").write_text(_web_teams(runs, year))
        _WEB[year](directory, scores, precision)


def _web_teams(runs: Sequence[str], year: str) -> str:
    rows = [["run", "team", "type", "contributed_to_pool", "system"]]
    for position, run in enumerate(runs):
        system = run.removesuffix(f"-{year}") if position < 4 else ""
        kind = "manual" if position % 3 == 2 else "automatic"
        team = ("Aalto", "Bologna", "Aalto", "Chiba", "Delft")[position % 5]
        rows.append([run, team, kind, "no" if position == 7 else "yes", system])
    return _lines(rows, ",")


def _web_wide(directory: Path, scores: Scores, precision: Scores) -> None:
    (directory / "web-2021-ndcg.csv").write_text(_wide(scores))
    (directory / "web-2021-p5.csv").write_text(_wide(precision))
    corrected = {run: dict(row) for run, row in scores.items()}
    corrected["rm3-2021"]["2"] = 0.9
    (directory / "web-2021-corrected.csv").write_text(_wide(corrected))
    (directory / "web-2021-new-runs.csv").write_text(
        _wide({f"later-{run}": {**row, "999": 0.5} for run, row in list(scores.items())[:2]})
    )


def _web_long(directory: Path, scores: Scores, precision: Scores) -> None:
    rows = [["run", "topic", "measure", "value"]]
    for name, matrix in (("nDCG@10", scores), ("P@5", precision)):
        for run, row in matrix.items():
            rows += [[run, topic, name, repr(score)] for topic, score in row.items()]
    (directory / "web-2022.tsv").write_text(_lines(rows, "\t"))


def _web_trec_eval(directory: Path, scores: Scores, precision: Scores) -> None:
    for run, row in scores.items():
        rows = []
        for topic, score in row.items():
            rows.append(["ndcg_cut_10", topic, f"{score:.4f}"])
            rows.append(["P_5", topic, f"{precision[run][topic]:.4f}"])
        rows.append(["runid", "all", run])
        (directory / f"{run}.eval").write_text(_lines(rows, "\t"))


def _web_ir_measures(directory: Path, scores: Scores, precision: Scores) -> None:
    for run, row in scores.items():
        if run.startswith("new"):
            lines = [
                json.dumps({"query_id": topic, "measure": "nDCG@10", "value": score})
                for topic, score in row.items()
            ]
            (directory / f"{run}.jsonl").write_text("\n".join(lines) + "\n")
        rows = [[topic, "nDCG@10", repr(score)] for topic, score in row.items()]
        (directory / f"{run}.txt").write_text(_lines(rows, "\t"))


def _web_ntcireval(directory: Path, scores: Scores, precision: Scores) -> None:
    for run, row in scores.items():
        lines = []
        for topic, score in row.items():
            lines.append(f"{topic:0>4} # syslen=620 jrel=5 jnonrel=0")
            lines.append(f"{topic:0>4} MSnDCG@0010=         {score:.4f}")
            lines.append(f"{topic:0>4} Q-measure=           {precision[run][topic]:.4f}")
        (directory / f"{run}.nev").write_text("\n".join(lines) + "\n")


_WEB: dict[str, Callable[[Path, Scores, Scores], None]] = {
    "2021": _web_wide,
    "2022": _web_long,
    "2023": _web_trec_eval,
    "2024": _web_ir_measures,
    "2025": _web_ntcireval,
}


def _drift(directory: Path, random: Random) -> None:
    """A task whose later rounds are like its first one, far from it, or on other topics."""
    hardness = _hardness(random, _topics(1, 24))
    other = _hardness(random, _topics(501, 12))
    for label, centre, topics in (
        ("first", 0.0, hardness),
        ("same", 0.0, hardness),
        ("moved", 1.5, hardness),
        ("other", 0.3, other),
    ):
        runs = [f"{label}{position}" for position in range(1, 13)]
        scores = simulate(random, topics, _abilities(runs, centre), 0.4)
        (directory / f"drift-{label}.csv").write_text(_wide(scores))
        rows = [["run", "team", "system"]]
        rows += [
            [run, f"Team {position}", f"system {position}" if position % 2 else ""]
            for position, run in enumerate(runs, 1)
        ]
        (directory / f"drift-{label}-teams.csv").write_text(_lines(rows, ","))


def _odd(directory: Path, random: Random) -> None:
    """Missing scores, ties, a measure with bounds, few topics, one run."""
    hardness = _hardness(random, _topics(1, 6))
    scores = simulate(random, hardness, _abilities(["alpha", "beta", "gamma", "delta"]))
    text = _wide(scores).splitlines()
    text[2] = text[2].rpartition(",")[0] + ","
    (directory / "missing.csv").write_text("\n".join(text) + "\n")
    scores["beta"] = dict(scores["alpha"])
    tied = {run: {**row, "5": 0.25} for run, row in scores.items()}
    (directory / "tied.csv").write_text(_wide(tied))
    (directory / "above-one.csv").write_text(
        _wide({run: {t: round(3 * s, 4) for t, s in row.items()} for run, row in tied.items()})
    )
    few = {run: {topic: row[topic] for topic in ("1", "2")} for run, row in scores.items()}
    (directory / "few-topics.csv").write_text(_wide(few))
    (directory / "one-run.csv").write_text(_wide({"alpha": scores["alpha"]}))


def _draft(directory: Path, random: Random) -> None:
    """A round whose matrices bring one further run each.

    Pseudonyms are numbered by a secret key that is drawn for every round, but what is first
    logged later is numbered later: here the numbers do not depend on the key.
    """
    runs = ["secret-a", "secret-b", "secret-c", "secret-d"]
    hardness = _hardness(random, _topics(1, 6))
    scores = simulate(random, hardness, _abilities(runs))
    for number in range(1, len(runs) + 1):
        some = {run: scores[run] for run in runs[:number]}
        (directory / f"draft-{number}.csv").write_text(_wide(some))
        rows = [["run", "team", "type"]]
        rows += [[run, ("Ghent", "Haifa")[run == "secret-b"], "manual"] for run in runs[:3]]
        (directory / f"draft-{number}-teams.csv").write_text(
            _lines(rows[: min(number, 3) + 1], ",")
        )


def _bad(directory: Path, random: Random) -> None:
    """Files that are refused."""
    for name, content in (
        ("short-row.csv", b"topic,a,b\n1,.1,.2\n2,.3\n"),
        ("word.csv", b"topic,a,b\n1,.1,.2\n2,.3,high\n"),
        ("nan.csv", b"topic,a,b\n1,.1,.2\n2,nan,.4\n"),
        ("topic-twice.csv", b"topic,a,b\n1,.1,.2\n2,.2,.2\n1,.3,.4\n"),
        ("run-twice.csv", b"topic,a,a\n1,.1,.2\n2,.3,.4\n"),
        ("one-topic.csv", b"topic,a,b\n1,.1,.2\n"),
        ("empty.csv", b""),
        ("latin.csv", b"topic,a,b\nr\xe9sum\xe9,.1,.2\n2,.3,.4\n"),
        ("sheet.xlsx", b"PK\x03\x04 and so on"),
        ("prose.txt", b"the quick brown fox\njumps over\n"),
        ("ambiguous.txt", b"P_5\tP_10\t.1\nP_10\tP_5\t.2\n"),
        ("teams-of-others.csv", b"run,team\nx,X\n"),
        ("teams-maybe.csv", b"run,team,contributed_to_pool\nalpha,A,maybe\n"),
    ):
        (directory / name).write_bytes(content)


def _retrieved(directory: Path, random: Random) -> None:
    """What the runs of web 2022 retrieved, and relevance assessments of it."""
    topics = [*_topics(1, 8), *_topics(111, 4)]
    runs = [f"{system}-2022" for system in ("bm25", "rm3", "dense", "hybrid")]
    runs += [f"new{position}-2022" for position in range(1, 5)]
    retrieved, judged = [], []
    for topic in topics:
        relevance = {f"doc{number}": 1.2 * _normal(random) for number in range(24)}
        for document, value in relevance.items():
            judged.append([topic, "0", document, str(min(2, max(0, round(value))))])
        for position, run in enumerate(runs):
            scores = {
                document: round(value + (1.5 - 0.1 * position) * _normal(random), 3)
                for document, value in relevance.items()
            }
            best = sorted(scores, key=lambda document: -scores[document])[:10]
            retrieved += [
                [topic, "Q0", document, str(rank), repr(scores[document]), run]
                for rank, document in enumerate(best, 1)
            ]
    retrieved.sort(key=lambda row: row[-1])
    (directory / "retrieved-2022.txt").write_text(_lines(retrieved, " "))
    (directory / "qrels-2022.txt").write_text(_lines(judged, " "))
