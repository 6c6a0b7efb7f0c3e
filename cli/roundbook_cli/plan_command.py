"""The command line that asks for a plan."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from roundbook_cli.request_options import default

if TYPE_CHECKING:
    from roundbook.requests.plans import PlanRequest


def plan_command(
    request: PlanRequest, *, save_as: str | None = None, note: str | None = None
) -> str:
    """Return the command that computes a plan, or saves it under a name.

    What a later version might choose otherwise is named though it be the default.
    """
    words = ["roundbook", "plan", *(["save", save_as] if save_as is not None else [])]
    named = {"task", "measure", "assessments", "m", "min_d", "topics", "alpha", "engine"}
    if request.has_beta:
        named.add("beta")
    for field in type(request).model_fields:
        value = getattr(request, field)
        if value is None or (field not in named and value == default(type(request), field)):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            text = each if isinstance(each, str) else repr(each)
            words += [f"--{field.replace('_', '-')}", text]
    words += ["--note", note] if note is not None else []
    return shlex.join(words)
