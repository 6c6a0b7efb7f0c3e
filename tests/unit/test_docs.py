"""The documentation says what the code says: commands, options, settings, keys, links, numbers."""

from __future__ import annotations

import doctest
import re
import shlex
import struct
import tomllib
from collections import defaultdict
from hashlib import blake2b
from math import ceil
from pathlib import Path
from types import ModuleType
from typing import Literal, get_args, get_origin
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import typer.main
from tests.recorded.outputs import read_recording
from typer.testing import CliRunner

import roundbook_cli.main
from roundbook.database.tables import metadata
from roundbook.formats import LAYOUTS, read_scores, read_teams
from roundbook.formats.matrix import MAX_CELLS
from roundbook.formats.table import MAX_NAME
from roundbook.formats.trec import read_qrels, read_runs
from roundbook.limits import LARGEST_FILE
from roundbook.logbook import (
    demonstration,
    embedded_server,
    events,
    factors,
    fitting,
    generalisability,
    privileges,
    published,
    rankings,
    recorded_measures,
    round_changes,
    rounds,
    saved_results,
    saving,
    schema,
    standardise,
    tasks,
    teams,
    tokens,
    topics,
    variance_history,
)
from roundbook.logbook.drift import report as drift
from roundbook.logbook.kinds import KINDS, title_of
from roundbook.logbook.matrices import corrections
from roundbook.logbook.matrices import export as matrix_export
from roundbook.logbook.matrices import history as matrix_history
from roundbook.logbook.matrices import listing as matrix_list
from roundbook.logbook.matrices import logged as matrices
from roundbook.logbook.matrices import showing as matrix_show
from roundbook.logbook.names import LONGEST_NAME
from roundbook.logbook.plans import plan as plans
from roundbook.logbook.round_contents import RoundContents
from roundbook.logbook.round_fingerprint import VerifiedRound
from roundbook.logbook.runs.assessing import LoggedQrels
from roundbook.logbook.runs.listing import QrelsList, RunList
from roundbook.logbook.runs.log_runs import LoggedRuns
from roundbook.logbook.runs.scoring import ScoreComparison
from roundbook.logbook.storing import content_hash
from roundbook.logbook.studies import (
    across_rounds,
    change,
    discriminative_power,
    incremental,
    leave_one_out,
    leave_one_out_rounds,
    per_topic_variance,
    pilots,
    swap_rate,
)
from roundbook.logbook.verifying.differences import Verification
from roundbook.reports import deposit, html_report, latex
from roundbook.requests.drift import DriftRequest
from roundbook.requests.factors import FitRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.rankings import GeneralisabilityRequest
from roundbook.settings import Settings
from roundbook.statistics.design import solve_topics
from roundbook.transfer import backup, move
from roundbook.transfer.archive import container, exporting, importing
from roundbook.transfer.archive.data_package import DESCRIPTIONS
from roundbook.transfer.archive.tables import (
    TABLES,
    VERSION,
    columns_of,
    refers_to,
    renumber,
    table_member,
)
from roundbook_cli.main import load_group

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])
STATISTICS = sorted((DOCS / "statistics").glob("*.md"))
# What is in the environment and no setting: where the settings file is, the tests, Compose.
NO_SETTING = {
    "CONFIG",
    "TEST_PICTURES",
    "TEST_SERVER",
    "TEST_DAY",
    "TEST_PROFILE",
    "SHARED",
    "DB_PASSWORD",
    "DB_PORT",
    "PORT",
}
# The results of commands that print all fields of one; of the others the recorded outputs tell.
RESULTS = {
    "roundbook report html": html_report.WrittenHtml,
    "roundbook report latex": latex.WrittenLatex,
    "roundbook report datacite": deposit.Deposit,
    "roundbook measure list": recorded_measures.MeasureList,
    "roundbook measure merge": recorded_measures.MergedMeasures,
    "roundbook task create": tasks.CreatedTask,
    "roundbook task rename": tasks.RenamedTask,
    "roundbook task remove": tasks.RemovedTask,
    "roundbook task list": tasks.TaskList,
    "roundbook round create": rounds.CreatedRound,
    "roundbook round rename": round_changes.RenamedRound,
    "roundbook round remove": round_changes.RemovedRound,
    "roundbook round list": rounds.RoundList,
    "roundbook topic alias": topics.AliasedTopics,
    "roundbook topic unalias": topics.UnaliasedTopic,
    "roundbook topic list": topics.TopicList,
    "roundbook round set": round_changes.ChangedRound,
    "roundbook round publish": round_changes.PublishedRound,
    "roundbook round teams": teams.DescribedTeams,
    "roundbook round verify": VerifiedRound,
    "roundbook log": matrices.LoggedMatrices,
    "roundbook run log": LoggedRuns,
    "roundbook run list": RunList,
    "roundbook run compare": ScoreComparison,
    "roundbook qrels log": LoggedQrels,
    "roundbook qrels list": QrelsList,
    "roundbook matrix list": matrix_list.MatrixList,
    "roundbook matrix show": matrix_show.ShownMatrix,
    "roundbook matrix history": matrix_history.MatrixHistory,
    "roundbook matrix export": matrix_export.ExportedMatrix,
    "roundbook matrix withdraw": corrections.CorrectedMatrix,
    "roundbook matrix restore": corrections.CorrectedMatrix,
    "roundbook variance show": variance_history.VarianceHistory,
    "roundbook variance history": variance_history.VarianceHistories,
    "roundbook variance pooled": variance_history.Pooled,
    "roundbook variance record": published.RecordedVariance,
    "roundbook study discriminative-power": discriminative_power.DiscriminativePower,
    "roundbook study --all-rounds": across_rounds.AcrossRounds,
    "roundbook study swap-rate": swap_rate.SwapRates,
    "roundbook study incremental": incremental.IncrementalStudy,
    "roundbook study change": change.ChangeStudy,
    "roundbook study leave-one-out": leave_one_out.LeaveOneOutStudy,
    "roundbook study leave-one-out --all-rounds": leave_one_out_rounds.LeaveOneOutRounds,
    "roundbook study leave-teams-out": pilots.LeaveTeamsOutStudy,
    "roundbook study topic-subsets": pilots.TopicSubsetsStudy,
    "roundbook study per-topic-variance": per_topic_variance.PerTopicVarianceStudy,
    "roundbook factors show": factors.FactorSet,
    "roundbook factors fit": fitting.FittedFactorSet,
    "roundbook standardise": standardise.StandardisedScores,
    "roundbook plan": plans.Plan,
    "roundbook rank": rankings.RankAgreement,
    "roundbook generalisability": generalisability.GeneralisabilityReport,
    "roundbook drift": drift.DriftReport,
    "roundbook drift --curve": drift.DriftCurve,
    "roundbook result list": saved_results.ResultList,
    "roundbook result renew": saving.Renewal,
    "roundbook events": events.EventList,
    "roundbook demo": demonstration.Demonstration,
    "roundbook export": exporting.ExportedArchive,
    "roundbook token create": tokens.CreatedToken,
    "roundbook token list": tokens.TokenList,
    "roundbook token revoke": tokens.Token,
    "roundbook import": importing.ImportedArchive,
    "roundbook db upgrade": schema.SchemaState,
    "roundbook db check": schema.DatabaseState,
    "roundbook db start": embedded_server.EmbeddedServer,
    "roundbook db stop": embedded_server.EmbeddedServer,
    "roundbook db grant": privileges.GrantedAccess,
    "roundbook db backup": backup.SavedBackup,
    "roundbook db restore": backup.RestoredBackup,
    "roundbook db move": move.MovedRecord,
    "roundbook db verify": Verification,
    "roundbook round show": RoundContents,
}
# What a result has for its sentences alone.
FOR_SENTENCES = "arguments"
# What prints the keys of another command, and has no table of its own.
ALIKE = {
    "roundbook db current": "roundbook db upgrade",
    "roundbook result show": "roundbook plan show",
}
# Sections that refer to another for the keys of what is within.
REFERS = {
    "roundbook round teams": ("roundbook log",),
    "roundbook drift --curve": ("roundbook drift",),
    "roundbook report show": ("roundbook result list",),
    "roundbook result renew": ("roundbook result list",),
    "roundbook study topic-subsets": ("roundbook study leave-teams-out",),
    "roundbook round show": ("roundbook matrix list", "roundbook run list", "roundbook qrels list"),
}
# Fields that the terminal prints in a form of its own, as recorded.
COMPOSED = {"impact", "notes"}
# What the terminal prints beside the fields of commands that were recorded never, or not since.
BESIDE = {
    "roundbook variance pooled": {"task", "measure", "scale", "assessments"},
    "roundbook run log": {"notes"},
    "roundbook qrels log": {"notes"},
    "roundbook impact": {"source"},
    "roundbook rank": {"reason"},
    "roundbook plan show": {"illegible"},
    "roundbook report show": {"illegible"},
}
# Objects whose keys are names: of scales, of alternatives, of grades, of what an event or a kind has.
NAMES = {"variances", "beside", "details", "request", "brief", "grades"}
# Results that have a section of their own, wherever they are printed.
ELSEWHERE = {
    "roundbook variance show": variance_history.VarianceHistory,
    "roundbook factors show": factors.FactorSet,
    "roundbook plan": plans.Plan,
    "roundbook drift": drift.DriftReport,
}


