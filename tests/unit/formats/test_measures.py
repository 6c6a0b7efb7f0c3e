import pytest

from roundbook.errors import BadFileError
from roundbook.formats.measures import MeasureSelection, choose_measures
from roundbook.logbook.runs.ir_measures import measure_of_ir_measures
from roundbook.measure_names import canonical_measure, is_known_measure, is_measure_like
from roundbook_cli.ways_out import sentence

TREC_EVAL = ["num_ret", "map", "Rprec", "bpref", "recip_rank", "P_5", "recall_100", "ndcg"]
TREC_EVAL += ["ndcg_cut_10", "map_cut_10", "success_1", "set_P"]


def choose_measure(names, measure, file_measure, file):
    """Return the name of the one measure chosen."""
    return choose_measures(names, MeasureSelection((measure,), file_measure), file)[measure]


@pytest.mark.parametrize(
    ("measure", "chosen"),
    [
        ("AP", "map"),
        ("MAP", "map"),
        ("P@5", "P_5"),
        ("RR", "recip_rank"),
        ("nDCG", "ndcg"),
        ("nDCG@10", "ndcg_cut_10"),
        ("NDCG_CUT_10", "ndcg_cut_10"),
        ("AP@10", "map_cut_10"),
        ("R@100", "recall_100"),
        ("Rprec", "Rprec"),
        ("Bpref", "bpref"),
        ("Success@1", "success_1"),
    ],
)
def test_trec_eval_names(measure, chosen):
    assert choose_measure(TREC_EVAL, measure, None, "f") == chosen


@pytest.mark.parametrize(
    ("measure", "chosen"),
    [
        ("MSnDCG@10", "MSnDCG@0010"),
        ("nDCG@10", "nDCG@0010"),
        ("Q", "Q-measure"),
        ("Q@1000", "Q@1000"),
        ("nERR@10", "nERR@0010"),
    ],
)
def test_ntcireval_names(measure, chosen):
    names = ["Q-measure", "MSnDCG@0010", "nDCG@0010", "nERR@0010", "Q@1000", "ERR@0010"]
    assert choose_measure(names, measure, None, "f") == chosen


@pytest.mark.parametrize("asked", ["nERR@10", "NERR@10", "nERR10", "nerr", "ERR@10"])
@pytest.mark.parametrize("name", ["NERR10", "NERR8", "NERR10(min_rel=2)", "NERR10@10"])
def test_nearly_err_is_never_taken_for_normalised_err(asked, name):
    with pytest.raises(BadFileError):
        choose_measure([name], asked, None, "f")
    assert choose_measure([name], name, None, "f") == name
    assert choose_measure([name], asked, name, "f") == name


def test_a_measure_spelt_in_two_ways_is_chosen_by_its_exact_name_only():
    assert choose_measure(["map", "ndcg"], "AP", None, "f") == "map"
    for names in (["AP", "map"], ["AP", "ap"], ["ap", "map"], ["P_5", "map", "AP(rel=1)"]):
        with pytest.raises(BadFileError, match="of this file could all be AP") as caught:
            choose_measure(names, "AP", None, "f")
        assert sentence(caught.value).endswith(
            "; choose one with --file-measure, and log that measure by itself."
        )
        for name in names:
            assert choose_measure(names, "AP", name, "f") == name
    with pytest.raises(BadFileError, match="the measures X, x of this file could all be X"):
        choose_measure(["X", "x"], "X", None, "f")


def test_only_another_measure_names_it_and_the_way_out():
    with pytest.raises(BadFileError) as caught:
        choose_measure(["P@5"] * 9, "AP", None, "f")
    assert sentence(caught.value) == (
        "f: the file holds the measure P@5, not AP; if that is the one you mean, say so with"
        " --file-measure."
    )


def test_not_found_lists_what_is_there():
    with pytest.raises(BadFileError) as caught:
        choose_measure(["P@5", "RR", "P@5"], "AP", None, "f")
    assert sentence(caught.value) == (
        "f: the file holds no measure AP, but P@5, RR; if one of these is the one you mean, say so"
        " with --file-measure."
    )
    with pytest.raises(BadFileError, match="no measure ap"):
        choose_measure(["AP", "RR"], "AP", "ap", "f")


def test_names_of_the_tools_are_known_and_topics_are_not():
    for name in [*TREC_EVAL, "iprec_at_recall_0.10", "11pt_avg", "ndcg_1=3,2=9", "Zmap", "runid"]:
        assert is_measure_like(name), name
    for name in ["AP", "nDCG@10", "P(rel=2)@5", "Judged@10", "RBP(p=0.8)", "NERR10", "D#-nDCG@10"]:
        assert is_measure_like(name), name
    for name in ["301", "q072210025", "t97", "MC-E-0001", "0001", "all", "1.EC.AB", "P", "R", ""]:
        assert not is_measure_like(name), name


