"""Topics have other ids, tasks and rounds are renamed or removed, events name the database user."""

from __future__ import annotations

from importlib import import_module

import sqlalchemy as sa
from alembic import op

from roundbook_migrations import measure_names

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# What of these tables stays as it is, from this revision on and before it.
_KEPT = {
    "task": "UPDATE OF id, created_at OR TRUNCATE",
    "round": "UPDATE OF id, task_id, pseudonym_key, created_at OR TRUNCATE",
    "topic_alias": "UPDATE OR TRUNCATE",
    "event": "UPDATE OF id, at, who, what, matrix_id, why, software, database_user"
    " OR DELETE OR TRUNCATE",
}
_KEPT_BEFORE = {
    "task": "UPDATE OF id, name, created_at OR DELETE OR TRUNCATE",
    "round": "UPDATE OF id, task_id, ordinal, label, pseudonym_key, created_at"
    " OR DELETE OR TRUNCATE",
    "event": "UPDATE OR DELETE OR TRUNCATE",
}

# The owner may import events with the users they had in their own database.
_DATABASE_USER = """
CREATE FUNCTION roundbook.set_database_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (SELECT pg_has_role(session_user, relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID)
    THEN
        NEW.database_user := session_user;
    END IF;
    RETURN NEW;
END $$
"""

_ONE_TOPIC = """
CREATE FUNCTION roundbook.refuse_unclear_alias() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    own text;
BEGIN
    SELECT name INTO own FROM roundbook.topic WHERE id = NEW.topic_id;
    IF own = NEW.name
        OR EXISTS (
            SELECT FROM roundbook.topic_alias WHERE task_id = NEW.task_id AND name = own
        )
        OR EXISTS (
            SELECT FROM roundbook.topic_alias AS other
            JOIN roundbook.topic ON topic.id = other.topic_id
            WHERE other.task_id = NEW.task_id AND topic.name = NEW.name
        )
    THEN
        RAISE EXCEPTION 'topic % cannot be the other id of topic %', NEW.name, own
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF EXISTS (
        SELECT FROM roundbook.topic
        JOIN roundbook.matrix_topic AS part ON part.topic_id = topic.id
        JOIN roundbook.matrix_topic AS other ON other.matrix_id = part.matrix_id
        WHERE topic.task_id = NEW.task_id AND topic.name = NEW.name
        AND (
            other.topic_id = NEW.topic_id
            OR other.topic_id IN (
                SELECT same.id FROM roundbook.topic_alias AS alias
                JOIN roundbook.topic AS same
                    ON same.task_id = alias.task_id AND same.name = alias.name
                WHERE alias.topic_id = NEW.topic_id AND alias.name <> NEW.name
            )
        )
    ) THEN
        RAISE EXCEPTION 'topics % and % are two topics of one score matrix', NEW.name, own
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""

_TOPIC_TWICE = """
CREATE FUNCTION roundbook.refuse_topic_twice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    twice bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM roundbook.topic_alias) THEN
        RETURN NULL;
    END IF;
    SELECT max(matrix_id) INTO twice FROM (
        SELECT added.matrix_id
        FROM added
        JOIN roundbook.topic ON topic.id = added.topic_id
        LEFT JOIN roundbook.topic_alias AS alias
            ON alias.task_id = topic.task_id AND alias.name = topic.name
        GROUP BY added.matrix_id, coalesce(alias.topic_id, topic.id)
        HAVING count(*) > 1
    ) AS doubled;
    IF twice IS NOT NULL THEN
        RAISE EXCEPTION 'matrix % has a topic twice, under two of its ids', twice
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

_RENAMED_TASK = """
CREATE FUNCTION roundbook.refuse_renaming_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.name <> OLD.name AND EXISTS (
        SELECT FROM roundbook.round WHERE task_id = OLD.id AND status = 'published'
    ) THEN
        RAISE EXCEPTION 'task % has a published round and keeps its name', OLD.name
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""
_RENAMED_ROUND = """
CREATE FUNCTION roundbook.refuse_renaming_round() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.label <> OLD.label AND OLD.status = 'published' THEN
        RAISE EXCEPTION 'round % is published and keeps its label', OLD.label
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.ordinal <> OLD.ordinal AND (NEW.ordinal <> OLD.ordinal - 1 OR NEW.ordinal < 1) THEN
        RAISE EXCEPTION 'round % may only move up to where a round was removed', OLD.label
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""

