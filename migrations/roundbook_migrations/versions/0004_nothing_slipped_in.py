"""Triggers refuse changes without an event, parts added later, and gaps in numbers; more checks."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_REVISED = ("matrix", "published_variance")

# What counts up, and within what.
_SERIES = ("round_id", "measure_id", "assessments")
_COUNTS = {
    "round": ("ordinal", "task_id"),
    "matrix": ("revision", *_SERIES),
    "factor_set": ("version", *_SERIES),
    "published_variance": ("revision", *_SERIES, "scale"),
    "withdrawal": ("number", "matrix_id"),
    "plan": ("version", "name"),
    "drift_report": ("number", "task_id"),
}

# When something happened: years that every program can read.
_TIMES = {
    "task": "created_at",
    "round": "created_at",
    "matrix": "logged_at",
    "factor_set": "fitted_at",
    "variance_estimate": "estimated_at",
    "published_variance": "recorded_at",
    "plan": "saved_at",
    "drift_report": "saved_at",
    "withdrawal": "decided_at",
    "event": "at",
}
_YEARS = "BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00'"
_LIMITS = "ARRAY[chi_square_low, chi_square_high, bootstrap_low, bootstrap_high]"
_SQUARES = "ARRAY[sum_of_squares, two_way_sum_of_squares]"

# NaN is greater than infinity, and NULL passes.
_CHECKS = {
    ("round", "held"): "held BETWEEN '0001-01-01' AND '9999-12-31'",
    ("measure", "finite_bounds"): "lower_bound > '-Infinity' AND upper_bound < 'Infinity'",
    ("variance_estimate", "squares"): f"0 <= ALL ({_SQUARES}) AND 'Infinity' > ALL ({_SQUARES})",
    ("variance_estimate", "limits"): f"0 <= ALL ({_LIMITS}) AND 'Infinity' > ALL ({_LIMITS})",
    ("variance_estimate", "level"): "level > 0 AND level < 1",
    ("plan", "result"): "jsonb_typeof(result) = 'object'",
    ("drift_report", "result"): "jsonb_typeof(result) = 'object'",
    **{(table, column): f"{column} {_YEARS}" for table, column in _TIMES.items()},
}

# What may be added or changed only by a transaction that also tells of it.
_TOLD = {
    "task": "INSERT OR UPDATE",
    "round": "INSERT OR UPDATE",
    "run": "UPDATE",
    "factor_set": "INSERT",
    "published_variance": "INSERT",
    "withdrawal": "INSERT",
    "plan": "INSERT",
    "drift_report": "INSERT",
}

# Each part, and what it comes with: the table and the column that refers to it.
_PARTS = {
    "factor": ("factor_set", "factor_set_id"),
    "factor_set_run": ("factor_set", "factor_set_id"),
    "plan_estimate": ("plan", "plan_id"),
}

# The last event of the transaction, so that whoever asks need not search for it. Anybody can set
# such a setting: so it only says where to look.
_NOTE_EVENT = """
CREATE FUNCTION roundbook.note_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('roundbook.told', NEW.id::text, true);
    RETURN NULL;
END $$
"""

_UNTOLD = """
CREATE FUNCTION roundbook.refuse_untold() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told text := current_setting('roundbook.told', true);
BEGIN
    IF NOT EXISTS (
        SELECT FROM roundbook.event
        WHERE id = CASE WHEN told ~ '^[0-9]{1,18}$' THEN told::bigint END
            AND xmin = pg_current_xact_id()::xid
    ) THEN
        RAISE EXCEPTION 'no event tells of this change of %', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

# A row says which transaction made it; one that belongs to nothing is late too, where a replica's
# session asks no foreign key. (What a savepoint makes counts as another's: parts are
# made at the same level as what they belong to.)
_LATE_PART = """
CREATE FUNCTION roundbook.refuse_late_part() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    late bigint;
BEGIN
    EXECUTE format(
        'SELECT max(part.%2$I) FROM added AS part LEFT JOIN roundbook.%1$I AS whole'
        ' ON whole.id = part.%2$I'
        ' WHERE whole.xmin IS DISTINCT FROM pg_current_xact_id()::xid',
        TG_ARGV[0], TG_ARGV[1]
    ) INTO late;
    IF late IS NOT NULL THEN
        RAISE EXCEPTION '% % is finished and takes no further %', TG_ARGV[0], late, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

# A variance on the raw scale comes with its matrix, another with its factors.
_LATE_ESTIMATE = """
CREATE FUNCTION roundbook.refuse_late_estimate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(part.matrix_id) INTO late
    FROM added AS part
    LEFT JOIN roundbook.matrix ON matrix.id = part.matrix_id
    LEFT JOIN roundbook.factor_set ON factor_set.id = part.factor_set_id
    WHERE coalesce(factor_set.xmin, matrix.xmin) IS DISTINCT FROM pg_current_xact_id()::xid;
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'matrix % has its variance estimates and takes no further one', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

