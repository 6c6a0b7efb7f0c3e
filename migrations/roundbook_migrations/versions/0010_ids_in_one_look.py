"""Other ids of topics are checked once for a statement: one by one, each read the rounds again."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_ALL_AT_ONCE = """
CREATE OR REPLACE FUNCTION roundbook.refuse_unclear_alias() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    unclear text;
    twice bigint;
BEGIN
    SELECT max(name) INTO unclear FROM (
        SELECT added.name
        FROM added
        JOIN roundbook.topic AS own ON own.id = added.topic_id
        LEFT JOIN roundbook.topic_alias AS further
            ON further.task_id = added.task_id AND further.name = own.name
        WHERE own.name = added.name OR further.name IS NOT NULL
        UNION ALL
        SELECT added.name
        FROM added
        JOIN roundbook.topic ON topic.task_id = added.task_id AND topic.name = added.name
        JOIN roundbook.topic_alias AS other ON other.topic_id = topic.id
    ) AS chained;
    IF unclear IS NOT NULL THEN
        RAISE EXCEPTION 'topic % cannot be the other id of a topic',
            unclear USING ERRCODE = 'restrict_violation';
    END IF;
    WITH spelling AS (
        SELECT topic_id, topic_id AS same_id FROM added
        UNION
        SELECT topic.id, alias.topic_id
        FROM roundbook.topic_alias AS alias
        JOIN roundbook.topic ON topic.task_id = alias.task_id AND topic.name = alias.name
        WHERE alias.topic_id IN (SELECT topic_id FROM added)
    )
    SELECT max(matrix_id) INTO twice FROM (
        SELECT part.matrix_id
        FROM roundbook.matrix_topic AS part
        JOIN spelling USING (topic_id)
        GROUP BY part.matrix_id, spelling.same_id
        HAVING count(*) > 1
    ) AS doubled;
    IF twice IS NOT NULL THEN
        RAISE EXCEPTION 'ids of one topic are two topics of one score matrix, %', twice
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

_ONE_BY_ONE = """
CREATE OR REPLACE FUNCTION roundbook.refuse_unclear_alias() RETURNS trigger LANGUAGE plpgsql AS $$
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


def upgrade() -> None:
    """Make the change."""
    _replace(
        _ALL_AT_ONCE,
        "AFTER INSERT ON roundbook.topic_alias REFERENCING NEW TABLE AS added FOR EACH STATEMENT",
    )


def _replace(function: str, change: str) -> None:
    op.execute("DROP TRIGGER one_topic ON roundbook.topic_alias")
    op.execute(function)
    # Whoever writes may have types and operators of his own, and look there first.
    op.execute(
        "ALTER FUNCTION roundbook.refuse_unclear_alias() SET search_path = pg_catalog, pg_temp"
    )
    op.execute(
        f"CREATE TRIGGER one_topic {change} EXECUTE FUNCTION roundbook.refuse_unclear_alias()"
    )
    op.execute("ALTER TABLE roundbook.topic_alias ENABLE ALWAYS TRIGGER one_topic")


def downgrade() -> None:
    """Take it back, leaving no trace."""
    _replace(_ONE_BY_ONE, "BEFORE INSERT ON roundbook.topic_alias FOR EACH ROW")
