"""Saved plans and drift reports in archives of versions 1 and 2, which have tables for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB

from roundbook.database import tables
from roundbook.database.table_parts import identity, recorded, required

_metadata = MetaData(schema=tables.SCHEMA)


def _saved() -> list[Column[Any]]:
    return [Column("note", Text), Column("result", JSONB, nullable=False), *recorded("saved")]


def _refers(name: str, table: Table, *, nullable: bool = False) -> Column[Any]:
    return Column(name, BigInteger, ForeignKey(table.c.id), nullable=nullable)


plan = Table(
    "plan",
    _metadata,
    identity(),
    required("name"),
    _refers("task_id", tables.task, nullable=True),
    Column("version", Integer, nullable=False),
    *_saved(),
)
plan_estimate = Table(
    "plan_estimate",
    _metadata,
    _refers("plan_id", plan),
    Column("position", Integer, nullable=False),
    _refers("variance_estimate_id", tables.variance_estimate, nullable=True),
    _refers("published_variance_id", tables.published_variance, nullable=True),
    PrimaryKeyConstraint("plan_id", "position"),
)
drift_report = Table(
    "drift_report",
    _metadata,
    identity(),
    _refers("task_id", tables.task),
    Column("number", Integer, nullable=False),
    _refers("measure_id", tables.measure),
    required("assessments"),
    _refers("from_factor_set_id", tables.factor_set),
    _refers("to_factor_set_id", tables.factor_set),
    *_saved(),
)
EARLIER = (plan, plan_estimate, drift_report)
EARLIER_RESULTS = frozenset({plan.c.result, drift_report.c.result})

_SAVED = ("task_id", "note", "result", "software", "saved_at", "saved_by")


def plan_results(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return saved plans as rows of ``result``."""
    return [
        {name: row[name] for name in _SAVED}
        | {
            "kind": "plan",
            "name": row["name"],
            "version": row["version"],
            "request": _plan_request(row["result"]),
        }
        for row in rows
    ]


def plan_inputs(
    rows: Iterable[Mapping[str, Any]], results: Mapping[int, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the inputs of saved plans (stored `results` by id) as rows of ``result_input``."""
    inputs = []
    for row in rows:
        rounds = (results[row["plan_id"]].get("estimate") or {}).get("rounds", [])
        entry = rounds[row["position"]] if row["position"] < len(rounds) else {}
        inputs.append(
            {
                "result_id": row["plan_id"],
                "position": row["position"],
                "variance_estimate_id": row["variance_estimate_id"],
                "published_variance_id": row["published_variance_id"],
                "factor_set_id": None,
                "known": {"collection": entry["collection"]} if "collection" in entry else {},
            }
        )
    return inputs


def report_results(
    rows: Iterable[Mapping[str, Any]], tasks: Mapping[int, str]
) -> list[dict[str, Any]]:
    """Return saved drift reports as rows of ``result``; `tasks` are the tasks' names by id."""
    return [
        {name: row[name] for name in _SAVED}
        | {
            "kind": "drift",
            "name": f"{tasks[row['task_id']]}/drift-{row['number']}",
            "version": 1,
            "request": _report_request(row["result"]),
        }
        for row in rows
    ]


def report_inputs(rows: Sequence[Mapping[str, Any]], ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return the factor sets of saved drift reports, by their `ids`, as ``result_input`` rows."""
    return [
        {
            "result_id": result_id,
            "position": position,
            "variance_estimate_id": None,
            "published_variance_id": None,
            "factor_set_id": row[f"{side}_factor_set_id"],
            "known": _known_facts(row["result"], side),
        }
        for row, result_id in zip(rows, ids, strict=True)
        for position, side in enumerate(("from", "to"))
    ]


def _known_facts(result: Mapping[str, Any], side: str) -> dict[str, Any]:
    """Return the column `known` of an input, the round on one `side` of a drift report.

    Runs without a team are counted over both rounds together, and stored with the first.
    """
    facts = {"collection": result.get(f"{side}_collection")}
    if result.get("verdict") == "unbridged":
        return facts
    units = result.get("units")
    if units is None:
        return facts | {"rule": 1}
    if side == "to":
        return facts
    counts = ("runs_without_team", "runs_without_system")
    return facts | {name: units[name] for name in counts if units.get(name) is not None}


def _plan_request(plan_result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request of a saved plan, as far as the plan repeats it."""
    names = ("design", "solve", "engine", "m", "min_d", "topics", "alpha")
    request = {name: plan_result[name] for name in names if name in plan_result}
    design = str(plan_result.get("design"))
    if plan_result.get("solve") != "power" and not design.endswith("-width"):
        request["beta"] = plan_result.get("beta")
    history = plan_result.get("estimate")
    if history is None:
        request["variance"] = plan_result.get("variance")
        return {name: value for name, value in request.items() if value is not None}
    limit = plan_result.get("variance_at") or "pooled"
    request |= {
        "task": history["task"],
        "measure": history["measure"],
        "scale": history["scale"],
        "assessments": history.get("mixed") or [history["assessments"]],
        "pool_by": history["pooled"].get("weights", "dof"),
        "variance_at": plan_result["variance"] if limit == "given" else limit,
    }
    if design.startswith("paired-"):
        # Plans of that time had no other choice.
        request["variance_of"] = plan_result.get("variance_of") or "conservative"
    return {name: value for name, value in request.items() if value is not None}


def _report_request(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request of a saved drift report, with minD or a margin if the user gave them."""
    origin, min_d = report.get("margin_from"), report["min_d"]
    default = report["margin"] == 0.2 and min_d == 0.1
    request = {
        name: report[name] for name in ("task", "measure", "assessments", "sd_ratio_margin", "m")
    }
    request |= {"from_round": report["from"], "to_round": report["to"]}
    if origin == "given" or not (origin == "min-d" or default):
        request["margin"] = report["margin"]
    if origin == "min-d" or min_d != 0.1:
        request["min_d"] = min_d
    return request
