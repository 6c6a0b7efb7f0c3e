"""Small assessed rounds, for the tests of measures."""

from __future__ import annotations

import numpy as np

from roundbook.statistics.measures.hits import Judgments, find_hits


def assessed(lists, grades):
    """Return (judgments, hits) of lists of document numbers, by run and topic.

    `grades` has one dict of document number to grade a topic.
    """
    judged = [
        (topic, document, grade)
        for topic, by_document in enumerate(grades)
        for document, grade in by_document.items()
    ]
    judgments = Judgments(len(grades), *np.array(judged, dtype=int).reshape(-1, 3).T)
    depth = max(len(documents) for run in lists for documents in run)
    padded = [[[*d, *[-1] * (depth - len(d))] for d in run] for run in lists]
    return judgments, find_hits(np.array(padded, dtype=np.int32), judgments)
