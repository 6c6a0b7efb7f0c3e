"""What ``roundbook study`` tells beside a study of all rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.logbook.studies.across_rounds import AcrossRounds


def ageing_beside(session: Session, study: AcrossRounds) -> dict[str, Any]:
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
