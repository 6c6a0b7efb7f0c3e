import json

import numpy as np
import pytest

from roundbook.errors import AmbiguousLayoutError, BadFileError
from roundbook.formats import read_scores
from roundbook_cli.ways_out import sentence

TREC_EVAL = (
    "num_ret               \t301\t500\nmap                   \t301\t0.1000\n"
    "relstring_20          \t301\t'0011'\nmap                   \t302\t0.2000\n"
    "runid                 \tall\tSTANDARD\nnum_q                 \tall\t2\n"
    "map                   \tall\t0.1500\n"
)
IR_MEASURES = (
    "1\tP@5\t0.6000\n1\tnDCG@10\t0.5134\n2\tP@5\t1.0000\n2\tnDCG@10\t0.8522\nall\tP@5\t0.8\n"
)
NTCIREVAL = (
    "0001 # syslen=620 jrel=5 jnonrel=0\n0001 # r1=1 rp=1\n0001 RR=                  1.0000\n"
    "0001 NCUgu,P=             0.3709\n0001 MSnDCG@0010=         0.5087\n"
    "0001 nERR@0010=           0.7663\n0002 # syslen=72 jrel=3 jnonrel=0\n"
    "0002 RR=                  0.1429\n0002 MSnDCG@0010=         0.2500\n"
    "0002 nERR@0010=           0.1000\n0002 bpref=               -nan\n"
)


def read(tmp_path, content, name="myrun.eval", **options):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read_scores([path], **{"measure": "AP", **options})


def refusal(tmp_path, content, **options):
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, content, **options)
    return caught.value.reason, caught.value.line, caught.value.column


def test_trec_eval_takes_the_tag_from_runid(tmp_path):
    matrix = read(tmp_path, TREC_EVAL)
    assert (matrix.topics, matrix.runs) == (("301", "302"), ("STANDARD",))
    assert matrix.scores.tolist() == [[0.1], [0.2]]
    assert (matrix.measure, matrix.layout) == ("map", "trec_eval")


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("bm25.txt", "bm25"),
        ("10x20.prf.unipd.it.eval", "10x20.prf.unipd.it"),
        ("a.v2.trec_eval.txt", "a.v2"),
        ("plain", "plain"),
    ],
)
def test_trec_eval_without_runid_takes_the_tag_from_the_name(tmp_path, name, tag):
    assert read(tmp_path, "map\t301\t0.1\nmap\tall\t0.1\n", name).runs == (tag,)


def test_trec_eval_of_several_runs_one_after_another(tmp_path):
    matrix = read(tmp_path, TREC_EVAL + TREC_EVAL.replace("STANDARD", "b").replace("0.2", "0.3"))
    assert matrix.runs == ("STANDARD", "b")
    assert matrix.scores.tolist() == [[0.1, 0.1], [0.2, 0.3]]


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        (TREC_EVAL * 2, "the run tag STANDARD already ends another run on line 5", 12),
        (TREC_EVAL + "map\t301\t.1\nmap\tall\t.1\n", "several runs stand one after another", 8),
        ("map\t301\t.1\nmap\t301\t.2\n", "already has a score on line 1; give one file a run", 2),
        ("runid\tall\tx\nmap\tall\t.1\n", "run trec_eval with -q", None),
        ("map 301 0.1\nmap 302\n", "expected 3 fields (measure, topic, value), found 2", 2),
        ("map\t301\t0.1\nmap\t302\tabc\n", "'abc' is not a number", 2),
        ("map\t301\t0.1\nmap\t302\t-nan\n", "'-nan' is not a score", 2),
    ],
)
def test_what_is_not_trec_eval_output(tmp_path, content, reason, line):
    refused = refusal(tmp_path, content)
    assert reason in refused[0]
    assert refused[1] == line


def test_ir_measures_takes_the_tag_from_the_name(tmp_path):
    matrix = read(tmp_path, IR_MEASURES, "bm25.v1.tsv", measure="ndcg@10")
    assert (matrix.topics, matrix.runs) == (("1", "2"), ("bm25.v1",))
    assert matrix.scores.ravel().tolist() == [0.5134, 0.8522]
    assert (matrix.measure, matrix.layout) == ("nDCG@10", "ir_measures")


def test_ir_measures_parameters_hold_blanks_and_commas(tmp_path):
    content = "1\tnDCG(dcg='exp log2',gains={0:0, 1:1})@10\t1e-05\n"
    name = "nDCG(dcg='exp log2',gains={0:0, 1:1})@10"
    assert read(tmp_path, content, file_measure=name).scores.tolist() == [[1e-5]]


