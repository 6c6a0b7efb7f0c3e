"""A bundle to deposit: the archive of a task, its citation, its description for DataCite."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo, is_zipfile

from roundbook.errors import InputError, RecordError
from roundbook.formats.text import shown_path
from roundbook.logbook.atomic_files import atomic_directory, atomic_file
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.round_fingerprint import find_publication
from roundbook.logbook.rounds import Round, list_rounds
from roundbook.logbook.session import ReportProgress, Session, ignore_progress
from roundbook.logbook.tasks import Task, list_tasks
from roundbook.presentation.phrases import counted
from roundbook.presentation.terminal import command
from roundbook.requests.record import ExportRequest
from roundbook.requests.reports import DepositRequest
from roundbook.requests.tasks import ListRounds
from roundbook.transfer.archive.exporting import ExportedArchive, export_archive

ARCHIVE, CITATION, DATACITE = "archive.zip", "CITATION.cff", "datacite.json"
_MEMBERS = (ARCHIVE, CITATION, DATACITE)
_KERNEL = "http://datacite.org/schema/kernel-4"
# DataCite's own code for an unknown value; a citation file needs a name instead.
_UNKNOWN, _NOBODY = ":unkn", "unknown"
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)


class DepositedRound(Result):
    """A round of a bundle: its fingerprint today, and that of its publication, None if unnoted."""

    round: str
    fingerprint: str
    published_fingerprint: str | None


class Deposit(Result):
    """A bundle to deposit.

    `sha256` and `archive_bytes` are those of its archive; `unknown` are fields that its description
    lacks, as the request has none; `corrected` are rounds whose fingerprint has changed since they
    were published.
    """

    report: str
    task: str
    title: str
    files: list[str]
    sha256: str
    archive_bytes: int
    rounds: list[DepositedRound]
    corrected: list[str]
    unknown: list[str]


def write_deposit(
    session: Session, request: DepositRequest, progress: ReportProgress = ignore_progress
) -> Deposit:
    """Write the bundle of a task whose rounds are all published.

    A round without scores that count cannot be published; the archive has it, without fingerprint.
    The session's transaction must read one snapshot.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    RecordError
        When a round of it with scores is a draft, or no round has scores.
    InputError
        When the bundle is there already or cannot be written.
    """
    listed = list_rounds(session, ListRounds(task=request.task))
    published = [row.round for row in listed.rounds if row.status == "published"]
    drafts = [
        row.round
        for row in listed.rounds
        if row.round not in published and any(scores.withdrawn is None for scores in row.matrices)
    ]
    if drafts or not published:
        why = f"{', '.join(drafts)}: not published" if drafts else "it has no rounds with scores"
        raise RecordError(
            f"A deposit is for good, so all rounds of task '{listed.task}' must be published"
            f" ({why}).",
            way_out="publish the rounds" if drafts else None,
            task=listed.task,
            **({"round": drafts[0], "rounds": drafts} if drafts else {}),
        )
    packed = request.output.suffix.lower() == ".zip"
    if request.output.suffix and not packed:
        raise InputError(f"{request.output}: a bundle is a file that ends in .zip, or a directory.")
    if packed:
        with (
            atomic_file(request.output, force=request.force, earlier=is_bundle) as part,
            tempfile.TemporaryDirectory(prefix="roundbook-deposit-") as directory,
        ):
            deposit = _fill(session, request, Path(directory), listed.rounds, progress)
            _pack(Path(directory), part)
    else:
        with atomic_directory(
            request.output, lambda file: file.name in _MEMBERS, force=request.force
        ) as part:
            deposit = _fill(session, request, part, listed.rounds, progress)
    return deposit


def _fill(
    session: Session,
    request: DepositRequest,
    directory: Path,
    listed: Sequence[Round],
    progress: ReportProgress,
) -> Deposit:
    """Write the files of a bundle into a directory."""
    export = ExportRequest(archive=directory / ARCHIVE, tasks=(request.task,))
    archive = export_archive(session, export, progress)
    task = next(task for task in list_tasks(session).tasks if [task.task] == archive.tasks)
    rounds = []
    for row in listed:
        publication = find_publication(session, task.task, row.round)
        if publication is not None:
            rounds.append(DepositedRound(round=row.round, **dict(publication)))
    details = {
        "creator": request.creators,
        "publisher": request.publisher,
        "year": request.year,
        "doi": request.doi,
    }
    deposit = Deposit(
        report=shown_path(request.output),
        task=task.task,
        title=request.title or task.title or task.task,
        files=list(_MEMBERS),
        sha256=archive.sha256,
        archive_bytes=archive.bytes,
        rounds=rounds,
        corrected=[
            row.round for row in rounds if row.published_fingerprint not in (None, row.fingerprint)
        ],
        unknown=[name for name, value in details.items() if not value],
    )
    abstract = _abstract(task, listed, archive)
    described = _datacite(request, deposit, abstract, listed)
    written = json.dumps(described, indent=2, ensure_ascii=False)
    (directory / DATACITE).write_text(f"{written}\n", encoding="utf-8")
    cited = _yaml(_citation(request, deposit, abstract))
    (directory / CITATION).write_text(cited, encoding="utf-8")
    return deposit


def _abstract(task: Task, rounds: Sequence[Round], archive: ExportedArchive) -> str:
    kept = {"the ranked lists of runs": archive.uploads, "relevance assessments": archive.qrels}
    lists = "".join(f", {what}" for what, number in kept.items() if number)
    return (
        f"Score matrices of the evaluation task {task.task}, topics by runs, of"
        f" {counted(len(rounds), 'round')} ({', '.join(row.round for row in rounds)}) in"
        f" {', '.join(task.measures)}: {counted(archive.matrices or 0, 'matrix', 'matrices')},"
        f" {counted(archive.scores, 'score')}, every revision counted, with their standardisation"
        f" factors, variances, corrections{lists} and saved results."
    )


def _datacite(
    request: DepositRequest, deposit: Deposit, abstract: str, listed: Sequence[Round]
) -> dict[str, Any]:
    """Return the description of a bundle in the fields of DataCite's schema, version 4."""
    collections = dict.fromkeys(row.collection for row in listed if row.collection)
    technical = (
        f"{ARCHIVE} (SHA-256 {deposit.sha256}) holds CSV and JSON, and says in its README.txt what"
        f" they are; '{command('import')}' of {SOFTWARE} or later reads it. A round's fingerprint is"
        " the SHA-256 of the names, scores and factors that count in it;"
        f" '{command('round', 'verify')}' computes it again."
    )
    for row in deposit.rounds:
        if row.round in deposit.corrected:
            technical += (
                f" Round {row.round} was corrected after it was published with the fingerprint"
                f" {row.published_fingerprint}."
            )
    if collections:
        technical += f" Document collections: {', '.join(collections)}."
    described: dict[str, Any] = {
        "schemaVersion": _KERNEL,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Evaluation scores"},
        "creators": [_creator(name) for name in request.creators] or [{"name": _UNKNOWN}],
        "titles": [{"title": deposit.title}],
        "publisher": {"name": request.publisher or _UNKNOWN},
    }
    if request.year is not None:
        described["publicationYear"] = str(request.year)
    if request.doi is not None:
        prefix, _, suffix = request.doi.partition("/")
        described |= {"doi": request.doi, "prefix": prefix, "suffix": suffix}
    return described | {
        "alternateIdentifiers": [
            {
                "alternateIdentifier": row.fingerprint,
                "alternateIdentifierType": f"Roundbook fingerprint of round {row.round}",
            }
            for row in deposit.rounds
        ],
        "dates": [
            {
                "date": str(row.held),
                "dateType": "Collected",
                "dateInformation": f"Round {row.round} was held.",
            }
            for row in listed
            if row.held is not None
        ],
        "sizes": [f"{deposit.archive_bytes} bytes"],
        "formats": ["application/zip", "text/csv", "application/json"],
        "descriptions": [
            {"description": abstract, "descriptionType": "Abstract"},
            {"description": technical, "descriptionType": "TechnicalInfo"},
        ],
    }


