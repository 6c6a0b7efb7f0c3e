"""The recorded commands, in the order in which they run on one empty record.

A line is a command of ``roundbook``. They run in a directory that holds the files of `campaign`,
so no name of a directory is in them; ``{second}`` and ``{third}`` are the addresses of two further
empty databases, ``{role}`` is a role of the server without rights.
"""

from __future__ import annotations

import shlex
from collections import Counter
from typing import NamedTuple


class Command(NamedTuple):
    """A command line, and the name under which its output is recorded."""

    name: str
    arguments: tuple[str, ...]

    @property
    def form(self) -> str:
        """Return what --format says, else what the command prints by default."""
        if "--format" in self.arguments:
            return self.arguments[self.arguments.index("--format") + 1]
        return "text"


def read_commands(text: str) -> list[Command]:
    """Return the commands of lines of text; one that comes again has a number in its name."""
    count: Counter[str] = Counter()
    commands = []
    for line in text.replace("\\\n", " ").splitlines():
        arguments = tuple(shlex.split(line, comments=True))
        if arguments:
            name = shlex.join(arguments)
            count[name] += 1
            again = f" # {count[name]}" if count[name] > 1 else ""
            commands.append(Command(name + again, arguments))
    return commands


_RECORD = """
# The schema of an empty database
db check
db current --format json
task list
db upgrade --format json
db check --format json

# Tasks and rounds
task list --format json
task create web --title 'Simulated web search' --format json
task create drift
round create web 2021 --held 2021-11-16 --collection 'Crawl 1' --format json
round create web 2022 --held 2022-11-15
round create web 2023 --format csv
round set web 2023 --held 2023-11-14 --collection 'crawl 1' --format json
round set web 2023 --held 2023-11-14 --format json

# Every layout of score files
log web 2021 web-2021-ndcg.csv --measure nDCG@10 --teams teams-2021.csv --tool 'simulation 1' --format json
log web 2021 web-2021-p5.csv --measure P@5 --bounds 0 1 --zero-sd drop --format json
log web 2022 web-2022.tsv --measure nDCG@10 --layout long --teams teams-2022.csv --format json
log web 2022 web-2022.tsv --measure P@5
log web 2023 bm25-2023.eval rm3-2023.eval dense-2023.eval hybrid-2023.eval new1-2023.eval \
 new2-2023.eval new3-2023.eval new4-2023.eval --measure nDCG@10 --layout trec_eval --teams teams-2023.csv --format json
log web 2023 bm25-2023.eval rm3-2023.eval dense-2023.eval --measure p@5 --format csv
log web 2024 bm25-2024.txt rm3-2024.txt dense-2024.txt hybrid-2024.txt new1-2024.txt \
 new2-2024.txt new3-2024.txt new4-2024.txt --measure nDCG@10 --layout ir_measures --create --format json
log judged a new1-2024.jsonl new2-2024.jsonl new3-2024.jsonl --measure nDCG@10 --create --assessments crowd --format json
log judged a new1-2024.jsonl new3-2024.jsonl --measure nDCG@10 --format json
log ntcir 15 bm25-2025.nev rm3-2025.nev dense-2025.nev --measure MSnDCG@10 --layout ntcireval --create --format json
log ntcir 15 bm25-2025.nev rm3-2025.nev dense-2025.nev --measure Q --file-measure Q-measure --format json
log odd zero missing.csv --measure AP --missing zero --create --format json
log odd drop missing.csv --measure AP --missing drop-topic --create --format json
log odd tied tied.csv --measure AP --create --format json
log odd bounds above-one.csv --measure gain --bounds 0 3 --create --format json
log odd few few-topics.csv --measure RR --create --format json
log odd single one-run.csv --measure nERR@10 --create --format json
log web 2024 tied.csv --measure AP --assessments bronze --format json
log drift first drift-first.csv --measure AP --teams drift-first-teams.csv --create --format json
log drift same drift-same.csv --measure AP --teams drift-same-teams.csv --create
log drift moved drift-moved.csv --measure AP --teams drift-moved-teams.csv --create
log drift other drift-other.csv --measure AP --create

# The same again
log web 2021 web-2021-ndcg.csv --measure nDCG@10 --format json
log web 2021 web-2021-ndcg.csv --measure NDCG@10

# A round in draft, whose last matrix is 26
log draft d1 draft-1.csv --measure P@1 --teams draft-1-teams.csv --create
log draft d1 draft-2.csv --measure P@2 --teams draft-2-teams.csv
log draft d1 draft-3.csv --measure P@3 --teams draft-3-teams.csv
log draft d1 draft-4.csv --measure P@4 --format json
matrix list draft --format json
matrix show 26 --anonymous --format json
matrix export 26 --anonymous
rank draft d1 --measure P@4 --anonymous --resamples 50 --format json
standardise draft d1 --measure P@4 --anonymous --format csv

# Variances that were published
variance record paper 12 --measure nG@1 --value 0.1144 --runs 20 --topics 50 --source 'A table' --create --format json
variance record paper 13 --measure nG@1 --value 0.0943 --runs 16 --topics 100 --teams 5 --source 'Another table' --create
variance record paper 13 --measure nG@1 --value 0.0943 --runs 16 --topics 100 --teams 5 --source 'Another table' --format json
variance record paper 13 --measure nG@1 --value 0.0944 --runs 16 --topics 100 --teams 5 --source 'Another table' \
 --revise 'A misprint' --format json
variance record paper 12 --measure nG@1 --value 0.0123 --runs 20 --topics 50 --source 'A table' --scale std-ab --format csv
variance record web 2020 --measure nDCG@10 --value 0.05 --runs 12 --topics 40 --source 'A paper' --create --format json

# Variances
variance show web --measure nDCG@10 --format json
variance show web --measure nDCG@10 --pool-by topics
variance show web --measure nDCG@10 --scale std-ab --format json
variance show web --measure nDCG@10 --scale std-cdf --format csv
variance show judged --measure nDCG@10 --assessments crowd --assessments official --format json
variance show paper --measure nG@1 --format json
variance show odd --measure nERR@10 --format json
variance history web --format json
variance history web
variance history web --measure nDCG@10 --rounds 2021 --rounds 2023 --scale std-ab --format csv
variance pooled web --measure nDCG@10 --format json
variance pooled web --measure nDCG@10 --scale std-ab --pool-by topics --format json
variance pooled drift --measure AP --scale std-cdf --format csv
variance pooled drift --measure AP

# Standardisation factors
factors show web 2021 --measure nDCG@10 --format json
factors show web 2021 --measure P@5
factors fit web 2021 --measure nDCG@10 --runs all --reason 'All runs' --format json
factors fit web 2021 --measure nDCG@10 --runs bm25-2021 --runs rm3-2021 --runs dense-2021 --reason 'Baselines only'
factors fit web 2021 --measure nDCG@10 --runs dense-2021 --runs rm3-2021 --runs bm25-2021 --reason again --format json
factors fit odd tied --measure AP --runs alpha --runs beta --zero-sd drop --reason 'Two runs' --format json
factors show web 2021 --measure nDCG@10 --version 1 --format csv
standardise web 2021 --measure nDCG@10 --format json
standardise web 2021 --measure nDCG@10 --scale std --factors-version 1 --format csv
standardise web 2022 --measure nDCG@10 --scale e-std --factors-from 2021:2 --format json
standardise web 2022 --measure nDCG@10 --a 0.1 --b 0.4 --factors-from 2021 --format table
standardise web 2021 --measure P@5 --scale std-ab --format csv
standardise web 2021 --measure nDCG@10 --file web-2021-new-runs.csv --format json
standardise web web-2021-new-runs.csv --measure nDCG@10 --factors-from 2021 --scale std --layout wide
standardise web 2023 --measure nDCG@10 --file bm25-2023.eval --file-measure ndcg_cut_10 --scale e-std --format csv

# Statistics of rounds
rank web 2021 --measure nDCG@10 --resamples 200 --format json
rank web 2021 --measure nDCG@10 --scale std --versions 1 3 --resamples 200 --seed 3
rank web 2023 --measure nDCG@10 --scale std-cdf --resamples 100 --format csv
generalisability web --measure nDCG@10 --format json
generalisability web --measure nDCG@10 --round 2022 --target 0.9 --level 0.9 --m 5 --min-d 0.2
generalisability drift --measure AP --format csv
generalisability odd --measure RR --format json

# Drift
drift drift --measure AP --from first --to same --margin 1.5 --sd-ratio-margin 3 --format json
drift drift --measure AP --from first --to same --margin 1.5 --sd-ratio-margin 3
drift drift --measure AP --from first --to moved --format json
drift drift --measure AP --from first --to moved --min-d 0.05 --m 5
drift drift --measure AP --format json
drift drift --measure AP --to other
drift drift --measure AP --curve --format json
drift drift --measure AP --curve
drift drift --measure AP --to moved --save --note 'For the overview' --format json
drift drift --measure AP --to moved --save --format json
drift drift --measure AP --from same --to other --save --format csv
drift web --measure nDCG@10 --from 2021 --to 2023 --save
report list --format json
report show drift 1 --format json
report list
report show drift 2 --format csv

# Plans from a given variance
plan --variance 0.05
plan --variance 0.05 --format json
plan --variance 0.05 --format csv
plan --variance 0.05 --format latex
plan --variance 0.05 --protocol
plan --variance 0.05 --engine sakai --alpha 0.01 --beta 0.1 --m 3 --m 20 --min-d 0.1 --format json
plan --variance 0.5 --design paired-t --min-d 0.5 --format json
plan --variance 0.05 --design two-way --m 10 --min-d 0.1 --format json
plan --variance 0.05 --design tukey --m 4 --min-d 0.15 --format json
plan --variance 1 --design two-sample-t --min-d 0.5 --format json
plan --variance 0.05 --design paired-width --width 0.05 --width 0.3 --format json
plan --variance 0.05 --design paired-width --width 0.3 --protocol
plan --variance 0.05 --design two-sample-width --min-d 0.1 --format csv
plan --variance 0.05 --solve power --m 10 --min-d 0.1 --topics 50 --topics 100 --format json
plan --variance 0.05 --solve min-d --m 10 --topics 50 --format json
plan --solve variance --m 10 --min-d 0.1 --topics 50 --format json
plan --variance 0.05 --solve m --min-d 0.1 --topics 150 --format json
plan --variance 0.05 --solve power --design tukey --m 5 --min-d 0.1 --topics 60 --format json
plan --variance 0.05 --solve min-d --design two-way --m 5 --topics 60 --engine sakai --format csv
plan --variance 0.05 --solve min-d --design paired-width --topics 60 --format json

# Plans from a task
plan --task web --measure nDCG@10 --format json
plan --task web --measure nDCG@10
plan --task web --measure nDCG@10 --protocol
plan --task web --measure nDCG@10 --scale std-ab --pool-by topics --variance-at planning --format json
plan --task web --measure nDCG@10 --scale std-cdf --variance-at latest --design two-way --m 8 --min-d 0.1 --format json
plan --task drift --measure AP --design tukey --m 8 --min-d 0.1 --format json
plan --task drift --measure AP --design paired-t --min-d 0.05 --format json
plan --task drift --measure AP --design paired-t --variance-of conservative --min-d 0.05
plan --task drift --measure AP --design paired-width --width 0.1 --format csv
plan --task drift --measure AP --variance-at 0.07 --solve power --topics 40 --m 6 --min-d 0.2 --format json
plan --task paper --measure nG@1 --engine sakai --format csv

# Saved plans
plan save next --task web --measure nDCG@10 --m 10 --min-d 0.1 --note 'For 2026' --format json
plan save next --task web --measure nDCG@10 --m 10 --min-d 0.1 --note 'For 2026' --format json
plan save next --task web --measure nDCG@10 --m 20 --min-d 0.1 --scale std-ab
plan save pairs --task drift --measure AP --design paired-t --min-d 0.05 --format csv
plan save 'a guess' --variance 0.05 --format json
plan save 'from a table' --task paper --measure nG@1 --protocol
plan list --format json
plan list --task drift
plan show next --format json
plan show pairs --format latex

# Corrections, and what rests on them: 1 is nDCG@10 of web 2021, 27 its correction,
# 4 P@5 of web 2022, 21 AP of drift moved
impact 1 --format json
impact 21
matrix list web --measure nDCG@10 --format json
matrix show 1 --format json
matrix show 2
matrix history 1 --format json
matrix export 1
matrix export 1 --layout trec_eval --run bm25-2021
matrix export 1 --layout trec_eval --output exported --format json
matrix export 1 --layout long --output exported.csv
log web 2021 exported.csv --measure nDCG@10 --format json
matrix export 3 --output exported.csv --force --run rm3-2022 --format csv
log web 2021 web-2021-corrected.csv --measure nDCG@10 --teams teams-2021.csv --revise 'Topic 2 was judged again' --format json
log web 2022 web-2022.tsv --measure P@5 --teams teams-2022.csv --format json
matrix withdraw 4 --reason 'Wrong relevance assessments' --format json
matrix withdraw 4 --reason 'Again' --format json
matrix withdraw 21
matrix withdraw 21 --reason 'Wrong topics'
matrix restore 4 --reason 'They were right' --format json
matrix list web --all --format csv
matrix list drift
matrix show 21 --format json
matrix history 27 --format json
impact 1 --format json
impact 21 --format json
impact 21 --format csv
variance show web --measure nDCG@10 --format json
variance show drift --measure AP
factors show web 2021 --measure nDCG@10 --format json
plan list --format json
plan show next --format json
plan show pairs
report show drift 1 --format json
report show drift 1
report show web 1
plan save next --task web --measure nDCG@10 --m 20 --min-d 0.1 --scale std-ab --format json
drift web --measure nDCG@10 --from 2021 --to 2023 --save --format json
plan save pairs --task drift --measure AP --design paired-t --min-d 0.05 --format json
drift drift --measure AP --to moved --save --format json
matrix restore 21 --reason 'They were right after all'

# Publication
round publish web 2021 --reason 'The proceedings are out' --format json
round publish web 2021 --reason 'Again' --format json
log web 2021 web-2021-p5.csv --measure AP --zero-sd drop --revise 'A further measure' --format json
round publish draft d1
round list web --format json
task list --format json

# Dry runs
log web 2026 tied.csv --measure nDCG@10 --create --dry-run --format json
log web 2022 tied.csv --measure nDCG@10 --revise 'To see' --dry-run

# Events
events --format json
events --task web --round 2021
events --matrix 21 --format csv
events --what 'matrix withdrawn' --who organiser --since 2020-01-01 --limit 1 --format json

# Archives, backups and further servers
export tasks.zip --task web --format csv
export tasks.zip --task paper --task drift --force
export whole.zip --format json
db upgrade --database {second}
import whole.zip --database {second} --format json
variance show web --measure nDCG@10 --database {second} --format json
plan show next --format json --database {second}
report show drift 1 --database {second} --format json
impact 21 --database {second} --format json
events --database {second} --format json
db backup record.dump --format json
db restore record.dump --replace --database {second} --format json
db move --to {third} --format json
db check --database {third} --format json
variance pooled web --measure nDCG@10 --database {third} --format json
db grant {role} --as reader --format json
db grant {role} --as service

# Saved results, renewed after a correction, and the record verified: 3 is nDCG@10 of web 2022
result list --format json
result list web --kind plan
result show pairs --format json
matrix withdraw 3 --reason 'For what rests on it'
result list web --stale --format json
result renew web --stale --format json
matrix restore 3 --reason 'To renew it once more'
result renew next --format json
result renew web --stale
round verify web 2021 --format json
db verify --task paper
db verify --format json

# The program itself
--version
demo --format json
"""  # noqa: E501

