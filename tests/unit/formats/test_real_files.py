import numpy as np
import pytest

from roundbook.formats import apply_missing_policy, read_scores


@pytest.mark.parametrize(
    ("name", "topics", "runs", "missing"),
    [
        ("treccovid/treccovid_round1_ndcg10.csv", 30, 143, 0),
        ("treccovid/treccovid_round2_map.csv", 35, 136, 0),
        ("treccovid/treccovid_round3_p5.csv", 40, 79, 0),
        ("adhoc/trec_adhoc3_ap.csv", 50, 40, 0),
        ("adhoc/trec_robust2003_ap.csv", 100, 78, 0),
        ("web/trec_web2010_ap.csv", 48, 88, 0),
        ("ntcir7_ir4qa/ntcir7ir4qa_nerr1000.csv", 97, 40, 0),
        ("longeval2023/longeval2023irc_wt_ndcg.csv", 98, 5, 0),
        ("longeval2023/longeval2023irc_st_map.csv", 882, 5, 16),
    ],
)
def test_real_matrices(shared, name, topics, runs, missing):
    matrix = read_scores([shared / "data" / name], measure="whatever")
    assert matrix.layout == "wide"
    assert matrix.scores.shape == (topics, runs)
    assert np.isnan(matrix.scores).sum() == missing
    assert len(set(matrix.runs)) == runs


def test_every_wide_file_agrees_with_a_plain_reading(shared):
    folders = ("treccovid", "adhoc", "web", "ntcir7_ir4qa", "longeval2023")
    paths = [
        path
        for folder in folders
        for path in sorted((shared / "data" / folder).glob("*.csv"))
        if "run_team" not in path.name
    ]
    assert len(paths) >= 40
    for path in paths:
        matrix = read_scores([path], measure="AP")
        header, *rows = (line.split(",") for line in path.read_text().splitlines())
        assert matrix.runs == tuple(header[1:])
        assert matrix.topics == tuple(row[0] for row in rows)
        plain = [[float(cell or "nan") for cell in row[1:]] for row in rows]
        np.testing.assert_array_equal(matrix.scores, plain)


def test_longeval_missing_cells_and_tags(shared):
    path = shared / "data/longeval2023/longeval2023irc_st_map.csv"
    matrix = read_scores([path], measure="AP")
    assert matrix.runs == (
        "IRC_BM25+colBERT",
        "IRC_BM25+monoT5",
        "IRC_E5_base",
        "IRC_RRF(BM25+Bo1-XSqrA_M-PL2)",
        "IRC_d2q+BM25",
    )
    dropped = apply_missing_policy(matrix, "drop-topic")
    assert dropped.dropped_topics == ("q072212314", "q072214697", "q072222604", "q072224942")
    assert dropped.scores.shape == (878, 5)
    zeroed = apply_missing_policy(matrix, "zero")
    assert (zeroed.scores.shape, zeroed.missing_cells) == ((882, 5), 16)
    assert not np.isnan(zeroed.scores).any()


def test_trec_covid_tags_are_kept(shared):
    path = shared / "data/treccovid/treccovid_round1_ndcg10.csv"
    runs = read_scores([path], measure="nDCG@10").runs
    assert {"10x10.prf.unipd.it", "CBOWexp.0", "run1", "CincyMedIR-run1"} <= set(runs)


def test_web_2010_has_identical_columns_under_different_tags(shared):
    matrix = read_scores([shared / "data/web/trec_web2010_ap.csv"], measure="AP")
    assert len(np.unique(matrix.scores, axis=1).T) == 78


def test_trec_5_has_a_topic_where_all_runs_tie(shared):
    matrix = read_scores([shared / "data/adhoc/trec_adhoc5_p10.csv"], measure="P@10")
    assert np.ptp(matrix.scores[matrix.topics.index("267")]) == 0
