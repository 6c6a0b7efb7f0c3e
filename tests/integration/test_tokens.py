"""Tokens: shown once, kept as hashes, refused when they are expired, revoked or none."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from tests.factories import create_task, list_events, log_scores, refusing
from tests.forked import race
from tests.waiting import wait_until, waits_for_a_lock

from roundbook.database.engine import unit_of_work
from roundbook.errors import AlreadyRecordedError, NotRecordedError, RecordError, RequestError
from roundbook.logbook.session import begin
from roundbook.logbook.tasks import remove_task
from roundbook.logbook.tokens import check_token, create_token, list_tokens, revoke_token
from roundbook.requests.access import CreateToken, RevokeToken
from roundbook.requests.tasks import RemoveTask

SCORES = [[0.1, 0.2], [0.3, 0.1], [0.4, 0.6]]


def test_a_token_is_shown_once_and_checked_by_its_hash(engine):
    log_scores(engine, "1", SCORES)
    with begin(engine, "ann") as session:
        made = create_token(session, CreateToken(name="ci", scope="log", task="t", days=3))
        assert (made.scope, made.task, made.status, made.created_by) == (
            "log",
            "t",
            "in force",
            "ann",
        )
        assert made.token.startswith("rb_")
        assert len(made.token) == 46
        left = made.expires_at - datetime.now(UTC)
        assert timedelta(days=2.9) < left <= timedelta(days=3)
        known = check_token(session, made.token)
        assert known is not None
        assert (known.name, known.scope, known.task) == ("ci", "log", "t")
        for other in ("", "rb_", made.token[:-1], made.token + "a", made.token.upper()):
            assert check_token(session, other) is None
        with refusing(
            AlreadyRecordedError,
            r"^There is a token 'ci' already; names are not used again\. Make one under another name,"
            r" and if it is to replace this one, revoke this one: roundbook token revoke ci$",
        ):
            create_token(session, CreateToken(name="ci"))
        with pytest.raises(NotRecordedError, match="no task 'x'"):
            create_token(session, CreateToken(name="of x", task="x"))
    with unit_of_work(engine) as connection:
        stored = connection.execute(text("SELECT hash FROM roundbook.access_token")).scalar_one()
        events = connection.execute(
            text("SELECT details::text FROM roundbook.event WHERE what LIKE 'token%'")
        ).scalars()
        assert bytes(stored) == hashlib.sha256(made.token.encode()).digest()
        assert not any("rb_" in details for details in events)
    with begin(engine, "eve") as session:
        revoked = revoke_token(session, RevokeToken(name="ci"))
        assert revoked.status == "revoked"
        assert check_token(session, made.token) is None
        assert revoke_token(session, RevokeToken(name="ci")) == revoked
        with refusing(
            AlreadyRecordedError, r"Make one under another: roundbook token create NAME$"
        ):
            create_token(session, CreateToken(name="ci"))
        with pytest.raises(NotRecordedError, match="no token 'x'"):
            revoke_token(session, RevokeToken(name="x"))
        assert [token.name for token in list_tokens(session).tokens] == ["ci"]


def test_several_revoke_a_token_at_once(engine, database):
    with begin(engine, "ann") as session:
        create_token(session, CreateToken(name="ci"))
    tells = race(database, [revoke] * 5)
    assert [(tell.error, tell.value) for tell in tells] == [(None, "revoked")] * 5
    assert len(list_events(engine, what="token revoked").events) == 1


def revoke(engine):
    with begin(engine, "eve") as session:
        return revoke_token(session, RevokeToken(name="ci")).status


def remove(engine):
    with begin(engine, "bob") as session:
        remove_task(session, RemoveTask(task="t"))


def test_a_task_that_just_gets_a_token_is_not_removed(committed, engine):
    create_task(engine, "t")
    with ThreadPoolExecutor(1) as pool, begin(engine, "ann") as session:
        create_token(session, CreateToken(name="ci", task="t"))
        removing = pool.submit(remove, engine)
        wait_until(lambda: waits_for_a_lock(engine), "it does not wait for the token")
        session.connection.commit()
        with pytest.raises(RecordError, match="has the access token 'ci'"):
            removing.result(60)


def test_an_expired_token_is_none(engine):
    with begin(engine) as session:
        made = create_token(session, CreateToken(name="old", days=1))
    late = text(
        "INSERT INTO roundbook.access_token (name, hash, scope, software, created_by, created_at,"
        " expires_at) SELECT 'older', sha256('rb_x'), 'admin', '', '', now() - interval '2 days',"
        " now() - interval '1 day'"
    )
    with unit_of_work(engine) as connection:
        connection.execute(late)
        connection.commit()
    with begin(engine) as session:
        assert check_token(session, made.token) is not None
        assert check_token(session, "rb_x") is None
        assert [token.status for token in list_tokens(session).tokens] == ["in force", "expired"]


def test_the_terminal_says_it_once(terminal):
    made = terminal("token", "create", "ann", "--scope", "admin")
    secret = made.out.split()[-1]
    assert secret.startswith("rb_")
    assert "not shown again" in made.err
    listed = terminal("token", "list")
    assert "ann" in listed.out
    assert secret not in listed.out
    assert "revoked" in terminal("token", "revoke", "ann").out


@pytest.mark.parametrize("wrong", [{"scope": "all"}, {"days": 0}, {"days": 10**9}])
def test_what_no_token_can_be(wrong):
    with pytest.raises(RequestError):
        CreateToken(name="x", **wrong)