def _creator(name: str) -> dict[str, str]:
    family_name, comma, given_name = map(str.strip, name.partition(","))
    if not comma:
        return {"name": name.strip(), "nameType": "Organizational"}
    return {
        "name": f"{family_name}, {given_name}",
        "nameType": "Personal",
        "givenName": given_name,
        "familyName": family_name,
    }


def _citation(request: DepositRequest, deposit: Deposit, abstract: str) -> dict[str, Any]:
    """Return the fields of a Citation File Format file, version 1.2.0."""
    authors = [
        {"family-names": creator["familyName"], "given-names": creator["givenName"]}
        if "familyName" in creator
        else {"name": creator["name"]}
        for creator in map(_creator, request.creators)
    ]
    cited: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use these scores, please cite them as below.",
        "type": "dataset",
        "title": deposit.title,
        "authors": authors or [{"name": _NOBODY}],
        "abstract": abstract,
    }
    if request.doi is not None:
        cited["doi"] = request.doi
    cited["identifiers"] = [
        {
            "type": "other",
            "value": f"sha256:{row.fingerprint}",
            "description": f"Fingerprint of round {row.round}",
        }
        for row in deposit.rounds
    ]
    return cited


def _yaml(fields: Mapping[str, Any]) -> str:
    """Return fields as YAML, with texts quoted as in JSON, which is valid YAML."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, str):
            lines.append(f"{name}: {json.dumps(value, ensure_ascii=False)}")
            continue
        lines.append(f"{name}:")
        for entry in value:
            for first, (key, text) in enumerate(entry.items()):
                lines.append(
                    f"  {' ' if first else '-'} {key}: {json.dumps(text, ensure_ascii=False)}"
                )
    return "\n".join([*lines, ""])


def _pack(directory: Path, file: Path) -> None:
    """Pack the files of a bundle, always into the same bytes; not compressed, as the archive is."""
    with ZipFile(file, "w") as packed:
        for name in _MEMBERS:
            member = ZipInfo(name, _FIRST_DATE)
            member.compress_type = ZIP_STORED
            with (directory / name).open("rb") as source, packed.open(member, "w") as target:
                shutil.copyfileobj(source, target)


def is_bundle(file: Path) -> bool:
    """Return whether a file is a packed bundle."""
    if not is_zipfile(file):
        return False
    with ZipFile(file) as packed:
        return sorted(packed.namelist()) == sorted(_MEMBERS)
