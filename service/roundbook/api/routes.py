"""The routes of all use cases, made from the tables of `roundbook.use_cases`."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import FileResponse

from roundbook.api import files
from roundbook.api.endpoints import decision, question, save
from roundbook.api.openapi import FILENAME, answers, file_body, json_body, parameters
from roundbook.logbook.saving import SavedResult
from roundbook.logbook.studies.studies import STUDIES, find_study
from roundbook.requests.transfer import ImportRequest
from roundbook.transfer.archive.importing import ImportedArchive
from roundbook.use_cases import DOWNLOADS, UPLOADS, USE_CASES, UseCase


def make_router(prefix: str) -> APIRouter:
    """Return the router of all use cases below a prefix."""
    router = APIRouter(prefix=prefix)
    for name, case in USE_CASES.items():
        if case.changes:
            assert case.request is not None
            router.post(
                path_of(name),
                summary=case.request.__doc__,
                operation_id=name,
                responses=answers(case.result, question=False),
                openapi_extra={"requestBody": json_body(case.request)},
            )(decision(case))
        else:
            router.get(
                path_of(name),
                summary=(case.request.__doc__ or name) if case.request else f"All {name}.",
                operation_id=name,
                responses=answers(case.result),
                openapi_extra={"parameters": parameters(case.request, ("output", "force"))},
            )(question(name, case))
    for name, entry in STUDIES.items():
        router.get(
            f"/study/{name}",
            summary=entry.request.__doc__,
            operation_id=f"study_{name}",
            responses=answers(find_study(name).result),
            openapi_extra={"parameters": parameters(entry.request, ("study",))},
        )(question(name, UseCase("studies.studies:run_study", entry.request, computes=True)))
    for name, upload in UPLOADS.items():
        listed = parameters(upload.request, (upload.file, *upload.without))
        router.post(
            path_of(name),
            summary=upload.request.__doc__,
            operation_id=name,
            responses=answers(upload.result, question=False),
            openapi_extra={"parameters": [*listed, FILENAME], "requestBody": file_body(name)},
        )(files.upload(upload))
    router.post(
        "/save/{kind}",
        summary="Compute a plan, drift report or study and keep it with its inputs.",
        operation_id="save",
        responses=answers(SavedResult, question=False),
    )(save)
    for name, download in DOWNLOADS.items():
        router.get(
            path_of(name),
            summary=download.request.__doc__,
            operation_id=name,
            response_class=FileResponse,
            responses=answers(download.result, file=download.media_type),
            openapi_extra={"parameters": parameters(download.request, ("force",))},
        )(files.download(download))
    router.post(
        "/import",
        summary=ImportRequest.__doc__,
        operation_id="import",
        responses=answers(ImportedArchive, question=False),
        openapi_extra={
            "parameters": [*parameters(ImportRequest), FILENAME],
            "requestBody": file_body("import"),
        },
    )(files.take_archive)
    return router


def path_of(name: str) -> str:
    """Return the path of a use case."""
    return "/" + name.replace("_", "-")
