"""The state of a study in the background, in a sentence."""

from __future__ import annotations

from typing import Any

from roundbook.presentation.saved_results import other_question


def state(job: Any) -> str:  # noqa: ANN401
    """Return the state of a job as a sentence: its progress, its result or its error."""
    about = f"Job {job.job}: {job.study} of {job.task}"
    if job.status == "done":
        other = other_question(job.version, job.asked_before)
        done = f"{about} is {job.saved}: '{job.result}', version {job.version}."
        return f"{done} {other}" if other else done
    if job.status == "failed":
        return f"{about} failed. {job.error}"
    if job.status == "cancelled":
        return f"{about} is cancelled; nothing is saved."
    if job.status == "waiting" or job.stopping:
        return f"{about} is {'being stopped' if job.stopping else 'waiting for a worker'}."
    if not job.part:
        return f"{about} is begun."
    left = f", about {job.seconds_left:.0f} s left" if job.seconds_left else ""
    return f"{about} is running. {job.part}: {job.done:,} of {job.total:,}{left}."
