"""Archives that earlier versions wrote: read as they are, completed, and written anew.

tests/releases/archive-1.zip holds the simulated campaign as Roundbook of schema 0004 exported it,
archive-2.zip as that of schema 0005 did, archive-3.zip as that of schema 0007.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from functools import cache

import pytest
from tests.archives import changed, contents_of, edit, members_of, put, table_in
from tests.databases import database_on, scalar
from tests.factories import (
    export_archive,
    import_archive,
    show_histories,
    show_plan,
    verify_record,
)
from tests.integration.test_upgrades import (
    CHANGED,
    RELEASES,
    REQUESTS,
    STALE,
    assert_equal_estimates,
    assert_renewable,
    changed_answers,
    changes_in,
    first_estimates,
    requests_in,
)

from roundbook.errors import BadFileError
from roundbook.transfer.archive.tables import VERSION

pytestmark = pytest.mark.one_server
SCHEMAS = {1: "0004", 2: "0005", 3: "0007"}
ARCHIVES = {version: RELEASES / f"archive-{version}.zip" for version in SCHEMAS}
NEW_COLUMNS = ["version", "clusters", "runs_part", "two_way_runs_part"]
# The tables that plans and drift reports were in until version 2, rows of ``result`` since.
MOVED = {"plan.csv", "plan_estimate.csv", "drift_report.csv"}


@pytest.fixture(params=ARCHIVES)
def version(request):
    return request.param


@pytest.fixture(scope="module")
def records(server, template):
    """Engines on records of an archive alone, by its version, each made when first asked for."""
    with ExitStack() as databases:

        @cache
        def record(version):
            options = f"TEMPLATE {template} STRATEGY FILE_COPY"
            engine = databases.enter_context(database_on(server, options))
            import_archive(engine, ARCHIVES[version], user="importer")
            return engine

        yield record


@pytest.fixture
def imported(records, version):
    """An engine on a record of an archive alone, which the test changes nothing of."""
    return records(version)


def manifest(file):
    return json.loads(members_of(file)["manifest.json"])


def header(file, member):
    return members_of(file)[member].partition("\n")[0].split(",")


def test_every_earlier_version_has_its_archive():
    assert [*ARCHIVES] == [*range(1, VERSION)]


@pytest.mark.parametrize("version", ARCHIVES)
def test_it_is_what_it_says(version):
    archive = ARCHIVES[version]
    written = manifest(archive)
    assert (written["version"], written["schema_revision"]) == (version, SCHEMAS[version])
    new = set(NEW_COLUMNS) & set(header(archive, "variance_estimate.csv"))
    assert new == (set(NEW_COLUMNS) if version > 1 else set())
    assert ("teams" in header(archive, "published_variance.csv")) == (version > 1)
    assert (members_of(archive).keys() > MOVED) == (version < 3)


@pytest.mark.long
def test_its_estimates_are_those_of_the_campaign_logged_anew(imported, recorded):
    read, anew = first_estimates(imported), first_estimates(recorded)
    assert len(read) == 35
    assert_equal_estimates(read, anew)


@pytest.mark.long
def test_it_answers_as_its_release_did(imported, version):
    # It is another recording of the same campaign.
    meant = CHANGED | {"plan": CHANGED["plan"] | {".saved_at"}, "factors": {".fitted_at"}}
    assert changed_answers(imported, SCHEMAS[version], meant) == []


def test_it_answers_with_the_new_intervals(imported, recorded, version):
    then, now = (
        show_histories(engine, "web", measures=["P@5"], rounds=["2024", "2025"]).histories
        for engine in (imported, recorded)
    )
    assert [row.assessments for row in then] == ["official", "bronze"]
    for old, new in zip(then, now, strict=True):
        assert old.pooled.interval.low == pytest.approx(new.pooled.interval.low, rel=1e-12)
        assert old.pooled.interval.high == pytest.approx(new.pooled.interval.high, rel=1e-12)
    if version > 1:
        return
    # What was saved shows what was planned with then.
    saved = show_plan(imported, "next web", version=2).plan.estimate
    assert {row.interval.method for row in saved.rounds} == {"bootstrap"}
    assert saved.pooled.homogeneity.method == "bartlett"


def test_what_was_saved_has_its_request_and_is_stale_as_it_was(imported, version):
    assert requests_in(imported) == REQUESTS
    assert changes_in(imported) == STALE[SCHEMAS[version]]


@pytest.mark.long
def test_what_was_saved_verifies_and_is_renewed(imported, server, version):
    assert verify_record(imported).differences == []
    imported.dispose()  # or the database could not be copied
    with database_on(server, f"TEMPLATE {imported.url.database} STRATEGY FILE_COPY") as copied:
        assert_renewable(copied, unchanged="saved" if version == 1 else "unchanged")


@pytest.mark.long
def test_exported_it_is_an_archive_of_today(imported, second, version, tmp_path):
    archive, now = ARCHIVES[version], tmp_path / "now.zip"
    export_archive(imported, now)
    assert manifest(now)["version"] == VERSION == 4
    assert header(now, "variance_estimate.csv")[-4:] == NEW_COLUMNS
    assert header(now, "published_variance.csv")[-1] == "teams"
    # All that it had stands there as it was.
    old, new = members_of(archive), members_of(now)
    widened = {"measure.csv": 1, "event.csv": 1} if version < 3 else {"result_input.csv": 2}
    if version == 1:
        widened |= {"variance_estimate.csv": 4, "published_variance.csv": 1}
    for name in old.keys() - {"manifest.json", "datapackage.json", "README.txt", *widened, *MOVED}:
        assert new[name] == old[name], name
    results = table_in(now, "result")
    earlier = ("plan", "drift_report") if version < 3 else ("result",)
    saved = [row for name in earlier for row in table_in(archive, name)]
    for name in ("note", "software", "saved_at", "saved_by", "result"):
        assert [row[name] for row in results] == [row[name] for row in saved], name
    for name, more in widened.items():
        if "\n" in new[name].strip():
            lines = [line.rsplit(",", more)[0] for line in new[name].splitlines()]
            assert lines == old[name].splitlines()
    import_archive(second, now, user="importer")
    export_archive(second, tmp_path / "again.zip")
    assert contents_of(tmp_path / "again.zip") == contents_of(now)


def with_teams(members):
    lines = members["published_variance.csv"].splitlines()
    lines = [lines[0] + ",teams", *(line + "," for line in lines[1:])]
    members["published_variance.csv"] = "\n".join(lines) + "\n"


def in_result(table, **values):
    """Return a change of the first saved plan or drift report."""
    return edit(table, lambda rows: alter_result(rows[0], values))


def of_seven_topics(rows):
    """Change the first topic set size of the first saved plan."""
    cells = json.loads(rows[0]["result"])["cells"]
    alter_result(rows[0], {"cells": [cells[0] | {"topics": 7}, *cells[1:]]})


def alter_result(row, values):
    altered = json.loads(row["result"]) | values
    row["result"] = json.dumps(altered, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


ALTERED_SCORES = ("variance", "factor")
ALTERED = {
    "variance": (
        put("variance_estimate", 2, variance="0.5"),
        "variance is 0.5, and the scores give",
    ),
    "factor": (put("factor", 1, mean="0.5"), "the mean of topic '1' is 0.5, and the scores"),
    "plan": (
        in_result("plan", variance=0.5),
        r"/plan.csv: plan 'next web' version 1: variance is 0.5, and",
    ),
    "sizes": (
        edit("plan", of_seven_topics),
        r"/plan.csv: plan 'next web' version 1: topics of cells is 7, and",
    ),
    "report": (
        in_result("drift_report", mean_shift=0.5),
        r"/drift_report.csv: .* 'web/drift-1' version 1: mean_shift is 0.5, and",
    ),
    "version": (put("plan", 2, version="3"), "the version of a result follows on the one before"),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("version", "altered"),
    [(old, what) for old in ARCHIVES for what in ALTERED if old < 3 or what in ALTERED_SCORES],
)
def test_altered_it_is_refused_as_ever(engine, tmp_path, version, altered):
    change, match = ALTERED[altered]
    file = changed(ARCHIVES[version], tmp_path / "altered.zip", change)
    with pytest.raises(BadFileError, match=match):
        import_archive(engine, file, user="importer")
    assert scalar(engine, "SELECT count(*) FROM roundbook.task") == 0


def test_it_has_no_column_of_a_later_version(engine, tmp_path):
    file = changed(ARCHIVES[1], tmp_path / "altered.zip", with_teams)
    with pytest.raises(BadFileError, match="the header must be id,round_id,measure_id"):
        import_archive(engine, file, user="importer")


def test_its_intervals_of_before_are_kept_and_not_read(engine, tmp_path):
    change = put("variance_estimate", 1, chi_square_low="0.001")
    altered = changed(ARCHIVES[1], tmp_path / "altered.zip", change)
    import_archive(engine, altered, user="importer")
    query = "SELECT chi_square_low FROM roundbook.variance_estimate ORDER BY id LIMIT 1"
    assert scalar(engine, query) == 0.001
