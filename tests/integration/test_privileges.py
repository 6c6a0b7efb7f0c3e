"""What the roles of `roundbook db grant` may do, and what they are refused."""

from __future__ import annotations

import csv
import io
import json
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text
from tests.databases import address_of, scalar
from tests.factories import grant_access, log_scores

from roundbook.database.engine import make_engine, unit_of_work
from roundbook.database.tables import metadata
from roundbook.errors import AlreadyRecordedError, DatabaseError, NotRecordedError, WayOut
from roundbook.jobs.job_queue import make_queue
from roundbook.jobs.studies import show_job, start_study
from roundbook.jobs.worker import run_worker
from roundbook.logbook.session import begin
from roundbook.requests.results import ShowJob, StartStudy
from roundbook.settings import load_settings
from roundbook_cli.main import run

TABLES = sorted(table.name for table in metadata.tables.values())
# May a column of these be changed? Of all others, nothing.
CHANGEABLE = {
    "task": {"title", "name"},
    "round": {"held", "collection", "status", "label", "ordinal"},
    "run": {"team_id", "type", "contributed_to_pool", "system"},
    "measure": {"spellings"},
    **{table: {"measure_id"} for table in ("matrix", "factor_set", "published_variance")},
}
DDL = (
    "ALTER TABLE roundbook.factor ADD COLUMN more integer",
    "ALTER TABLE roundbook.factor DISABLE TRIGGER immutable",
    "ALTER TABLE roundbook.factor OWNER TO CURRENT_USER",
    "DROP TABLE roundbook.factor",
    "DROP VIEW roundbook.score",
    "DROP SCHEMA roundbook CASCADE",
    "CREATE TABLE roundbook.mine (one integer)",
    "CREATE VIEW roundbook.mine AS SELECT 1 AS one",
    "CREATE OR REPLACE FUNCTION roundbook.refuse_change() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN NEW; END'",
    "CREATE TRIGGER mine BEFORE INSERT ON roundbook.matrix FOR EACH STATEMENT"
    " EXECUTE FUNCTION roundbook.refuse_change()",
    "CREATE INDEX ON roundbook.matrix (logged_by)",
    "CREATE SCHEMA mine",
    "SET session_replication_role = 'replica'",
    "UPDATE roundbook.alembic_version SET version_num = '0001'",
)


def execute(engine, *statements):
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in statements:
            connection.execute(text(statement))


def quoted(name):
    return sql.Identifier(name).as_string()


@pytest.fixture
def role(engine, database):
    """Make a role that may connect, to drop it afterwards; return its name and its address."""
    made = []

    def make(prefix="role"):
        name, password = f"{prefix}_{uuid4().hex[:12]}", uuid4().hex
        execute(engine, f"CREATE ROLE {quoted(name)} LOGIN PASSWORD '{password}'")
        made.append(name)
        return name, database.set(username=name, password=password)

    yield make
    for name in made:
        execute(engine, f"DROP OWNED BY {quoted(name)} CASCADE", f"DROP ROLE {quoted(name)}")


@pytest.fixture
def member(engine, role):
    """Make a role and grant it `access`; return an engine on which it is the one to connect."""
    engines = []

    def make(access):
        name, url = role()
        if access is not None:
            grant_access(engine, name, access)
        engines.append(make_engine(url))
        return engines[-1]

    yield make
    for made in engines:
        made.dispose()


@pytest.fixture
def command(monkeypatch, capsys, kept_engines):
    """Run a command line as the role of an engine; return its exit code, stdout and stderr."""

    def call(engine, *words):
        address = address_of(engine.url)
        monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
        load_settings.cache_clear()
        capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    yield call
    load_settings.cache_clear()


@pytest.fixture
def scores(tmp_path):
    """Files of scores, and one of teams."""
    (tmp_path / "teams.csv").write_text(
        "run,team,contributed_to_pool,type,system\nx,T,true,auto,s\ny,U,true,,\nz,U,false,,\n"
    )
    (tmp_path / "ids.csv").write_text("topic,round,id\na,r3,a3\n")
    for name, last in (("one", "0.5"), ("two", "0.6")):
        (tmp_path / f"{name}.csv").write_text(
            f"topic,x,y,z\na,0.1,0.2,0.4\nb,0.3,0.1,0.2\nc,0.9,0.7,{last}\n"
        )
    (tmp_path / "runs").write_text("a Q0 d1 1 2 x\nb Q0 d2 1 2 x\n")
    (tmp_path / "qrels").write_text("a 0 d1 1\nb 0 d1 0\n")
    return tmp_path


