import gzip
import hashlib
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.damaged_files import MAX_BYTES, bounded, check_refusal

from roundbook.errors import BadFileError
from roundbook.formats.text import StoredFile
from roundbook.formats.trec import read_runs

RUN = "1 Q0 d1 1 2.5 bm25\n1 Q0 d2 2 1.5 bm25\n2 Q0 d3 1 .5 bm25\n"


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(paths, **options):
    return read_runs(paths, **({"max_bytes": MAX_BYTES} | options))


def lists_of(runs):
    return {
        (runs.runs[ranked.run], runs.topics[ranked.topic]): (
            [runs.documents[number] for number in ranked.documents],
            ranked.scores.tolist(),
        )
        for ranked in runs.lists
    }


def naive(text, depth=1000):
    """What a reader makes of it that reads line by line and sorts by Python's own order."""
    lists = {}
    for line in text.splitlines():
        if line.strip():
            topic, _, document, _, score, tag = line.split()
            lists.setdefault((tag, topic), []).append((float(np.float32(score)), document))
    return {
        pair: ([name for _, name in ranked[:depth]], [score for score, _ in ranked[:depth]])
        for pair, ranked in ((pair, sorted(rows)[::-1]) for pair, rows in lists.items())
    }


def test_a_run_whatever_the_white_space(tmp_path):
    expected = {("bm25", "1"): (["d1", "d2"], [2.5, 1.5]), ("bm25", "2"): (["d3"], [0.5])}
    texts = [
        RUN,
        RUN.rstrip("\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", " \t "),
        RUN.replace("\n", " \n"),
        RUN.replace("\n", "\n \n\n"),
        RUN.replace("\n", "\r\n"),
        "\ufeff" + RUN,
        RUN.replace("Q0", "0").replace(" 1 2.5", " x 2.5"),
        RUN.replace(" ", "\u00a0"),
        "\n".join(reversed(RUN.splitlines())),
    ]
    for text in texts:
        runs = read([write(tmp_path / "run", text)])
        assert lists_of(runs) == expected, text
        assert runs.lists[0].documents.dtype == np.int32
        assert runs.lists[0].scores.dtype == np.float32
    packed = write(tmp_path / "run.gz", gzip.compress(RUN.encode()))
    runs = read([packed])
    assert lists_of(runs) == expected
    assert (runs.runs, runs.topics, runs.documents) == (("bm25",), ("1", "2"), ("d1", "d2", "d3"))
    assert runs.beyond_depth == 0
    stored = packed.read_bytes()
    digest = hashlib.sha256(stored).hexdigest()
    assert runs.files == (StoredFile(str(packed), len(stored), digest),)


def test_the_order_of_trec_eval(tmp_path):
    # Ties by document name, the last first, as trec_eval breaks them; the ranks say nothing.
    two = "1 Q0 a 1 1.0 r\n1 Q0 b 2 1.0 r\n"
    assert lists_of(read([write(tmp_path / "two", two)])) == {("r", "1"): (["b", "a"], [1, 1])}
    # These differ as doubles and tie as floats; 0 and -0 tie as well.
    single = "1 Q0 a 1 1.00000001 r\n1 Q0 b 2 1.00000002 r\n1 Q0 c 3 1 r\n"
    zeros = "2 Q0 a 1 0 r\n2 Q0 b 2 -0.0 r\n2 Q0 long 3 -1e-3 r\n2 Q0 lon 4 -1e-3 r\n"
    # By bytes: a capital before small letters, and letters beyond ASCII behind them.
    letters = "3 Q0 z 1 -2 r\n3 Q0 é 2 -2 r\n3 Q0 Z 3 -2 r\n3 Q0 document-0002 4 -2 r\n"
    letters += "3 Q0 document-0001 5 -2 r\n3 Q0 first 9 7 r\n"
    lists = lists_of(read([write(tmp_path / "ties", single + zeros + letters)]))
    assert lists["r", "1"][0] == ["c", "b", "a"]
    assert lists["r", "2"][0] == ["b", "a", "long", "lon"]
    assert lists["r", "3"][0] == ["first", "é", "z", "document-0002", "document-0001", "Z"]


def test_several_runs_files_and_a_directory(tmp_path):
    both = RUN + RUN.replace("bm25", "dense").replace("d3", "d9")
    write(tmp_path / "both.txt", both)
    write(tmp_path / "a.gz", gzip.compress(RUN.replace("bm25", "first").encode()))
    write(tmp_path / ".DS_Store", b"\0")
    runs = read([tmp_path])
    assert runs.runs == ("first", "bm25", "dense")
    assert runs.documents == ("d1", "d2", "d3", "d9")
    assert [ranked[:2] for ranked in runs.lists] == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)
    ]  # fmt: skip
    assert [Path(file.file).name for file in runs.files] == ["a.gz", "both.txt"]
    assert lists_of(read([tmp_path / "both.txt"])) == naive(both)


