"""Sentences and table rows of ageing curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundbook.logbook.drift.report import DriftCurve, LaterRound
from roundbook.logbook.withdrawals import left_out
from roundbook.presentation.column_types import types_at
from roundbook.presentation.drift import assumed, chosen_otherwise, differ_in_scale
from roundbook.presentation.drift_verdict import curve_reason
from roundbook.presentation.phrases import counted, listed
from roundbook.presentation.rounds import out_of_order
from roundbook.presentation.tables import values_at

# By column of a row, the field of a later round.
_ROW = {
    **{name: name for name in ("round", "matrix", "revision", "version", "verdict", "why")},
    **{name: name for name in ("provisional", "shared_topics")},
    "units_from": "units.from_",
    "units_to": "units.to",
    "units_shared": "units.shared",
}


def curve_row(later: LaterRound) -> dict[str, Any]:
    """Return the table row of a later round of a curve, the same in every interface."""
    row, like = values_at(later, _ROW), later.systems_like_these
    for name in ("shift", "sd_ratio"):
        low, high = getattr(like, f"{name}_95", None) or (None, None)
        row |= {name: getattr(like, name, None), f"{name}_low": low, f"{name}_high": high}
    return row


def curve_types() -> dict[str, type]:
    """Return the types of the columns of `curve_row`."""
    judged = (f"{name}{limit}" for name in ("shift", "sd_ratio") for limit in ("", "_low", "_high"))
    return types_at(LaterRound, _ROW) | dict.fromkeys(judged, float)


def curve_sentences(curve: DriftCurve) -> dict[str, Any]:
    """Return the sentences about a curve by their JSON keys; `rounds` with the figures."""
    return {
        "assumed": assumed(curve),
        "summary": summary(curve),
        "rounds": [
            later.model_dump(mode="json", by_alias=True) | {"reason": curve_reason(curve, later)}
            for later in curve.rounds
        ],
    }


def summary(curve: DriftCurve) -> str:
    """Return the summary of a curve: rounds by verdict, and the first in which factors had aged."""
    return ageing(curve.from_round, {later.round: later.verdict for later in curve.rounds})


def ageing(from_round: str, verdicts: Mapping[str, str]) -> str:
    """Return the summary of the verdicts on a round's factors; `verdicts` are by later round."""
    labels = {
        verdict: [label for label, of_round in verdicts.items() if of_round == verdict]
        for verdict in ("held", "aged", "undecided", "unbridged")
    }
    phrases = {"unbridged": "without shared topics"}
    counts = ", ".join(
        f"{len(names)} {phrases.get(verdict, verdict)}"
        for verdict, names in labels.items()
        if names
    )
    rounds = counted(len(verdicts), "later round")
    lines = [f"The factors of round '{from_round}' in {rounds}: {counts}."]
    if labels["aged"]:
        lines.append(f"The first round in which they had aged is '{labels['aged'][0]}'.")
    if len(verdicts) > 1:
        lines.append("The verdicts are not adjusted for their number.")
    return " ".join(lines)


def curve_notes(curve: DriftCurve) -> list[str]:
    """Return the notes on the verdicts of a curve, and on scores left out of it."""
    notes = (
        *_order(curve),
        assumed(curve),
        _choice(curve),
        _scale(curve),
        _small_sds(curve),
        _provisional(curve),
    )
    return [*filter(None, notes), *map(left_out, curve.withdrawn)]


def _choice(curve: DriftCurve) -> str | None:
    """Return the note on later factors whose runs were chosen unlike the first's, or None."""
    later = {row.round: row.standardising for row in curve.rounds if row.verdict != "unbridged"}
    return chosen_otherwise(curve.from_round, curve.standardising, later)


def _scale(curve: DriftCurve) -> str | None:
    """Return the note on rounds whose scores may differ in scale from the first's; None if none."""
    rounds = [f"'{later.round}'" for later in curve.rounds if differ_in_scale(later)]
    if not rounds:
        return None
    return (
        f"The spread in {listed(rounds, 8)} is so far from that in '{curve.from_round}' that perhaps"
        " the scores on one side are on another scale (percent?). Look at them before you follow the"
        " verdicts."
    )


def _order(curve: DriftCurve) -> list[str]:
    """Return a note for each round of a curve whose date contradicts the order of rounds."""
    return [
        f"{out_of_order(pair)}, and the curve goes by the order of recording."
        for pair in curve.out_of_order
    ]


def _small_sds(curve: DriftCurve) -> str | None:
    """Return the note on verdicts left open by topics of small sd alone; None without any."""
    rounds = [f"'{later.round}'" for later in curve.rounds if later.why == "topics of small sd"]
    if not rounds:
        return None
    return (
        f"Undecided for {', '.join(rounds)}, though both intervals lie inside: topics on which the"
        " runs hardly differ moved by more; the report says more."
    )


def _provisional(curve: DriftCurve) -> str | None:
    """Return the note on provisional verdicts, for which teams are unknown; None without any."""
    rounds = [f"'{later.round}'" for later in curve.rounds if later.provisional]
    if not rounds:
        return None
    where = f"of {', '.join(rounds)}" if len(rounds) < len(curve.rounds) else "here"
    return f"Provisional: teams are unknown behind the verdicts {where}; the report says more."
