"""Two states of a database side by side: everything its catalogue holds, and every value."""

from __future__ import annotations

from sqlalchemy import Engine, text

# (table, column) pairs, in the order of the columns.
Columns = dict[str, list[str]]

_OURS = "nspname !~ '^pg_' AND nspname <> 'information_schema'"

# One line of text an object. What PostgreSQL numbers as it likes (oids, and positions of columns,
# which a dropped column leaves a gap in) is left out; the order of the columns is not.
_CATALOGUE = f"""
WITH space AS (SELECT oid, nspname, nspacl FROM pg_namespace WHERE {_OURS}),
relation AS (
    SELECT pg_class.*, pg_class.oid AS id, nspname || '.' || relname AS name
    FROM pg_class JOIN space ON space.oid = relnamespace
),
attribute AS (
    SELECT relation.name, pg_attribute.*,
           row_number() OVER (PARTITION BY attrelid ORDER BY attnum) AS place
    FROM pg_attribute JOIN relation ON attrelid = relation.id
    WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'p', 'v', 'm', 'S', 'c')
)
SELECT concat_ws(' ', 'schema', nspname, nspacl) FROM space
UNION ALL
SELECT concat_ws(' ', 'relation', relkind, name, relpersistence, relreplident, reloptions, relacl,
                 relrowsecurity, relforcerowsecurity, obj_description(id, 'pg_class'))
FROM relation
UNION ALL
SELECT concat_ws(' ', 'column', name, place, attname, format_type(atttypid, atttypmod),
                 CASE WHEN attnotnull THEN 'not null' END,
                 'default ' || pg_get_expr(adbin, adrelid),
                 'identity', attidentity, 'generated', attgenerated,
                 'storage', attstorage, attcompression, attcollation::regcollation, attacl,
                 col_description(attrelid, attnum))
FROM attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
UNION ALL
SELECT concat_ws(' ', 'constraint', name, conname, pg_get_constraintdef(pg_constraint.oid),
                 condeferrable, condeferred, convalidated)
FROM pg_constraint JOIN relation ON conrelid = relation.id
UNION ALL
SELECT concat_ws(' ', 'index', pg_get_indexdef(indexrelid), indisvalid)
FROM pg_index JOIN relation ON indrelid = relation.id
UNION ALL
SELECT concat_ws(' ', 'view', name, pg_get_viewdef(id)) FROM relation WHERE relkind IN ('v', 'm')
UNION ALL
SELECT concat_ws(' ', 'rule', name, pg_get_ruledef(pg_rewrite.oid), ev_enabled)
FROM pg_rewrite JOIN relation ON ev_class = relation.id
UNION ALL
SELECT concat_ws(' ', 'policy', name, polname, pg_get_expr(polqual, polrelid))
FROM pg_policy JOIN relation ON polrelid = relation.id
UNION ALL
SELECT concat_ws(' ', 'function', pg_get_functiondef(pg_proc.oid), proacl)
FROM pg_proc JOIN space ON space.oid = pronamespace WHERE prokind IN ('f', 'p')
UNION ALL
SELECT concat_ws(' ', 'trigger', name, tgenabled,
                 CASE WHEN tgisinternal THEN conname || ' ' || CAST(tgfoid::regproc AS text)
                      ELSE pg_get_triggerdef(pg_trigger.oid) END)
FROM pg_trigger
JOIN relation ON tgrelid = relation.id
LEFT JOIN pg_constraint ON pg_constraint.oid = tgconstraint
UNION ALL
SELECT concat_ws(' ', 'sequence', name, format_type(seqtypid, NULL), seqstart, seqincrement,
                 seqmax, seqmin, seqcache, seqcycle)
FROM pg_sequence JOIN relation ON seqrelid = relation.id
UNION ALL
SELECT concat_ws(' ', 'type', nspname, format_type(pg_type.oid, NULL), typtype)
FROM pg_type JOIN space ON space.oid = typnamespace
UNION ALL
SELECT concat_ws(' ', 'default privileges', defaclobjtype, defaclacl) FROM pg_default_acl
UNION ALL
SELECT concat_ws(' ', 'extension', extname) FROM pg_extension
UNION ALL
SELECT concat_ws(' ', 'event trigger', evtname) FROM pg_event_trigger
"""

_COLUMNS = """
SELECT table_name, column_name
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'roundbook' AND table_type = 'BASE TABLE' AND table_name <> 'alembic_version'
ORDER BY table_name, ordinal_position
"""

# The rows of tables that a migration moved, as they were before.
_MOVED = {
    "score_vector": """
        SELECT matrix_id, run_id, position, topics, vector.runs, scores
        FROM roundbook.score_vector AS vector
        JOIN roundbook.matrix_run USING (matrix_id, position)
    """,
    "plan": "SELECT * FROM roundbook.result WHERE kind = 'plan'",
    "plan_estimate": """
        SELECT result_id AS plan_id, position, variance_estimate_id, published_variance_id
        FROM roundbook.result JOIN roundbook.result_input ON result_id = id
        WHERE kind = 'plan'
    """,
    "drift_report": """
        SELECT row_number() OVER (ORDER BY result.id) AS id, result.task_id,
               CAST(substring(result.name FROM '[0-9]+$') AS integer) AS number,
               earlier.measure_id, earlier.assessments, earlier.id AS from_factor_set_id,
               later.factor_set_id AS to_factor_set_id, note, result.result, result.software,
               saved_at, saved_by
        FROM roundbook.result
        JOIN roundbook.result_input AS first ON (first.result_id, first.position) = (result.id, 0)
        JOIN roundbook.result_input AS later ON (later.result_id, later.position) = (result.id, 1)
        JOIN roundbook.factor_set AS earlier ON earlier.id = first.factor_set_id
        WHERE kind = 'drift' AND result.version = 1
    """,
}


def catalogue(engine: Engine) -> list[str]:
    """Return a line for every object in the database that is not PostgreSQL's own."""
    with engine.connect() as connection:
        return sorted(connection.execute(text(_CATALOGUE)).scalars())


def columns(engine: Engine) -> Columns:
    """Return the record's tables and their columns."""
    named: Columns = {}
    with engine.connect() as connection:
        for table, column in connection.execute(text(_COLUMNS)):
            named.setdefault(table, []).append(column)
    return named


def values(engine: Engine, of: Columns) -> dict[str, list[str]]:
    """Return every row of these tables as text, in these columns alone, wherever it stands now."""
    today, rows_of = columns(engine), {}
    with engine.connect() as connection:
        for table, names in of.items():
            moved = not set(names) <= set(today.get(table, ()))
            rows = f"({_MOVED[table]}) AS moved" if moved else f"roundbook.{table}"
            query = text(f"SELECT CAST(ROW({', '.join(names)}) AS text) FROM {rows}")
            rows_of[table] = sorted(connection.execute(query).scalars())
    return rows_of
