"""What spreadsheets and data frames hold: PyTerrier's frames, xlsx, Parquet, names like formulas."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys
import zipfile
from datetime import date

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from openpyxl.worksheet.formula import ArrayFormula
from tests.unit.formats.test_writing import AWKWARD, matrices

from roundbook.csv_names import marked, unmarked
from roundbook.errors import InputError
from roundbook.formats import read_scores, read_teams
from roundbook.formats.matrix import HiddenCells
from roundbook.formats.writing import write_long, write_wide
from roundbook.presentation.matrices import hidden_notes
from roundbook.python.scores import array_text, as_files, as_matrix
from roundbook_cli.ways_out import sentence

FORMULAS = ("=1+1", "+a", "-b", "@c", "'=d", "''-e", "'f", "a=b", "=cmd|' /C calc'!A0")


def read(path, content, **options):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_scores([path], **{"measure": "AP", **options})


def refusal(path, content, **options):
    with pytest.raises(InputError) as caught:
        read(path, content, **options)
    message = sentence(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def workbook(*sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet {number}")
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet(columns, **options):
    stream = io.BytesIO()
    if isinstance(columns, pd.DataFrame):
        columns.to_parquet(stream)
    else:
        pa.parquet.write_table(pa.table(columns), stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize("index", ["", ","])
def test_a_frame_of_pyterrier(tmp_path, index):
    rows = ["bm25,1,map,0.5", "bm25,2,map,0.25", "bm25,1,P_5,1", "dense,1,map,1", "dense,2,map,0"]
    numbered = [f"{number}," * bool(index) + row for number, row in enumerate(rows)]
    content = "\n".join([f"{index}name,qid,measure,value", *numbered])
    for layout in ("auto", "long"):
        matrix = read(tmp_path / "frame.csv", content, layout=layout)
        assert (matrix.layout, matrix.measure) == ("long", "map")
        assert (matrix.topics, matrix.runs) == (("1", "2"), ("bm25", "dense"))
        assert matrix.scores.tolist() == [[0.5, 1], [0.25, 0]]


def test_name_is_no_run_elsewhere(tmp_path):
    path = tmp_path / "wide.csv"
    assert read(path, "name,a,b\n1,.5,.25\n").runs == ("a", "b")
    assert read(path, "qid,name,b\n1,.5,.25\n").runs == ("name", "b")
    assert read(path, "run,name,qid,value\na,x,1,.5\n").runs == ("a",)
    message = refusal(path, ",name,AP,nDCG@10\n0,bm25,.5,.25\n")
    assert "this looks like PyTerrier's means over topics" in message
    assert message.endswith("as pt.Experiment gives them with perquery=True.")


def test_names_like_formulas_are_text_in_csv_and_come_back(tmp_path):
    scores = np.arange(-40.0, 41).reshape(9, 9) / 7
    for text in (
        write_wide(FORMULAS, FORMULAS, scores),
        write_long(FORMULAS, FORMULAS, scores, "=AP"),
    ):
        rows = list(csv.reader(io.StringIO(text)))
        for cell in (cell for row in rows for cell in row):
            assert cell[0] not in "=+-@" or float(cell) < 0
        matrix = read(tmp_path / "scores.csv", text, measure="=AP")
        assert (matrix.topics, matrix.runs) == (FORMULAS, FORMULAS)
        np.testing.assert_array_equal(matrix.scores, scores)
    assert [*map(marked, FORMULAS[:7])] == ["'=1+1", "'+a", "'-b", "'@c", "''=d", "'''-e", "'f"]
    assert [*map(unmarked, map(marked, FORMULAS))] == list(FORMULAS)
    (tmp_path / "teams.csv").write_text("run,team\n'=1+1,'@c\n")
    assert read_teams(tmp_path / "teams.csv")["=1+1"].team == "@c"
    # The tools' own output is no spreadsheet's.
    lines = "map\t'=1\t0.5\nmap\t2\t0.25\nrunid\tall\t'=x\n"
    matrix = read(tmp_path / "out.eval", lines)
    assert (matrix.topics, matrix.runs) == (("'=1", "2"), ("'=x",))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["xlsx", "parquet"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(matrix=matrices())
def test_what_is_written_is_read_back_or_refused(tmp_path, kind, matrix):
    topics, runs, scores = matrix
    for write in (write_wide, write_long):
        measure = ("AP",) if write is write_long else ()
        try:
            content = write(topics, runs, scores, *measure, tmp_path / f"scores.{kind}")
        except InputError:  # as in CSV
            with pytest.raises(InputError, match=r"would be (mis)?read"):
                write(topics, runs, scores, *measure)
            continue
        again = read(tmp_path / "scores", content)
        assert f"write_{again.layout}" == write.__name__
        assert (list(again.topics), list(again.runs)) == (topics, runs)
        assert np.array_equal(again.scores, scores)


@pytest.mark.parametrize("kind", ["xlsx", "parquet"])
def test_other_programs_read_the_same(tmp_path, kind):
    names = AWKWARD + FORMULAS
    scores = np.random.default_rng(4).standard_normal((len(names), len(names))) / 3
    path = tmp_path / f"scores.{kind}"
    path.write_bytes(write_wide(names, names, scores, path))
    if kind == "parquet":
        frame = pd.read_parquet(path)
        assert list(frame.columns) == ["topic", *names]
        assert list(frame.topic) == list(names)
        np.testing.assert_array_equal(frame.iloc[:, 1:], scores)
        return
    sheet = openpyxl.load_workbook(path).active
    cells = [list(row) for row in sheet.iter_rows()]
    assert [cell.value for cell in cells[0]] == ["topic", *names]
    assert {cell.data_type for row in cells for cell in (*cells[0], row[0])} == {"s"}
    assert [[cell.value for cell in row[1:]] for row in cells[1:]] == scores.tolist()


def test_a_workbook_of_excel(tmp_path):
    path = tmp_path / "scores.xlsx"
    wide = [[], ["topic", "a", "b"], [], [301, 0.5, None], ["302", 1, "0.25"], ["all", 0.75, 0.1]]
    for content in (workbook([], wide), gzip.compress(workbook(wide))):
        matrix = read(path, content)
        assert (matrix.layout, matrix.topics, matrix.runs) == ("wide", ("301", "302"), ("a", "b"))
        np.testing.assert_array_equal(matrix.scores, [[0.5, np.nan], [1, 0.25]])
    long = [["run", "topic", "measure", "score"], ["a", 1, "map", 0.5], ["a", 2.5, "map", 1]]
    matrix = read(path, workbook(long))
    assert (matrix.layout, matrix.measure, matrix.topics) == ("long", "map", ("1", "2.5"))
    path.write_bytes(workbook([["run", "team", "pool"], ["a", "T", True]]))
    assert read_teams(path)["a"].contributed_to_pool is True


HEAD = ["topic", "a"]


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        ([[]], ": the workbook has no cells."),
        ([[HEAD]], ":1: there is a header and nothing below it."),
        (
            [[HEAD, [1, 0.5]], [HEAD, [2, 0.5]]],
            ": several sheets have cells ('sheet 0', 'sheet 1')",
        ),
        ([[HEAD, [1, 0.5, 2]]], ":2:3: expected 2 cells as in the header, found 3."),
        ([[HEAD, [1, "=0.5"]]], ":2:2: the cell holds a formula without its value; open the"),
        ([[HEAD, [1, "#N/A"]]], ":2:2: the cell holds the error #N/A."),
        (
            [[HEAD, [date(2026, 3, 1), 1]]],
            ":2:1: the cell holds a date or time (2026-03-01",
        ),
        ([[HEAD, [1, True]]], ":2:2: 'True' is not a number."),
        ([[HEAD, [1, "0,5"], [2, "0.5"]]], ":2:2: the score '0,5' is written with a decimal comma"),
        ([[HEAD, [], [1, 0.5], [1, 0.5]]], ":4:1: topic 1 already has a row on line 3; keep one."),
    ],
)
def test_what_a_workbook_may_not_hold(tmp_path, sheets, message):
    assert refusal(tmp_path / "scores.xlsx", workbook(*sheets)).startswith(message)


@pytest.mark.long
def test_what_is_hidden_is_read_and_said(tmp_path):
    book = openpyxl.load_workbook(
        io.BytesIO(workbook([["topic", "a", "b"], [1, 0.5, 0.25], [2, 1, 0]]))
    )
    sheet = book.active
    sheet.row_dimensions[3].hidden = sheet.row_dimensions[9].hidden = True
    sheet.column_dimensions["B"].hidden = sheet.column_dimensions["Z"].hidden = True
    book.create_sheet("empty").sheet_state = "hidden"
    book.save(tmp_path / "hidden.xlsx")
    matrix = read_scores([tmp_path / "hidden.xlsx"], measure="AP")
    assert matrix.scores.tolist() == [[0.5, 0.25], [1, 0]]
    assert matrix.hidden == (HiddenCells(str(tmp_path / "hidden.xlsx"), None, 1, 1),)
    assert hidden_notes(matrix.hidden)[0].endswith(
        "hidden.xlsx: read like all else: 1 hidden row, 1 hidden column."
    )
    book.create_sheet("seen")["A1"] = "see the other sheet"
    sheet.title, sheet.sheet_state = "old", "hidden"
    book.save(tmp_path / "hidden.xlsx")
    assert "('old' (hidden), 'seen')" in refusal_of(tmp_path / "hidden.xlsx")
    book["seen"]["A1"] = None
    book.save(tmp_path / "hidden.xlsx")
    (hidden,) = read_scores([tmp_path / "hidden.xlsx"], measure="AP").hidden
    assert (hidden.sheet, hidden.rows, hidden.columns) == ("old", 1, 1)
    plain = read(tmp_path / "plain.xlsx", workbook([["topic", "a"], [1, 0.5], [2, 1]]))
    assert plain.hidden == ()


def refusal_of(path):
    return refusal(path, path.read_bytes())


def test_a_workbook_that_is_broken_or_too_large(tmp_path):
    path, sound = tmp_path / "scores.xlsx", workbook([HEAD, [1, 0.5]])
    assert "broken or cut short" in refusal(path, sound[:-100])
    message = refusal(path, sound, max_bytes=len(sound))
    assert f"unpacks to more than {len(sound)} bytes; raise ROUNDBOOK_MAX_FILE_BYTES" in message
    with zipfile.ZipFile(io.BytesIO(sound)) as content:
        members = {name: content.read(name) for name in content.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    for reference in (b'r="1048577"', b'r="99999999999"'):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as content:
            for name, data in members.items():
                content.writestr(name, data.replace(b'r="2"', reference) if name == sheet else data)
        assert ": the sheet has far too many cells" in refusal(path, stream.getvalue())


def test_parquet_of_other_programs(tmp_path):
    path = tmp_path / "scores.parquet"
    frame = pd.DataFrame({"a": [0.5, None], "b": [1, 0]}, index=[301, 302])
    for name in ("topic", None):
        frame.index.name = name
        matrix = read(path, parquet(frame))
        assert (matrix.layout, matrix.topics, matrix.runs) == ("wide", ("301", "302"), ("a", "b"))
        np.testing.assert_array_equal(matrix.scores, [[0.5, 1], [np.nan, 0]])
    frame = pd.DataFrame(
        {"name": ["x", "x"], "qid": ["1", "2"], "measure": "AP", "value": [0.5, 1]}
    )
    for column in ("name", "measure"):
        frame[column] = frame[column].astype("category")
    matrix = read(path, parquet(frame))
    assert (matrix.layout, matrix.measure, matrix.runs) == ("long", "AP", ("x",))
    assert matrix.scores.tolist() == [[0.5], [1]]
    typed = {"topic": [1.0, 2.5], "a": pa.array([0.1, 1], pa.float32()), "b": ["0.5", ""]}
    matrix = read(path, parquet(typed))
    assert matrix.topics == ("1", "2.5")
    np.testing.assert_array_equal(matrix.scores, [[np.float32(0.1), 0.5], [1, np.nan]])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"topic": ["1"], "a": [float("nan")]}, ":2:2: 'nan' is not a score; leave it out"),
        ({"topic": ["1", "2"], "a": [0, 1e200]}, ":3:2: the score '1e+200' is too large"),
        ({"topic": ["1"], "a": [True]}, ": the column 'a' holds bool, and scores are numbers."),
        ({"topic": [[1]], "a": [1.0]}, ": the column 'topic' holds list<element: int64>, and"),
        ({"topic": ["1", "1"], "a": [1, 1]}, ":3:1: topic 1 already has a row on line 2"),
        ({"topic": ["1\x1b"], "a": [1]}, ":2:1: the topic name '1\\x1b' holds a control"),
        ({"topic": pa.array([], pa.string()), "a": []}, ": the file is empty."),
    ],
)
def test_what_parquet_may_not_hold(tmp_path, columns, message):
    assert refusal(tmp_path / "scores.parquet", parquet(columns)).startswith(message)


def test_parquet_that_is_broken_or_too_large(tmp_path, monkeypatch):
    path = tmp_path / "scores.parquet"
    sound = parquet({"topic": ["1", "2"], "a": [0.5, 1]})
    for broken in (sound[:-9], b"PAR1" + bytes(90), sound[:4] + bytes(40) + sound[44:]):
        assert "the Parquet file is broken or cut short; copy it again." in refusal(path, broken)
    large = parquet({"topic": [f"{'t' * 400}{number}" for number in range(5000)]})
    message = refusal(path, large, max_bytes=len(large))
    assert "unpacks to 2" in message
    monkeypatch.setattr("roundbook.formats.parquet.MAX_CELLS", 0)
    assert "unpacks to " in refusal(path, sound)
    monkeypatch.undo()
    message = refusal(path, sound, layout="trec_eval")
    assert message == (
        ": trec_eval is a layout of text, and this is a table; choose with --layout wide or"
        " --layout long."
    )


@pytest.mark.parametrize(
    ("library", "extra", "content"),
    [
        ("openpyxl", "xlsx", workbook([HEAD, [1, 0.5]])),
        ("pyarrow", "parquet", parquet({"topic": ["1"], "a": [0.5]})),
    ],
)
def test_without_the_extra(tmp_path, monkeypatch, library, extra, content):
    path = tmp_path / f"scores.{extra}"
    path.write_bytes(content)
    monkeypatch.setitem(sys.modules, library, None)
    for use in (
        lambda: read_scores([path], measure="AP"),
        lambda: write_wide(["1"], ["a"], np.ones((1, 1)), path),
    ):
        with pytest.raises(Exception, match=library) as caught:
            use()
        assert sentence(caught.value) == (
            f"{path}: this takes {library}, which is not installed: pip install"
            f" 'roundbook[{extra}]'"
        )


def test_neither_library_is_loaded_for_text(tmp_path):
    (tmp_path / "scores.csv").write_text("topic,a\n1,.5\n")
    code = (
        "import sys; from roundbook.formats import read_scores;"
        f"read_scores([{str(tmp_path / 'scores.csv')!r}], measure='AP');"
        "assert not {'openpyxl', 'pyarrow'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_commas_in_one_column_and_points_in_another_are_refused(tmp_path):
    cells = [["topic", "a", "b"], ["1", "1.234", "0,5"], ["2", "2.345", "0,6"]]
    assert "some columns" in refusal(tmp_path / "a.xlsx", workbook(cells))
    columns = {"topic": ["1", "2"], "a": ["1.234", "2.345"], "b": ["0,5", "0,6"]}
    assert "some columns" in refusal(tmp_path / "a.parquet", parquet(columns))
    rows = "topic,a\nt1;0,5\nt2;0,6\n"
    assert "the rows below it have semicolons" in refusal(tmp_path / "a.csv", rows.encode())


def test_a_hole_in_the_topics_of_a_frame_is_no_topic(tmp_path):
    content = parquet({"topic": [1.0, float("nan")], "a": [0.1, 0.2], "b": [0.5, 0.6]})
    assert "NaN, and names are text" in refusal(tmp_path / "a.parquet", content)


@pytest.mark.parametrize(
    ("rows", "position"),
    [
        ([["topic", "a"], ["1", 0.5], [12345678901234567890.0, 0.25]], "3:1"),
        ([["topic", -1.2345678901234567e18], ["1", 0.5]], "1:2"),
        ([["topic", "run", "value"], ["1", "x", 0.5], ["2", 1.5e17, 0.25]], "3:2"),
    ],
)
def test_a_name_of_more_digits_than_a_spreadsheet_keeps_is_refused(tmp_path, rows, position):
    path = tmp_path / "scores.xlsx"
    message = refusal(path, workbook(rows))
    assert message == (
        f":{position}: the cell holds a number of more than 15 digits, of which a spreadsheet keeps"
        " 15; give the column the format Text, and enter the name again."
    )
    path.write_bytes(workbook([["run", "team"], ["x", "A"], [12345678901234567890.0, "B"]]))
    with pytest.raises(InputError, match=":3:1: the cell holds a number of more than 15 digits"):
        read_teams(path)


def test_long_names_and_large_scores_that_a_workbook_keeps_are_read(tmp_path):
    rows = [["topic", "a"], [999999999999999.0, 1e18], ["12345678901234567890", 2.5e15]]
    matrix = read(tmp_path / "scores.xlsx", workbook(rows))
    assert matrix.topics == ("999999999999999", "12345678901234567890")
    assert matrix.scores.tolist() == [[1e18], [2.5e15]]


def test_a_topic_of_a_frame_that_is_no_exact_number_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    message = refusal(path, parquet({"topic": [1.0, 2.0**53], "a": [0.1, 0.2]}))
    assert "'topic' holds floating-point numbers too large to be exact, and names are" in message
    names = parquet({"topic": [1.0, 2.0**53 - 1], "a": [0.1, 0.2]})
    assert read(path, names).topics == ("1", "9007199254740991")


def test_an_array_formula_without_its_value_is_refused(tmp_path):
    book = openpyxl.Workbook()
    for row in (["topic", "a"], ["t1", 0.5], ["t2", None]):
        book.active.append(row)
    book.active["B3"] = ArrayFormula("B3", "=SUM(1,2)")
    book.save(tmp_path / "made.xlsx")
    assert "formula without its value" in refusal(
        tmp_path / "a.xlsx", (tmp_path / "made.xlsx").read_bytes()
    )


@pytest.mark.parametrize("kind", ["wide", "long", "categories", "polars", "array"])
def test_names_that_python_gives_keep_the_apostrophes_before_a_formula(tmp_path, kind):
    names, scores = ["'=a", "=a", "''@b", "'b", "-c"], np.arange(25.0).reshape(5, 5) / 25
    if kind == "array":
        text, layout = array_text(as_matrix(scores, names, names, "AP"))
        matrix = read(tmp_path / "array.csv", text, layout=layout)
    else:
        frame = pd.DataFrame(scores, index=pd.Index(names, name="topic"), columns=names)
        if kind in ("long", "categories"):
            frame = frame.reset_index().melt("topic", var_name="run")
        if kind == "categories":
            frame = frame.astype({"topic": "category", "run": "category"})
        given = pl.from_pandas(frame.reset_index()) if kind == "polars" else frame
        with as_files(given) as files:
            matrix = read_scores(files, measure="AP")
    assert (list(matrix.topics), list(matrix.runs)) == (names, names)
    assert (matrix.scores == scores).all()


def test_columns_of_a_frame_may_be_called_by_numbers():
    frame = pd.DataFrame([["0.1", "0.2"], ["0.3", "0.4"]])
    frame.insert(0, "topic", ["'=a", "b"])
    with as_files(frame) as files:
        matrix = read_scores(files, measure="AP")
    assert (matrix.topics, matrix.runs) == (("'=a", "b"), ("0", "1"))
    assert matrix.scores.tolist() == [[0.1, 0.2], [0.3, 0.4]]


@pytest.mark.parametrize("topic", ["all", "Mean", "amean"])
def test_a_topic_of_an_array_is_not_called_like_the_means_of_a_file(topic):
    with pytest.raises(InputError, match=f"A topic cannot be called '{topic}', as the means"):
        as_matrix([[0.1], [0.2]], ["1", topic], ["a"], "AP")


@pytest.mark.parametrize(
    "runs", [["topic", "a"], ["a", "Run"], ["score"], ["'=a", "query", "value"], ["a", "b"]]
)
def test_runs_of_an_array_may_be_called_like_columns_of_a_file(tmp_path, runs):
    scores = np.arange(2.0 * len(runs)).reshape(2, -1) / 10
    scores[1, -1] = np.nan
    text, layout = array_text(as_matrix(scores, ["1", "2"], runs, "AP"))
    matrix = read(tmp_path / "array", text, layout=layout)
    assert (list(matrix.topics), list(matrix.runs)) == (["1", "2"], runs)
    assert np.array_equal(matrix.scores, scores, equal_nan=True)
