"""Files that lie beside the scores are told by what they are, and score files never are."""

from __future__ import annotations

import pytest

from roundbook.errors import BadFileError
from roundbook.formats import read_scores
from roundbook_cli.ways_out import sentence

OTHER = [
    ("run,team\na,X\nb,Y\n", "a team file", "--teams"),
    ("run\tteam_id\ttype\na\tX\tauto\n", "a team file", "--teams"),
    ("team,run,contributed_to_pool\nX,a,yes\n", "a team file", "--teams"),
    ("Group;Run Tag\nX;a\n", "a team file", "--teams"),
    ("1 0 doc-1 1\n1 0 doc-2 -1\n", "TREC qrels", "'roundbook qrels log' takes"),
    ("1\t0\tdoc-1\t1\n1\t0\tdoc-2\t0\n", "TREC qrels", "'roundbook qrels log' takes"),
    ("1185869 0 0 1\n1185868 0 16 1\n", "TREC qrels", "'roundbook qrels log' takes"),
    ("1 Q0 doc-1 1 9.5 mine\n1 Q0 doc-2 2 9.1 mine\n", "a TREC run", "'roundbook run log' takes"),
    (
        "1\tQ0\tdoc-1\t1\t9.5\tmine\n1\tQ0\tdoc-2\t2\t-1e3\tmine\n",
        "a TREC run",
        "'roundbook run log' takes",
    ),
]


@pytest.mark.parametrize(("content", "what", "way_out"), OTHER)
def test_what_is_no_score_file_is_named(tmp_path, content, what, way_out):
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadFileError) as caught:
        read_scores([path], measure="AP")
    message = sentence(caught.value)
    assert f"looks like {what}, and not like scores; " in message
    assert way_out in message


SCORES = [
    "topic,run,team\n1,.1,.2\n2,.3,.4\n",
    "topic\trun\tvalue\tteam\n1\ta\t.1\tX\n2\ta\t.3\tX\n",
    "\trun\tteam\n1\t.1\t.2\n2\t.3\t.4\n",
    "topic\t0\tx\t1\n1\t0\t0\t1\n2\t1\t1\t0\n",
    "1\t0\tx\t1\n7\t0\t0\t1\n8\t1\t1\t0\n",
    "topic\tQ0\ta\tb\t5\td\n1\t.1\t.2\t.3\t.4\t.5\n2\t.1\t.2\t.3\t.4\t.5\n",
    "run,topic,value,team\na,1,.1,X\na,2,.3,X\n",
]


@pytest.mark.parametrize("content", SCORES)
def test_scores_are_read_all_the_same(tmp_path, content):
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8")
    assert len(read_scores([path], measure="AP").topics) == 2
