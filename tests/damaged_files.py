"""Score files in every layout, and what can befall a file: the input of the fuzzing tests."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import resource
import signal
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import NamedTuple

import openpyxl
import pyarrow as pa
import pyarrow.parquet

SECONDS = 20
MEMORY = 2 * 2**30
# No damage makes a file of sound size unpack to this.
MAX_BYTES = 2**22
# The places and names in it apart, a refusal is a sentence or two.
SHORT = 1500


class Table(NamedTuple):
    """Scores by topic (rows) and run; NaN where missing."""

    topics: Sequence[str]
    runs: Sequence[str]
    rows: Sequence[Sequence[float]]

    def cells(self) -> Iterator[tuple[str, str, float]]:
        for topic, row in zip(self.topics, self.rows, strict=True):
            for run, value in zip(self.runs, row, strict=True):
                yield topic, run, value

    def of_run(self, run: int) -> Iterator[tuple[str, float]]:
        for topic, row in zip(self.topics, self.rows, strict=True):
            if not isnan(row[run]):
                yield topic, row[run]


NUMBER = re.compile(r"[0-9]+\.[0-9]+")

# Writing, as plainly as can be: nothing here is shared with the program.


def shown(value: float) -> str:
    return "" if isnan(value) else repr(value)


def rows_text(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    out = io.StringIO()
    # An apostrophe before what a spreadsheet would compute is taken off by reading.
    cells = [[re.sub("^('+[=+@-])", r"'\1", cell) for cell in row] for row in rows]
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(cells)
    return out.getvalue()


def wide(table: Table, delimiter: str = ",") -> str:
    rows = [["topic", *table.runs]]
    rows += [[t, *map(shown, r)] for t, r in zip(table.topics, table.rows, strict=True)]
    return rows_text(rows, delimiter)


def long(table: Table, delimiter: str = ",") -> str:
    rows = [["topic", "run", "measure", "value"]]
    rows += [[topic, run, "AP", shown(value)] for topic, run, value in table.cells()]
    return rows_text(rows, delimiter)


def column_a_measure(table: Table) -> str:
    rows = [["run", "topic", "P@5", "AP"]]
    rows += [[run, topic, "0.2", shown(value)] for topic, run, value in table.cells()]
    return rows_text(rows, ",")


def semicolons_and_decimal_commas(table: Table) -> str:
    return wide(table, ";").replace(".", ",")


def workbook(table: Table) -> bytes:
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO(wide(table))):
        book.active.append([float(cell) if NUMBER.fullmatch(cell) else cell for cell in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(table: Table) -> bytes:
    columns = {"topic": list(table.topics)}
    for at, run in enumerate(table.runs):
        columns[run] = pa.array([row[at] for row in table.rows], from_pandas=True)
    out = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), out)
    return out.getvalue()


def trec_eval(table: Table) -> str:
    lines = []
    for at, run in enumerate(table.runs):
        for topic, value in table.of_run(at):
            lines += [f"num_ret\t{topic}\t100", f"map\t{topic}\t{value!r}"]
        lines += [f"runid\tall\t{run}", "map\tall\t0.25"]
    return "\n".join(lines) + "\n"


def ir_measures(table: Table, run: int = 0) -> str:
    lines = [f"{t}\tAP\t{v!r}\n{t}\tP@5\t0.2\n" for t, v in table.of_run(run)]
    return "".join(lines) + "all\tAP\t0.25\n"


def json_lines(table: Table, run: int = 0) -> str:
    lines = [{"query_id": t, "measure": "AP", "value": v} for t, v in table.of_run(run)]
    return "".join(json.dumps(line) + "\n" for line in lines)


def ntcireval(table: Table, run: int = 0) -> str:
    lines = [
        f"{t} # syslen=9 jrel=5 jnonrel=3\n{t} AP=                    {v!r}\n{t} Q@0010= 0.5\n"
        for t, v in table.of_run(run)
    ]
    return "".join(lines)


def teams(table: Table) -> str:
    rows = [["run", "team", "type", "contributed_to_pool", "system"]]
    rows += [
        [run, f"team{at % 3}", "automatic", ("yes", "no", "")[at % 3], run.lower()]
        for at, run in enumerate(table.runs)
    ]
    return rows_text(rows, ",")


class Format(NamedTuple):
    """One layout: its name for `--layout`, and a writer."""

    layout: str
    write: Callable[[Table], str | bytes]

    def data(self, table: Table) -> bytes:
        written = self.write(table)
        return written.encode() if isinstance(written, str) else written


FORMATS = {
    "wide csv": Format("wide", wide),
    "wide tsv": Format("wide", lambda table: wide(table, "\t")),
    "wide semicolons": Format("wide", lambda table: wide(table, ";")),
    "wide, decimal commas": Format("wide", semicolons_and_decimal_commas),
    "wide xlsx": Format("wide", workbook),
    "wide parquet": Format("wide", parquet),
    "long csv": Format("long", long),
    "long tsv": Format("long", lambda table: long(table, "\t")),
    "long, a column a measure": Format("long", column_a_measure),
    "trec_eval": Format("trec_eval", trec_eval),
    "ir_measures": Format("ir_measures", ir_measures),
    "ir_measures jsonl": Format("ir_measures", json_lines),
    "ntcireval": Format("ntcireval", ntcireval),
    "teams": Format("teams", teams),
}


# Reading back: what each layout can hold.

_MEANS = {"all", "mean", "average", "amean"}
_HEADER_WORDS = {"topic", "topic_id", "topicid", "query_id", "queryid", "qid", "query"}


def layouts_of(table: Table) -> Iterator[tuple[str, list[tuple[str, Table]]]]:
    """Yield each layout that can hold the table, with the files' contents and their tables."""
    topics, runs = table.topics, table.runs
    sums = any(topic.lower() in _MEANS for topic in topics)
    if not sums:
        header = {run.lower().replace(" ", "_").replace("-", "_") for run in runs}
        if not header & _HEADER_WORDS and not (len(runs) == 1 and header & {"value", "score"}):
            for delimiter in ",\t;":
                if delimiter != ";" or not any(mark in run for run in runs for mark in ',"'):
                    yield "wide", [(wide(table, delimiter), table)]
        yield "long", [(long(table), table)]
    # In the tools' outputs a score that is missing is a line that is not there.
    if any(all(isnan(row[at]) for row in table.rows) for at in range(len(runs))):
        return
    if any(all(map(isnan, row)) for row in table.rows) or "all" in topics:
        return
    yield "trec_eval", [(trec_eval(table), table)]
    single = [
        Table(
            [topic for topic, _ in table.of_run(at)],
            [run],
            [[value] for _, value in table.of_run(at)],
        )
        for at, run in enumerate(runs[:3])
    ]
    yield "ir_measures", [(json_lines(one), one) for one in single]
    if not any(one.topics[0].startswith("{") for one in single):
        yield "ir_measures", [(ir_measures(one), one) for one in single]
    if all(re.fullmatch(r"[^\s=#]+", topic) for topic in topics):
        yield "ntcireval", [(ntcireval(one), one) for one in single]