def test_ir_measures_json_lines(tmp_path):
    entries = [("q1", "AP", 0.5), ("q1", "RR", float("nan")), (7, "AP", 1), ("all", "AP", 0.75)]
    content = "\n".join(
        json.dumps({"query_id": q, "measure": m, "value": v}) for q, m, v in entries
    )
    matrix = read(tmp_path, content, "r.jsonl")
    assert (matrix.topics, matrix.runs) == (("q1", "7"), ("r",))
    assert (matrix.scores.ravel().tolist(), matrix.layout) == ([0.5, 1.0], "ir_measures")


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        ("AP\t0.5\nRR\t0.6\n", "run ir_measures with -q", 1),
        ("all\tAP\t0.5\n", "run ir_measures with -q", None),
        ('{"measure": "AP", "value": 0.5}\n', "run ir_measures with -q", 1),
        ('{"query_id": "1", "measure": "AP", "value": 0.5}\n{"query', "not a JSON object", 2),
        ('{"query_id": "1", "measure": "AP", "value": true}', "expected {", 1),
        ('{"query_id": "1", "measure": "AP", "value": 1e999}', "too large", 1),
        ('{"query_id": "1", "measure": "AP", "value": -2e100}', "within ±1e+100", 1),
        (
            '{"query_id": "1", "measure": "AP", "value": 0.5}\n'
            '{"query_id": "2", "measure": "AP", "value": 0.1, "value": 0.9}\n',
            "the key 'value' is there twice; keep one",
            2,
        ),
        ('{"query_id": "\\ud800", "measure": "AP", "value": 1}', "control or invisible", 1),
        ('{"a":' + "[" * 100_000, "not a JSON object", 1),
        ("1\tAP\t0.5\n2\tAP\t\n", "the score is missing", 2),
        ("1\tAP\t0.5\n1\tAP\t0.5\n", "give one file a run", 2),
    ],
)
def test_what_is_not_ir_measures_output(tmp_path, content, reason, line):
    refused = refusal(tmp_path, content)
    assert reason in refused[0]
    assert refused[1] == line


@pytest.mark.parametrize("name", ["all", "ALL", "mean", "Average", "amean"])
@pytest.mark.parametrize("layout", ["trec_eval", "ir_measures", "jsonl", "ntcireval"])
def test_a_topic_of_means_is_left_out_as_in_tables(tmp_path, layout, name):
    line = {
        "trec_eval": "map\t{}\t{}",
        "ir_measures": "{}\tAP\t{}",
        "jsonl": '{{"query_id": "{}", "measure": "AP", "value": {}}}',
        "ntcireval": "{} AP= {}",
    }[layout]

    def scores(*of_topics):
        return "\n".join(line.format(*topic) for topic in of_topics)

    matrix = read(tmp_path, scores((1, 0.1), (2, 0.25), (name, 0.175)))
    assert (matrix.topics, matrix.scores.tolist()) == (("1", "2"), [[0.1], [0.25]])
    if name.lower() != "all":
        reason, at, _ = refusal(tmp_path, scores((1, 0.1), (2, 0.25), (name, 0.9)))
        assert reason.startswith(f"the last row is called {name!r} but is not the mean")
        assert at == 3
        reason, at, _ = refusal(tmp_path, scores((1, 0.1), (name, 0.175), (2, 0.25)))
        assert reason.startswith(f"the row {name!r} looks like a summary among the topics")
        assert at == 2


def test_means_at_the_end_of_each_run_are_refused_whatever_their_name(tmp_path):
    def output(run, scores):
        lines = [f"map\t{topic}\t{score}\n" for topic, score in zip("123o", scores, strict=True)]
        return "".join(lines).replace("\to\t", "\toverall\t") + f"runid\tall\t{run}\n"

    one, two = output("a", (0.1, 0.2, 0.6, 0.3)), output("b", (0.7, 0.5, 0.0, 0.4))
    refused = refusal(tmp_path, one + two)
    assert refused[0].startswith("the last topic, 'overall', has the means of the topics before it")
    assert refused[1] == 4
    paths = [tmp_path / "a.eval", tmp_path / "b.eval"]
    for path, content in zip(paths, (one, two), strict=True):
        path.write_text(content)
    with pytest.raises(BadFileError, match="'overall', has the means") as caught:
        read_scores(paths, measure="AP")
    assert caught.value.file == str(paths[0])


def test_a_topic_absent_from_one_runs_file_is_a_missing_cell(tmp_path):
    (tmp_path / "a.tsv").write_text("1\tAP\t0.1\n2\tAP\t0.2\n")
    (tmp_path / "b.tsv").write_text("1\tAP\t0.3\n")
    matrix = read_scores([tmp_path / "a.tsv", tmp_path / "b.tsv"], measure="AP")
    np.testing.assert_array_equal(matrix.scores, [[0.1, 0.3], [0.2, np.nan]])