def test_depth_and_topics(tmp_path):
    deep = "".join(f"1 Q0 d{rank} {rank} {-rank} r\n" for rank in range(1500))
    path = write(tmp_path / "deep", deep + "2 Q0 d1200 1 3 r\n3 Q0 other 1 3 r\n")
    runs = read([path])
    assert runs.beyond_depth == 500
    assert len(runs.documents) == 1002
    assert lists_of(runs) == naive(path.read_text())
    runs = read([path], topics=["9", "2"])
    assert runs.topics == ("9", "2")
    assert lists_of(runs) == {("r", "2"): (["d1200"], [3.0])}
    assert runs.lists[0].topic == 1
    assert runs.documents == ("d1200",)


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=20
)


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_run_reads_as_line_by_line(tmp_path, data):
    plain = st.decimals(-1000, 1000, places=data.draw(st.integers(0, 9))).map("{:f}".format)
    scores = st.one_of(plain, st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr))
    names = st.one_of(st.sampled_from("abcde"), WORDS)
    blank = st.sampled_from(data.draw(st.sampled_from([[" "], ["\t"], [" ", "  ", "\t "]])))
    lines = []
    for tag in data.draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        pairs = st.tuples(names, names)
        for topic, document in data.draw(st.lists(pairs, min_size=1, unique=True)):
            fields = (topic, "Q0", document, "0", data.draw(scores), tag)
            gaps = [data.draw(blank) for _ in range(5)] + [""]
            lines.append("".join(map("".join, zip(fields, gaps, strict=True))))
    # Names as the program reads them: two spellings of one name are one document.
    text = unicodedata.normalize("NFC", "\n".join(lines))
    path = write(tmp_path / "run", "\n".join(lines))
    refusal = None
    try:
        assert lists_of(read([path])) == naive(text)
    except BadFileError as error:
        refusal = str(error)
    if refusal is not None:
        check_refusal(refusal, str(path))
        assert any(why in refusal for why in ("invisible", "already; keep one", "goes on here"))


@pytest.mark.long
def test_many_lines_in_few_and_in_many_pieces(tmp_path, monkeypatch):
    generator = np.random.default_rng(1)
    rows = [
        f"{topic} Q0 {'x' * (number % 40)}{number} 1 {generator.integers(300) / 100:.{number % 9}f} r{run}"
        for run in range(3)
        for topic in range(4)
        for number in generator.choice(2000, 300, replace=False).tolist()
    ]
    rows[1000] = rows[1000].replace(" ", "  ")
    text = "\n".join(rows)
    path = write(tmp_path / "run", text)
    expected = naive(text)
    for size in (2**19, 2000, 1):
        monkeypatch.setattr("roundbook.formats.trec.columns._PIECE", size)
        assert lists_of(read([path])) == expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", ": the file is empty"),
        ("\n \n", ": the file is empty"),
        (RUN.replace("2 1.5 ", "1.5 "), ":2: a line of a TREC run has six fields (topic, Q0, document,"
         " rank, score, tag), and this one has 5; mend it, or leave out the file if it holds no"
         " runs"),
        ("\n" + RUN + "2 Q0 d4 2 .4 bm 25", ":5: a line of a TREC run has six fields"),
        ("Notes on the runs.\n", ":1: a line of a TREC run has six fields"),
        # Six fields a line on average, and in none.
        ("1 Q0 d1 1 2.5\nbm25 1 Q0 d2 2 1.5 bm25\n", ":1: a line of a TREC run has six fields"),
        (RUN.replace("1.5", "high"), ":2:5: 'high' is not a score; write a decimal number"),
        (RUN.replace("1.5", "nan"), ":2:5: 'nan' is not a score"),
        (RUN.replace("1.5", "-inf"), ":2:5: '-inf' is not a score"),
        (RUN.replace("1.5", "1,5"), ":2:5: '1,5' is not a score"),
        (RUN.replace("1.5", "1(5"), ":2:5: '1(5' is not a score"),
        (RUN.replace("1.5", "0x1"), ":2:5: '0x1' is not a score"),
        (RUN.replace("1.5", "."), ":2:5: '.' is not a score"),
        (RUN.replace("1.5", "1e39"), ":2:5: '1e39' is not a score; write a decimal number within"
         " ±3.4e+38"),
        (RUN.replace("1.5", "1" * 500), ":2:5: '1111"),
        (RUN.replace("d2", "d1"), ":2:3: the run bm25 has the document d1 for topic 1 on line 1"
         " already; keep one"),
        # The tag of one line is another, wherever the line is.
        (RUN.replace("1.5 bm25", "1.5 bm52"), ":2:6: the tag changes from bm25 to bm52 within the"
         " list of a topic, at rank 2; give all lines of a run the same tag"),
        (RUN.replace("2.5 bm25", "2.5 bm52"), ":2:6: the tag changes from bm52 to bm25 within"),
        (RUN + "3 Q0 d1 1 5 dense\n3 Q0 d2 2 4 bm25", ":5:6: the run bm25 goes on here behind lines"
         " of the run dense; put the lines of a run together, or mend the tag"),
        (RUN.replace("d2", "d\u200b2"), ":2:3: the document name 'd\\u200b2' holds a control or"
         " invisible character"),
        (RUN.replace("d2", "d\x012"), ":2:3: the document name 'd\\x012' holds a control"),
        (RUN.replace("d2", "d" * 501), ":2:3: the document name 'ddd"),
        (RUN.replace("d2", "d" * 5000), ":2:3: the document name 'ddd"),
        (RUN.replace("Q0 d2", "Q" * 5000 + " d2"), ":2:2: the Q0 name 'QQQ"),
        (RUN + "a b " * 2**15, ":4: a line has more than 65536 characters"),
        ("1 0 d1 2\n1 0 d2 0\n", ":1: this looks like TREC qrels, and not like a TREC run."),
        (RUN.encode("utf-16"), ": the file is UTF-16 text; save it as UTF-8"),
        (RUN.replace("d2", "dé").encode("latin-1"), ":2: the text is not UTF-8: byte 0xe9"),
        (RUN.replace("d2", "d\0").encode(), ":2: the file is not text: NUL byte"),
        (gzip.compress(RUN.encode(), mtime=0)[:-10], ": the gzip file is broken or cut short"),
        (gzip.compress(bytes(2**23), mtime=0), f": the file decompresses to more than {MAX_BYTES} bytes"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, content, reason):
    path = write(tmp_path / "run", content)
    with pytest.raises(BadFileError) as caught:
        read([path])
    assert str(caught.value).startswith(f"{path}{reason}"), caught.value
    check_refusal(str(caught.value), str(path))


