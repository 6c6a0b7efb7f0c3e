"""The lines above a saved plan, and the note on a change to a published round."""

import pytest

from roundbook.logbook.round_fingerprint import Publication
from roundbook.presentation.rounds import publication_note
from roundbook.presentation.saved_plans import brief_sentence
from roundbook_cli.saved_plans import _changes


@pytest.mark.parametrize(
    ("was", "now", "clause"),
    [
        (0.053219, 0.0532, " counts with 0.053219, and is 0.053200 today"),
        (0.0552, 0.0525, " counts with 0.0552, and is 0.0525 today"),
        (0.0532201, 0.0532202, ""),
        (3e-9, 2e-9, " counts with 3e-09, and is 2e-09 today"),
        (0.0552, None, " counts with 0.0552"),
    ],
)
def test_a_stale_plan_has_both_variances_to_the_same_decimals(was, now, clause):
    stale = [{"round": "r 1", "was": was, "now": now, "why": "its teams became known"}]
    assert _changes(stale, []) == [f"Stale: round 'r 1'{clause}: its teams became known."]


def test_topics_of_a_plan_in_a_line_have_their_thousands_apart():
    brief = {"design": "anova", "fewest_topics": 27, "most_topics": 1560}
    assert brief_sentence(brief) == "anova: 27 to 1,560 topics"
    assert brief_sentence(brief | {"fewest_topics": 1560}) == "anova: 1,560 topics"


@pytest.mark.parametrize(
    ("publication", "dry_run", "note"),
    [
        (None, False, None),
        (
            Publication(fingerprint="a", published_fingerprint=None),
            False,
            "Round 'r' is published.",
        ),
        (
            Publication(fingerprint="a", published_fingerprint="a"),
            False,
            "Round 'r' is published; its published fingerprint still verifies.",
        ),
        (
            Publication(fingerprint="a", published_fingerprint="b"),
            True,
            "Round 'r' is published, and its published fingerprint would no longer verify.",
        ),
    ],
)
def test_the_note_on_a_published_round(publication, dry_run, note):
    assert publication_note("r", publication, dry_run=dry_run) == note
