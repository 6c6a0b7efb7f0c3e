"""Every command prints what it printed when its output was recorded.

Where it prints something else on purpose, it prints what it did when `today.json` was recorded.
"""

from __future__ import annotations

import pytest
from tests.databases import address_of
from tests.recorded.campaign import write_files
from tests.recorded.commands import COMMANDS
from tests.recorded.outputs import (
    TODAY,
    USER,
    empty_databases,
    first_difference,
    read_recording,
    run_commands,
    value_at,
)

pytestmark = pytest.mark.one_server

# What is printed otherwise than recorded on purpose, and why: by command, then by path.
RENEWAL = "one rule and one set of sentences for all saved results; `result renew` renews them"
EVENTS = "events name a saved report as all results are named, and a published round's fingerprint"
DATABASE_USER = "events record the database's user beside the name claimed"
FINGERPRINT = "a published round has a fingerprint"
ARCHIVE = "archives of version 3 hold saved results in one table"
TABLES = "result, result_input and matrix_run instead of plan, plan_estimate and drift_report"
MOVE = "the way out is the terminal's own sentence"
VARIANCE_CSV = "CSV of variances has the pooled one as its last line"
PLAN_CSV = "CSV of a plan names its task and measure"
NAMED_CSV = "CSV of a pooled variance and of generalisability names its task and measure"
PROTOCOL = "the paragraph says that rounds share topics, and that they disagree"
PLAN_DETAILS = "the power that more than three rounds had is a detail"
TABLE = "an interval's heading says whose it is"
MEASURES = "measures have canonical names"
READING = "a command that only reads advises to make nothing"
STEPS = "the demonstration's steps are for a terminal"
BRIEF = "a drift report is a page; what it rests on comes with --details"
AGAINST_OTHERS = "recurring systems are measured against the other standardising runs"
ADVICE = "what is advised names its option"
STANDARDISE = "log says which runs standardise, and why, where something is known of the pool"
DRIFT_WORDS = "drift says which interval judges, how to declare collections and what to do"
REPORT_NAMES = "saved drift reports are listed by the names that show takes, with figures"
DRIFT_FIGURES = "a saved drift report is listed with the figures of its sentence"
FROM_RUNS = "log takes no files where scores are computed from runs"
ALIKE = "runs with the same scores are named"
UNKNOWN = f"{ALIKE}, and a measure that Roundbook does not know is called so"
WHICH_IS_STABLE = "the end says which measure is stable"
COVERAGE = "what an interval covers less than it says is told"
TIED = "where runs tie, the scale's mean is said, which is 0.5 on std-AB"
THOUSANDS = "thousands are parted by commas"
SPREADS = "spreads are named by the plans that take them"
SHORT_HEADING = "factor versions are short in headings"
SAME_SCORES = "the same scores of another measure of the round are noted"
MEASURE_LISTED = "saved results are listed with their measure"
STUDIES_TOO = "studies, uploads of runs and assessments are counted too"
REASON_OF_CHANGE = "a matrix has a status, and in a list the reason of what changed it"
STATUS = "a score matrix has a status, as a round has; what is done to it is its change"
BIASED = "pilots are drawn from this round, and their bias has a size"
USAGE = "the line of usage names arguments plainly, and a refused value is named in our words"
SAVED = "one sentence says under which name and version a result is saved"
ONE_COLLECTION = "where only one of two rounds declares a collection, what is assumed is said"
WRONG_OPTION = "a bound of an option is refused as the option's, with code 2"
PUBLISHED = "all that changes a published round is named, not its scores alone"
VERIFIED = "what was verified is counted noun by noun, with uploads and assessments"
PLAIN_MEANS = "the figures of leave-one-out are of means that are not rounded"
ASSESSED = "a study of runs names the assessments"
OTHER_IDS = "where rounds share no topic, topics may have returned under other ids"
BETWEEN_ROUNDS = "what limits and intervals take for how much rounds vary is said"
NAMED = "runs that other matrices of the round lack are named"
NEAR_COLLECTION = "a collection that is nearly that of another round is asked about"
NEW_LABEL = "an assessments label that is new to the task is noted"
THIS_ROUND = "a needed difference is of this round and its topics"
ONE_WAY_OUT = "a saved result that is not there has one way out, whatever its kind"
NO_RUN = "a run that a matrix does not have has a way out"
REASON = "in a printed command the placeholder of a reason is REASON"
DRIFT_STEPS = "a drift report has the commands of its advice, a purpose for those alike"
EXCHANGEABLE = "when the error rate of Tukey HSD is alpha is said"
RANGES = "the paragraph of pilots names no interval that is not printed"
BY_HOLM = "runs are told apart by t, Holm too"
STALE_IN_SHORT = "what is stale is counted, its renewal comes first, and one line has the rest"
SIGNS = "limits of a shift have their signs"
NO_SHARED = "rounds without shared topics are called so; only the code is unbridged"
DENOMINATORS = "the formulas of changes between rounds are those computed, of sizes"
OF_PUBLISHED = "the interval of published variances alone is no jackknife"
OTHER_TASK = "the same scores of another task are noted"
APART = "a round without the topics that the others share is noted"
CHANGED_ON_PURPOSE: dict[str, dict[str, str]] = {
    "study change drift first same --measure AP --pivot 'system 1' --trials 200 --format json": {
        "out.protocol": DENOMINATORS,
    },
    "log drift other drift-other.csv --measure AP --create": {"err": APART},
    "variance show paper --measure nG@1 --format json": {
        "out.pooled.interval.method": OF_PUBLISHED,
        "out.pooled.interval.source": OF_PUBLISHED,
    },
    "matrix withdraw 4 --reason 'Wrong relevance assessments' --format json": {
        "err": STALE_IN_SHORT,
    },
    "matrix withdraw 4 --reason Again --format json": {"err": STALE_IN_SHORT},
    "drift drift --measure AP --to moved --save --format json # 2": {"err[0]": REASON},
    "study leave-teams-out drift first --measure AP --trials 3 --format json": {
        "out.protocol": RANGES,
    },
    "study topic-subsets drift first --measure AP --trials 20 --format json": {
        "out.protocol": RANGES,
    },
    "study discriminative-power --file tied.csv --measure AP --trials 100 --resamples 50 --plus-one"
    " --format csv": {"out": BY_HOLM},
    "study discriminative-power drift first --measure AP --scale raw --scale std-ab --trials 200"
    " --resamples 100": {"out": EXCHANGEABLE},
    "study swap-rate --file drift-first.csv --measure AP --trials 100 --with-replacement": {
        "out": THIS_ROUND,
    },
    "study swap-rate drift first --measure AP --trials 50 --save turns": {"out": THIS_ROUND},
    "result show turns": {"out": THIS_ROUND},
    "study leave-one-out drift first --measure AP --format json": {
        "out.scales": PLAIN_MEANS,
    },
    "study leave-one-out web 2022 --measure 'nDCG(gains=1:1,2:3)@10' --reassessed --pool-depth 5"
    " --format json": {
        "out.scales": PLAIN_MEANS,
        "out.protocol": ASSESSED,
    },
    "study leave-one-out web 2022 --measure AP --reassessed --pool-depth 5": {
        "out": ASSESSED,
    },
    "drift drift --measure AP --format json": {
        "out.advice": OTHER_IDS,
        "out.commands": DRIFT_STEPS,
        "out.consequence_reason": NO_SHARED,
    },
    "study leave-teams-out web 2022 --measure AP --mode reduce --pool-depth 5 --trials 3"
    " --format json": {"out.protocol": ASSESSED},
    "study per-topic-variance web 2022 --trials 100 --format json": {"out.protocol": ASSESSED},
    "study per-topic-variance web 2022 --trials 100 --model kde --denominator fixed": {
        "out": ASSESSED,
    },
    "study leave-one-out drift --measure AP --all-rounds --format json": {
        "out.rounds[0].scales": PLAIN_MEANS,
        "out.rounds[1].scales": PLAIN_MEANS,
        "out.rounds[2].scales": PLAIN_MEANS,
    },
    "study leave-one-out drift --measure AP --all-rounds --save fair --format csv": {
        "out": PLAIN_MEANS,
    },
    "standardise web 2022 --measure nDCG@10 --scale e-std --factors-from 2021:2 --format json": {
        "out.notes": ONE_COLLECTION,
        "err": ONE_COLLECTION,
    },
    "standardise web 2022 --measure nDCG@10 --a 0.1 --b 0.4 --factors-from 2021 --format table": {
        "err": ONE_COLLECTION,
    },
    "round publish web 2021 --reason 'The proceedings are out' --format json": {
        "err[0]": PUBLISHED,
    },
    "db verify --task paper": {
        "out[0]": VERIFIED,
    },
    "drift drift --measure AP --margin -1": {
        "code": WRONG_OPTION,
        "err": WRONG_OPTION,
    },
    "plan --variance 0.05 --m 1": {"code": WRONG_OPTION, "err": WRONG_OPTION},
    "plan --variance -1": {"code": WRONG_OPTION, "err": WRONG_OPTION},
    "plan save 'from a table' --task paper --measure nG@1 --protocol": {
        "out[0]": BETWEEN_ROUNDS,
        "err[0]": SAVED,
    },
    "drift drift --measure AP --from same --to other --save --format csv": {
        "err[0]": SAVED,
    },
    "log ntcir 15 bm25-2025.nev rm3-2025.nev dense-2025.nev --measure Q --file-measure Q-measure"
    " --format json": {"out.notes": TIED, "err": TIED},
    "round set web 2023 --held 2023-11-14 --collection 'crawl 1' --format json": {
        "err": NEAR_COLLECTION,
    },
    "log draft d1 draft-2.csv --measure P@2 --teams draft-2-teams.csv": {"err": NAMED},
    "log draft d1 draft-3.csv --measure P@3 --teams draft-3-teams.csv": {"err": NAMED},
    "log draft d1 draft-4.csv --measure P@4 --format json": {"out.notes": NAMED, "err": NAMED},
    "log judged a new1-2024.jsonl new3-2024.jsonl --measure nDCG@10 --format json": {
        "out.notes": NEW_LABEL,
        "err": NEW_LABEL,
    },
    "log judged several web-2022.tsv --all-measures --teams teams-2022.csv --create --dry-run"
    " --format json": {"out.matrices": TIED, "err": TIED},
    "log judged several web-2022.tsv --measure P@5 --measure nDCG@10 --create --dry-run --format csv": {
        "err": TIED
    },
    "variance show web --measure nDCG@10 --pool-by topics": {
        "out": COVERAGE,
    },
    "variance show drift --measure AP": {
        "out": COVERAGE,
    },
    "study change drift first same --measure AP --pivot 'system 1' --trials 200": {
        "out": COVERAGE,
    },
    "variance pooled drift --measure AP": {
        "out": BETWEEN_ROUNDS,
    },
    "plan --task web --measure nDCG@10 --scale std-cdf --variance-at latest --design two-way --m 8"
    " --min-d 0.1 --format json": {
        "out.protocol": BETWEEN_ROUNDS,
    },
    "plan show pairs --format latex": {
        "out[3]": BETWEEN_ROUNDS,
    },
    "matrix withdraw 21": {
        "err[0]": USAGE,
    },
    "standardise web 2021 --measure nDCG@10 --scale std --a 0.2": {
        "err[0]": USAGE,
    },
    "drift drift --measure AP --note x": {
        "err[0]": USAGE,
    },
    "variance history web --since yesterday": {
        "err": USAGE,
    },
    "plan --variance 0.05 --design unknown": {
        "err": USAGE,
    },
    "study discriminative-power web --all-rounds --measure nDCG@10 --trials 100 --format json": {
        "out.protocol": THOUSANDS,
    },
    "study incremental drift first --measure AP --difference 0.1 --trials 50": {
        "out": SPREADS,
    },
    "matrix show 2": {
        "out[1]": STATUS,
    },
    "matrix export 1 --layout long --output exported.csv": {
        "out": STATUS,
    },
    "matrix list drift": {
        "out": REASON_OF_CHANGE,
    },
    "matrix restore 3 --reason 'To renew it once more'": {
        "out": STATUS,
        "err": STALE_IN_SHORT,
    },
    "study leave-teams-out web 2022 --measure AP --mode reduce --pool-depth 5 --trials 3": {
        "out": BIASED,
    },
    "export tasks.zip --task web --format csv": {
        "out": STUDIES_TOO,
    },
    "log web 2026 tied.csv --measure nDCG@10 --create --dry-run --format json": {
        "out.remarks.same_scores": OTHER_TASK,
        "out.notes": ALIKE,
        "err": ALIKE,
    },
    "rank web 2021 --measure nDCG@10 --scale std --versions 1 3 --resamples 200 --seed 3": {
        "out[3]": SHORT_HEADING,
        "out": SHORT_HEADING,
    },
    "variance history web": {
        "out": WHICH_IS_STABLE,
    },
    "log web 2024 tied.csv --measure AP --assessments bronze --format json": {
        "out.remarks.same_scores": OTHER_TASK,
        "out.notes": ALIKE,
        "err": ALIKE,
    },
    "log odd few few-topics.csv --measure RR --create --format json": {
        "out.notes": ALIKE,
        "err": ALIKE,
    },
    "log odd bounds above-one.csv --measure gain --bounds 0 3 --create --format json": {
        "out.notes": UNKNOWN,
        "err": UNKNOWN,
    },
    "log odd tied tied.csv --measure AP --create --format json": {
        "out.notes": ALIKE,
        "err": ALIKE,
    },
    "variance show none --measure AP": {
        "err[0]": READING,
    },
    "log web 2022": {"err": FROM_RUNS},
    "log web 2022 tied.csv --measure AP --layout none": {"err": USAGE},
    "log web 2021 web-2021-ndcg.csv --measure nDCG@10 --teams teams-2021.csv --tool 'simulation 1' --format json": {  # noqa: E501
        "out.notes": STANDARDISE,
        "err": STANDARDISE,
    },
    "log web 2021 web-2021-p5.csv --measure P@5 --bounds 0 1 --zero-sd drop --format json": {
        "out.notes": STANDARDISE,
        "err": STANDARDISE,
    },
    "log web 2022 web-2022.tsv --measure nDCG@10 --layout long --teams teams-2022.csv --format json": {
        "out.notes": STANDARDISE,
        "err": STANDARDISE,
    },
    "log web 2022 web-2022.tsv --measure P@5": {
        "err": STANDARDISE,
    },
    "log web 2023 bm25-2023.eval rm3-2023.eval dense-2023.eval hybrid-2023.eval new1-2023.eval new2-2023.eval new3-2023.eval new4-2023.eval --measure nDCG@10 --layout trec_eval --teams teams-2023.csv --format json": {  # noqa: E501
        "out.notes": STANDARDISE,
        "err": STANDARDISE,
    },
    "log web 2023 bm25-2023.eval rm3-2023.eval dense-2023.eval --measure p@5 --format csv": {
        "err": STANDARDISE,
    },
    "log web 2021 web-2021-p5.csv --measure AP --zero-sd drop --revise 'A further measure' --format json": {
        "out.notes": STANDARDISE,
        "err": STANDARDISE,
        "out.remarks.same_scores": SAME_SCORES,
    },
    "impact 1 --format json": {
        "out.dependents[12].name": RENEWAL,
    },
    "impact 21": {
        "out": RENEWAL,
    },
    "log web 2021 web-2021-corrected.csv --measure nDCG@10 --teams teams-2021.csv --revise 'Topic 2 was judged again' --format json": {  # noqa: E501
        "out.notes": STANDARDISE,
        "out.impact": RENEWAL,
        "err": RENEWAL,
    },
    "matrix withdraw 21 --reason 'Wrong topics'": {
        "out": STATUS,
        "err": STALE_IN_SHORT,
    },
    "impact 1 --format json # 2": {
        "out.dependents": RENEWAL,
    },
    "impact 21 --format json": {
        "out.dependents[4].why": RENEWAL,
        "out.dependents[4].renew": RENEWAL,
        "out.dependents[5].name": RENEWAL,
        "out.dependents[5].why": RENEWAL,
    },
    "impact 21 --format csv": {
        "out[5]": RENEWAL,
        "out[6]": RENEWAL,
    },
    "plan show next --format json # 2": {
        "out.plan.protocol": PROTOCOL,
        "out.renew": RENEWAL,
    },
    "plan show pairs": {
        "out": PLAN_DETAILS,
    },
    "report show drift 1 --format json # 2": {
        "out.report.revived.reason": SIGNS,
        "out.report.commands": DRIFT_STEPS,
        "out.brief.shift": DRIFT_FIGURES,
        "out.brief.sd_ratio": DRIFT_FIGURES,
        "out.report.assumed": DRIFT_WORDS,
        "out.report.reason": DRIFT_WORDS,
        "out.report.advice": DRIFT_WORDS,
        "out.why": RENEWAL,
    },
    "drift drift --measure AP --from first --to same --margin 1.5 --sd-ratio-margin 3 --format json": {
        "out.commands": DRIFT_STEPS,
        "out.assumed": DRIFT_WORDS,
        "out.reason": DRIFT_WORDS,
        "out.advice": DRIFT_WORDS,
        "out.revived.reason": AGAINST_OTHERS,
    },
    "drift drift --measure AP --from first --to same --margin 1.5 --sd-ratio-margin 3": {
        "out": BRIEF,
    },
    "drift drift --measure AP --from first --to moved --min-d 0.05 --m 5": {
        "out": BRIEF,
    },
    "drift drift --measure AP --to other": {
        "out": BRIEF,
    },
    "drift web --measure nDCG@10 --from 2021 --to 2023 --save": {
        "out": BRIEF,
        "err[0]": SAVED,
    },
    "drift web --measure nDCG@10 --from 2021 --to 2023 --save --format json": {
        "out.commands": DRIFT_STEPS,
        "out.advice": DRIFT_WORDS,
        "out.revived.reason": AGAINST_OTHERS,
        "err[0]": SAVED,
    },
    "report show drift 1": {
        "out": BRIEF,
    },
    "report show web 1": {
        "out": BRIEF,
    },
    "matrix restore 21 --reason 'They were right after all'": {
        "out": STATUS,
        "err": STALE_IN_SHORT,
    },
    "round publish draft d1": {
        "out": FINGERPRINT,
        "err[0]": PUBLISHED,
    },
    "log web 2022 tied.csv --measure nDCG@10 --revise 'To see' --dry-run": {
        "err[13]": RENEWAL,
        "err": ALIKE,
    },
    "events --format json": {
        "out.events[62].details.report": EVENTS,
        "out.events[63].details.report": EVENTS,
        "out.events[64].details.report": EVENTS,
        "out.events[75].details.report": EVENTS,
    },
    "events --matrix 21 --format csv": {
        "out": DATABASE_USER,
    },
    "events --task web --round 2021": {
        "out": EVENTS,
    },
    "export whole.zip --format json": {
        "out.version": ARCHIVE,
    },
    "import whole.zip --database '{second}' --format json": {
        "out.version": ARCHIVE,
    },
    "impact 21 --database '{second}' --format json": {
        "out.dependents[5].renew": RENEWAL,
        "out.dependents[6].name": RENEWAL,
    },
    "events --database '{second}' --format json": {
        "out.events[62].details.report": EVENTS,
        "out.events[63].details.report": EVENTS,
        "out.events[64].details.report": EVENTS,
        "out.events[75].details.report": EVENTS,
    },
    "db backup record.dump --format json": {
        "out.tables": TABLES,
    },
    "db restore record.dump --replace --database '{second}' --format json": {
        "out.tables": TABLES,
    },
    "db move --to '{third}' --format json": {
        "out.tables": TABLES,
    },
    "db grant '{role}' --as reader --format json": {
        "out.grants": TABLES,
    },
    "db grant '{role}' --as service": {
        "out": TABLES,
    },
    "matrix withdraw 3 --reason 'For what rests on it'": {
        "out": STATUS,
        "err": STALE_IN_SHORT,
    },
    "result list web --kind plan": {
        "out[0]": MEASURE_LISTED,
        "out[1]": MEASURE_LISTED,
        "out[2]": MEASURE_LISTED,
    },
    "result list web --stale --format json": {
        "out.results[1].why": RENEWAL,
    },
    "report show drift 9": {
        "err[0]": RENEWAL,
    },
    "db move --to '{second}'": {
        "err[0]": MOVE,
    },
    "variance show web --measure nDCG@10 --scale std-cdf --format csv": {
        "out": VARIANCE_CSV,
    },
    "variance history web --measure nDCG@10 --rounds 2021 --rounds 2023 --scale std-ab --format csv": {
        "out": VARIANCE_CSV,
    },
    "variance pooled drift --measure AP --scale std-cdf --format csv": {
        "out": NAMED_CSV,
    },
    "generalisability drift --measure AP --format csv": {
        "out": NAMED_CSV,
    },
    "plan --variance 0.05 --format csv": {
        "out": PLAN_CSV,
    },
    "plan --variance 0.05 --design two-sample-width --min-d 0.1 --format csv": {
        "out": PLAN_CSV,
    },
    "plan --variance 0.05 --solve min-d --design two-way --m 5 --topics 60 --engine sakai --format csv": {
        "out": PLAN_CSV,
    },
    "plan --task web --measure nDCG@10 --format json": {
        "out.protocol": PROTOCOL,
    },
    "plan --task web --measure nDCG@10": {
        "out": PLAN_DETAILS,
    },
    "plan --task web --measure nDCG@10 --protocol": {
        "out[0]": PROTOCOL,
    },
    "plan --task web --measure nDCG@10 --scale std-ab --pool-by topics --variance-at planning --format json": {  # noqa: E501
        "out.protocol": PROTOCOL,
    },
    "plan --task drift --measure AP --design tukey --m 8 --min-d 0.1 --format json": {
        "out.protocol": PROTOCOL,
    },
    "plan --task drift --measure AP --design paired-t --min-d 0.05 --format json": {
        "out.protocol": PROTOCOL,
    },
    "plan --task drift --measure AP --design paired-t --variance-of conservative --min-d 0.05": {
        "out": PLAN_DETAILS,
    },
    "plan --task drift --measure AP --design paired-width --width 0.1 --format csv": {
        "out": PLAN_CSV,
    },
    "plan --task paper --measure nG@1 --engine sakai --format csv": {
        "out": PLAN_CSV,
    },
    "plan save next --task web --measure nDCG@10 --m 10 --min-d 0.1 --note 'For 2026' --format json": {
        "out.plan.protocol": PROTOCOL,
    },
    "plan save next --task web --measure nDCG@10 --m 10 --min-d 0.1 --note 'For 2026' --format json # 2": {
        "out.plan.protocol": PROTOCOL,
    },
    "plan save next --task web --measure nDCG@10 --m 20 --min-d 0.1 --scale std-ab": {
        "out": PLAN_DETAILS,
    },
    "plan save pairs --task drift --measure AP --design paired-t --min-d 0.05 --format csv": {
        "out": PLAN_CSV,
        "err[0]": SAVED,
    },
    "factors fit web 2021 --measure nDCG@10 --runs nobody --reason x": {"err[0]": NO_RUN},
    "plan show none": {
        "err[0]": ONE_WAY_OUT,
    },
    "plan show next --format json": {
        "out.plan.protocol": PROTOCOL,
    },
    "plan save next --task web --measure nDCG@10 --m 20 --min-d 0.1 --scale std-ab --format json": {
        "out.plan.protocol": PROTOCOL,
    },
    "plan save pairs --task drift --measure AP --design paired-t --min-d 0.05 --format json": {
        "out.plan.protocol": PROTOCOL,
    },
    "plan show next --format json --database '{second}'": {
        "out.plan.protocol": PROTOCOL,
    },
    "result show pairs --format json": {
        "out.plan.protocol": PROTOCOL,
    },
    "generalisability web --measure nDCG@10 --round 2022 --target 0.9 --level 0.9 --m 5 --min-d 0.2": {
        "out": TABLE,
    },
    "demo --format json": {
        **{
            f"out.{path}.interval.{field}": OF_PUBLISHED
            for path in (
                *(f"published[{number}].pooled" for number in range(19)),
                *("plan", "plan.estimate.pooled"),
            )
            for field in ("method", "source")
        },
        "out.drift_held.commands": DRIFT_STEPS,
        "out.drift_undecided.commands": DRIFT_STEPS,
        "out.drift_aged.commands": DRIFT_STEPS,
        "out.published[0].measure": MEASURES,
        "out.published[1].measure": MEASURES,
        "out.published[2].measure": MEASURES,
        "out.published[7].measure": MEASURES,
        "out.history_std_ab.pooled.warning": ADVICE,
        "out.plan.protocol": BETWEEN_ROUNDS,
        "out.next_round.protocol": PROTOCOL,
        "out.drift_held.assumed": DRIFT_WORDS,
        "out.drift_held.reason": DRIFT_WORDS,
        "out.drift_held.revived.verdict": AGAINST_OTHERS,
        "out.drift_held.revived.reason": AGAINST_OTHERS,
        "out.drift_undecided.assumed": DRIFT_WORDS,
        "out.drift_undecided.reason": DRIFT_WORDS,
        "out.drift_undecided.advice": DRIFT_WORDS,
        "out.drift_undecided.revived.verdict": AGAINST_OTHERS,
        "out.drift_undecided.revived.reason": AGAINST_OTHERS,
        "out.drift_aged.assumed": DRIFT_WORDS,
        "out.drift_aged.reason": DRIFT_WORDS,
        "out.drift_aged.advice": DRIFT_WORDS,
        "err": STEPS,
    },
    "drift drift --measure AP --from first --to moved --format json": {
        "out.revived.reason": SIGNS,
        "out.commands": DRIFT_STEPS,
        "out.assumed": DRIFT_WORDS,
        "out.reason": DRIFT_WORDS,
        "out.advice": DRIFT_WORDS,
    },
    "drift drift --measure AP --curve --format json": {
        "out.summary": NO_SHARED,
        "out.assumed": DRIFT_WORDS,
        "out.rounds[0].reason": DRIFT_WORDS,
        "out.rounds[1].reason": DRIFT_WORDS,
    },
    "drift drift --measure AP --curve": {
        "out": DRIFT_WORDS,
    },
    "drift drift --measure AP --to moved --save --note 'For the overview' --format json": {
        "out.revived.reason": SIGNS,
        "out.commands": DRIFT_STEPS,
        "out.assumed": DRIFT_WORDS,
        "out.reason": DRIFT_WORDS,
        "out.advice": DRIFT_WORDS,
        "err[0]": SAVED,
    },
    "drift drift --measure AP --to moved --save --format json": {
        "out.revived.reason": SIGNS,
        "out.commands": DRIFT_STEPS,
        "out.assumed": DRIFT_WORDS,
        "out.reason": DRIFT_WORDS,
        "out.advice": DRIFT_WORDS,
        "err[0]": SAVED,
    },
    "report list --format json": {
        "out.reports[0].shift": DRIFT_FIGURES,
        "out.reports[0].sd_ratio": DRIFT_FIGURES,
    },
    "report show drift 1 --format json": {
        "out.report.revived.reason": SIGNS,
        "out.report.commands": DRIFT_STEPS,
        "out.brief.shift": DRIFT_FIGURES,
        "out.brief.sd_ratio": DRIFT_FIGURES,
        "out.report.assumed": DRIFT_WORDS,
        "out.report.reason": DRIFT_WORDS,
        "out.report.advice": DRIFT_WORDS,
    },
    "report list": {
        "out": REPORT_NAMES,
    },
    "report show drift 1 --database '{second}' --format json": {
        "out.report.revived.reason": SIGNS,
        "out.report.commands": DRIFT_STEPS,
        "out.report.assumed": DRIFT_WORDS,
        "out.report.reason": DRIFT_WORDS,
        "out.report.advice": DRIFT_WORDS,
    },
    "result list --format json": {
        "out.results[0].brief.shift": DRIFT_FIGURES,
        "out.results[0].brief.sd_ratio": DRIFT_FIGURES,
    },
}


