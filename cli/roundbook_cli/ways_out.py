"""What to type after an error: the ways out that errors name by code, as commands and options."""

from __future__ import annotations

import shlex

from roundbook.errors import RoundbookError

# By code: a sentence with the error's facts in braces, quoted as a shell wants them.
_WAYS_OUT = {
    "list tasks": "'roundbook task list' shows those there are.",
}


def sentence(error: RoundbookError) -> str:
    """Return an error as the terminal says it: what is wrong, then what to type."""
    if error.way_out is None:
        return str(error)
    facts = {name: shlex.quote(str(fact)) for name, fact in error.way_out.facts.items()}
    return f"{error} {_WAYS_OUT[error.way_out.code].format_map(facts)}"
