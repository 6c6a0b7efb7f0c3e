"""Charts as files: SVG, PNG, or an HTML page that needs no network."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from roundbook.errors import InputError, MissingExtraError
from roundbook.logbook.atomic_files import atomic_file

if TYPE_CHECKING:
    import altair as alt

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ margin: 1em }}
{dark}</style>
<script>{library}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {chart}, {{renderer: "svg", actions: false}})</script>
</body>
</html>
"""


def check_chart_file(path: Path) -> None:
    """Check that a chart can be written to a file, before any work is done.

    Raises
    ------
    InputError
        When the name has no suffix of a chart, or there is no such directory.
    MissingExtraError
        When the libraries that draw are not installed.
    """
    if path.suffix.lower() not in _WRITERS:
        raise InputError(f"{path}: a chart is a file that ends in {', '.join(_WRITERS)}.")
    if not all(map(find_spec, ("altair", "vl_convert"))):
        raise MissingExtraError("Charts need Altair and vl-convert.", "charts")
    if not path.resolve().parent.is_dir():
        raise InputError(f"{path}: there is no directory {path.resolve().parent}; make it first.")


def write_chart(path: Path, chart: alt.ConcatChart) -> None:
    """Write a chart in the format that the file's name ends in, in place of an earlier file.

    Raises
    ------
    InputError
        When it cannot be written.
    """
    content = _WRITERS[path.suffix.lower()](chart)
    with atomic_file(path, force=True) as part:
        part.write_bytes(content)


def svg(chart: alt.ConcatChart) -> str:
    """Return a chart as SVG, which has dark colours where the page around it is dark."""
    start, closing, rest = bare_svg(chart).partition(">")
    return f"{start}{closing}<style>{_dark()}</style>{rest}"


def bare_svg(chart: alt.ConcatChart | alt.LayerChart) -> str:
    """Return a chart as SVG for a page whose own style sheet has the dark colours."""
    import vl_convert  # noqa: PLC0415

    # Not compared with Vega-Lite's schema, which takes half as long again; the tests do that.
    drawn: str = vl_convert.vegalite_to_svg(chart.to_dict(validate=False), _version())
    return drawn


def png(chart: alt.ConcatChart) -> bytes:
    """Return a chart as PNG, on a white background."""
    import vl_convert  # noqa: PLC0415

    # An image cannot follow the page around it, which may be dark.
    opaque = chart.to_dict() | {"background": "white"}
    return vl_convert.vegalite_to_png(opaque, _version(), scale=2)


def _html(chart: alt.ConcatChart) -> bytes:
    import vl_convert  # noqa: PLC0415

    drawn = chart.to_dict()
    # Escaped, so that no name in the chart can end the script element.
    embedded = json.dumps(drawn).replace("<", "\\u003c")
    title = html.escape(" ".join(drawn["title"]))
    library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed", _version())
    return _PAGE.format(title=title, dark=_dark(), library=library, chart=embedded).encode()


def _dark() -> str:
    """Return the CSS of a chart on a dark page: the colours that change there, and that of text.

    The other colours are readable on light and on dark.
    """
    from roundbook.presentation.charts.style import ON_DARK  # noqa: PLC0415

    rules = "\n".join(
        f'  svg [{name}="{light}"] {{ {name}: {dark} }}'
        for light, dark in ON_DARK.items()
        for name in ("fill", "stroke")
    )
    return (
        "\n@media (prefers-color-scheme: dark) {\n  svg text { fill: #e6eaec }\n"
        f"  svg .role-axis-grid line {{ stroke: #4a4a4a }}\n{rules}\n}}\n"
    )


def _version() -> str:
    """Return the version of Vega-Lite that charts are written in, as vl-convert names it."""
    import altair as alt  # noqa: PLC0415

    return ".".join(alt.SCHEMA_VERSION.split(".")[:2])


_WRITERS: dict[str, Callable[[alt.ConcatChart], bytes]] = {
    ".svg": lambda chart: svg(chart).encode(),
    ".png": png,
    ".html": _html,
}
