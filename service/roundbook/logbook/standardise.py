"""Standardised scores: a round's matrix, or new runs from files, by a round's factors."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from roundbook.database.tables import matrix, round_
from roundbook.errors import ImpossibleStatisticError, InputError, NotRecordedError
from roundbook.formats import MissingPolicy, read_scores, settle_missing
from roundbook.logbook.factors import LoadedFactors, load_factors
from roundbook.logbook.fitting import standardising_mask
from roundbook.logbook.lookup import (
    Series,
    current_matrix,
    find_factor_set,
    find_series,
    find_task,
)
from roundbook.logbook.pseudonyms import Pseudonyms, draft_pseudonyms
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session
from roundbook.logbook.standings import factors_note, read_standing
from roundbook.logbook.storing import load_matrix
from roundbook.statistics.standardisation.e_std import e_std
from roundbook.statistics.standardisation.factors import scale_scores

StandardScale = Literal["std", "std-cdf", "std-ab", "e-std"]


class OffTie(Result):
    """A run that differs on a topic where all standardising runs tie: no sd can place it."""

    run: str
    topic: str


class StandardisedScores(Result):
    """Standardised scores, one list a run, and what they were standardised by.

    `matrix` and `revision` are None for scores read from `files`; the factors were fitted on
    `factors_matrix`, and `withdrawn` is why that is withdrawn, None where it is not. `a` and `b`
    are those of std-AB, None on other scales. `left_out` are the topics that have no factors, or
    no spread under the policy ``drop``; `off_ties` are the scores that the policy ``average`` puts
    at 0 sds although they differ from the tie. `notes` tell of factors that no longer count.
    """

    task: str
    round: str
    measure: str
    assessments: str
    scale: str
    a: float | None
    b: float | None
    matrix: int | None
    revision: int | None
    files: list[str]
    factors_round: str
    factor_version: int
    factors_matrix: int
    factors_revision: int
    withdrawn: str | None
    zero_sd: str
    anonymous: bool
    software: str
    notes: list[str]
    topics: list[str]
    runs: list[str]
    scores: list[list[float]]
    left_out: list[str]
    off_ties: list[OffTie]


class _Raw(NamedTuple):
    topics: Sequence[str]
    runs: Sequence[str]
    scores: npt.NDArray[np.float64]
    matrix: int | None
    revision: int | None
    files: Sequence[str]


def standardise(
    session: Session,
    task: str,
    round_label: str,
    measure: str,
    *,
    scale: StandardScale = "std-ab",
    a: float | None = None,
    b: float | None = None,
    factors_from: str | None = None,
    factors_version: int | None = None,
    assessments: str | None = None,
    anonymous: bool = False,
) -> StandardisedScores:
    """Return a round's standardised scores.

    Parameters
    ----------
    scale : 'std', 'std-cdf', 'std-ab' or 'e-std'
    a, b : float, optional
        Slope, above 0, and centre of std-AB: the share of the scale an sd takes, and an average
        score. Default 0.15 and 0.5; other scales have none.
    factors_from : str, optional
        ``ROUND`` or ``ROUND:VERSION``; default the round's own factors.
    factors_version : int, optional
        Which version, by default the latest; `factors_from` is then a round's label as it is.
    anonymous : bool
        Name runs by their pseudonyms.

    Raises
    ------
    NotRecordedError
        When the matrix or the factors are not there.
    InputError
        When `factors_from` could mean two things, or what follows its colon is no version.
    RecordError
        When the round is published, and names are asked to be hidden.
    ImpossibleStatisticError
        When none of the matrix's topics has factors.
    """
    connection = session.connection
    series = find_series(connection, task, round_label, measure, assessments)
    row = current_matrix(connection, series)
    if row is None:
        raise NotRecordedError(
            f"Round '{round_label}' has no logged scores of {series.measure}; log them with"
            f" 'roundbook log {task} {round_label} FILE --measure {series.measure}'."
        )
    loaded = load_matrix(connection, row)
    raw = _Raw(loaded.topics, loaded.runs, loaded.scores, row.id, row.revision, row.files)
    pseudonyms = draft_pseudonyms(connection, series.round_id) if anonymous else None
    source, version = series, factors_version
    if factors_from is not None:
        label, version = _label_and_version(
            connection, task, factors_from, factors_version, series.measure
        )
        source = find_series(connection, task, label, series.measure, series.assessments)
    found = _standardised(connection, task, series, raw, source, version, scale, a, b)
    return found if pseudonyms is None else _hidden(found, pseudonyms)


def standardise_files(
    session: Session,
    task: str,
    factors_from: str,
    files: Sequence[Path],
    measure: str,
    *,
    scale: StandardScale = "std-ab",
    a: float | None = None,
    b: float | None = None,
    layout: str = "auto",
    file_measure: str | None = None,
    missing: MissingPolicy = "reject",
    max_file_bytes: int,
    factors_version: int | None = None,
    assessments: str | None = None,
) -> StandardisedScores:
    """Return new runs' scores, read from files, standardised by a round's factors.

    Nothing is logged. See `standardise` and `roundbook.logbook.matrices.logging.log_files`.

    Parameters
    ----------
    factors_from : str
        ``ROUND`` or ``ROUND:VERSION``.
    factors_version : int, optional
        As in `standardise`.
    """
    scores = read_scores(
        files, measure=measure, file_measure=file_measure, layout=layout, max_bytes=max_file_bytes
    )
    settled = settle_missing(scores, missing)
    raw = _Raw(settled.topics, settled.runs, settled.scores, None, None, settled.files)
    connection = session.connection
    label, version = _label_and_version(connection, task, factors_from, factors_version, measure)
    source = find_series(connection, task, label, measure, assessments)
    return _standardised(connection, task, source, raw, source, version, scale, a, b)


def _standardised(
    connection: Connection,
    task: str,
    series: Series,
    raw: _Raw,
    source: Series,
    version: int | None,
    scale: StandardScale,
    a: float | None,
    b: float | None,
) -> StandardisedScores:
    a, b = 0.15 if a is None else a, 0.5 if b is None else b
    if not (np.isfinite(a) and np.isfinite(b)):
        raise ImpossibleStatisticError(f"std-AB needs finite A and B, not {a:g} and {b:g}.")
    if a <= 0:
        raise ImpossibleStatisticError(
            f"std-AB needs an A above 0, for a higher score to stay the higher one, not {a:g}."
        )
    factors = load_factors(connection, find_factor_set(connection, source, version))
    zero_sd = factors.row.zero_sd
    place = {
        name: index
        for index, name in enumerate(factors.topics)
        if zero_sd == "average" or factors.sd[index] > 0
    }
    kept = [index for index, name in enumerate(raw.topics) if name in place]
    if not kept:
        raise ImpossibleStatisticError(
            f"None of the topics has usable factors in round '{source.round}': there is nothing to"
            " standardise by."
        )
    chosen = [place[raw.topics[index]] for index in kept]
    scores, mean, sd = raw.scores[kept], factors.mean[chosen], factors.sd[chosen]
    if scale == "e-std":
        standardised = e_std(scores, _standardising_scores(connection, factors)[chosen], zero_sd)
    else:
        with np.errstate(over="ignore"):  # an enormous A clips, as it should
            standardised = scale_scores(scores, mean, sd, scale, a=a, b=b)
    standing = read_standing(connection, factors.row.matrix_id)
    note = factors_note(factors.row.version, standing)
    off_ties = np.argwhere((sd == 0)[:, None] & (scores != mean[:, None]))
    return StandardisedScores(
        task=task,
        round=series.round,
        measure=series.measure,
        assessments=series.assessments,
        scale=scale,
        a=a if scale == "std-ab" else None,
        b=b if scale == "std-ab" else None,
        matrix=raw.matrix,
        revision=raw.revision,
        files=list(raw.files),
        factors_round=source.round,
        factor_version=factors.row.version,
        factors_matrix=standing.id,
        factors_revision=standing.revision,
        withdrawn=factors.row.withdrawn,
        zero_sd=zero_sd,
        anonymous=False,
        software=SOFTWARE,
        notes=[note] if note else [],
        topics=[raw.topics[index] for index in kept],
        runs=list(raw.runs),
        scores=np.ascontiguousarray(standardised.T).tolist(),
        left_out=[name for name in raw.topics if name not in place],
        off_ties=[
            OffTie(run=raw.runs[run], topic=raw.topics[kept[topic]])
            for topic, run in off_ties.tolist()
        ],
    )


def _standardising_scores(
    connection: Connection, factors: LoadedFactors
) -> npt.NDArray[np.float64]:
    """Return the standardising runs' scores, (topics, runs), in the factors' topic order."""
    row = connection.execute(select(matrix).where(matrix.c.id == factors.row.matrix_id)).one()
    loaded = load_matrix(connection, row)
    mask = standardising_mask(connection, factors.row, loaded.run_ids)
    place = {name: index for index, name in enumerate(loaded.topics)}
    return loaded.scores[[place[name] for name in factors.topics]][:, mask]


def _hidden(found: StandardisedScores, pseudonyms: Pseudonyms) -> StandardisedScores:
    order = pseudonyms.order(found.runs)
    runs = [pseudonyms.runs[found.runs[index]] for index in order]
    place = {topic: index for index, topic in enumerate(found.topics)}
    off_ties = [OffTie(run=pseudonyms.runs[each.run], topic=each.topic) for each in found.off_ties]
    return found.model_copy(
        update={
            "anonymous": True,
            "files": [],
            "runs": runs,
            "scores": [found.scores[index] for index in order],
            "off_ties": sorted(
                off_ties, key=lambda each: (place[each.topic], runs.index(each.run))
            ),
        }
    )


def _label_and_version(
    connection: Connection, task: str, factors_from: str, version: int | None, measure: str
) -> tuple[str, int | None]:
    """Read ``ROUND[:VERSION]``; a round's label may itself hold a colon."""
    factors_from = factors_from.strip()
    label, colon, number = factors_from.rpartition(":")
    if version is not None or not colon:
        return factors_from, version
    numbered = number.isascii() and number.isdigit() and len(number) < 100
    task_id = find_task(connection, task)
    if not numbered:
        label = label.strip()
        if _has_round(connection, task_id, label) and not _has_round(
            connection, task_id, factors_from
        ):
            words = shlex.join(["roundbook", "factors", "show", task, label, "--measure", measure])
            raise InputError(
                f"Round '{label}' is there, but '{number}' is no version of its factors: a version"
                f" is a whole number, as in '{label}:1'; '{words}' lists them."
            )
        return factors_from, None
    if not _has_round(connection, task_id, factors_from):
        return label, int(number)
    if _has_round(connection, task_id, label):
        raise InputError(
            f"'{factors_from}' could be the round of that label, or factor version {int(number)} of"
            f" round '{label}'. Name the round and, with --factors-version, the version."
        )
    return factors_from, None


def _has_round(connection: Connection, task_id: int, label: str) -> bool:
    found = select(round_.c.id).where(round_.c.task_id == task_id, round_.c.label == label)
    return connection.execute(found).first() is not None