CANONICAL = {
    "AP": ("map", "MAP", "ap", " Average  Precision "),
    "AP@100": ("map_cut_100", "MAP@100", "map_cut.100"),
    "RR": ("recip_rank", "MRR", "rr"),
    "RR@10": ("MRR@10",),
    "nDCG": ("ndcg",),
    "nDCG@10": ("ndcg_cut_10", "NDCG_CUT_10", "ndcg_cut.10", "NDCG@10", "nDCG@0010"),
    "P@10": ("P_10", "P.10", "P10", "p@10", "p @ 10", "Precision@10"),
    "R@100": ("recall_100", "Recall@100"),
    "Rprec": ("rprec", "R-prec"),
    "Bpref": ("bpref",),
    "Success@5": ("success_5",),
    "IPrec@0.1": ("iprec_at_recall_0.10", "IPrec@0.10"),
    "SetP": ("set_P",),
    "NumRet(rel=1)": ("num_rel_ret",),
    "RBP(p=0.8)": ("rbp( p = 0.80 )",),
    "nDCG(b=2,gains=exp)@10": ("ndcg(gains=exp, b=2)@10",),
    "nDCG(gains=1:1,2:3)@10": ("ndcg(gains={2: 3, 0:0,1:1.0})@10", "nDCG(gains=01:1,2:3.0)@10"),
    "nDCG(gains=1:0.5,2:3,z=1)": ("nDCG(z=1, gains=2:3,1:0.50)",),
    "nG(gains=1:1,2:3)@1": ("NG(gains=1:1,2:3)@1",),
    "AP(denominator=min)@10": ("map(rel=1, denominator=min)@10",),
    "Q(beta=2)@10": ("q-measure(beta=2.0)@10",),
    "Q@10": ("Q(beta=1)@10", "Q(beta=1.0)@10"),
    "P+@10": ("P-plus@10", "p-plus(beta=1)@10", "p+@0010"),
    "alpha_nDCG@5": ("alpha-nDCG@5", "\u03b1_nDCG@5"),
    "MSnDCG@10": ("MSnDCG@0010",),
    "nERR@10": ("nERR@0010", "NERR@10"),
    "Q@1000": ("Q@1000", "Q-measure@1000"),
    # Not known: as they are, but for space, NFC and zeros before a cutoff.
    "D#-nDCG@10": ("D#-nDCG@0010",),
    "clicks per query": ("  clicks per\u00a0query",),
    "pr\u00e9cision": ("pre\u0301cision",),
    "gm_map": ("gm_map",),
    "NERR10@10": ("NERR10@10",),
    "nERR10@10": ("nERR10@10",),
    "P_avgjg_5": ("P_avgjg_5",),
    "f(x": ("f(x",),
    "f(gains=1:a:b,2)": ("f(gains=1:a:b,2)",),
}


@pytest.mark.parametrize(("canonical", "spellings"), CANONICAL.items())
def test_every_spelling_has_one_canonical_name(canonical, spellings):
    for name in (canonical, *spellings):
        assert canonical_measure(name) == canonical, name


def test_known_measures_are_told_from_others():
    known = [name for name in CANONICAL if is_known_measure(name)]
    assert known == list(CANONICAL)[: list(CANONICAL).index("D#-nDCG@10")]


def test_the_canonical_names_are_those_of_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    for name in ["AP", "MAP@10", "Precision(rel=2)@5", "MRR@10", "NDCG@20", "RPrec", "RBP(p=0.85)"]:
        assert canonical_measure(name) == str(measure_of_ir_measures(ir_measures, name))
    for name in ["ERR@20", "BPref", "Success@5", "IPrec@0.1", "Judged@10", "infAP", "SetP"]:
        assert canonical_measure(name.lower()) == str(measure_of_ir_measures(ir_measures, name))
    for name in [
        "map",
        "recip_rank",
        "P_10",
        "ndcg_cut_10",
        "ndcg",
        "bpref",
        "Rprec",
        "recall_100",
    ]:
        assert [canonical_measure(name)] == list(map(str, ir_measures.parse_trec_measure(name)))
    for name in ["success_5", "map_cut_10", "set_P", "set_recall", "num_ret", "num_rel", "num_q"]:
        assert [canonical_measure(name)] == list(map(str, ir_measures.parse_trec_measure(name)))