def test_files_that_do_not_go_together(tmp_path):
    with pytest.raises(BadFileError, match="holds no files; name run files"):
        read([tmp_path])
    one, two = write(tmp_path / "1", RUN), write(tmp_path / "2", "\n" + RUN)
    with pytest.raises(BadFileError) as caught:
        read([tmp_path])
    assert str(caught.value) == f"{two}:2:6: the run bm25 is already in {one}; give it once."
    two.unlink()
    write(tmp_path / "README", "These are the runs.\n")
    with pytest.raises(BadFileError, match=r"README:1: a line of a TREC run has six fields"):
        read([tmp_path])
    (tmp_path / "README").unlink()
    (tmp_path / "more").mkdir()
    with pytest.raises(BadFileError, match=r"more: is a directory; give the files in it"):
        read([tmp_path])
    for path in (tmp_path / "none", "a\0b", tmp_path / ("x" * 300)):
        with pytest.raises(BadFileError):
            read([path])


def test_damaged_files_are_refused_or_read_line_by_line(tmp_path):
    generator = np.random.default_rng(3)
    sound = (RUN + RUN.replace("bm25", "dense")).encode()
    for number in range(400):
        content = bytearray(sound)
        for _ in range(generator.integers(1, 4)):
            at = int(generator.integers(len(content)))
            byte = int(generator.choice(list(b" \n\t.-+e05dQ\x00\x7f\xff\r")))
            content[at : at + int(generator.integers(2))] = bytes([byte])
        path = write(tmp_path / f"run{number}", bytes(content))
        with bounded(bytes(content)):
            try:
                runs = read([path])
            except BadFileError as error:
                check_refusal(str(error), str(path))
            else:
                text = content.decode().replace("\r", "\n")
                assert lists_of(runs) == naive(text), text


@pytest.mark.long
def test_real_runs(shared):
    data = shared / "data"
    for number, (runs, topics) in enumerate(((143, 30), (136, 35), (79, 40)), 1):
        path = data / f"treccovid/round{number}_runs_top20.txt.gz"
        read_in = read([path], max_bytes=2**28)
        assert (len(read_in.runs), len(read_in.topics)) == (runs, topics)
        assert lists_of(read_in) == naive(gzip.decompress(path.read_bytes()).decode())
    folder = data / "robust2003_runs/runs_top100"
    read_in = read([folder], max_bytes=2**28)
    assert (len(read_in.runs), len(read_in.topics), len(read_in.lists)) == (17, 100, 1700)
    text = "".join(gzip.decompress(path.read_bytes()).decode() for path in sorted(folder.iterdir()))
    assert lists_of(read_in) == naive(text)