@pytest.fixture
def printed(command, server, kept_engines, tmp_path, monkeypatch):
    """What the recorded commands print today, by name."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROUNDBOOK_USER", USER)
    address = address_of(server)
    with empty_databases(address) as databases:
        monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", databases.first)
        return run_commands(COMMANDS, lambda arguments: command(*arguments), databases)


@pytest.mark.long
def test_every_command_prints_what_was_recorded(printed):
    recorded = read_recording()
    new = [name for name in printed if name not in recorded]
    assert new == [], "record the new commands: python -m tests.recorded.record_outputs --only ..."
    assert list(printed) == list(recorded)
    today = read_recording(TODAY)
    otherwise = [
        name
        for name in printed
        if today.get(name, {}).keys() != CHANGED_ON_PURPOSE.get(name, {}).keys()
    ]
    assert otherwise == [], "record these: python -m tests.recorded.record_outputs --today"
    differences = [
        f"roundbook {name}\n    {difference}"
        for name, output in recorded.items()
        if (difference := first_difference(output, printed[name], CHANGED_ON_PURPOSE.get(name, ())))
    ]
    differences += [
        f"roundbook {name}\n    other than in today.json: {difference}"
        for name, values in today.items()
        for path, value in values.items()
        if (difference := first_difference(value, value_at(printed[name], path), path=path))
    ]
    if differences:
        pytest.fail("\n".join(differences), pytrace=False)
