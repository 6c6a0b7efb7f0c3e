"""What ``roundbook study`` prints of all rounds; the commands are those of single rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roundbook.presentation.studies import across_rounds as words
from roundbook.presentation.studies.common import heading
from roundbook_cli.options import Format
from roundbook_cli.output import section, show

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.logbook.studies.across_rounds import AcrossRounds


def beside(session: Session, study: AcrossRounds) -> dict[str, Any]:
    """Return the ageing of the first round's factors, if several rounds have any."""
    if len(study.rounds) < 2 or study.rounds[0].factor_version is None:
        return {}
    from roundbook.logbook.drift.curve import trace_drift
    from roundbook.presentation.drift_curve import summary
    from roundbook.requests.drift import CurveRequest

    curve = trace_drift(
        session,
        CurveRequest(
            task=study.task or "",
            measure=study.measure,
            assessments=study.assessments,
            from_round=study.rounds[0].round,
        ),
    )
    verdicts = [{"round": later.round, "verdict": later.verdict} for later in curve.rounds]
    return {"ageing": {"summary": summary(curve), "rounds": verdicts}}


def print_study(study: AcrossRounds, form: Format, saved: dict[str, Any]) -> None:
    """Print the study; `saved` is what JSON has besides."""
    protocol = words.protocol(study)
    if form == "table":
        above = [heading(study), *words.sentences(study), *words.left_out(study), ""]
        show(study, form, words.rows(study), words.ROUNDS, above=above)
        if "ageing" in saved:
            section(saved["ageing"]["summary"])
        section(protocol)
        return
    show(study, form, words.rows(study), words.ROUNDS, extra=saved | {"protocol": protocol})
