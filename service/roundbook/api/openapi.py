"""What the description of the API says beyond what FastAPI finds out: parameters and examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, Field, create_model

from roundbook.api.answers import CSV, PARQUET
from roundbook.api.problems import PROBLEM_SCHEMA, PROBLEM_TYPE

# By field, what a request for it may look like.
_EXAMPLES: dict[str, Any] = {
    "task": "covid",
    "round": "round1",
    "measure": "nDCG@10",
    "measures": ["nDCG@10"],
    "matrix": 1,
    "name": "next-round",
    "title": "TREC-COVID",
    "reason": "scored with the wrong assessments",
    "source": "the overview paper, table 3",
    "variance": 0.0531,
    "runs": 20,
    "topics": 50,
    "m": [10],
    "min_d": [0.1],
    "factors_from": "round1",
    "merged": "ndcg_cut_10",
    "into": "nDCG@10",
}
_STATUSES = {
    400: "The file broke off",
    401: "Takes a token, or another one",
    403: "More than the token allows",
    404: "Not recorded",
    408: "The body took too long",
    409: "The record says otherwise",
    413: "The body is too long",
    415: "The body is a form",
    422: "Not as it can be asked",
    429: "Too many wrong tokens",
    501: "An optional library is not installed",
    503: "The database does not answer, or not in time",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "content": {PROBLEM_TYPE: {"schema": PROBLEM_SCHEMA}}}
    for status, description in _STATUSES.items()
}


def parameters(
    request: type[BaseModel] | None, without: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Return the parameters of the query that asks for a request."""
    if request is None:
        return []
    schema = request.model_json_schema()
    listed = []
    for name, described in schema["properties"].items():
        if name in without or names_files(request, name):
            continue
        shown = {key: value for key, value in described.items() if key not in ("title",)}
        of_json = "object" in str(described.get("anyOf", described.get("type")))
        given: dict[str, Any] = {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": shown.pop("description", ""),
        }
        given |= (
            {"content": {"application/json": {"schema": shown}}} if of_json else {"schema": shown}
        )
        if name in _EXAMPLES:
            given["example"] = _EXAMPLES[name]
        listed.append(given)
    return listed


def example(request: type[BaseModel]) -> dict[str, Any]:
    """Return the body that asks for a request, as it may look: the fields that it needs."""
    return {
        name: _EXAMPLES.get(name, "...")
        for name, field in request.model_fields.items()
        if field.is_required()
    }


def names_files(request: type[BaseModel], name: str) -> bool:
    """Return whether a field names files: a service's own are nobody else's."""
    annotation = request.model_fields[name].annotation
    of = get_args(annotation) or (annotation,)
    return Path in of


def answers(result: type[BaseModel], *, question: bool = True) -> dict[int | str, dict[str, Any]]:
    """Return the description of a result, as it is sent."""
    sent = create_model(
        result.__name__,
        __base__=result,
        sentences=(
            list[str],
            Field(default_factory=list, description="What it says, as the terminal prints it."),
        ),
    )
    described: dict[int | str, dict[str, Any]] = {
        200: {
            "model": sent,
            "description": "Successful",
            "content": {
                CSV: {"schema": {"type": "string"}},
                PARQUET: {"schema": {"type": "string", "format": "binary"}},
            },
        }
    }
    if question:
        described[304] = {"description": "The same as the one whose ETag was sent"}
    return described | PROBLEMS
