"""Migration parts: measures get canonical names, and those recorded apart can be merged.

Canonical names here are frozen, whatever names later versions of the program use.
"""

from __future__ import annotations

import json
import re
from unicodedata import normalize

from sqlalchemy import Connection, text

# Names used by evaluation tools, with the canonical names.
_TOOLS = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), name)
    for pattern, name in (
        (r"map_cut[_.]0*([1-9][0-9]{0,8})", r"AP@\1"),
        (r"ndcg_cut[_.]0*([1-9][0-9]{0,8})", r"nDCG@\1"),
        (r"P[_.]?0*([1-9][0-9]{0,8})", r"P@\1"),
        (r"recall[_.]0*([1-9][0-9]{0,8})", r"R@\1"),
        (r"success[_.]0*([1-9][0-9]{0,8})", r"Success@\1"),
        (r"iprec_at_recall[_.]([01]\.[0-9]+?)0*", r"IPrec@\1"),
        (r"num_rel_ret", "NumRet(rel=1)"),
    )
)
# Families by canonical name, with their other names; case and hyphens do not matter.
# fmt: off
_FAMILIES = {
    spelling.lower().replace("-", "_"): family
    for family, *spellings in (
        ("AP", "map", "mean average precision", "average precision"),
        ("RR", "mrr", "recip_rank", "reciprocal rank"),
        ("P", "precision"),
        ("R", "recall"),
        ("Q", "q_measure"),
        ("Rprec", "r_prec", "rprecision"),
        ("SetP", "set_p"),
        ("SetR", "set_recall"),
        ("SetF", "set_f"),
        ("SetAP", "set_map"),
        ("NumQ", "num_q"),
        ("NumRel", "num_rel"),
        ("NumRet", "num_ret"),
        ("AP_IA", "map_ia"),
        ("StRecall", "strec"),
        ("alpha_DCG", "α_dcg"),
        ("alpha_nDCG", "α_ndcg"),
        ("nDCG",), ("MSnDCG",), ("Bpref",), ("ERR",), ("nERR",), ("RBP",), ("Success",),
        ("Judged",), ("IPrec",), ("infAP",), ("Accuracy",), ("BPM",), ("Compat",), ("INST",),
        ("INSQ",), ("SDCG",), ("iRBU",), ("EBR",), ("ERR_IA",), ("nERR_IA",), ("P_IA",),
        ("NRBP",), ("nNRBP",), ("O-measure",), ("P-measure",), ("P-plus",),
    )
    for spelling in (family, *spellings)
}
# fmt: on
_NAME = re.compile(r"([^()@]+)(?:\(([^()]*)\))?(?:@0*([0-9]+(?:\.[0-9]+)?))?")
# Measures of ir_measures that are matched by their exact names only.
_NEARLY_ERR = re.compile(r"NERR(?:8|9|10|11)\b")

# The columns that merging measures changes in these tables.
_CHANGED = {"measure": "spellings"} | dict.fromkeys(
    ("matrix", "factor_set", "published_variance"), "measure_id"
)
_REMOVALS = "DELETE OR TRUNCATE"
_COLUMNS = text("""
SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
FROM information_schema.columns
WHERE table_schema = 'roundbook' AND table_name = :table AND column_name <> :changes
""")
# A measure never loses a spelling, and scores only move to the measure theirs is merged into.
_MERGING = """
CREATE FUNCTION roundbook.refuse_other_measure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'measure' THEN
        IF NEW.spellings @> OLD.spellings THEN
            RETURN NEW;
        END IF;
    ELSIF NEW.measure_id = OLD.measure_id OR EXISTS (
        SELECT FROM roundbook.measure AS merged, roundbook.measure AS kept
        WHERE merged.id = OLD.measure_id AND kept.id = NEW.measure_id
        AND merged.name = ANY (kept.spellings)
    ) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'UPDATE of roundbook.% is refused: measures are merged, and never parted',
        TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$
"""