def walk(command, name="roundbook"):
    """Yield (name, command) of every command under a group, the root group with it."""
    if name == "roundbook":
        yield name, command
    for verb, listed in getattr(command, "commands", {}).items():
        loaded = load_group(verb).commands[verb] if name == "roundbook" else listed
        if getattr(loaded, "invoke_without_command", False):
            yield f"{name} {verb}", loaded
        if hasattr(loaded, "commands"):
            yield from walk(loaded, f"{name} {verb}")
        else:
            yield f"{name} {verb}", loaded


COMMANDS = dict(walk(typer.main.get_command(roundbook_cli.main.app)))


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def sections(name, level="## "):
    """Return a page's sections by heading."""
    parts = {}
    for part in re.split(rf"^{level}", page(name), flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        assert heading not in parts, f"{name} has two sections {heading}"
        parts[heading] = body
    return parts


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def long_options(command):
    return {
        option
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.hidden
        for option in parameter.opts
        if option.startswith("--") and option != "--help"
    }


def test_every_command_has_a_section_and_every_section_a_command():
    assert sorted(sections("reference/commands.md")) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_section_have_the_same_options(name):
    body = sections("reference/commands.md")[name]
    listed = set(re.findall(r"^\| `(--[a-z-]+)", body, flags=re.MULTILINE))
    assert listed == long_options(COMMANDS[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_names_the_arguments_and_no_other_option(name):
    usage = re.search(r"^```text\n(.*?)^```$", sections("reference/commands.md")[name], re.S | re.M)
    assert usage
    words = re.sub(r"[\[\]]", "", usage[1]).split()
    assert " ".join(words).startswith(name)
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "argument":
            assert parameter.metavar in words
    assert set(re.findall(r"--[a-z][a-z-]*", usage[1])) <= long_options(COMMANDS[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_in_an_example_of_the_command(name):
    result = CliRunner().invoke(roundbook_cli.main.app, [*name.split()[1:], "--help"])
    assert result.exit_code == 0
    printed = " ".join(result.output.split())
    assert f"Example: {name}" in printed


@pytest.mark.parametrize("name", COMMANDS)
def test_no_word_of_the_help_is_cut_off_at_80_columns(name):
    arguments = [*name.split()[1:], "--help"]
    printed = CliRunner().invoke(roundbook_cli.main.app, arguments, env={"COLUMNS": "80"}).output
    assert max(map(len, printed.splitlines())) == 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in printed


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_says_a_default_once(name):
    for parameter in COMMANDS[name].params:
        if "default" in (getattr(parameter, "help", None) or "").lower():
            assert parameter.default is None, parameter.opts


def test_defaults_of_fields_are_those_of_options():
    for name, parameter, model in (
        ("roundbook drift", "m", DriftRequest),
        ("roundbook plan", "beta", PlanRequest),
        ("roundbook plan save", "beta", PlanRequest),
        ("roundbook generalisability", "level", GeneralisabilityRequest),
        ("roundbook factors fit", "runs", FitRequest),
    ):
        (found,) = [one for one in COMMANDS[name].params if one.name == parameter]
        usual = model.model_fields[parameter].default
        assert found.default == (list(usual) if isinstance(usual, tuple) else usual)
        assert found.show_default


@pytest.mark.parametrize("name", COMMANDS)
def test_the_values_an_option_takes_are_documented(name):
    body = sections("reference/commands.md")[name]
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name != "option" or parameter.name == "form":
            continue
        for choice in _choices(parameter.type_descriptor.annotation):
            assert f"`{choice}`" in body, (parameter.opts, choice)


def _choices(annotation):
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    for inner in get_args(annotation):
        yield from _choices(inner)


def test_the_values_of_an_option_are_seen():
    """Against a Typer that keeps the annotation elsewhere: then nothing would be checked."""
    (layout,) = [option for option in COMMANDS["roundbook log"].params if option.name == "layout"]
    assert set(_choices(layout.type_descriptor.annotation)) == {"auto", *LAYOUTS}


@pytest.mark.parametrize("page_path", [DOCS / "reference/settings.md", ROOT / "README.md"])
def test_the_settings_tables_list_every_setting(page_path):
    rows = re.findall(r"^\| `ROUNDBOOK_([A-Z_]+)` \|", page_path.read_text("utf-8"), re.MULTILINE)
    assert [row.lower() for row in rows] == list(Settings.model_fields)


def test_the_settings_page_gives_the_defaults():
    body = page("reference/settings.md")
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, int):
            row = re.search(rf"^\| `ROUNDBOOK_{name.upper()}` \|.*$", body, re.MULTILINE)
            assert row
            assert f"| {str(field.default).lower()} |" in row[0]


@pytest.mark.parametrize("page_path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_variable_is_named_that_is_not_there(page_path):
    named = set(re.findall(r"ROUNDBOOK_([A-Z_]+)", page_path.read_text("utf-8")))
    assert named - NO_SETTING <= {name.upper() for name in Settings.model_fields}


def _section_of(arguments):
    """Return the section of the keys that a command line prints."""
    words = ["roundbook", *arguments]
    name = max((name for name in COMMANDS if words[: len(name.split())] == name.split()), key=len)
    curve = " --curve" if name == "roundbook drift" and "--curve" in arguments else ""
    if "--all-rounds" in arguments:
        return next(
            f"{study} --all-rounds"
            for study in (name, "roundbook study")
            if f"{study} --all-rounds" in OPTIONS_OF_THEIR_OWN
        )
    return ALIKE.get(name, name) + curve


def _recorded():
    """Return the objects of JSON that commands printed when recorded, by section."""
    printed = defaultdict(list)
    for line, output in read_recording().items():
        if isinstance(output["out"], dict):
            printed[_section_of(shlex.split(line, comments=True))].append(output["out"])
    return printed


# What a command prints by an option, in a section of its own.
OPTIONS_OF_THEIR_OWN = {
    "roundbook drift --curve",
    "roundbook study --all-rounds",
    "roundbook study leave-one-out --all-rounds",
}
RECORDED = _recorded()
JSON_COMMANDS = sorted(RECORDED.keys() | RESULTS.keys())


@pytest.mark.parametrize("name", JSON_COMMANDS)
def test_the_json_keys_of_a_command_are_those_it_prints(name):
    body = sections("reference/json-keys.md")[name]
    rows = re.findall(r"^\| (.*?) \| (.*) \|$", body, re.MULTILINE)
    named = set(re.findall(r"`([a-z_0-9]+)`", " ".join(first for first, _ in rows)))
    for other in REFERS.get(name, ()):
        assert f"`{other}`" in body
        body += sections("reference/json-keys.md")[other]
    everywhere = set(re.findall(r"`([a-z_0-9]+)`", body))
    keys = _all_keys(name)
    assert keys <= everywhere
    assert named <= keys
    top = {key for printed in RECORDED[name] for key in printed}
    if name in RESULTS:
        top |= RESULTS[name].model_json_schema(mode="serialization")["properties"].keys()
    assert top <= named


def test_every_command_has_json_keys():
    documented = {*JSON_COMMANDS, *ALIKE} - OPTIONS_OF_THEIR_OWN
    # A service and a worker print no result.
    assert documented | {"roundbook", "roundbook serve", "roundbook worker"} == set(COMMANDS)
    assert set(sections("reference/json-keys.md")) == {*JSON_COMMANDS, "roundbook result show"}


def _all_keys(name):
    """Return the keys that a command prints, but those of results with their own section."""
    keys = set(BESIDE.get(name, ()))
    for printed in RECORDED[name]:
        for key, value in printed.items():
            keys |= {key, *_printed_keys(key, value)}
    return keys | set(_model_keys(RESULTS[name]) if name in RESULTS else ())


def _printed_keys(key, value):
    """Yield the keys within a value of JSON."""
    if isinstance(value, list):
        for inner in value:
            yield from _printed_keys(key, inner)
    elif isinstance(value, dict) and key not in NAMES and not _is_elsewhere(value):
        for inner, held in value.items():
            yield inner
            yield from _printed_keys(inner, held)


def _is_elsewhere(value):
    return any(set(RECORDED[name][0]) <= set(value) for name in ELSEWHERE)


def _model_keys(model):
    """Yield a result's keys, and those of what it holds unless that has its own section."""
    schema = model.model_json_schema(mode="serialization")
    elsewhere = {other.__name__ for other in ELSEWHERE.values()}

    def walk_schema(part):
        if isinstance(part, list):
            for inner in part:
                yield from walk_schema(inner)
        elif isinstance(part, dict):
            reference = part.get("$ref", "").rpartition("/")[2]
            if reference and reference not in elsewhere:
                yield from walk_schema(schema["$defs"][reference])
            for key, inner in part.get("properties", {}).items():
                if key == FOR_SENTENCES:
                    continue
                yield key
                if key not in COMPOSED:
                    yield from walk_schema(inner)
            for key in ("anyOf", "items", "prefixItems", "additionalProperties"):
                yield from walk_schema(part.get(key))

    yield from walk_schema(schema)


def test_the_keys_that_the_design_fixed_are_there():
    assert {
        "matrix",
        "revision",
        "topics",
        "runs",
        "variance",
        "factor_version",
        "status",
    } <= _all_keys("roundbook log")
    assert {"shared_topics", "mean_shift", "sd_ratio", "verdict", "from", "to"} <= _all_keys(
        "roundbook drift"
    )


def test_every_layout_has_a_section_whose_samples_are_of_that_layout(tmp_path):
    parts = sections("reference/file-formats.md")
    assert set(parts) == {
        *(*LAYOUTS, "Excel workbooks and Parquet"),
        *("TREC runs", "Relevance assessments"),
        *("Team files", "Topic ids", "Names of measures"),
    }
    for layout in LAYOUTS:
        samples = re.findall(r"^```text\n(.*?)^```$", parts[layout], re.DOTALL | re.MULTILINE)
        assert samples
        for sample in samples:
            measure = "AP" if "AP" in sample or "map" in sample else "nDCG@10"
            measure = "MSnDCG@10" if "MSnDCG" in sample else measure
            path = tmp_path / "run.txt"
            path.write_text(sample, encoding="utf-8")
            matrix = read_scores([path], measure=measure)
            assert matrix.layout == layout
            assert len(matrix.topics) == 2


def test_the_limits_of_files_are_on_the_page():
    body = " ".join(page("reference/file-formats.md").split())
    assert (
        f"at most {MAX_NAME} characters; those of tasks, rounds and measures {LONGEST_NAME}."
        in body
    )
    assert f"at most {MAX_CELLS:,} cells, and a file at most {LARGEST_FILE // 2**20} MiB" in body


def test_the_samples_of_runs_and_assessments_are_read(tmp_path):
    parts = sections("reference/file-formats.md")
    path = tmp_path / "sample"
    for part, topics_of in (
        ("TREC runs", lambda: read_runs([path], max_bytes=1_000).topics),
        ("Relevance assessments", lambda: read_qrels(path, max_bytes=1_000).topics),
    ):
        (sample,) = re.findall(r"^```text\n(.*?)^```$", parts[part], re.DOTALL | re.MULTILINE)
        path.write_text(sample, encoding="utf-8")
        assert topics_of() == ("301", "302")


def test_the_team_file_sample_is_read(tmp_path):
    body = sections("reference/file-formats.md")["Team files"]
    (sample,) = re.findall(r"^```text\n(.*?)^```$", body, re.DOTALL | re.MULTILINE)
    (tmp_path / "teams.csv").write_text(sample, encoding="utf-8")
    teams = read_teams(tmp_path / "teams.csv")
    assert teams["bm25"].contributed_to_pool is True
    assert teams["dense"].system is None


def test_the_archive_page_has_every_column_with_what_it_holds():
    body = sections("reference/archive.md")["The tables"]
    parts = {}
    for part in re.split(r"^### ", body, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| `([a-z_]+)` \| (.*?) \| .+ \|$", part, re.MULTILINE)
        parts[part.partition("\n")[0]] = rows
    assert parts == {
        table_member(table): [(column.name, _held(column)) for column in columns_of(table)]
        for table in TABLES
    }, "other tables or columns are another version of the format"


def _held(column):
    other = refers_to(column)
    kind = (
        "number" if column.name == "id" else other is not None and f"number in `{other.name}.csv`"
    )
    return (kind or _KINDS[type(column.type).__name__]) + (", or empty" if column.nullable else "")


_KINDS = {
    "BigInteger": "integer",
    "Integer": "integer",
    "Double": "double",
    "Text": "text",
    "Boolean": "true or false",
    "DateTime": "time",
    "Date": "date",
    "Uuid": "UUID",
    "ARRAY": "JSON list",
    "JSONB": "JSON object",
}


def test_the_archive_page_has_the_limits_and_the_keys():
    body = page("reference/archive.md")
    assert f"This is version {VERSION} of the" in body
    assert f"{container.MAX_MEMBER // 2**30} GiB" in body
    assert f"{container.MAX_UNPACKED // 2**30} GiB" in body
    rows = set(re.findall(r"^\| `([a-z_]+)` \|", body.partition("## CSV")[0], re.MULTILINE))
    assert rows == set(container.Manifest.model_fields)
    for key in container.Member.model_fields:
        assert f"`{key}`" in body


def test_the_pages_on_what_is_kept_name_every_kind_of_result():
    names = [title_of(kind) for kind in KINDS]
    assert names == ["plan", "drift report", "study"]
    (kinds,) = re.findall(r"^\| `kind` \| text \| (.*) \|$", page("reference/archive.md"), re.M)
    assert kinds == "`plan`, `drift` or `study`."
    assert DESCRIPTIONS["result"][1]["kind"] == kinds
    assert "a plan, a drift report or a study" in page("reference/schema.md")
    renumbered = renumber({"factors_of": 7, "to_matrix": 7, "matrix": 7}, {"matrix": {7: 1}})
    assert renumbered == {"factors_of": 1, "to_matrix": 1, "matrix": 1}
    assert "`matrix` and `factors_of` and those that end in `_matrix`" in page(
        "reference/archive.md"
    )


def test_the_content_hash_is_computed_as_the_page_on_archives_says():
    names = b"2\x001\x0010\0\0" + b"2\0a\0b\0\0"
    scores = struct.pack("<4d", 0.4, 0.2, 0.3, 0.0)  # a on 1 and 10, then b
    written = blake2b(names + scores, digest_size=32).hexdigest()
    matrix = np.array([[0.0, 0.2], [0.3, 0.4]])  # topics 10 and 1, runs b and a
    assert content_hash(["10", "1"], ["b", "a"], matrix) == written
    text = " ".join(page("reference/archive.md").split())
    assert "of the topics, and then of the runs: how many there are" in text.lower()


@pytest.mark.parametrize("page_path", [DOCS / "reference/exit-codes.md", ROOT / "README.md"])
def test_the_tables_of_exit_codes_have_that_of_an_interrupt(page_path, monkeypatch, capsys):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(roundbook_cli.main, "app", interrupted)
    code = roundbook_cli.main.run(["task", "list"])
    assert "Interrupted" in capsys.readouterr().err
    codes = re.findall(r"^\| (\d+) \| [^|]+\.", page_path.read_text("utf-8"), re.MULTILINE)
    assert codes == ["0", "1", "2", "3", "4", "5", str(code)]


def test_the_page_of_papers_has_those_that_the_statistics_cite():
    published = re.compile(r"\b(AIRS|CIKM|CLEF|EVIA|ICML|ICTIR|SIGIR|WWW) (\d{4})\b")
    papers = set(published.findall(page("statistics/papers.md")))
    cited = {paper for path in STATISTICS for paper in published.findall(path.read_text("utf-8"))}
    assert {("WWW", "2012"), ("SIGIR", "2002"), ("CLEF", "2023")} <= cited
    assert cited <= papers


def _shares(name, row):
    """Return the shares in the rows of a page's tables that begin so: a list for each row."""
    return [
        [float(share) for share in re.findall(r"(?<!\d)[01]?\.\d{3}", line)]
        for line in page(name).splitlines()
        if re.match(row, line)
    ]


def test_the_sentences_on_coverage_say_what_the_tables_have():
    again = _shares("statistics/variance.md", "COVID 1, same")
    first, returning = [row[1] for row in again], [row[2] for row in again]
    body = " ".join(page("statistics/variance.md").split())
    assert len(again) == 3
    assert (
        f"it covers {min(returning):.2f} to {max(returning):.2f} where all teams return, on new"
        f" topics, where the first covers {min(first):.2f} to {max(first):.2f}"
    ) in body
    null = [
        share
        for (share,) in _shares("statistics/topic-set-size.md", ".* [12]0 runs: two-way F, no")
    ]
    body = " ".join(page("statistics/topic-set-size.md").split())
    assert len(null) == 6
    assert f"in {100 * min(null):.3g} to {100 * max(null):.3g}% instead of 5%" in body


def test_the_schema_page_and_its_drawing_have_every_table():
    names = {table.name for table in metadata.tables.values()}
    rows = re.findall(r"^\| `([a-z_]+)` \|", page("reference/schema.md"), re.MULTILINE)
    assert set(rows) == names
    drawing = ET.parse(DOCS / "_static/schema.svg")
    drawn = {label.text for label in drawing.iter("{http://www.w3.org/2000/svg}text") if label.text}
    assert names | {"score (view)"} <= drawn


@pytest.mark.parametrize("page_path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page_path):
    text = without_code(page_path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        aim = (page_path.parent / path).resolve() if path else page_path
        assert aim.is_file(), target
        assert aim.is_relative_to(ROOT)
        if anchor:
            headings = re.findall(r"^#+ (.*)$", aim.read_text("utf-8"), re.MULTILINE)
            assert anchor in {
                re.sub(r"[^\w\- ]", "", h).lower().replace(" ", "-") for h in headings
            }


def test_the_readme_links_every_page():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    reached = set(re.findall(r"\]\((docs/[^)\s#]+)", readme))
    wanted = {
        str(path.relative_to(ROOT))
        for folder in ("how-to", "reference", "statistics")
        for path in (DOCS / folder).glob("*.md")
    }
    assert wanted <= reached


def test_the_change_log_has_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert version in headings


@pytest.mark.parametrize("page_path", STATISTICS, ids=lambda path: path.stem)
def test_the_worked_examples_give_the_numbers_shown(page_path):
    text = page_path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert blocks or page_path.stem == "papers"
    test = doctest.DocTestParser().get_doctest(
        "\n".join(blocks), {}, page_path.stem, str(page_path), 0
    )
    failed, _ = doctest.DocTestRunner(verbose=False).run(test)
    assert failed == 0


def test_the_table_of_topic_set_sizes():
    text = page("statistics/topic-set-size.md")
    head = re.search(r"^\| α, β \|(.*)$", text, re.MULTILINE)
    assert head
    runs = [int(cell) for cell in re.findall(r"m = (\d+)", head[1])]
    rows = re.findall(r"^\| (0\.\d+), (0\.\d+) \|(.*)$", text, re.MULTILINE)
    assert len(rows) == 3
    for alpha, beta, cells in rows:
        shown = [tuple(map(int, pair)) for pair in re.findall(r"(\d+) / (\d+)", cells)]
        sizes = [
            solve_topics(
                "anova", 0.1, 0.05, float(alpha), float(beta), engine=engine, runs=runs
            ).topics.tolist()
            for engine in ("sakai", "exact")
        ]
        assert shown == list(zip(*sizes, strict=True))


@pytest.mark.long
def test_the_table_of_sizes_on_shared_topics():
    """By SciPy's own distributions, from the first adequate size on."""
    from scipy.stats import f, ncf, nct, studentized_range

    def tukey(m, n):
        dof, shift = (m - 1) * (n - 1), (n * 0.1**2 / (2 * 0.05)) ** 0.5
        critical = studentized_range.ppf(0.95, m, dof) / 2**0.5
        return nct.sf(critical, dof, shift)  # the other tail is below 1e-6

    def two_way(m, n):
        dofs = m - 1, (m - 1) * (n - 1)
        return ncf.sf(f.ppf(0.95, *dofs), *dofs, n * 0.1**2 / (2 * 0.05))

    text = page("statistics/topic-set-size.md")
    head = re.search(r"^\| Design \|(.*)$", text, re.MULTILINE)
    assert head
    runs = [int(cell) for cell in re.findall(r"m = (\d+)", head[1])]
    for name, power in (("tukey", tukey), ("two-way", two_way)):
        row = re.search(rf"^\| `{name}` \|((?: \d+ \|)+)$", text, re.MULTILINE)
        assert row
        sizes = [int(size) for size in re.findall(r"\d+", row[1])]
        for m, n in zip(runs, sizes, strict=True):
            assert power(m, n) >= 0.8 > power(m, n - 1)


def test_the_variances_and_sizes_of_the_topic_set_page(shared):
    """V_E and V_2 from the files, by the definition; each size in the prose from them."""
    numbers = _prose_numbers("statistics/topic-set-size.md")
    for name, sizes in (
        ("treccovid/treccovid_round1_ndcg10", (55, 86)),
        ("adhoc/trec_robust2003_ap", (18, 66)),
    ):
        scores = np.genfromtxt(shared / f"data/{name}.csv", delimiter=",", skip_header=1)[:, 1:]
        n, m = scores.shape
        residual = scores - scores.mean(0) - scores.mean(1)[:, None] + scores.mean()
        two_way = (residual**2).sum() / ((m - 1) * (n - 1))
        assert f"{two_way:.6f}" in numbers
        paired = tuple(
            int(solve_topics("paired-t", 0.1, value).topics)
            for value in (two_way, scores.var(0, ddof=1).mean())
        )
        assert paired == sizes
        assert {str(size) for size in sizes} <= numbers


def _prose_numbers(name):
    return set(re.findall(r"\d+\.\d+|\d+", without_code(page(name))))


def test_the_numbers_in_the_prose_of_the_worked_examples():
    """What the sentences say besides the code is computed here by another way: by hand."""
    from math import log
    from statistics import mean, stdev

    from scipy.stats import norm, t

    topic = [0.62, 0.55, 0.48, 0.31]
    std = (topic[0] - mean(topic)) / stdev(topic)
    # Variance: the influences by leaving topics out, and the limits of the cube root.
    scores = [(0.1, 0.2, 0.3), (0.4, 0.3, 0.5), (0.9, 0.7, 0.6), (0.5, 0.6, 0.8), (0.2, 0.3, 0.1)]

    def residual(rows):
        return mean(stdev(run) ** 2 for run in zip(*rows, strict=True))

    without = [log(residual([*scores[:j], *scores[j + 1 :]])) for j in range(5)]
    influence = [(mean(without) - other) * 0.8**0.5 for other in without]
    spread = sum(value**2 for value in influence)
    centre, reach = 1 - spread / 9, t.ppf(0.975, 2) * spread**0.5 / 3
    value = residual(scores)
    variance = [
        0.14, 0.14 / 4, 0.01 / 2, value, 12 * value, *influence, spread, spread**0.5, centre, reach,
        centre + reach, centre - reach, value / (centre + reach) ** 3,
        value / (centre - reach) ** 3, t.ppf(0.975, 2), (12 * value + 20 * 0.0650833) / 32,
    ]  # fmt: skip
    # Generalisability: mean squares of three runs on four topics from sums.
    runs = ((0.5, 0.2, 0.4, 0.1), (0.7, 0.3, 0.4, 0.4), (0.9, 0.2, 0.8, 0.7))
    topics = list(zip(*runs, strict=True))
    grand = sum(map(sum, runs)) ** 2 / 12
    between_runs = sum(sum(run) ** 2 for run in runs) / 4 - grand
    between_topics = sum(sum(topic) ** 2 for topic in topics) / 3 - grand
    rest = sum(x**2 for run in runs for x in run) - grand - between_runs - between_topics
    squares = between_runs / 2, between_topics / 3, rest / 6
    system, hard = (squares[0] - squares[2]) / 4, (squares[1] - squares[2]) / 3
    half = 1.96 * (2 * (2 * 14 + 5) / (9 * 14 * 13)) ** 0.5
    expected = {
        "statistics/variance.md": [abs(number) for number in variance],
        "statistics/standardisation.md": [
            mean(topic), stdev(topic), std, norm.cdf(std), 0.15 * std + 0.5,
        ],
        "statistics/drift.md": [t.ppf(0.975, 3), 0.045 / 0.1170, 1 / 1.25],
        "statistics/rank-agreement.md": [
            4 / 6, 3 / 6, 3 / 30**0.5, 0.978 - half, 0.978 + half,
            2 / 3 * (1 + 1 + 2 / 3) - 1, 2 / 3 * (0 + 1 + 1) - 1,
        ],
        "statistics/generalisability.md": [
            *squares, system, hard,
            system / (system + squares[2] / 4), system / (system + (hard + squares[2]) / 4),
            0.9 * squares[2] / 0.1 / system,
        ],
        "statistics/topic-set-size.md": [158 * 0.01 / 0.1, 10 * 157],
    }  # fmt: skip
    for name, values in expected.items():
        numbers = _prose_numbers(name)
        for value in values:
            assert any(f"{value:.{digits}f}" in numbers for digits in range(5)), (name, value)


def test_the_table_of_reliabilities(shared):
    """By Cronbach's alpha and sums of squares from the files; the sizes by the definition."""
    rows = re.findall(
        r"^\| round(\d) \|(.*)\|$", page("statistics/generalisability.md"), re.MULTILINE
    )
    assert [number for number, _ in rows] == ["1", "2", "3"]
    for number, cells in rows:
        path = shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv"
        scores = np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:]
        n, m = scores.shape
        alpha = n / (n - 1) * (1 - scores.var(1, ddof=1).sum() / scores.sum(0).var(ddof=1))
        residual = scores - scores.mean(0) - scores.mean(1)[:, None] + scores.mean()
        rest = (residual**2).sum() / ((m - 1) * (n - 1))
        system = scores.mean(0).var(ddof=1) - rest / n
        noise = scores.mean(1).var(ddof=1) - rest / m + rest
        expected = [f"{alpha:.3f}", f"{system / (system + noise / n):.3f}"]
        expected += [str(ceil(19 * error / system)) for error in (rest, noise)]
        expected.append(
            str(int(solve_topics("anova", 0.1, scores.var(0, ddof=1).mean(), runs=10).topics))
        )
        expected.append(str(int(solve_topics("tukey", 0.1, rest, runs=10).topics)))
        assert [cell.strip() for cell in cells.split("|")] == expected


def test_refresh_finds_the_commands():
    refresh = load_refresh()
    (command,) = refresh.commands("$ roundbook a \\\n    b\nout\n")
    assert command == ("roundbook a \\\n    b", "out")
    assert ROOT / "README.md" in refresh.pages()


def load_refresh() -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("docs_refresh", DOCS / "refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_change_log_links_nowhere_within_the_project():
    """It is a page of the documentation too, where such a link leads nowhere."""
    assert re.findall(r"\]\((?!https?:)[^)]*\)", (ROOT / "CHANGELOG.md").read_text("utf-8")) == []
