import gzip
import hashlib

import numpy as np
import pytest
from tests.damaged_files import MAX_BYTES, check_refusal

from roundbook.errors import BadFileError
from roundbook.formats.text import StoredFile
from roundbook.formats.trec import read_qrels

QRELS = "1 0 d1 2\n1 0 d2 -1\n2 0.5 d1 0\n"


def read(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_qrels(path, max_bytes=MAX_BYTES)


def judgments(qrels):
    names = [qrels.topics[number] for number in qrels.topic]
    documents = [qrels.documents[number] for number in qrels.document]
    return [*zip(names, documents, qrels.grade.tolist(), strict=True)]


def test_assessments_whatever_the_white_space(tmp_path):
    path = tmp_path / "qrels"
    texts = [
        QRELS,
        QRELS.rstrip(),
        QRELS.replace(" ", "\t "),
        "\ufeff" + QRELS.replace("\n", "\r\n\r\n"),
        gzip.compress(QRELS.encode()),
    ]
    for text in texts:
        qrels = read(path, text)
        assert judgments(qrels) == [("1", "d1", 2), ("1", "d2", -1), ("2", "d1", 0)]
        assert (qrels.topics, qrels.documents, qrels.repeated) == (("1", "2"), ("d1", "d2"), 0)
        assert qrels.grade.dtype == qrels.topic.dtype == qrels.document.dtype == np.int32
    stored = path.read_bytes()
    digest = hashlib.sha256(stored).hexdigest()
    assert qrels.file == StoredFile(str(path), len(stored), digest)
    again = read(path, QRELS + "1 0 d1 2\n")
    assert judgments(again) == judgments(qrels)
    assert again.repeated == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", ": the file is empty"),
        (QRELS + "3 d1 1", ":4: a line of qrels has four fields (topic, iteration, document,"
         " grade), and this one has 3"),
        (QRELS.replace("-1", "high"), ":2:4: the grade 'high' is not a whole number within ±32767"),
        (QRELS.replace("-1", "1.0"), ":2:4: the grade '1.0' is not a whole number"),
        (QRELS.replace("-1", "99999"), ":2:4: the grade '99999' is not a whole number"),
        (QRELS.replace("-1", "٣"), ":2:4: the grade '٣' is not a whole number"),
        (QRELS + "\n1 0 d2 1", ":5:4: the document d2 has the grade 1 for topic 1, and -1 on line 2;"
         " keep one"),
        (QRELS.replace("d2", "d\u200b2"), ":2:3: the document name 'd\\u200b2' holds a control"),
        ("1 Q0 d1 1 2.5 bm25\n", ":1: this looks like a TREC run, and not like TREC qrels."),
        (gzip.compress(QRELS.encode(), mtime=0)[:-10], ": the gzip file is broken or cut short"),
        (gzip.compress(bytes(2**23), mtime=0), f": the file decompresses to more than {MAX_BYTES} bytes"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, content, reason):
    path = tmp_path / "qrels"
    with pytest.raises(BadFileError) as caught:
        read(path, content)
    assert str(caught.value).startswith(f"{path}{reason}"), caught.value
    check_refusal(str(caught.value), str(path))


def test_real_assessments(shared):
    data = shared / "data"
    expected = {
        "treccovid/round1.qrels.gz": (30, 8691),
        "treccovid/round2.qrels.gz": (35, 12037),
        "treccovid/round3.qrels.gz": (40, 12713),
        "robust2003_runs/robust03_qrels.txt.gz": (100, 128796),
    }
    for name, (topics, count) in expected.items():
        qrels = read_qrels(data / name, max_bytes=2**28)
        assert (len(qrels.topics), len(qrels.grade)) == (topics, count)
        lines = gzip.decompress((data / name).read_bytes()).decode().splitlines()
        rows = (line.split() for line in lines)
        assert judgments(qrels) == [(row[0], row[2], int(row[3])) for row in rows]
