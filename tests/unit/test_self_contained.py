"""A page of the site as part of a report: what asks the service for something is left out."""

from __future__ import annotations

import pytest

from roundbook.reports.self_contained import self_contained

ANCHORS = {"/round?round=1": "round-1"}


def part(inner):
    page = f'<html><link href="/s.css"><nav>out</nav><main id="main">{inner}</main>out</html>'
    return self_contained(page, "task", ANCHORS.get)


@pytest.mark.parametrize(
    ("inner", "left"),
    [
        ("<h1>a &amp; b &#39;</h1><h2>c</h2>", "<h2>a &amp; b &#39;</h2><h3>c</h3>"),
        # Links lead into the report; of others the words stay in sentences and tables.
        ('<p>See <a href="/round?round=1">1</a>.</p>', '<p>See <a href="#round-1">1</a>.</p>'),
        ('<p>See <a href="/matrix?matrix=1">matrix 1</a>.</p>', "<p>See matrix 1.</p>"),
        ('<td><a href="/matrix?matrix=1">1</a></td>', "<td>1</td>"),
        ('<div>x <a href="/upload">Log a round</a></div>', "<div>x </div>"),
        ('<p>kept</p><p><a href="/plan">Plan</a> · <a href="/e">All</a></p>', "<p>kept</p>"),
        ('<p><a href="/plan">P</a> <a href="/round?round=1">1</a></p>',
         '<p>P <a href="#round-1">1</a></p>'),
        ('<p class="path"><a href="/">Tasks</a> / t</p>x', "x"),
        ('<a href="javascript:alert(1)">x</a>y', "y"),
        # Nothing is sent, run or fetched.
        ('<form action="/x"><p>in <button>Go</button></p><input></form>after', "after"),
        ("<script>if (a < b) alert('</p>')</script>after", "after"),
        ('<p onclick="x()" data-x="1" class="grey">a</p>', '<p class="grey">a</p>'),
        ('<img src="https://example.org/x.png"><img src="data:image/png;base64,AA">',
         '<img src="data:image/png;base64,AA">'),
        # Ids are of the page, and in drawings of the drawing; their tags keep their case.
        ('<p id="a">x</p><label for="b">y</label>',
         '<p id="task-a">x</p><label for="task-b">y</label>'),
        ('<svg viewBox="0 0 1 1"><g id="c" clip-path="url(#c)"/><text>&lt;</text></svg>'
         '<svg><use href="#c"/></svg>',
         '<svg viewBox="0 0 1 1"><g id="task-drawing1-c" clip-path="url(#task-drawing1-c)"/>'
         '<text>&lt;</text></svg><svg><use href="#task-drawing2-c"/></svg>'),
    ],
)  # fmt: skip
def test_what_stays_of_a_page(inner, left):
    assert part(inner) == left
