"""Archives that earlier versions wrote: read as they are, completed, and written anew.

tests/releases/archive-1.zip holds the simulated campaign as Roundbook of schema 0004 exported it.
"""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text
from tests.archives import changed, contents_of, members_of, put
from tests.factories import export_archive, import_archive, show_histories, show_plan
from tests.integration.test_upgrades import RELEASES, assert_equal_estimates, first_estimates

from roundbook.database.engine import unit_of_work
from roundbook.errors import BadFileError
from roundbook.formats.archive import VERSION

OLDEST = RELEASES / "archive-1.zip"
NEW_COLUMNS = ["version", "clusters", "runs_part", "two_way_runs_part"]


@pytest.fixture
def imported(engine):
    import_archive(engine, OLDEST, user="importer")
    return engine


def manifest(file):
    return json.loads(members_of(file)["manifest.json"])


def header(file, member):
    return members_of(file)[member].partition("\n")[0].split(",")


def test_it_is_what_it_says():
    assert (manifest(OLDEST)["version"], manifest(OLDEST)["schema_revision"]) == (1, "0004")
    assert not set(NEW_COLUMNS) & set(header(OLDEST, "variance_estimate.csv"))
    assert "teams" not in header(OLDEST, "published_variance.csv")


def test_its_estimates_are_those_of_the_campaign_logged_anew(imported, recorded):
    read, anew = first_estimates(imported), first_estimates(recorded)
    assert len(read) == 35
    assert_equal_estimates(read, anew)


def test_it_answers_with_the_new_intervals(imported, recorded):
    then, now = (
        show_histories(engine, "web", measures=["P@5"], rounds=["2024", "2025"]).histories
        for engine in (imported, recorded)
    )
    assert [each.assessments for each in then] == ["official", "bronze"]
    for old, new in zip(then, now, strict=True):
        assert old.pooled.interval.low == pytest.approx(new.pooled.interval.low, rel=1e-12)
        assert old.pooled.interval.high == pytest.approx(new.pooled.interval.high, rel=1e-12)
    # What was saved shows what was planned with then.
    saved = show_plan(imported, "next web", version=2).plan.estimate
    assert {row.interval.method for row in saved.rounds} == {"bootstrap"}
    assert saved.pooled.homogeneity.method == "bartlett"


def test_exported_it_is_an_archive_of_today(imported, second, tmp_path):
    export_archive(imported, tmp_path / "now.zip")
    assert manifest(tmp_path / "now.zip")["version"] == VERSION == 2
    assert header(tmp_path / "now.zip", "variance_estimate.csv")[-4:] == NEW_COLUMNS
    assert header(tmp_path / "now.zip", "published_variance.csv")[-1] == "teams"
    # All that it had stands there as it was.
    old, new = members_of(OLDEST), members_of(tmp_path / "now.zip")
    widened = {"variance_estimate.csv": 4, "published_variance.csv": 1}
    for name in old.keys() - {"manifest.json", "README.txt", *widened}:
        assert new[name] == old[name], name
    for name, more in widened.items():
        if "\n" in new[name].strip():
            lines = [line.rsplit(",", more)[0] for line in new[name].splitlines()]
            assert lines == old[name].splitlines()
    import_archive(second, tmp_path / "now.zip", user="importer")
    export_archive(second, tmp_path / "again.zip")
    assert contents_of(tmp_path / "again.zip") == contents_of(tmp_path / "now.zip")


def with_teams(members):
    lines = members["published_variance.csv"].splitlines()
    lines = [lines[0] + ",teams", *(line + "," for line in lines[1:])]
    members["published_variance.csv"] = "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("variance_estimate", 2, variance="0.5"), "variance is 0.5, and the scores give"),
        (put("factor", 1, mean="0.5"), "the mean of topic '1' is 0.5, and the scores"),
        (with_teams, "the header must be id,round_id,measure_id"),
    ],
)
def test_altered_it_is_refused_as_ever(engine, tmp_path, change, said):
    altered = changed(OLDEST, tmp_path / "altered.zip", change)
    with pytest.raises(BadFileError, match=said):
        import_archive(engine, altered, user="importer")


def test_its_intervals_of_before_are_kept_and_not_read(engine, tmp_path):
    altered = changed(
        OLDEST, tmp_path / "altered.zip", put("variance_estimate", 1, chi_square_low="0.001")
    )
    import_archive(engine, altered, user="importer")
    with unit_of_work(engine) as connection:
        low = connection.execute(
            text("SELECT chi_square_low FROM roundbook.variance_estimate ORDER BY id LIMIT 1")
        ).scalar_one()
    assert low == 0.001
