"""Recordings of what commands print: single ones are added, others are left as they are."""

from __future__ import annotations

import pytest
from tests.end_to_end.test_recorded_outputs import CHANGED_ON_PURPOSE
from tests.recorded import record_outputs
from tests.recorded.commands import read_commands
from tests.recorded.outputs import read_recording, value_at, write_recording

OUTPUT = {"code": 0, "out": {"rounds": [{"p": 0.1}, {"p": 0.2}]}, "err": ["one", "two"]}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("out.rounds[1].p", 0.2),
        ("err", ["one", "two"]),
        ("err[0]", "one"),
        ("err[2]", None),
        ("out.tasks", None),
        ("code.of", None),
    ],
)
def test_what_an_output_has_at_a_path(path, value):
    assert value_at(OUTPUT, path) == value


def test_commands_are_chosen_by_whole_words(monkeypatch):
    lines = read_commands("rank t 1\nrank t 1\nrank t 12\nlog t 'a b'\n")
    monkeypatch.setattr(record_outputs, "COMMANDS", lines)
    assert record_outputs.chosen(["rank t 1"]) == {"rank t 1", "rank t 1 # 2"}
    assert record_outputs.chosen(["log", "rank t 12"]) == {"log t 'a b'", "rank t 12"}
    assert record_outputs.chosen(["log t 'a b'"]) == {"log t 'a b'"}
    assert record_outputs.chosen(["ran"]) == set()


def test_the_others_are_left_as_recorded_and_new_ones_come_in_order(tmp_path):
    before, now = ({"code": code, "out": [], "err": []} for code in (0, 1))
    printed = dict.fromkeys(("a", "b", "c", "d"), now)
    recording = record_outputs.with_only({"a": before, "d": before}, printed, {"b"})
    write_recording(recording, tmp_path / "outputs.json")
    assert list(read_recording(tmp_path / "outputs.json").items()) == [
        ("a", before),
        ("b", now),
        ("d", before),
    ]


def test_what_is_otherwise_on_purpose_is_recorded_by_its_path(monkeypatch):
    monkeypatch.setitem(CHANGED_ON_PURPOSE, "one", {"out.rounds[0].p": "why", "err[1]": "why"})
    assert record_outputs.changed({"one": OUTPUT, "not changed": OUTPUT}) == {
        "one": {"out.rounds[0].p": 0.1, "err[1]": "two"}
    }
