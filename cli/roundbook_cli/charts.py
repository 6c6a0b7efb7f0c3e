"""The option that also writes a result as a chart; drawing libraries are imported on use only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundbook_cli.output import talk

if TYPE_CHECKING:
    import altair as alt

    from roundbook.logbook.result import Result


def chart_option(drawn: str) -> Any:  # noqa: ANN401
    """Return the option of a chart's file; its help begins with what is drawn, and when."""
    return typer.Option(
        "--chart",
        metavar="FILE",
        help=f"{drawn}, in a file that ends in .svg, .png or .html; one that is there is replaced.",
        show_default=False,
    )


Chart = Annotated[Path | None, chart_option("Also draw it")]


def check_chart(path: Path | None) -> None:
    """Refuse a file that no chart can be written to, before any work is done."""
    if path is not None:
        from roundbook.presentation.charts.files import check_chart_file

        check_chart_file(path)


def draw(path: Path | None, result: Result) -> None:
    """Write the chart of a result, if a file for it is named; see `write_chart`."""
    if path is not None:
        from roundbook.presentation.views import view_of

        chart = view_of(result).chart
        assert chart is not None
        write_chart(path, chart())


def write_chart(path: Path, chart: alt.ConcatChart) -> None:
    """Write a chart, and print the path on stderr."""
    from roundbook.presentation.charts import files

    files.write_chart(path, chart)
    talk(f"Drawn: {path}")