_HALF_A_FACTOR_SET = """
CREATE FUNCTION roundbook.refuse_half_a_factor_set() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    topics bigint;
    runs bigint;
    factors bigint;
    listed bigint;
BEGIN
    SELECT matrix.topics, matrix.runs INTO topics, runs
    FROM roundbook.matrix WHERE id = NEW.matrix_id;
    SELECT count(*) INTO factors FROM roundbook.factor WHERE factor_set_id = NEW.id;
    SELECT count(*) INTO listed FROM roundbook.factor_set_run WHERE factor_set_id = NEW.id;
    IF factors <> topics THEN
        RAISE EXCEPTION 'factor set % has factors of % topics, not of %', NEW.id, factors, topics
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.standardising <> 'all' OR listed > 0 THEN
        runs := listed;
    END IF;
    IF NEW.runs <> runs THEN
        RAISE EXCEPTION 'factor set % says that % runs standardise it, but % do',
            NEW.id, NEW.runs, runs
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

# The runs come all at once, or some could follow what was checked already.
_SOME_RUNS = """
CREATE FUNCTION roundbook.refuse_some_runs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    partly record;
BEGIN
    SELECT factor_set.id, factor_set.runs, listed.runs AS listed INTO partly
    FROM (
        SELECT factor_set_id, count(*) AS runs FROM roundbook.factor_set_run
        WHERE factor_set_id IN (SELECT factor_set_id FROM added) GROUP BY factor_set_id
    ) AS listed
    JOIN roundbook.factor_set ON factor_set.id = listed.factor_set_id
    WHERE factor_set.runs <> listed.runs
    ORDER BY factor_set.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'factor set % says that % runs standardise it, but % do',
            partly.id, partly.runs, partly.listed
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

# The arguments: what counts, then what it counts within.
_GAP = """
CREATE FUNCTION roundbook.refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    same text;
    follows boolean;
BEGIN
    SELECT string_agg(format('earlier.%1$I = $1.%1$I', key), ' AND ') INTO same
    FROM unnest(TG_ARGV[1:]) AS key;
    EXECUTE format(
        'SELECT $1.%1$I = 1 OR EXISTS (SELECT FROM roundbook.%2$I AS earlier'
        ' WHERE earlier.%1$I = $1.%1$I - 1 AND %3$s)',
        TG_ARGV[0], TG_TABLE_NAME, same
    ) INTO follows USING NEW;
    IF NOT follows THEN
        RAISE EXCEPTION 'the % of a % follows on the one before', TG_ARGV[0], TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

_REASON_ONCE_PUBLISHED = """
CREATE OR REPLACE FUNCTION roundbook.refuse_without_reason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(NEW.reason, '') = '' AND EXISTS (
        SELECT FROM roundbook.round WHERE id = NEW.round_id AND status = 'published'
    ) THEN
        RAISE EXCEPTION {message}
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""
_OF_EITHER = (
    "'a published round takes a % only with a reason',"
    " CASE TG_TABLE_NAME WHEN 'matrix' THEN 'score matrix' ELSE 'published variance' END"
)
_OF_A_MATRIX = "'a published round takes a score matrix only with a reason'"

_FUNCTIONS = {
    "note_event": _NOTE_EVENT,
    "refuse_untold": _UNTOLD,
    "refuse_late_part": _LATE_PART,
    "refuse_late_estimate": _LATE_ESTIMATE,
    "refuse_half_a_factor_set": _HALF_A_FACTOR_SET,
    "refuse_some_runs": _SOME_RUNS,
    "refuse_gap": _GAP,
}

