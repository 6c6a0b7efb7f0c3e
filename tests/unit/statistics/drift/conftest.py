"""Real rounds that share topics, and the example that is typed in full."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.statistics.score_files import ScoreFile, read_covid, read_file


@pytest.fixture(scope="session")
def covid(shared):
    """TREC-COVID rounds 1 to 3, nDCG@10, by their numbers."""
    return dict(enumerate(read_covid(shared, 1, 2, 3), 1))


@pytest.fixture(scope="session")
def adhoc(shared):
    """AP of TREC-6, TREC-7 and Robust 2003, whose runs are anonymous."""
    files = {6: "trec_adhoc6_ap", 7: "trec_adhoc7_ap", 2003: "trec_robust2003_ap"}
    return {name: read_file(shared, file) for name, file in files.items()}


@pytest.fixture(scope="session")
def typed():
    """Two small rounds; the last topic ties in the first."""
    first = [
        [
            round(0.20 + 0.03 * j + 0.04 * ((5 * i) % 8) + 0.02 * ((3 * i + 7 * j) % 5), 2)
            for i in range(8)
        ]
        for j in range(6)
    ]
    first[5] = [0.3] * 8
    later = [
        [
            round(0.27 + 0.02 * j + 0.05 * ((3 * i) % 7) + 0.02 * ((2 * i + 3 * j) % 5), 2)
            for i in range(7)
        ]
        for j in range(6)
    ]
    topics = list("012345")
    return (
        ScoreFile(topics, list("01234567"), np.array(first), list("aabbcdef")),
        ScoreFile(topics, list("0123456"), np.array(later), list("bbcgghi")),
    )