def upgrade(connection: Connection) -> None:
    """Allow measures to be merged, and give the recorded ones their canonical names."""
    connection.execute(
        text("ALTER TABLE roundbook.measure ADD COLUMN spellings text[] NOT NULL DEFAULT '{}'")
    )
    connection.execute(text(_MERGING))
    # A writer's search path may begin with a schema that has types and operators of its own.
    connection.execute(
        text(
            "ALTER FUNCTION roundbook.refuse_other_measure() SET search_path = pg_catalog, pg_temp"
        )
    )
    # A measure that has scores is not deleted; a trigger of the revision sees to it.
    for table, column in _CHANGED.items():
        _guard(connection, table, column, "TRUNCATE" if table == "measure" else _REMOVALS)
        connection.execute(
            text(
                f"CREATE TRIGGER merged BEFORE UPDATE OF {column} ON roundbook.{table}"
                " FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_other_measure()"
            )
        )
        connection.execute(text(f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER merged"))
    canonicalise(connection)


def downgrade(connection: Connection) -> None:
    """Forbid merging of measures again; names stay as they are."""
    for table in _CHANGED:
        connection.execute(text(f"DROP TRIGGER merged ON roundbook.{table}"))
    connection.execute(text("DROP FUNCTION roundbook.refuse_other_measure()"))
    for table in _CHANGED:
        _guard(connection, table, None, _REMOVALS)
    connection.execute(text("ALTER TABLE roundbook.measure DROP COLUMN spellings"))


def _guard(connection: Connection, table: str, changes: str | None, more: str) -> None:
    of = ""
    if changes is not None:
        names = connection.execute(_COLUMNS, {"table": table, "changes": changes}).scalar_one()
        of = f" OF {names}"
    for statement in (
        f"DROP TRIGGER immutable ON roundbook.{table}",
        f"CREATE TRIGGER immutable BEFORE UPDATE{of} OR {more} ON roundbook.{table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()",
        f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER immutable",
    ):
        connection.execute(text(statement))


def canonicalise(connection: Connection) -> None:
    """Rename measures to their canonical names, with an event in each task that has them.

    A measure keeps its name where another measure has the canonical one already: only the
    organisers can decide which of their scores count.
    """
    rows = connection.execute(text("SELECT id, name FROM roundbook.measure ORDER BY id")).all()
    holders = {row.name.lower(): row.id for row in rows}
    connection.execute(text("ALTER TABLE roundbook.measure DISABLE TRIGGER immutable"))
    for row in rows:
        name = canonical(row.name)
        if name == row.name or holders.get(name.lower(), row.id) != row.id:
            continue
        del holders[row.name.lower()]
        holders[name.lower()] = row.id
        connection.execute(_RENAME, {"id": row.id} | _identity(name))
        connection.execute(_RECORD_EVENT, {"id": row.id, "from": row.name, "to": name})
    connection.execute(text("ALTER TABLE roundbook.measure ENABLE ALWAYS TRIGGER immutable"))


_RENAME = text("""
UPDATE roundbook.measure
SET name = :name, family = :family, cutoff = :cutoff, parameters = CAST(:parameters AS jsonb)
WHERE id = :id
""")
_RECORD_EVENT = text("""
INSERT INTO roundbook.event (what, task_id, details, software)
SELECT 'measure renamed', task_id,
       jsonb_build_object('from', CAST(:from AS text), 'to', CAST(:to AS text)),
       'schema 0007'
FROM roundbook.round
WHERE EXISTS (SELECT FROM roundbook.matrix WHERE round_id = round.id AND measure_id = :id)
   OR EXISTS (
       SELECT FROM roundbook.published_variance WHERE round_id = round.id AND measure_id = :id
   )
GROUP BY task_id ORDER BY task_id
""")


def canonical(name: str) -> str:
    """Return the canonical name of a measure."""
    name = " ".join(normalize("NFC", name).split())
    if _NEARLY_ERR.match(name):
        return name
    for pattern, new in _TOOLS:
        if match := pattern.fullmatch(name):
            return match.expand(new)
    match = _NAME.fullmatch(name)
    if match is None:
        return name
    family, parameters, cutoff = match.groups()
    family = _FAMILIES.get(family.strip().lower().replace("-", "_"), family.strip())
    # Trailing zeros of a decimal fraction, but for the first.
    parameters = re.sub(r"(=[0-9]+\.[0-9]+?)0+(?=,|$)", r"\1", parameters or "")
    return family + (f"({parameters})" if parameters else "") + (f"@{cutoff}" if cutoff else "")


def _identity(name: str) -> dict[str, object]:
    match = re.fullmatch(r"([^()@]+)(?:\(([^()]*)\))?(?:@([0-9]+))?", name)
    if match is None:
        return {"name": name, "family": name, "cutoff": None, "parameters": "{}"}
    family, settings, cutoff = match.groups()
    parameters = dict(part.split("=", 1) for part in (settings or "").split(",") if "=" in part)
    return {
        "name": name,
        "family": family,
        "cutoff": None if cutoff is None else int(cutoff),
        "parameters": json.dumps(parameters),
    }
