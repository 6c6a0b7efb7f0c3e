"""Scores of runs by ir_measures, which comes with the extra ``measures``."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import InputError, MissingExtraError
from roundbook.logbook.runs.storing import AssessedRuns
from roundbook.measure_names import is_known_measure, split_parameters
from roundbook.statistics.measures.measure import OWN_MEASURES
from roundbook.statistics.score_matrix import Floats


def score_by_ir_measures(assessed: AssessedRuns, name: str) -> tuple[Floats, str]:
    """Return the (topics, runs) scores of a measure that Roundbook does not compute itself.

    With them comes the software that computed them. The errors are as in `score_assessed`.
    """
    try:
        library = import_module("ir_measures")
    except ImportError:
        message = f"Roundbook does not compute {name} itself, and ir_measures is not installed"
        if not is_known_measure(name):
            message = (
                f"{name} is no measure that Roundbook knows; it computes {', '.join(OWN_MEASURES)} itself."
                " ir_measures, which has others, is not installed"
            )
        raise MissingExtraError(f"{message}.", "measures") from None
    software = f"ir_measures {library.__version__}"
    judgments = assessed.judgments
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in zip(
        judgments.topic.tolist(), judgments.document.tolist(), judgments.grade.tolist(), strict=True
    ):
        qrels.setdefault(str(topic), {})[str(document)] = grade
    scores = np.zeros((judgments.topics, len(assessed.runs)))
    try:
        evaluator = library.evaluator([measure_of_ir_measures(library, name)], qrels)
        for run, lists in enumerate(assessed.lists):
            for result in evaluator.iter_calc(_ranked(lists)):
                scores[int(result.query_id), run] = result.value
    except Exception as error:  # noqa: BLE001 - of any library behind ir_measures
        text = re.sub("<object object at [^>]*>", "nothing", str(error))
        reason = ": " + " ".join(text.split())[:200] if text else ""
        raise InputError(
            f"Neither Roundbook nor {software} computes {name}{reason.rstrip('.')}.",
            measure=name,
        ) from None
    return scores, software


def _ranked(lists: NDArray[np.integer[Any]]) -> dict[str, dict[str, float]]:
    """Return a run's lists in the form of ir_measures, with scores that keep the recorded order."""
    return {
        str(topic): {
            str(document): -float(rank) for rank, document in enumerate(documents) if document >= 0
        }
        for topic, documents in enumerate(lists.tolist())
        if documents and documents[0] >= 0
    }


def measure_of_ir_measures(library: ModuleType, name: str) -> Any:  # noqa: ANN401
    """Return the measure of ir_measures for a canonical name.

    Built here, since its own parser needs what Python 3.14 has no more (``ast.Num``).

    Raises
    ------
    ValueError
        When the name cannot be read, ir_measures has no such measure, or the cutoff is 0, by which
        trec_eval would end the process.
    """
    match = re.fullmatch(r"([^(@]*)(?:\((.*)\))?(?:@(.*))?", name)
    parameters = split_parameters((match and match[2]) or "")
    if match is None or parameters is None:
        raise ValueError("parameters are written as in nDCG(gains=exp)@10")
    family, cutoff = match[1], match[3]
    if family not in library.measures.registry:
        raise ValueError(f"measure not found: {family}")
    if cutoff == "0":
        raise ValueError("a cutoff of 0 is none")
    measure = library.measures.registry[family]
    values = {
        key: _literal(f"{{{value.strip('{}')}}}" if ":" in value else value)
        for key, value in parameters.items()
    }
    if cutoff is not None:
        values[measure.AT_PARAM] = _literal(cutoff)
    return measure(**values)


# Negative numbers stay texts, which ir_measures refuses: as a grade or gain, one may end the process.
_LITERAL = re.compile(r"[0-9.]+|True|False|'.*'|\".*\"|{[^-]*}")


def _literal(text: str) -> Any:  # noqa: ANN401
    """Return a number, gains, a truth value or a quoted text as Python has it; others as is."""
    if not _LITERAL.fullmatch(text):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