_OLDER_FUNCTIONS = (
    "refuse_change",
    "refuse_half_a_matrix",
    "refuse_unpublishing",
    "refuse_without_reason",
)


def upgrade() -> None:
    """Make the change."""
    for table in _REVISED:
        _reason(table, "coalesce(reason, '') <> ''")
    for (table, name), check in _CHECKS.items():
        op.create_check_constraint(op.f(f"{table}_{name}"), table, check, schema="roundbook")
    for function in _FUNCTIONS.values():
        op.execute(function)
    _trigger("event", "noted", "AFTER INSERT", "FOR EACH ROW", "note_event()")
    for table, change in _TOLD.items():
        _at_commit(table, "told", change, "refuse_untold()")
    for table, (whole, column) in _PARTS.items():
        _with_its_whole(table, f"refuse_late_part('{whole}', '{column}')")
    _with_its_whole("variance_estimate", "refuse_late_estimate()")
    _at_commit("factor_set", "whole", "INSERT", "refuse_half_a_factor_set()")
    _with_its_whole("factor_set_run", "refuse_some_runs()", "whole")
    for table, columns in _COUNTS.items():
        given = ", ".join(f"'{column}'" for column in columns)
        _at_commit(table, "in_turn", "INSERT", f"refuse_gap({given})")
    op.execute(_REASON_ONCE_PUBLISHED.replace("{message}", _OF_EITHER))
    _trigger(
        "published_variance",
        "published",
        "BEFORE INSERT",
        "FOR EACH ROW",
        "refuse_without_reason()",
    )
    # Whoever writes may have types and operators of his own, and look there first.
    for function in (*_OLDER_FUNCTIONS, *_FUNCTIONS):
        op.execute(f"ALTER FUNCTION roundbook.{function}() SET search_path = pg_catalog, pg_temp")


def downgrade() -> None:
    """Take it back, leaving no trace."""
    for function in _OLDER_FUNCTIONS:
        op.execute(f"ALTER FUNCTION roundbook.{function}() RESET search_path")
    op.execute("DROP TRIGGER published ON roundbook.published_variance")
    op.execute(_REASON_ONCE_PUBLISHED.replace("{message}", _OF_A_MATRIX))
    for table in _COUNTS:
        op.execute(f"DROP TRIGGER in_turn ON roundbook.{table}")
    op.execute("DROP TRIGGER whole ON roundbook.factor_set_run")
    op.execute("DROP TRIGGER whole ON roundbook.factor_set")
    for table in ("variance_estimate", *_PARTS):
        op.execute(f"DROP TRIGGER in_time ON roundbook.{table}")
    for table in _TOLD:
        op.execute(f"DROP TRIGGER told ON roundbook.{table}")
    op.execute("DROP TRIGGER noted ON roundbook.event")
    for function in _FUNCTIONS:
        op.execute(f"DROP FUNCTION roundbook.{function}()")
    for table, name in _CHECKS:
        op.drop_constraint(op.f(f"{table}_{name}"), table, schema="roundbook", type_="check")
    for table in _REVISED:
        _reason(table, "reason <> ''")


def _reason(table: str, given: str) -> None:
    # NULL passes a CHECK, so `reason <> ''` alone lets no reason at all pass.
    name = op.f(f"{table}_revised_for_a_reason")
    op.drop_constraint(name, table, schema="roundbook", type_="check")
    op.create_check_constraint(name, table, f"revision = 1 OR {given}", schema="roundbook")


def _at_commit(table: str, name: str, change: str, function: str) -> None:
    _trigger(
        table,
        name,
        f"AFTER {change}",
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW",
        function,
        kind="CONSTRAINT TRIGGER",
    )


def _with_its_whole(table: str, function: str, name: str = "in_time") -> None:
    added = "REFERENCING NEW TABLE AS added FOR EACH STATEMENT"
    _trigger(table, name, "AFTER INSERT", added, function)


def _trigger(
    table: str, name: str, when: str, each: str, function: str, kind: str = "TRIGGER"
) -> None:
    op.execute(
        f"CREATE {kind} {name} {when} ON roundbook.{table} {each}"
        f" EXECUTE FUNCTION roundbook.{function}"
    )
    # Whoever connects: not even a session that plays a replica writes past it.
    op.execute(f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER {name}")