def refused(engine, statement):
    """Return PostgreSQL's own error to a statement."""
    with pytest.raises(DatabaseError) as caught, unit_of_work(engine) as connection:
        connection.execute(text(statement))
        connection.commit()
    return getattr(caught.value.__cause__, "orig", caught.value.__cause__)


def columns(name):
    return [column.name for column in metadata.tables[f"roundbook.{name}"].columns]


def writing(scores):
    """Yield every command that writes the record, in an order in which each has work to do."""
    ap = ("--measure", "AP")
    log = ("log", "t", "r1")
    teams = ("--teams", scores / "teams.csv")
    yield "task", "create", "t", "--title", "A task"
    yield "round", "create", "t", "r1", "--held", "2020-04-15"
    yield "round", "set", "t", "r1", "--collection", "CORD-19"
    yield "round", "create", "t", "slip"
    yield "round", "rename", "t", "slip", "slop"
    yield "round", "remove", "t", "slop"
    yield "task", "create", "new"
    yield "task", "rename", "new", "old"
    yield "task", "remove", "old"
    yield *log, scores / "one.csv", *ap
    yield *log, scores / "one.csv", *ap, *teams  # learns the teams
    yield *log, scores / "two.csv", *ap, "--revise", "re-assessed"
    yield "factors", "fit", "t", "r1", *ap, "--runs", "pooled", "--reason", "pooled runs only"
    yield "log", "t", "r2", scores / "one.csv", *ap, *teams, "--create"
    yield (
        *("variance", "record", "t", "r3", *ap, "--value", "0.1", "--runs", "9"),
        *("--topics", "50", "--source", "a paper", "--create"),
    )
    yield "topic", "alias", "t", scores / "ids.csv"
    yield "topic", "unalias", "t", "a3"
    yield "topic", "alias", "t", scores / "ids.csv"
    yield "run", "log", "t", "r1", scores / "runs"
    yield "qrels", "log", "t", "r1", scores / "qrels"
    yield "plan", "save", "next", "--task", "t", *ap, "--m", "2", "--min-d", "0.1"
    yield "matrix", "withdraw", "2", "--reason", "wrong"
    yield "matrix", "restore", "2", "--reason", "right after all"
    yield "drift", "t", *ap, "--save"
    yield "round", "publish", "t", "r2"
    yield "token", "create", "ci", "--scope", "log"
    yield "token", "revoke", "ci"


READING = (
    ("db", "check"),
    ("task", "list"),
    ("round", "list", "t"),
    ("topic", "list", "t"),
    ("variance", "show", "t", "--measure", "AP"),
    ("factors", "show", "t", "r1", "--measure", "AP"),
    ("standardise", "t", "r1", "--measure", "AP"),
    ("plan", "list"),
    ("plan", "show", "next"),
    ("drift", "t", "--measure", "AP"),
    ("rank", "t", "r1", "--measure", "AP"),
    ("events",),
)


@pytest.fixture
def filled(engine, command, scores):
    """A record written by its owner."""
    for words in writing(scores):
        code, _, sentence = command(engine, *words)
        assert code == 0, (words, sentence)


@pytest.mark.long
def test_the_service_runs_every_command_that_writes_and_reads(member, command, scores):
    service = member("service")
    for words in (*writing(scores), *READING):
        code, _, sentence = command(service, *words)
        assert code == 0, (words, sentence)
    for table in TABLES:
        count = f"SELECT count(*) FROM roundbook.{table}"
        assert scalar(service, count), table


@pytest.mark.long
def test_the_service_changes_no_logged_fact(filled, member):
    service = member("service")
    for table in TABLES:
        fixed = set(columns(table)) - CHANGEABLE.get(table, set())
        for statement in (
            f"DELETE FROM roundbook.{table}",
            f"TRUNCATE roundbook.{table} CASCADE",
            *(f'UPDATE roundbook.{table} SET "{column}" = DEFAULT' for column in fixed),
        ):
            if statement == "DELETE FROM roundbook.topic_alias":
                continue  # an alias is taken back where it was wrong
            error = refused(service, statement)
            kind = psycopg.errors.InsufficientPrivilege
            if statement in [
                f"DELETE FROM roundbook.{name}" for name in ("measure", "round", "task")
            ]:
                kind = psycopg.errors.RestrictViolation
            assert isinstance(error, kind), statement


