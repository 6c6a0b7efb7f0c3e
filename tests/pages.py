"""What pages say, and their forms filled in, as tests ask for it."""

from __future__ import annotations

import re
from html import unescape


def words(answer):
    """Return what a page says, without its drawings and markup."""
    assert answer.headers["content-type"].startswith("text/html")
    return plain(re.sub(r"<svg.*?</svg>", "", answer.text, flags=re.DOTALL))


def plain(markup):
    """Return what a reader sees of markup."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def links_of(answer, path):
    """Return the links of a page to a path."""
    return [unescape(link) for link in re.findall(rf'href="({path}\?[^"]+)"', answer.text)]


def beside(answer, field):
    """Return what a refused form says beside a field, or above all of them where that is ""."""
    assert answer.status_code in (404, 409, 413, 422), words(answer)
    assert f'name="{field}"' in answer.text or not field
    match = re.search(rf'id="wrong-{field or "form"}">(.*?)</span>', answer.text, re.DOTALL)
    assert match, words(answer)
    return unescape(re.sub("<[^>]+>", "", match[1]))


def confirm(client, seen, **options):
    """Log what a page has shown to be in a file."""
    held = re.search(r'name="held" value="([^"]+)"', seen.text)[1]
    return client.post("/upload/confirm", data={"held": held}, **options)
