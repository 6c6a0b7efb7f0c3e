"""Variances over rounds a second time, by brute force: what the logbook must find."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

RNG = np.random.default_rng(8)
# (topics, runs), of sizes and spreads that differ, so that every weight shows.
ROUNDS = {
    "r1": 0.2 + 0.2 * RNG.random((12, 5)) + 0.3 * RNG.random((12, 1)),
    "r2": 0.3 * RNG.random((9, 7)) + 0.4 * RNG.random((9, 1)),
    "r3": 0.1 * RNG.random((15, 4)) + 0.6 * RNG.random((15, 1)),
}
SCALES = ("raw", "std-ab", "std-cdf")
TEAMS = {
    "r1": ["A", "a", "B", "C", "D"],
    "r2": ["A", "B", "B", None, "C", "D", None],
    "r3": ["A", "B", "C", "D"],
}


def on_scale(scores, scale):
    std = (scores - scores.mean(1)[:, None]) / scores.std(1, ddof=1)[:, None]
    return {
        "raw": scores,
        "std-ab": np.clip(0.15 * std + 0.5, 0, 1),
        "std-cdf": stats.norm.cdf(std),
    }[scale]


def one_way(scores):
    return float(np.mean([np.var(run, ddof=1) for run in scores.T]))


def two_way(scores):
    topics, runs = scores.shape
    total = 0.0
    for j in range(topics):
        for i in range(runs):
            expected = scores[:, i].mean() + scores[j].mean() - scores.mean()
            total += (scores[j, i] - expected) ** 2
    return total / ((topics - 1) * (runs - 1))


VARIANCES = {"one_way": one_way, "two_way": two_way}


def cluster_codes(scores, teams):
    """Number the cluster of each run: its team in any case, else itself."""
    names = [
        f"run {index}" if team is None else team.casefold()
        for index, team in enumerate(teams or [None] * scores.shape[1])
    ]
    return np.array([sorted(set(names)).index(name) for name in names])


def influences(scores, variance):
    """Influence of each topic on ln V, by leaving it out."""
    topics = len(scores)
    logs = [math.log(variance(np.delete(scores, topic, axis=0))) for topic in range(topics)]
    return (np.mean(logs) - logs) * math.sqrt((topics - 1) / topics)


def runs_part(scores, teams, kind):
    """Variance of ln V from which clusters took part, by leaving each out."""
    topics = len(scores)
    codes = cluster_codes(scores, teams)
    count = codes.max() + 1
    logs = [math.log(VARIANCES[kind](scores[:, codes != code])) for code in range(count)]
    of_clusters = (count - 1) / count * np.sum((logs - np.mean(logs)) ** 2)
    residuals = scores - scores.mean(axis=0)
    if kind == "two_way":
        residuals = residuals - residuals.mean(axis=1)[:, None]
    total = np.sum(residuals**2)
    in_topics = 0.0
    for code in range(count):
        own = codes == code
        u = np.sum(residuals[:, own] ** 2, axis=1) / total
        u = u - own.mean() * np.sum(residuals**2, axis=1) / total
        in_topics += np.sum((u - u.mean()) ** 2)
    return max(0.0, of_clusters - in_topics * topics * count / ((topics - 1) * (count - 1)))


def limit(variance, spread, topics, probability):
    t = stats.t.ppf(probability, (topics - 1) / 2)
    pivot = 1 - spread / 9 - t * math.sqrt(spread) / 3
    return variance * pivot**-3 if pivot > 0.1 else None


def limits(variance, spread, topics):
    return [limit(variance, spread, topics, share) for share in (0.025, 0.975)]


def interval_of(scores, teams, kind):
    spread = np.sum(influences(scores, VARIANCES[kind]) ** 2) + runs_part(scores, teams, kind)
    return limits(VARIANCES[kind](scores), spread, len(scores))


class Joint:
    """Rounds pooled by brute force: `rounds` are (scores, names of topics, teams) by round."""

    def __init__(self, rounds, kind="one_way", weights="dof"):
        self.kind, self.count = kind, len(rounds)
        self.sizes = np.array([len(scores) for scores, _, _ in rounds])
        names = sorted({name for _, topics, _ in rounds for name in topics})
        self.topics = len(names)
        self.variances = np.array([VARIANCES[kind](scores) for scores, _, _ in rounds])
        self.parts = np.array([runs_part(scores, teams, kind) for scores, _, teams in rounds])
        self.influences = np.zeros((self.count, self.topics))
        for index, (scores, topics, _) in enumerate(rounds):
            columns = [names.index(name) for name in topics]
            self.influences[index, columns] = influences(scores, VARIANCES[kind])
        one_less = kind == "two_way"
        runs = np.array([scores.shape[1] for scores, _, _ in rounds])
        self.dofs = (runs - one_less) * (self.sizes - 1)
        shares = self.dofs if weights == "dof" else self.sizes - 1
        self.variance = np.sum(shares * self.variances) / np.sum(shares)
        self.shares = shares * self.variances / np.sum(shares * self.variances)
        of_topics = np.sum((self.shares @ self.influences) ** 2)
        self.spread = of_topics + np.sum(self.shares**2 * self.parts)

    def interval(self):
        return limits(self.variance, self.spread, self.topics)

    def returning_interval(self):
        """With one draw of teams for all rounds: their parts of ln V move together."""
        together = np.outer(self.shares, self.shares) * np.sqrt(np.outer(self.parts, self.parts))
        spread = np.sum((self.shares @ self.influences) ** 2) + together.sum()
        return limits(self.variance, spread, self.topics)

    def constant(self):
        own = np.sum(self.influences**2, axis=1)
        return np.sum(self.sizes**2 * own) / np.sum(self.sizes)

    def test(self):
        """F, its degrees of freedom and p."""
        own = np.sum(self.influences**2, axis=1)
        scaled = self.influences * np.sqrt(self.constant() / self.sizes / own)[:, None]
        covariance = scaled @ scaled.T + np.diag(self.parts)
        contrast = np.hstack([-np.ones((self.count - 1, 1)), np.eye(self.count - 1)])
        difference = contrast @ np.log(self.variances)
        wald = difference @ np.linalg.solve(contrast @ covariance @ contrast.T, difference)
        nu = (self.topics - 1) / 2
        dof1, dof2 = self.count - 1, nu - self.count + 2
        f = wald / dof1 * dof2 / nu
        return f, dof1, dof2, stats.f.sf(f, dof1, dof2)

    def tau2(self):
        logs = np.log(self.variances)
        covariance = self.influences @ self.influences.T + np.diag(self.parts)
        centring = np.eye(self.count) - 1 / self.count
        raw = np.sum((logs - logs.mean()) ** 2) - np.trace(centring @ covariance)
        raw = max(0.0, raw / (self.count - 1)) if self.count > 1 else 0.0
        return (3 * 0.016 + (self.count - 1) * raw) / (3 + self.count - 1)

    def next_round(self):
        spread = self.spread + self.tau2() * (1 + np.sum(self.shares**2))
        return [
            limit(self.variance, spread, self.topics, share) for share in (0.8, 0.95, 0.025, 0.975)
        ]


def joint(labels=ROUNDS, scale="raw", kind="one_way", weights="dof", teams=None):
    """Pool rounds whose topics are t0, t1, ...: equal names of topics are equal topics."""
    rounds = []
    for label in labels:
        scores = on_scale(ROUNDS[label], scale)
        rounds.append((scores, [f"t{j}" for j in range(len(scores))], (teams or {}).get(label)))
    return Joint(rounds, kind, weights)


def check_pooled(pooled, expected, prefix=""):
    """Compare all of a pooled variance with the same by brute force."""
    interval = getattr(pooled, f"{prefix}interval")
    test = getattr(pooled, f"{prefix}homogeneity")
    following = getattr(pooled, f"{prefix}next_round")
    assert getattr(pooled, f"{prefix}variance") == pytest.approx(expected.variance, rel=1e-10)
    assert getattr(pooled, f"{prefix}dof") == expected.dofs.sum()
    assert (interval.method, interval.of, interval.level) == ("jackknife", "systems", 0.95)
    assert [interval.low, interval.high] == pytest.approx(expected.interval(), rel=1e-9)
    returning = getattr(pooled, f"{prefix}returning_interval")
    if expected.count > 1:
        of_returning = [returning.low, returning.high]
        assert of_returning == pytest.approx(expected.returning_interval(), rel=1e-9)
    else:
        assert returning is None
    assert following.tau2 == pytest.approx(expected.tau2(), rel=1e-9)
    limits_next = [following.u80, following.u95, following.low, following.high]
    assert limits_next == pytest.approx(expected.next_round(), rel=1e-9)
    if expected.count > 1:
        assert (test.method, test.reason) == ("wald-f", None)
        tested = [test.statistic, test.dof, test.dof_residual, test.p_value]
        assert tested == pytest.approx(expected.test(), rel=1e-7)


def check_intervals(row, scores, teams):
    """Compare the variances of a round and their intervals with the same by brute force."""
    assert row.variance == pytest.approx(one_way(scores), rel=1e-10)
    assert row.sum_of_squares == pytest.approx(row.dof * one_way(scores), rel=1e-10)
    assert row.two_way_variance == pytest.approx(two_way(scores), rel=1e-9)
    for kind, interval in (("one_way", row.interval), ("two_way", row.two_way_interval)):
        expected = interval_of(scores, teams, kind)
        assert (interval.method, interval.of, interval.level) == ("jackknife", "systems", 0.95)
        assert [interval.low, interval.high] == pytest.approx(expected, rel=1e-8)
        assert (interval.few_topics, interval.source) == (True, None)
    assert (row.interval_reason, row.two_way_interval_reason) == (None, None)