@pytest.mark.long
def test_the_service_does_not_say_when_an_event_came(filled, member):
    for number in (-5, 2**63 - 1):
        error = refused(
            member("service"),
            "INSERT INTO roundbook.event (id, what, software) OVERRIDING SYSTEM VALUE"
            f" VALUES ({number}, 'first of all', 's')",
        )
        assert isinstance(error, psycopg.errors.InsufficientPrivilege)


@pytest.mark.parametrize("access", ["service", "reader"])
def test_nobody_but_the_owner_changes_the_schema(member, access):
    engine = member(access)
    for statement in DDL:
        error = refused(engine, statement)
        assert isinstance(error, psycopg.errors.InsufficientPrivilege), statement


@pytest.mark.long
def test_the_reader_sees_scores_and_every_command_that_reads(filled, member, command):
    reader = member("reader")
    with unit_of_work(reader) as connection:
        cells = connection.execute(
            text("SELECT run, topic, value FROM roundbook.score WHERE matrix = 1 ORDER BY 1, 2")
        ).all()
        assert [tuple(row) for row in cells] == [
            *(("x", "a", 0.1), ("x", "b", 0.3), ("x", "c", 0.9)),
            *(("y", "a", 0.2), ("y", "b", 0.1), ("y", "c", 0.7)),
            *(("z", "a", 0.4), ("z", "b", 0.2), ("z", "c", 0.5)),
        ]
    for words in READING:
        code, _, sentence = command(reader, *words)
        assert code == 0, (words, sentence)


@pytest.mark.long
def test_the_reader_writes_nothing(filled, member):
    reader = member("reader")
    for table in TABLES:
        for statement in (
            f"INSERT INTO roundbook.{table} DEFAULT VALUES",
            *(f'UPDATE roundbook.{table} SET "{column}" = DEFAULT' for column in columns(table)),
            f"DELETE FROM roundbook.{table}",
            f"TRUNCATE roundbook.{table} CASCADE",
            f"LOCK TABLE roundbook.{table} IN EXCLUSIVE MODE",
        ):
            error = refused(reader, statement)
            assert isinstance(error, psycopg.errors.InsufficientPrivilege), statement


@pytest.mark.long
def test_a_reader_who_writes_is_told_the_way_out(filled, member, command, scores):
    reader = member("reader")
    same = scores / "one.csv"
    for written in writing(scores):
        words = tuple("other" if word == "next" else word for word in written)
        if words[:4] == ("log", "t", "r1", same) or (same in words and "r2" in words):
            continue  # the same again, for which nothing is written
        if words[:2] in (("topic", "alias"), ("token", "revoke")):
            continue
        code, out, sentence = command(reader, *words)
        assert (code, out) == (1, ""), words
        assert len(sentence.splitlines()) == 1


def test_a_role_without_rights_is_told_what_to_do(member, command):
    nobody = member(None)
    for words in (("task", "list"), ("task", "create", "t"), ("db", "check")):
        code, out, sentence = command(nobody, *words)
        assert (code, out) == (1, "")
        assert sentence == (
            "Error: The role that connects may not do this: permission denied for schema"
            " roundbook; nothing was written. The record's owner does it, or grants the role what"
            f" it needs: roundbook db grant {nobody.url.username} --as service\n"
        )