# Foreign keys alone would not stop a session that plays a replica.
_HELD = """
CREATE FUNCTION roundbook.refuse_removing_scores() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'round' AND (
        EXISTS (SELECT FROM roundbook.matrix WHERE round_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.run WHERE round_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.published_variance WHERE round_id = OLD.id)
    ) OR TG_TABLE_NAME = 'task' AND (
        EXISTS (SELECT FROM roundbook.round WHERE task_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.topic WHERE task_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.result WHERE task_id = OLD.id)
    ) OR TG_TABLE_NAME = 'measure' AND (
        EXISTS (SELECT FROM roundbook.matrix WHERE measure_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.factor_set WHERE measure_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.published_variance WHERE measure_id = OLD.id)
    ) THEN
        RAISE EXCEPTION 'DELETE of roundbook.% is refused: what holds scores or results stays',
            TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$
"""

# As the owner: nobody else may change an event.
_LET_GO = """
CREATE FUNCTION roundbook.let_events_go() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_TABLE_NAME = 'round' THEN
        UPDATE roundbook.event
        SET round_id = NULL, details = jsonb_build_object('round', OLD.label) || details
        WHERE round_id = OLD.id;
    ELSE
        UPDATE roundbook.event
        SET task_id = NULL, details = jsonb_build_object('task', to_jsonb(OLD) -> 'name') || details
        WHERE task_id = OLD.id;
    END IF;
    RETURN OLD;
END $$
"""
_EVENTS_STAY = """
CREATE FUNCTION roundbook.refuse_changed_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() < 2
        OR coalesce(NEW.round_id <> OLD.round_id, NEW.round_id IS NOT NULL)
        OR coalesce(NEW.task_id <> OLD.task_id, NEW.task_id IS NOT NULL)
        OR NOT NEW.details @> OLD.details
    THEN
        RAISE EXCEPTION 'UPDATE of roundbook.event is refused: what is logged stays as it is'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""

# Where the teams of runs were wrong, a further estimate may have as many clusters as the one before,
# or more.
_OTHER_ESTIMATE = import_module("roundbook_migrations.versions.0006_the_house")._FURTHER_ESTIMATE
_ONLY_FEWER_CLUSTERS = "        OR part.clusters >= before.clusters\n"

_FUNCTIONS = {
    "set_database_user": _DATABASE_USER,
    "refuse_unclear_alias": _ONE_TOPIC,
    "refuse_topic_twice": _TOPIC_TWICE,
    "refuse_renaming_task": _RENAMED_TASK,
    "refuse_renaming_round": _RENAMED_ROUND,
    "refuse_removing_scores": _HELD,
    "let_events_go": _LET_GO,
    "refuse_changed_event": _EVENTS_STAY,
}
# By table and name: when a trigger fires, and its function.
_TRIGGERS = {
    ("event", "database_user"): ("BEFORE INSERT", "set_database_user"),
    ("event", "stays"): ("BEFORE UPDATE OF task_id, round_id, details", "refuse_changed_event"),
    ("topic_alias", "one_topic"): ("BEFORE INSERT", "refuse_unclear_alias"),
    ("task", "renamed"): ("BEFORE UPDATE OF name", "refuse_renaming_task"),
    ("task", "held"): ("BEFORE DELETE", "refuse_removing_scores"),
    ("task", "removed"): ("BEFORE DELETE", "let_events_go"),
    ("round", "renamed"): ("BEFORE UPDATE OF label, ordinal", "refuse_renaming_round"),
    ("measure", "held"): ("BEFORE DELETE", "refuse_removing_scores"),
    ("round", "held"): ("BEFORE DELETE", "refuse_removing_scores"),
    ("round", "removed"): ("BEFORE DELETE", "let_events_go"),
}


def upgrade() -> None:
    """Make the change."""
    op.create_unique_constraint(
        op.f("topic_id_task_id_key"), "topic", ["id", "task_id"], schema="roundbook"
    )
    _make_alias_table()
    # Names that were recorded before they were normalised; few records have any.
    op.create_index(
        "topic_unnormalised_index",
        "topic",
        ["task_id"],
        schema="roundbook",
        postgresql_where=sa.text("name IS NOT NFC NORMALIZED"),
    )
    # What was recorded before is not known to be by whoever upgrades.
    op.add_column("event", sa.Column("database_user", sa.Text()), schema="roundbook")
    op.alter_column(
        "event", "database_user", server_default=sa.text("SESSION_USER"), schema="roundbook"
    )
    for name, function in _FUNCTIONS.items():
        op.execute(function)
        # Whoever writes may have types and operators of his own, and look there first.
        op.execute(f"ALTER FUNCTION roundbook.{name}() SET search_path = pg_catalog, pg_temp")
    _refuse_other_estimate(_OTHER_ESTIMATE.replace(_ONLY_FEWER_CLUSTERS, ""))
    for table in _KEPT_BEFORE:
        op.execute(f"DROP TRIGGER immutable ON roundbook.{table}")
    for table, changes in _KEPT.items():
        _guard(table, changes)
    for (table, name), (change, function) in _TRIGGERS.items():
        _trigger(table, name, f"{change} ON roundbook.{table} FOR EACH ROW", function)
    _trigger(
        "matrix_topic",
        "one_topic",
        "AFTER INSERT ON roundbook.matrix_topic REFERENCING NEW TABLE AS added FOR EACH STATEMENT",
        "refuse_topic_twice",
    )
    measure_names.upgrade(op.get_bind())


def _refuse_other_estimate(function: str) -> None:
    op.execute(function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))
    op.execute(
        "ALTER FUNCTION roundbook.refuse_other_estimate() SET search_path = pg_catalog, pg_temp"
    )


def _make_alias_table() -> None:
    op.create_table(
        "topic_alias",
        sa.Column("task_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "recorded_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("recorded_by", sa.Text(), nullable=False),
        sa.CheckConstraint("name <> ''", name=op.f("topic_alias_named")),
        sa.CheckConstraint(
            "recorded_at BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00'",
            name=op.f("topic_alias_recorded_at"),
        ),
        sa.ForeignKeyConstraint(
            ["task_id"], ["roundbook.task.id"], name=op.f("topic_alias_task_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["topic_id", "task_id"],
            ["roundbook.topic.id", "roundbook.topic.task_id"],
            name=op.f("topic_alias_topic_id_task_id_fk"),
        ),
        sa.PrimaryKeyConstraint("task_id", "name", name=op.f("topic_alias_pk")),
        schema="roundbook",
    )


def _guard(table: str, changes: str) -> None:
    change = f"BEFORE {changes} ON roundbook.{table} FOR EACH STATEMENT"
    _trigger(table, "immutable", change, "refuse_change")


def _trigger(table: str, name: str, change: str, function: str) -> None:
    op.execute(f"CREATE TRIGGER {name} {change} EXECUTE FUNCTION roundbook.{function}()")
    op.execute(f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER {name}")


def downgrade() -> None:
    """Take it back, leaving no trace."""
    _refuse_other_estimate(_OTHER_ESTIMATE)
    measure_names.downgrade(op.get_bind())
    for table, name in (*_TRIGGERS, ("matrix_topic", "one_topic")):
        op.execute(f"DROP TRIGGER {name} ON roundbook.{table}")
    for table, changes in _KEPT_BEFORE.items():
        op.execute(f"DROP TRIGGER immutable ON roundbook.{table}")
        _guard(table, changes)
    for name in _FUNCTIONS:
        op.execute(f"DROP FUNCTION roundbook.{name}()")
    op.drop_column("event", "database_user", schema="roundbook")
    op.drop_table("topic_alias", schema="roundbook")
    op.drop_index("topic_unnormalised_index", "topic", schema="roundbook")
    op.drop_constraint(op.f("topic_id_task_id_key"), "topic", schema="roundbook", type_="unique")
