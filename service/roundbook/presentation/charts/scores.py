"""Charts of a score matrix: a heat map of its scores, and the mean and sd of each topic."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Sequence
from struct import pack
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from roundbook.presentation.charts.style import (
    ACCENT,
    HEIGHT,
    INK,
    LINE,
    SAID,
    labelled,
    layered,
    names_axis,
    points_of,
    room_for,
    short_names,
    styled,
)
from roundbook.presentation.figures import MOST_TOPICS, short
from roundbook.presentation.tables import thinned

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet
    from roundbook.logbook.matrices.overview import ScoreOverview

# The colours of the lowest and the highest score, readable on light and on dark paper.
_LOW, _HIGH = (233, 241, 242), (7, 62, 72)
_WIDTH = 690
# The number of characters of a topic's label.
_LONGEST_TOPIC = 10


def score_points(overview: ScoreOverview) -> list[dict[str, Any]]:
    """Return a point for each cell of a heat map: its score, and its topics and runs."""
    return [
        {"topic": topic, "run": run, "score": score}
        for topic, row in zip(overview.cell_topics, overview.cells, strict=True)
        for run, score in zip(overview.cell_runs, row, strict=True)
    ]


def score_chart(overview: ScoreOverview, width: int | None = None) -> alt.ConcatChart:
    """Draw the scores as a heat map, topics by runs, as one image of a pixel a cell."""
    topics = overview.cell_topics
    height = min(420, max(140, 12 * len(topics) + 60))
    x = names_axis("run, the best first", overview.cell_runs, width or _WIDTH)
    every = max(1, -(-len(topics) * (LINE - 1) // (height - 60)))
    labels = short_names(topics, _LONGEST_TOPIC)
    y = alt.Y(
        "topic:O",
        title="topic, the hardest first",
        scale=alt.Scale(domain=topics),
        axis=alt.Axis(**labelled(topics[::every], labels[::every]), labelLimit=80),
    )
    corner = {"name": overview.cell_runs[0], "topic": topics[0]}
    # On a page, axes and titles take room from the panel, so the image follows its size.
    panel = layered(
        points_of([corner]).mark_rect(opacity=0, aria=False).encode(x=x, y=y),
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_image(
            url=_image(np.asarray(overview.cells)),
            aspect=False,
            smooth=False,
            align="left",
            baseline="top",
            width=alt.ExprRef("width") if width else _WIDTH,
            height=alt.ExprRef("height") if width else height,
            aria=False,
        )
        .encode(x=alt.value(0), y=alt.value(0)),
        width=width or _WIDTH,
        height=height,
    )
    return styled([panel], f"{_origin(overview)}: {overview.measure}, light is low")


def mean_points(overview: ScoreOverview) -> list[dict[str, Any]]:
    """Return a point for each topic: the mean and sd of its scores, the hardest topic first."""
    return [topic_point(topic.topic, topic.mean, topic.sd or 0.0) for topic in overview.topics]


def mean_chart(overview: ScoreOverview, width: int | None = None) -> alt.ConcatChart:
    """Draw the mean and one sd to either side of each topic's scores; see `factor_chart`."""
    panel = topics_panel(mean_points(overview), overview.measure, width)
    return styled([panel], f"{_origin(overview)}: {overview.measure} over the runs")


def _origin(overview: ScoreOverview) -> str:
    return f"{overview.task}, round '{overview.round}', matrix {overview.matrix}"


def _image(cells: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """Return cells as the data URL of a PNG, a pixel a cell, the lowest light, the highest dark."""
    low, high = cells.min(), cells.max()
    share = (cells - low) / ((high - low) or 1.0)
    colours = np.asarray(_LOW) + share[..., None] * (np.asarray(_HIGH) - np.asarray(_LOW))
    lines = colours.round().astype(np.uint8)
    # Each line of pixels begins with its filter, 0 for none.
    data = b"".join(b"\0" + line.tobytes() for line in lines)
    parts = (
        (b"IHDR", pack(">IIBBBBB", cells.shape[1], cells.shape[0], 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(data)),
        (b"IEND", b""),
    )
    encoded = b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return f"data:image/png;base64,{b64encode(encoded).decode()}"


def factor_points(factors: FactorSet) -> list[dict[str, Any]]:
    """Return a point for each topic: its mean, one sd to either side; the hardest topic first."""
    ordered = sorted(factors.factors, key=lambda factor: factor.mean)
    return [topic_point(factor.topic, factor.mean, factor.sd) for factor in ordered]


def topic_point(topic: str, mean: float, sd: float) -> dict[str, Any]:
    """Return a topic's mean and sd as a point of `topics_panel`."""
    return {"name": topic, "mean": mean, "sd": sd, "low": mean - sd, "high": mean + sd}


def factor_chart(factors: FactorSet, width: int | None = None) -> alt.ConcatChart:
    """Draw a round's factors topic by topic; a bounded number for a page, of a `width`."""
    return styled(
        [topics_panel(factor_points(factors), factors.measure, width)],
        f"{factors.task}, round '{factors.round}': factors of {factors.measure}, version"
        f" {factors.version}",
    )


def topics_panel(
    points: Sequence[dict[str, Any]], measure: str, width: int | None
) -> alt.LayerChart:
    """Draw the mean and one sd to either side of each topic, in the order given."""
    thin = thinned(points, min(MOST_TOPICS, width // 6)) if width else list(points)
    drawn = points_of(
        point | {"text": f"topic {point['name']}: {short(point['mean'])}, sd {short(point['sd'])}"}
        for point in thin
    )
    room = width or room_for(len(thin))
    x = names_axis("topic, the hardest first", [point["name"] for point in thin], room)
    y = alt.Y("low:Q", title=f"{measure}: mean ± sd", axis=alt.Axis(tickCount=5))
    return layered(
        drawn.mark_rule(color=ACCENT, strokeWidth=3, opacity=0.5).encode(
            x=x, y=y, y2=alt.Y2("high:Q"), **SAID
        ),
        drawn.mark_point(filled=True, size=26, opacity=1, color=INK).encode(
            x=x, y=alt.Y("mean:Q"), **SAID
        ),
        width=room,
        height=HEIGHT,
    )