def test_a_run_tag_from_two_files_is_refused(tmp_path):
    (tmp_path / "a.tsv").write_text("1\tAP\t0.1\n")
    (tmp_path / "a.txt").write_text("2\tAP\t0.1\n")
    with pytest.raises(BadFileError, match=r"run tag a was already read from .*a.tsv") as caught:
        read_scores([tmp_path / "a.tsv", tmp_path / "a.txt"], measure="AP")
    assert caught.value.file == str(tmp_path / "a.txt")


def test_ntcireval(tmp_path):
    matrix = read(tmp_path, NTCIREVAL, "TRECRUN.test.nev", measure="MSnDCG@10")
    assert (matrix.topics, matrix.runs) == (("0001", "0002"), ("TRECRUN.test",))
    assert matrix.scores.ravel().tolist() == [0.5087, 0.25]
    assert (matrix.measure, matrix.layout) == ("MSnDCG@0010", "ntcireval")
    assert read(tmp_path, NTCIREVAL, measure="nERR@10").measure == "nERR@0010"


def test_ntcireval_diversity_lines_of_single_intents_are_left_out(tmp_path):
    content = (
        "1 1 0.75 Q@0010= 0.4\n1 2 0.25 Q@0010= 0.8\n1 SUMp= 1.0000 IA-Q@0010= 0.5000\n"
        "1 D#-Q@0010=\t0.6\n"
    )
    options = {"layout": "ntcireval"}
    assert read(tmp_path, content, measure="IA-Q@10", **options).scores.tolist() == [[0.5]]
    assert read(tmp_path, content, measure="D#-Q@10", **options).scores.tolist() == [[0.6]]


def test_pyntcireval_long_names_touch_their_values(tmp_path):
    content = " # syslen=4 jrel=1 jnonrel=1\n".replace(" #", "t1 #") + "t1 MSnDCG@1000=0.2760\n"
    assert read(tmp_path, content, measure="MSnDCG@1000").scores.tolist() == [[0.276]]


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        (" # syslen=4 jrel=1 jnonrel=1\n RR=   0.5\n", "run ntcir_eval with -out TOPIC", 2),
        ("1 # syslen=4 jrel=1 jnonrel=1\n", "notes only", None),
        ("1 RR= 0.5\n1 AP= 0.5\n1 oops\n", "expected 'topic measure= value'", 3),
        ("1 RR= 0.5\n1 AP= x\n", "'x' is not a number", 2),
    ],
)
def test_what_is_not_ntcireval_output(tmp_path, content, reason, line):
    refused = refusal(tmp_path, content)
    assert reason in refused[0]
    assert refused[1] == line


@pytest.mark.parametrize(
    "content",
    [
        "foo\t1\t0.5\nfoo\t2\t0.5\n",  # neither column holds a measure
        "1\tfoo\t0.5\n2\tfoo\t0.5\n",
        "map\tP_5\t0.5\nmap\tP_10\t0.5\n",  # both do
        "AP\tAP\t0.5\n",
    ],
)
def test_trec_eval_and_ir_measures_are_never_guessed(tmp_path, content):
    with pytest.raises(AmbiguousLayoutError) as caught:
        read(tmp_path, content)
    assert "--layout trec_eval or --layout ir_measures" in sentence(caught.value)


def test_the_measure_asked_for_or_the_layout_decides(tmp_path):
    content = "foo\t1\t0.5\nfoo\t2\t0.25\n"
    assert read(tmp_path, content, measure="foo").layout == "trec_eval"
    assert read(tmp_path, content, file_measure="foo").layout == "trec_eval"
    assert read(tmp_path, content, measure="2").layout == "ir_measures"
    matrix = read(tmp_path, "AP\tAP\t0.5\n", layout="ir_measures")
    assert (matrix.topics, matrix.layout) == (("AP",), "ir_measures")


@pytest.mark.parametrize("content", ["hello\nworld\n", "[1, 2]", "<html>a,b</html>", "a b c d\n"])
def test_no_layout_at_all(tmp_path, content):
    with pytest.raises(AmbiguousLayoutError, match="none of the layouts"):
        read(tmp_path, content)


def test_detection_ignores_the_name(tmp_path):
    assert read(tmp_path, TREC_EVAL, "scores.csv").layout == "trec_eval"
    assert read(tmp_path, "topic,a\n1,0\n", "x.trec_eval").layout == "wide"


def test_files_of_different_layouts_or_measures_are_refused(tmp_path):
    (tmp_path / "a").write_text("map\t1\t0.5\n")
    (tmp_path / "b").write_text("1\tAP\t0.5\n")
    (tmp_path / "c").write_text("MAP\t1\t0.5\n")
    with pytest.raises(BadFileError, match=r"layout is ir_measures, but that of .*a is trec_eval"):
        read_scores([tmp_path / "a", tmp_path / "b"], measure="AP")
    with pytest.raises(BadFileError, match=r"measure is MAP, but that of .*a is map"):
        read_scores([tmp_path / "a", tmp_path / "c"], measure="AP")