_REFUSED = """
# Files
log web 2022 none.csv --measure nDCG@10
log odd new word.csv --measure AP --create
log odd new one-topic.csv --measure AP --create
log odd new empty.csv --measure AP --create
log odd new ambiguous.txt --measure P@5 --create
log odd new missing.csv --measure AP --create
log odd new tied.csv --measure AP --create --teams teams-of-others.csv
log odd new tied.csv --measure AP --create --teams teams-maybe.csv
log web 2022 tied.csv --measure nDCG@10
log web 2021 web-2021-ndcg.csv --measure RR
import web-2021-ndcg.csv
import whole.zip
export whole.zip
db restore web-2021-ndcg.csv --replace
db restore record.dump
matrix export 1 --output exported.csv

# Names
variance show none --measure AP
task create 'a	tab'
variance show web --measure MAP@7
variance show judged --measure nDCG@10
variance show web --measure nDCG@10 --assessments gold
factors show web 2021 --measure nDCG@10 --version 9
factors fit web 2021 --measure nDCG@10 --runs nobody --reason x
standardise odd single --measure nERR@10
plan show none
report show drift 9
rank web 2021 --measure nDCG@10 --anonymous
db grant nobody-at-all --as reader
db move --to {second}

# Options
plan --variance 0.05 --m 1
plan --variance -1
plan
plan --variance 0.05 --task web --measure nDCG@10
plan --variance 0.05 --solve power
plan --variance 0.05 --design paired-t --m 5
plan --variance 0.05 --design unknown
standardise web 2021 --measure nDCG@10 --scale std --a 0.2
drift drift --measure AP --margin -1
drift drift --measure AP --note x
variance history web --since yesterday
round set web 2023 --held 2020-01-01
log web 2022
log web 2022 tied.csv --measure AP --layout none
factors fit web 2021 --measure nDCG@10 --runs all --runs bm25-2021 --reason x
events --round 2021
task list --database ''
nonsense
"""