# Damage.

_NUMBERS = [
    "nan", "NaN", "NAN", "inf", "-inf", "Infinity", "1e999", "-1e999", "1e-999", "5e-324", "-0",
    "1.7976931348623157e308", "1e+308", "-0.0", "1e5", ".5", "5.", "+0.5", "--1", "1_000", "0x10",
    "1,5", "0.5.5", "1e", "1e400e2", "١٢", "５", "²", "½", "NA", "n/a", "null", "-", "?", "true",
    "", " ", " 0.5 ", '"0.5"', "0.5\u00a0", "9" * 350, "9" * 401, "0." + "3" * 390,
]  # fmt: skip
_NAMES = [
    "all", "ALL", "mean", "topic", "run", "value", "score", "AP", "map", "runid", "query_id",
    "system", "measure", "-", "#", "=", "{", "}", "[", "]", "@", "%s", "'", "`", "=1+1", "../x",
    "é", "日本", "😀", "\u202e", "\u200b", "\u2028", "\x0c", "\x0b", "\x85", "\x1b[31m", "\ufeff",
    "\u0661", "a\u0301", "", " ", "n" * 499, "n" * 501, "n" * 30_000, '"', '""', '"a', 'a"b',
    '"a""b"',
]  # fmt: skip
_SEPARATORS = [b",", b"\t", b";", b" ", b"  ", b"|", b"=", b"\xc2\xa0", b",,", b""]
_ENDINGS = [b"\r", b"\r\n", b"\n\r", b"\n\n", b"\x0b", b"\x0c", b"\x85", b"\xe2\x80\xa8", b"\r\r\n"]
_CODECS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252", "cp500", "utf-7", "shift_jis")
_NUMBER = re.compile(rb"[0-9]*\.[0-9]+")
_WORD = re.compile(rb"[^\s,;\"]+")

