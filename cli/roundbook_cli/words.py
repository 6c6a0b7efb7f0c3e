"""The words of the command line, where the parser alone would misread a slip without a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from typer._click import Parameter


def check_words(context: typer.Context, words: Sequence[str]) -> None:
    """Refuse an option that took the next one for its value, or that is given twice.

    What is logged with ``--revise --dry-run`` would be written, for the reason '--dry-run'; of
    ``--assessments gold --assessments bronze`` only the last would count. A value that begins
    with ``--`` can be given after an equals sign.

    Raises
    ------
    typer.BadParameter
        Naming the option.
    """
    names = set(context.help_option_names)
    for parameter in context.command.params:
        names.update(parameter.opts, parameter.secondary_opts)
    for parameter in context.command.params:
        if parameter.param_type_name != "option":
            continue
        option, what = parameter.opts[0], parameter.metavar or "value"
        for text in _texts(context.params.get(parameter.name or "")):
            if (text.startswith("--") or text in names) and f"{option}={text}" not in words:
                raise typer.BadParameter(
                    f"{option} needs its {what}, but '{text}' after it looks like an option; put"
                    f" the {what} between the two, or write {option}='{text}'",
                    context,
                )
        if _times(context, parameter, words) > 1:
            raise typer.BadParameter(
                f"{option} is given more than once, and takes one {what} here", context
            )


def _times(context: typer.Context, parameter: Parameter, words: Sequence[str]) -> int:
    """Return how often an option is given that may be given once; 0 for any other."""
    if getattr(parameter, "multiple", False) or getattr(parameter, "is_flag", False):
        return 0
    options = list(words[: words.index("--")]) if "--" in words else words
    times = sum(
        word == name or word.startswith(f"{name}=") for name in parameter.opts for word in options
    )
    # --database may stand before the command too, as a default that the command's own replaces.
    root = context.find_root()
    if root is not context and root.params.get(parameter.name or "") is not None:
        times -= 1
    return times


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401
    if isinstance(value, (str, Path)):
        yield str(value)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)