_SEVERAL = """
# Several measures at once, and teams that come late
log judged several web-2022.tsv --all-measures --teams teams-2022.csv --create --dry-run --format json
log judged several web-2022.tsv --measure P@5 --measure nDCG@10 --create --dry-run --format csv
round teams web 2022 teams-2022.csv --format json
round teams web 2022 teams-2021.csv
"""

_STUDIES = """
# What runs retrieved, and studies of a round, of files and of all rounds
run log web 2022 retrieved-2022.txt --format json
qrels log web 2022 qrels-2022.txt --format json
study discriminative-power drift first --measure AP --scale raw --scale std-ab --trials 200 --resamples 100 --format json
study discriminative-power drift first --measure AP --scale raw --scale std-ab --trials 200 --resamples 100
study discriminative-power --file tied.csv --measure AP --trials 100 --resamples 50 --plus-one --format csv
study discriminative-power drift first --measure AP --pairs --trials 200 --resamples 100 --format json
study discriminative-power drift first --measure AP --pairs --trials 200 --resamples 100 --format csv
study discriminative-power web --all-rounds --measure nDCG@10 --trials 100 --format json
study swap-rate drift first --measure AP --scale std-cdf --trials 100 --format json
study swap-rate --file drift-first.csv --measure AP --trials 100 --with-replacement
study incremental drift first --measure AP --difference 0.1 --trials 50 --format json
study incremental drift first --measure AP --difference 0.1 --trials 50
study change drift first same --measure AP --pivot 'system 1' --trials 200 --format json
study change drift first same --measure AP --pivot 'system 1' --trials 200
study leave-one-out drift first --measure AP --format json
study leave-one-out web 2022 --measure 'nDCG(gains=1:1,2:3)@10' --reassessed --pool-depth 5 --format json
study leave-one-out web 2022 --measure AP --reassessed --pool-depth 5
study leave-one-out drift --measure AP --all-rounds --format json
study leave-teams-out drift first --measure AP --trials 3 --format json
study leave-teams-out web 2022 --measure AP --mode reduce --pool-depth 5 --trials 3 --format json
study leave-teams-out web 2022 --measure AP --mode reduce --pool-depth 5 --trials 3
study topic-subsets drift first --measure AP --trials 20 --format json
study per-topic-variance web 2022 --trials 100 --format json
study per-topic-variance web 2022 --trials 100 --model kde --denominator fixed
study swap-rate drift first --measure AP --trials 50 --save turns
study leave-one-out drift --measure AP --all-rounds --save fair --format csv
result show turns
result list drift --kind study --format json
db verify --task drift --format json

# Refused
study discriminative-power --file one-run.csv --measure AP
study swap-rate --file few-topics.csv --measure AP
study leave-one-out --file drift-first.csv --measure AP --by team
study per-topic-variance drift first
study leave-one-out drift first --measure AP --reassessed
study discriminative-power drift --measure AP
study swap-rate drift none --measure AP
"""  # noqa: E501

# The refused ones are last, but for what logs nothing: what they rolled back may have used up
# numbers of matrices.
COMMANDS = read_commands(_RECORD + _REFUSED + _SEVERAL + _STUDIES)