@pytest.mark.parametrize("access", ["service", "reader"])
def test_the_command_prints_what_is_granted_now(engine, role, command, access):
    name, _ = role('an "odd" role; %s')
    code, out, sentence = command(engine, "db", "grant", name, "--as", access, "--format", "json")
    assert (code, sentence) == (0, "")
    granted = json.loads(out)
    assert (granted["role"], granted["as"]) == (name, access)
    privileges_on = {grant["on"]: grant["privileges"] for grant in granted["grants"]}
    assert (
        privileges_on["roundbook.score"] == privileges_on["roundbook.alembic_version"] == ["SELECT"]
    )
    writes = access == "service"
    assert privileges_on["roundbook.matrix_run"] == (["SELECT", "INSERT"] if writes else ["SELECT"])
    assert ("UPDATE (measure_id)" in privileges_on["roundbook.matrix"]) == writes
    assert ("UPDATE (title, name)" in privileges_on["roundbook.task"]) == writes
    # An event is added, but nobody says which number it gets.
    assert privileges_on["roundbook.event"][-1].startswith(
        "INSERT (at, who," if writes else "SELECT"
    )
    assert held(engine, name) == {
        (on.removeprefix("roundbook."), privilege)
        for on, privileges in privileges_on.items()
        for privilege in privileges
        if on != "schema roundbook" and "(" not in privilege  # of the whole table
    }
    again = command(engine, "db", "grant", name, "--as", access, "--format", "json")
    assert again == (0, out, "")
    table = command(engine, "db", "grant", name, "--as", access)[1]
    assert "roundbook.score_vector" in table
    rows = list(
        csv.DictReader(
            io.StringIO(command(engine, "db", "grant", name, "--as", access, "--format", "csv")[1])
        )
    )
    assert {row["on"]: row["privileges"].split(", ")[0] for row in rows} == {
        on: privileges[0] for on, privileges in privileges_on.items()
    }


def held(engine, name):
    with unit_of_work(engine) as connection:
        rows = connection.execute(
            text(
                "SELECT table_name, privilege_type FROM information_schema.role_table_grants"
                " WHERE grantee = :name AND table_schema = 'roundbook'"
            ),
            {"name": name},
        )
        return {tuple(row) for row in rows}


def test_what_a_role_had_before_is_taken_away(engine, role):
    name, _ = role()
    execute(engine, f"GRANT ALL ON ALL TABLES IN SCHEMA roundbook TO {name}")
    grant_access(engine, name, "service")
    grant_access(engine, name, "reader")
    assert {privilege for _, privilege in held(engine, name)} == {"SELECT"}
    columns_left = scalar(
        engine,
        "SELECT count(*) FROM information_schema.role_column_grants"
        " WHERE grantee = :name AND privilege_type <> 'SELECT'",
        name=name,
    )
    assert columns_left == 0


def test_a_role_that_is_not_there(engine):
    with pytest.raises(NotRecordedError, match='CREATE ROLE "no ""body" LOGIN PASSWORD'):
        grant_access(engine, 'no "body', "reader")


def test_only_the_owner_grants(engine, member, role):
    name, _ = role()
    with pytest.raises(DatabaseError, match=f"owner, '{engine.url.username}', can grant"):
        grant_access(member("service"), name, "reader")
    assert held(engine, name) == set()


def test_the_owner_keeps_its_rights(engine):
    owner = engine.url.username
    before = held(engine, owner)
    with pytest.raises(AlreadyRecordedError, match="may do everything"):
        grant_access(engine, owner, "reader")
    assert held(engine, owner) == before


def test_a_member_of_the_owner_is_no_reader(engine, role):
    name, _ = role()
    execute(engine, f'GRANT "{engine.url.username}" TO {name}')
    with pytest.raises(AlreadyRecordedError, match="a member of it"):
        grant_access(engine, name, "reader")


@pytest.mark.one_server
def test_a_service_uses_the_queue_that_the_owner_made(engine, role):
    log_scores(engine, "1", [[0.1, 0.2], [0.3, 0.1], [0.4, 0.6], [0.5, 0.1]])
    name, url = role()
    grant_access(engine, name, "service")
    member = make_engine(url)
    with pytest.raises(DatabaseError, match=f'CREATE SCHEMA roundbook_jobs AUTHORIZATION "{name}"'):
        make_queue(member)
    make_queue(engine)
    request = StartStudy(study="swap-rate", request={"task": "t", "round": "1", "measure": "AP"})
    with pytest.raises(DatabaseError, match="may not do this") as refused:
        make_queue(member)
    assert refused.value.way_out == WayOut("grant the role", {"role": name})
    granted = grant_access(engine, name, "service").grants
    assert (granted[-1].on, granted[-1].privileges) == ("schema roundbook_jobs", ["USAGE"])
    make_queue(member)
    with begin(member, "ann") as session:
        assert start_study(session, request).status == "waiting"
    address = address_of(url)
    run_worker(load_settings(), address, until_idle=True)
    with begin(member) as session:
        assert show_job(session, ShowJob(job=1)).saved == "saved"
    assert grant_access(engine, name, "reader").grants[-1].on.startswith("roundbook.")
    with pytest.raises(DatabaseError, match="permission denied"), begin(member) as session:
        show_job(session, ShowJob(job=1))
    member.dispose()