Damage = Callable[[bytes, random.Random], bytes]


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 10))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _put(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    piece = chance.choice(
        (b"\x00", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b'"', b"\n", b"\x1a", b"\x1f\x8b")
    )
    return data[:at] + piece + data[at:]


def _cut(data: bytes, chance: random.Random) -> bytes:
    at, to = sorted(chance.randrange(len(data) + 1) for _ in "ab")
    return chance.choice((data[:at], data[at:], data[:at] + data[to:], data[at:to]))


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    what = chance.randrange(5)
    if what == 0:
        lines.insert(other, lines[one])
    elif what == 1:
        del lines[one]
    elif what == 2:
        lines[one], lines[other] = lines[other], lines[one]
    elif what == 3:
        chance.shuffle(lines)
    else:
        lines[one] += lines[other]
    return b"\n".join(lines)


def _separators(data: bytes, chance: random.Random) -> bytes:
    old, new = chance.choice(_SEPARATORS[:4]), chance.choice(_SEPARATORS)
    if chance.random() < 0.5:
        return data.replace(old, new)
    return data.replace(old, new, chance.randrange(1, 4))


def _swap_one(pattern: re.Pattern[bytes], into: Sequence[str]) -> Damage:
    def damage(data: bytes, chance: random.Random) -> bytes:
        places = list(pattern.finditer(data))
        if not places:
            return data
        match = chance.choice(places)
        new = chance.choice(into).encode()
        return data[: match.start()] + new + data[match.end() :]

    return damage


def _endings(data: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        return data.replace(b"\n", chance.choice(_ENDINGS))
    parts = data.split(b"\n")
    return b"".join(part + chance.choice([b"\n", *_ENDINGS]) for part in parts)


def _recoded(data: bytes, chance: random.Random) -> bytes:
    text = data.decode("utf-8", "replace") + chance.choice(("", "é"))
    return text.encode(chance.choice(_CODECS), "replace")


def _long_line(data: bytes, chance: random.Random) -> bytes:
    piece = chance.choice((b"a", b"9", b",", b"\t", b";", b'"', b" ", b"(@0", b"a=1 ", b"[", b"{"))
    at = chance.randrange(len(data) + 1)
    return data[:at] + piece * chance.choice((300, 5_000, 140_000)) + data[at:]


def _unicode_digits(data: bytes, chance: random.Random) -> bytes:
    start = chance.choice((0x660, 0x966, 0xFF10, 0x1D7CE))
    text = data.decode("utf-8", "replace")
    table = {ord("0") + digit: chr(start + digit) for digit in range(10)}
    return text.translate(table).encode("utf-8", "replace")


def _gzipped(data: bytes, chance: random.Random) -> bytes:
    packed = gzip.compress(data, compresslevel=1, mtime=0)
    what = chance.randrange(8)
    if what == 0:
        return packed[: chance.randrange(len(packed))]
    if what == 1:
        return _flip(packed, chance)
    if what == 2:
        return gzip.compress(packed, compresslevel=1, mtime=0)
    if what == 3:
        return packed + chance.choice((b"\x00" * 9, b"rubbish", packed, packed[:9]))
    if what == 4 and chance.random() < 0.3:
        return packed + gzip.compress(b"\n" * (MAX_BYTES + 1), mtime=0)  # a bomb
    return packed


_DAMAGES: tuple[Damage, ...] = (
    _flip,
    _put,
    _cut,
    _lines,
    _lines,
    _separators,
    _swap_one(_NUMBER, _NUMBERS),
    _swap_one(_NUMBER, _NUMBERS),
    _swap_one(_WORD, _NAMES),
    _swap_one(_WORD, _NUMBERS),
    _endings,
    _recoded,
    _long_line,
    _unicode_digits,
)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return the file with nothing, one or several things wrong with it, gzipped or not."""
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 2, 4))):
        data = chance.choice(_DAMAGES)(data, chance)
    return _gzipped(data, chance) if chance.random() < 0.15 else data


# Sound tables to start from.


def real_tables(shared: Path) -> list[Table]:
    """Return corners of real matrices, and one whole one."""
    tables = []
    for name in (
        "adhoc/trec_adhoc3_ap.csv",
        "treccovid/treccovid_round1_ndcg10.csv",
        "longeval2023/longeval2023irc_st_map.csv",
        "ntcir7_ir4qa/ntcir7ir4qa_q1000.csv",
    ):
        with (shared / "data" / name).open(encoding="utf-8", newline="") as stream:
            header, *rows = list(csv.reader(stream))
        whole = Table(
            [row[0] for row in rows],
            header[1:],
            [[float(cell or "nan") for cell in row[1:]] for row in rows],
        )
        for topics, runs in ((1, 1), (2, 3), (6, 5), (12, 4)):
            tables.append(
                Table(
                    whole.topics[:topics],
                    whole.runs[:runs],
                    [row[:runs] for row in whole.rows[:topics]],
                )
            )
    return tables


# Bounds on every reading.


@contextmanager
def bounded(what: object) -> Iterator[None]:
    """Fail what takes far too long, and give it no more than so much further memory."""

    def too_long(*_: object) -> None:
        raise AssertionError(f"still reading after {SECONDS} s: {what!r}")

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check_refusal(message: str, file: str) -> None:
    """Check that a refusal is one short printable message that names the file."""
    assert file in message, message
    assert message.endswith((".", "?", "!")), message
    assert len(message) - len(file) <= SHORT, (len(message), message[:300])
    strange = {
        letter for letter in message if unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"}
    }
    assert not strange, message
