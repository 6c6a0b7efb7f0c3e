import pytest

from roundbook.errors import BadFileError
from roundbook.formats.measures import choose_measure, is_measure_like
from roundbook_cli.ways_out import sentence

TREC_EVAL = ["num_ret", "map", "Rprec", "bpref", "recip_rank", "P_5", "recall_100", "ndcg"]
TREC_EVAL += ["ndcg_cut_10", "map_cut_10", "success_1", "set_P"]


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


def test_exact_before_any_case_before_alias():
    assert choose_measure(["AP", "ap", "map"], "AP", None, "f") == "AP"
    assert choose_measure(["ap", "map"], "AP", None, "f") == "ap"
    assert choose_measure(["map", "ndcg"], "AP", None, "f") == "map"
    with pytest.raises(BadFileError, match="ap, Ap of this file could all be AP"):
        choose_measure(["ap", "Ap"], "AP", None, "f")


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
        "f: the file holds no measure AP, but P@5, RR; choose one of its own with --file-measure."
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
