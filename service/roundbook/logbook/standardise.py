"""Standardised scores of a round's matrix, or of new runs from files, by a round's factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field
from sqlalchemy import Connection

from roundbook.errors import ImpossibleStatisticError, InputError
from roundbook.formats import CompleteMatrix, apply_missing_policy, read_scores
from roundbook.formats.matrix import HiddenCells
from roundbook.logbook.factors import (
    OutdatedFactors,
    find_factor_set,
    load_factors,
    outdated_factors,
    standardising_mask,
)
from roundbook.logbook.lookup import (
    Series,
    find_logged,
    find_series,
    find_task,
    read_round,
    round_named,
)
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.pseudonyms import draft_pseudonyms
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.same_topics import collections_differ, refuse_topic_twice, same_topics
from roundbook.logbook.session import Session
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.requests.factors import StandardiseFilesRequest, StandardiseRequest
from roundbook.statistics.standardisation import e_std, scale_scores
from roundbook.statistics.ties import off_value

_Request = StandardiseRequest | StandardiseFilesRequest


class OffTie(Result):
    """A run that differs on a topic where all standardising runs tie, so that the sd is 0."""

    run: str
    topic: str


class StandardisedScores(Result):
    """Standardised scores, one list a run, and the factors they were standardised by.

    `matrix` and `revision` are None for scores read from `files`. The factors were fitted on
    `factors_matrix`; `withdrawn` is the reason why it is withdrawn, None if it is not; `outdated`
    is set if it is withdrawn or superseded, None if it is current. `a` and `b` are those of std-AB,
    None on other scales. `means` are the runs' means over the topics. `left_out` are the topics
    without factors, or with sd 0 under the policy ``drop``; `off_ties` are the scores that the
    policy ``average`` puts at 0 sds although they differ from the tie. `collection` and
    `factors_collection` are the document collections that the round of the scores and that of the
    factors declare; scores read from files count as on the latter.
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
    outdated: OutdatedFactors | None
    collection: str | None
    factors_collection: str | None
    zero_sd: str
    anonymous: bool
    software: str = SOFTWARE
    topics: list[str]
    runs: list[str]
    scores: list[list[float]]
    means: list[float]
    left_out: list[str]
    off_ties: list[OffTie]
    hidden: list[HiddenCells] = Field(default_factory=list)


def standardise(session: Session, request: StandardiseRequest) -> StandardisedScores:
    """Return a round's standardised scores, by default by its own latest factors.

    Raises
    ------
    NotRecordedError
        When the matrix or the factors do not exist.
    InputError
        When `factors_from` is ambiguous, or the part after its colon is no version.
    RecordError
        When the round is published, and names are asked to be hidden.
    ImpossibleStatisticError
        When none of the matrix's topics has factors: by those of a round that declares another
        document collection, none has.
    """
    connection, task = session.connection, request.task
    series, row = find_logged(connection, task, request.round, request.measure, request.assessments)
    loaded = load_matrix(connection, row)
    files = row.files
    if request.anonymous:
        names = draft_pseudonyms(connection, series.round_id)
        runs, scores = names.hide(loaded.runs, loaded.scores)
        loaded, files = loaded._replace(runs=runs, scores=scores), []
    source, version = series, request.factors_version
    if request.factors_from is not None:
        label, version = _label_and_version(connection, request, series.measure)
        source = find_series(connection, task, label, series.measure, series.assessments)
    origin = {"matrix": row.id, "revision": row.revision, "files": files}
    origin["anonymous"] = request.anonymous
    return _standardised(connection, request, loaded, series, source, version, **origin)


def standardise_files(session: Session, request: StandardiseFilesRequest) -> StandardisedScores:
    """Return the scores of new runs, read from files, standardised by a round's factors.

    Nothing is logged. See `standardise` and `roundbook.logbook.matrices.log_matrix.log_files`.
    """
    scores = read_scores(
        request.files,
        measure=request.measure,
        file_measure=request.file_measure,
        layout=request.layout,
        max_bytes=session.work.max_file_bytes,
    )
    complete = apply_missing_policy(scores, request.missing)
    same = same_topics(session.connection, find_task(session.connection, request.task))
    refuse_topic_twice(same, request.task, complete.topics)
    label, version = _label_and_version(session.connection, request, request.measure)
    source = find_series(
        session.connection, request.task, label, request.measure, request.assessments
    )
    origin: dict[str, Any] = {"matrix": None, "revision": None, "anonymous": False}
    origin |= {"files": list(complete.files), "hidden": list(complete.hidden)}
    return _standardised(session.connection, request, complete, source, source, version, **origin)


