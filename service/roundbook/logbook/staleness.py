"""The rule of staleness: what a result or a score matrix was computed from, compared with today's.

A result is stale when one of its inputs is no longer the current one of its round, or when facts
that it depends on became known of the input's runs or round. A round that is logged later is
listed as a change but makes no result stale: otherwise every plan would be stale once its round
is held. A round that was left out as withdrawn and counts again does make it stale. Scores that
were computed from runs and assessments are stale once their round has later ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from roundbook.logbook.result import Result

Code = Literal[
    "withdrawn",  # its score matrix is withdrawn
    "gone",  # it has no current input of this kind
    "logged",  # a score matrix was logged since that replaces a published variance or others
    "corrected",  # its score matrix, or the published variance, has a later revision
    "refitted",  # its factors were fitted anew
    "estimated",  # its variance was estimated anew, as teams became known
    "uploaded",  # further runs were logged
    "collection",  # its document collection was declared
    "topics",  # it shares other topics, as ids were declared to be those of another topic
    "runs",  # facts on its runs (teams, systems, the pool) were corrected
    "team",  # teams of `runs` runs became known
    "system",  # systems of `runs` runs became known
    "rule",  # the result is by an earlier rule
    "restored",  # left out as withdrawn, it counts again
    "added",  # it has an input today, and had none then
]
ScoresCode = Literal[
    "assessed anew",  # the scores were computed from earlier assessments
    "further runs",  # the scores were computed without the runs of a later upload
]
Origin = Literal[
    "variance_estimate", "published_variance", "factor_set", "matrix", "run_upload", "qrels"
]
# Inputs of a round besides its scores; all other kinds of inputs can replace each other.
BESIDE_SCORES: tuple[Origin, ...] = ("run_upload", "qrels")


class Input(NamedTuple):
    """The input of a result from one round.

    Attributes
    ----------
    origin, id
        The kind and id of its row: a variance estimate, published variance, factor set, matrix,
        the latest upload of runs, or relevance assessments.
    matrix, revision, version
        The score matrix, its revision (or that of a published variance or of assessments, or the
        number of an upload), and the factor version.
    value
        The variance, None of other inputs.
    known
        Facts besides the scores that the result depends on: the round's ``collection``, the numbers
        ``runs_without_team`` and ``runs_without_system``, a checksum of the ``runs``' teams and
        systems, the ``other_ids`` by which it shares topics with the other inputs, and the
        ``rule``.
    """

    origin: Origin
    id: int
    round: str
    ordinal: int
    assessments: str
    matrix: int | None
    revision: int
    version: int | None
    value: float | None
    known: Mapping[str, Any]


class Change(Result):
    """A change of one round since a result was saved.

    `was` and `now` are its variances if inputs are variances; `revision`, `version` and `matrix`
    are today's; `runs` is the number of runs whose teams or systems became known; `reason` is that
    of a withdrawal.
    """

    code: Code
    round: str
    was: float | None = None
    now: float | None = None
    matrix: int | None = None
    revision: int | None = None
    version: int | None = None
    origin: Origin | None = None
    runs: int | None = None
    reason: str | None = None

    @property
    def stale(self) -> bool:
        """Whether it makes a result stale; an added round does not."""
        return self.code != "added"

    @property
    def of_new_round(self) -> bool:
        """Whether it is about a round that the result was not computed from."""
        return self.code in ("added", "restored")


def scores_changes(
    upload: int, revision: int, *, latest_upload: int, latest_revision: int
) -> list[ScoresCode]:
    """Return why scores are stale that were computed from an upload and an assessments' revision."""
    codes: tuple[tuple[bool, ScoresCode], ...] = (
        (revision < latest_revision, "assessed anew"),
        (upload < latest_upload, "further runs"),
    )
    return [code for holds, code in codes if holds]


def makes_stale(changed: Sequence[Change], *, illegible: bool) -> bool:
    """Return whether a result is stale by its changes; what cannot be read counts as stale."""
    return illegible or any(change.stale for change in changed)


def changes(
    saved: Sequence[Input],
    today: Sequence[Input],
    *,
    withdrawn: Mapping[tuple[str, str], str],
    left_out: Collection[str] = (),
) -> list[Change]:
    """Return the changes of a result's inputs, round by round, by the module's rule.

    `saved` are the inputs it was computed from, `today` those of the same request today. `withdrawn`
    has the reasons, by round and assessments, of the score matrices that are withdrawn today;
    `left_out` are the rounds that the result left out as withdrawn.
    """
    current = {_part(row): row for row in today}
    before = {was.round for was in saved}
    changed = [
        change
        for was in saved
        if (change := _change(was, current.get(_part(was)), withdrawn, alone=len(before) == 1))
        is not None
    ]
    changed += _known_since(saved, current)
    changed += [
        Change(
            code="restored" if row.round in left_out else "added",
            round=row.round,
            now=row.value,
            matrix=row.matrix,
        )
        for row in today
        if row.round not in before
    ]
    return changed


def _part(row: Input) -> tuple[str, str]:
    """Return the round of an input, and its part of the round: scores, runs or assessments."""
    return row.round, row.origin if row.origin in BESIDE_SCORES else "scores"


def _change(
    was: Input, now: Input | None, withdrawn: Mapping[tuple[str, str], str], *, alone: bool
) -> Change | None:
    if now is not None and (was.origin, was.id) == (now.origin, now.id):
        # A single round shares topics with no other, whatever its collection.
        compared = "collection" in was.known and not alone
        if compared and was.known["collection"] != now.known.get("collection"):
            return _changed("collection", was, now)
        if was.known.get("other_ids") != now.known.get("other_ids"):
            return _changed("topics", was, now)
        return None
    reason = withdrawn.get((was.round, was.assessments))
    if reason is not None and was.origin not in ("published_variance", *BESIDE_SCORES):
        return _changed("withdrawn", was, now).model_copy(update={"reason": reason})
    if now is None:
        return _changed("gone", was, now)
    codes: tuple[tuple[bool, Code], ...] = (
        (was.origin == "run_upload", "uploaded"),
        ((was.origin, was.assessments) != (now.origin, now.assessments), "logged"),
        (was.revision != now.revision, "corrected"),
        (was.version != now.version, "refitted"),
        (True, "estimated"),
    )
    return _changed(next(code for holds, code in codes if holds), was, now)


def _changed(code: Code, was: Input, now: Input | None) -> Change:
    today = {} if now is None else now._asdict()
    return Change(
        code=code,
        round=was.round,
        was=was.value,
        now=today.get("value"),
        **{name: today.get(name) for name in ("matrix", "revision", "version", "origin")},
    )


def _known_since(saved: Sequence[Input], current: Mapping[tuple[str, str], Input]) -> list[Change]:
    """Return the changes by a new rule, or by facts on runs that became known or were corrected."""
    if any("rule" in was.known for was in saved):
        return [Change(code="rule", round=saved[0].round)]
    if any((now := current.get(_part(was))) is None or now.id != was.id for was in saved):
        return []  # the runs themselves changed, so numbers of known teams do not compare
    changed = []
    codes: tuple[Code, ...] = ("team", "system")
    for code in codes:
        key = f"runs_without_{code}"
        before = [was.known[key] for was in saved if key in was.known]
        after = sum(current[_part(was)].known.get(key, 0) for was in saved)
        if before and sum(before) > after:
            changed.append(Change(code=code, round=saved[0].round, runs=sum(before) - after))
    return changed or [
        _changed("runs", was, current[_part(was)])
        for was in saved
        if "runs" in was.known and was.known["runs"] != current[_part(was)].known.get("runs")
    ]
