"""A value that is an option: what stands after an option whose own value was forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer


def refuse_option_like(context: typer.Context) -> None:
    """Refuse a command line on which an option took the next one for its value.

    What is logged with ``--revise --dry-run`` would be written, for the reason '--dry-run'.

    Raises
    ------
    typer.BadParameter
        Naming the option whose value was forgotten.
    """
    names = set(context.help_option_names)
    for parameter in context.command.params:
        names.update(parameter.opts, parameter.secondary_opts)
    for parameter in context.command.params:
        if parameter.param_type_name != "option":
            continue
        for text in _texts(context.params.get(parameter.name or "")):
            if text.startswith("--") or text in names:
                what = parameter.metavar or "value"
                raise typer.BadParameter(
                    f"{parameter.opts[0]} needs its {what}, but '{text}' after it looks like an"
                    f" option; put the {what} between the two",
                    context,
                )


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401
    if isinstance(value, (str, Path)):
        yield str(value)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)