def _standardised(
    connection: Connection,
    request: _Request,
    raw: LoadedMatrix | CompleteMatrix,
    own: Series,
    source: Series,
    version: int | None,
    **origin: Any,  # noqa: ANN401
) -> StandardisedScores:
    """Return raw scores of a round, with fields on their `origin`, by the factors of a source."""
    task_id, collection, factors_collection = _collections(connection, request, own, source)
    factors = load_factors(connection, find_factor_set(connection, source, version))
    zero_sd = factors.row.zero_sd
    # Topics keep the names in their scores, and are matched with factors by the topics they stand
    # for.
    same = same_topics(connection, task_id)
    names = [same.name(name) for name in raw.topics]
    usable = {same.name(name): index for name, index in factors.usable().items()}
    kept = [index for index, name in enumerate(names) if name in usable]
    if not kept:
        raise ImpossibleStatisticError(
            f"None of the topics has usable factors in round '{source.round}': there is nothing to"
            " standardise by.",
            round=source.round,
        )
    chosen = [usable[names[index]] for index in kept]
    scores, mean, sd = raw.scores[kept], factors.mean[chosen], factors.sd[chosen]
    if request.scale == "e-std":
        # Factors have the topic order of the matrix that they were fitted on.
        fitted_on = load_matrix(connection, find_matrix(connection, factors.row.matrix_id))
        mask = standardising_mask(connection, factors.row, fitted_on.run_ids)
        standardised = e_std(scores, fitted_on.scores[chosen][:, mask], zero_sd)
    else:
        with np.errstate(over="ignore"):  # an enormous A clips, as it should
            standardised = scale_scores(scores, mean, sd, request.scale, a=request.a, b=request.b)
    off_ties = np.argwhere((sd == 0)[:, None] & off_value(scores, mean))
    return StandardisedScores(
        **origin,
        task=request.task,
        round=own.round,
        measure=source.measure,
        assessments=source.assessments,
        scale=request.scale,
        a=request.a if request.scale == "std-ab" else None,
        b=request.b if request.scale == "std-ab" else None,
        factors_round=source.round,
        factor_version=factors.row.version,
        factors_matrix=factors.row.matrix_id,
        factors_revision=factors.row.revision,
        withdrawn=factors.row.withdrawn,
        outdated=outdated_factors(connection, factors.row),
        collection=collection,
        factors_collection=factors_collection,
        zero_sd=zero_sd,
        topics=[raw.topics[index] for index in kept],
        runs=list(raw.runs),
        scores=np.ascontiguousarray(standardised.T).tolist(),
        means=standardised.mean(axis=0).tolist(),
        left_out=[
            topic for topic, name in zip(raw.topics, names, strict=True) if name not in usable
        ],
        off_ties=[
            OffTie(run=raw.runs[run], topic=raw.topics[kept[topic]])
            for topic, run in off_ties.tolist()
        ],
    )


def _collections(
    connection: Connection, request: _Request, own: Series, source: Series
) -> tuple[int, str | None, str | None]:
    """Return the task of the scores, and the document collections of their and the factors' round.

    Collections that differ are refused.
    """
    of_scores = read_round(connection, own.round_id)
    of_factors = read_round(connection, source.round_id)
    if collections_differ(of_scores.collection, of_factors.collection):
        raise ImpossibleStatisticError(
            f"Round '{source.round}' was held on the document collection '{of_factors.collection}'"
            f" and round '{own.round}' on '{of_scores.collection}': a topic of the same name on other"
            f" documents is another topic, so round '{source.round}' has factors of none of these"
            " topics.",
            way_out="own factors",
            task=request.task,
            round=own.round,
            measure=source.measure,
            collection=of_factors.collection,
        )
    return of_scores.task_id, of_scores.collection, of_factors.collection


def _label_and_version(
    connection: Connection, request: _Request, measure: str
) -> tuple[str, int | None]:
    """Return the round and version of ``ROUND[:VERSION]``; a label may itself hold a colon."""
    named = (request.factors_from or "").strip()
    label, colon, number = named.rpartition(":")
    if request.factors_version is not None or not colon:
        return named, request.factors_version
    task_id = find_task(connection, request.task)
    is_round = round_named(connection, task_id, named) is not None
    if not (number.isascii() and number.isdigit() and len(number) < 100):
        label = label.strip()
        if not is_round and round_named(connection, task_id, label) is not None:
            raise InputError(
                f"Round '{label}' is there, but '{number}' is no version of its factors: a version"
                f" is a whole number, as in '{label}:1'.",
                way_out="list factor versions",
                task=request.task,
                round=label,
                measure=measure,
            )
        return named, None
    if not is_round:
        return label, int(number)
    if round_named(connection, task_id, label) is not None:
        raise InputError(
            f"'{named}' could be the round of that label, or factor version {int(number)} of"
            f" round '{label}'.",
            way_out="factor version",
            round=label,
            version=int(number),
        )
    return named, None
