"""The parts of the OpenAPI document that FastAPI cannot derive: parameters and examples."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, Field, create_model

from roundbook.api.answers import CSV, PARQUET
from roundbook.api.problems import PROBLEM_SCHEMA, PROBLEM_TYPE

# Example values of request fields.
_EXAMPLES: dict[str, Any] = {
    "task": "covid",
    "round": "round1",
    "measure": "nDCG@10",
    "measures": "nDCG@10",
    "matrix": 1,
    "name": "next-round",
    "title": "TREC-COVID",
    "reason": "scored with the wrong assessments",
    "source": "the overview paper, table 3",
    "variance": 0.0531,
    "runs": 20,
    "topics": 50,
    "m": 10,
    "min_d": 0.1,
    "factors_from": "round1",
    "merged": "ndcg_cut_10",
    "into": "nDCG@10",
    "kind": "plan",
    "study": "swap-rate",
    "job": 1,
    "difference": 0.05,
    "pivot": "baseline",
    "filename": "round1.csv",
}
# Example texts of further fields of answers.
_TEXTS = {
    "run": "run-a",
    "topic": "1",
    "team": "lab-a",
    "assessments": "official",
    "scale": "raw",
    "sentences": "nDCG@10, 20 runs by 50 topics: residual variance 0.0531.",
    "software": "roundbook 0.1.0",
    "file": "round1.csv",
    "files": "round1.csv",
    "sha256": "5e" * 32,
    "who": "token ann",
    "what": "matrix logged",
}
# Example files, by upload.
_SCORES = "topic,run-a,run-b\n1,0.31,0.42\n2,0.05,0.11\n"
_FILES = {
    "log": _SCORES,
    "describe_teams": "run,team\nrun-a,lab-a\nrun-b,lab-b\n",
    "alias_topics": "topic,round,id\n1,round2,101\n",
    "log_runs": "1 Q0 doc7 1 12.5 run-a\n1 Q0 doc3 2 11.9 run-a\n",
    "log_qrels": "1 0 doc3 2\n1 0 doc7 0\n",
    "standardise_files": _SCORES,
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
FILENAME = {
    "name": "filename",
    "in": "query",
    "schema": {"type": "string"},
    "description": "What the file is called: errors name it, and events.",
    "example": _EXAMPLES["filename"],
}
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "content": {PROBLEM_TYPE: {"schema": _PROBLEM}}}
    for status, description in _STATUSES.items()
}


@cache
def _schema(request: type[BaseModel]) -> dict[str, Any]:
    return request.model_json_schema()


def parameters(
    request: type[BaseModel] | None, without: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Return the OpenAPI query parameters of a request, without those that name files."""
    if request is None:
        return []
    schema = _schema(request)
    listed = []
    for name, property_schema in schema["properties"].items():
        if name in without or names_files(request, name):
            continue
        field_schema = {key: value for key, value in property_schema.items() if key != "title"}
        of_json = "object" in str(property_schema.get("anyOf", property_schema.get("type")))
        parameter: dict[str, Any] = {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": field_schema.pop("description", ""),
        }
        content = {"application/json": {"schema": field_schema}}
        parameter |= {"content": content} if of_json else {"schema": field_schema}
        if name in _EXAMPLES:
            parameter["example"] = _example(name, field_schema, {})
        listed.append(parameter)
    return listed


def json_body(request: type[BaseModel]) -> dict[str, Any]:
    """Return the OpenAPI description of a JSON body; its example has the required fields."""
    schema = _schema(request)
    needed = schema.get("required", ())
    example = {name: _example(name, schema["properties"][name], {}) for name in needed}
    return {
        "required": True,
        "content": {"application/json": {"schema": schema, "example": example}},
    }


def file_body(name: str) -> dict[str, Any]:
    """Return the OpenAPI description of a body that is a file."""
    content: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
    if name in _FILES:
        content["example"] = _FILES[name]
    return {"required": True, "content": {"application/octet-stream": content}}


def names_files(request: type[BaseModel], name: str) -> bool:
    """Return whether a field of a request names files; over HTTP these are refused."""
    annotation = request.model_fields[name].annotation
    return Path in (get_args(annotation) or (annotation,))


@cache
def answers(
    result: type[BaseModel], *, question: bool = True, file: str | None = None
) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses of a result, or of a file of a media type, with the errors."""
    beside: dict[str, Any] = {
        "sentences": (
            list[str],
            Field(default_factory=list, description="What it says, as the terminal prints it."),
        )
    }
    content: dict[str, Any] = {
        CSV: {"schema": {"type": "string"}},
        PARQUET: {"schema": {"type": "string", "format": "binary"}},
    }
    if file is not None:
        content = {file: {"schema": {"type": "string", "format": "binary"}}}
        beside["content"] = (str, Field(description="The file, in base64."))
    sent = create_model(f"{result.__name__}Answer", __base__=result, **beside)
    described: dict[int | str, dict[str, Any]] = {
        200: {"model": sent, "description": "Successful", "content": content}
    }
    if question:
        described[304] = {"description": "The same as the one whose ETag was sent"}
    return described | PROBLEMS


def add_examples(document: dict[str, Any]) -> None:
    """Add examples of parameters and answers, and the schema of errors, to an OpenAPI document."""
    schemas = document["components"]["schemas"]
    schemas["Problem"] = PROBLEM_SCHEMA
    for operation in (method for path in document["paths"].values() for method in path.values()):
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in _EXAMPLES:
                parameter.setdefault("example", _EXAMPLES[parameter["name"]])
        for response in operation["responses"].values():
            content = response.get("content", {}).get("application/json")
            if content is not None:
                content.setdefault("example", _example("", content["schema"], schemas))


def _example(name: str, schema: dict[str, Any], schemas: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return an example value that fits a JSON schema, chosen by the field's name."""
    if "$ref" in schema:
        return _example(name, schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if choices := schema.get("anyOf", schema.get("oneOf")):
        return _example(name, choices[0], schemas)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {field: _example(field, part, schemas) for field, part in fields.items()}
    if kind == "array":
        items = schema.get("prefixItems") or [schema.get("items", {})]
        return [_example(name, item, schemas) for item in items]
    example = _EXAMPLES.get(name, _TEXTS.get(name))
    default = _DEFAULTS.get(schema.get("format", kind))
    return example if type(example) is type(default) else default


_DEFAULTS: dict[Any, Any] = {
    "string": "...",
    "date": "2026-05-01",
    "date-time": "2026-05-01T12:00:00Z",
    "integer": 1,
    "number": 0.05,
    "boolean": False,
}
