"""A page of the site as a part of one file, without the elements that need the site."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser

# Elements that send requests to the service; they are left out with their content.
_ACTING = frozenset({"script", "form", "button", "input", "select", "iframe", "object", "template"})
_EMPTY = frozenset({"input", "img", "link", "meta", "br", "hr", "embed", "source"})
# The classes of links to chart files, and of the path of links above a page.
_LEFT_OUT_CLASSES = frozenset({"files", "path"})
# Elements of text, in which the text of a lost link stays; elsewhere it is left out as a whole.
_TEXTS = frozenset({"p", "td", "th", "li", "dd", "caption", "figcaption"})
_FETCHING = re.compile(r"^(on.*|src|srcset|action|formaction|data|data-.*|poster|ping)$")
_NAMING = frozenset({"id", "for", "aria-labelledby", "aria-describedby", "aria-controls"})
_HEADING = re.compile(r"h([1-5])")
# The text that a script shows for a mark; a report has no script.
_SCRIPT_TEXT = re.compile(r' data-says="[^"]*"')
_IDS = re.compile(r"""(\bid="|url\(['"]?#|href="#)""")


def self_contained(page: str, prefix: str, anchor_of: Callable[[str], str | None]) -> str:
    """Return the HTML within the `main` of a page, for a report of several pages.

    Links to pages of the report become anchors; of other links the text stays where it is part of
    a sentence or a table. Forms, scripts and files to fetch are left out, headings are one level
    lower, and ids get a prefix that is unique to the page and drawing.

    `anchor_of` returns the anchor of the page that a link of the site leads to, None where the
    report lacks that page.
    """
    part = _Part(prefix, anchor_of)
    part.feed(page)
    part.close()
    return "".join(part.written).strip()


class _Part(HTMLParser):
    """The parser that writes the parts of a page that stay; see `self_contained`."""

    def __init__(self, prefix: str, anchor_of: Callable[[str], str | None]) -> None:
        super().__init__(convert_charrefs=False)
        self.written: list[str] = []
        self._anchor_of = anchor_of
        self._prefix = prefix
        self._drawings = 0
        self._in_main = self._in_drawing = False
        self._left_out: list[str] = []  # open elements, from the first that is left out
        self._links: list[bool] = []  # of each open link, whether it leads to a page of the report
        self._texts = 0  # open elements that hold text
        self._paragraph: int | None = None  # index in `written` of the open paragraph's start
        self._has_text = False  # whether the open paragraph has text beside lost links

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag == "main":
            self._in_main = True
        elif not self._in_main or self._leaves_out(tag, values):
            return
        elif tag == "svg" or self._in_drawing:
            self._drawings += tag == "svg"
            self._in_drawing = True
            self._write(self._drawn(self.get_starttag_text() or ""))
        elif tag == "a":
            self._begin_link(values.get("href") or "")
        else:
            self._keep(tag, attributes)

    def _leaves_out(self, tag: str, attributes: dict[str, str | None]) -> bool:
        """Return whether an element is left out, together with its content."""
        if tag == "img":
            return not (attributes.get("src") or "").startswith("data:image/")
        classes = set((attributes.get("class") or "").split())
        if not self._left_out and tag not in _ACTING and not classes & _LEFT_OUT_CLASSES:
            return False
        if tag not in _EMPTY:
            self._left_out.append(tag)
        return True

    def _begin_link(self, link: str) -> None:
        anchor = f"{self._prefix}-{link[1:]}" if link[:1] == "#" else self._anchor_of(link)
        if anchor is None and not self._texts:
            self._left_out.append("a")
            return
        self._links.append(anchor is not None)
        if anchor is not None:
            self._has_text = True
            self._write(f'<a href="#{html.escape(anchor)}">')

    def _keep(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._texts += tag in _TEXTS
        if tag == "p":
            self._paragraph, self._has_text = len(self.written), False
        kept = "".join(
            f" {name}" if value is None else f' {name}="{html.escape(value)}"'
            for name, value in (
                (name, f"{self._prefix}-{value}" if name in _NAMING else value)
                for name, value in attributes
            )
            if not _FETCHING.match(name) or (value or "").startswith("data:image/")
        )
        self._write(f"<{_lower(tag)}{kept}>")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if self._in_drawing and self._in_main and not self._left_out:
            self._write(self._drawn(self.get_starttag_text() or ""))
        elif tag in _EMPTY:
            self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if self._left_out:
            if tag in self._left_out:
                while self._left_out.pop() != tag:
                    pass
            return
        if tag == "main":
            self._in_main = False
        if not self._in_main or tag in _ACTING or tag in _EMPTY:
            return
        if tag == "svg":
            self._in_drawing = False
        if tag in _TEXTS:
            self._texts = max(0, self._texts - 1)
        if tag == "a" and not self._in_drawing:
            if self._links and self._links.pop():
                self._write("</a>")
            return
        if tag == "p" and self._paragraph is not None:
            start, self._paragraph = self._paragraph, None
            if not self._has_text:
                del self.written[start:]
                return
        self._write(f"</{tag if self._in_drawing else _lower(tag)}>")

    def handle_data(self, data: str) -> None:
        inside_lost_link = bool(self._links) and not self._links[-1]
        if not inside_lost_link and any(map(str.isalnum, data)):
            self._has_text = True
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write(f"&#{name};")

    def _write(self, text: str) -> None:
        if self._in_main and not self._left_out:
            self.written.append(text)

    def _drawn(self, tag: str) -> str:
        """Return a tag of a drawing, with its ids made unique to the drawing."""
        return _IDS.sub(rf"\1{self._prefix}-drawing{self._drawings}-", _SCRIPT_TEXT.sub("", tag))


def _lower(tag: str) -> str:
    """Return the name of a tag, a heading's one level lower."""
    heading = _HEADING.fullmatch(tag)
    return f"h{int(heading[1]) + 1}" if heading else tag
