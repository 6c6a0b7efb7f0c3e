"""Fields that several requests have."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from roundbook.limits import MOST_COUNTED, MOST_TOPICS

VarianceScale = Literal["raw", "std-ab", "std-cdf"]
StandardisedScale = Literal["std", "std-cdf", "std-ab"]
PoolBy = Literal["dof", "topics"]
ZeroSd = Literal["average", "drop"]
Layout = Literal["auto", "wide", "long", "trec_eval", "ir_measures", "ntcireval"]
Missing = Literal["reject", "zero", "drop-topic"]

# The default label of assessments.
DEFAULT_ASSESSMENTS = "official"
# Scores that differ by no more are the same: tools print 4 digits.
ROUNDING = 1e-4


def _between(share: float, info: ValidationInfo) -> float:
    if not 0 < share < 1:
        raise ValueError(f"`{info.field_name}` must be between 0 and 1, not {share:g}")
    return share


Share = Annotated[float, AfterValidator(_between)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
# Of a topic set size design.
RunsToCompare = Annotated[int, Field(ge=2, le=MOST_COUNTED)]
TopicSetSize = Annotated[int, Field(ge=2, le=MOST_TOPICS)]

TaskName = Annotated[str, Field(description="The task's name.")]
MatrixNumber = Annotated[
    int, Field(description="The score matrix's number, as the list of them has it.")
]
RoundLabel = Annotated[str, Field(description="The round's label.")]
MeasureName = Annotated[str, Field(description="The measure: nDCG@10, AP, RBP(p=0.8), ...")]
Assessments = Annotated[
    str | None, Field(description="Which assessments, where there are several.")
]
MixedAssessments = Annotated[
    tuple[str, ...],
    Field(
        description="Which assessments, where there are several. Repeat it to mix them: each round"
        " counts by the first of them that it has."
    ),
]
Anonymous = Annotated[
    bool,
    Field(description="Hide the teams behind pseudonyms, until the round is published."),
]
ScoresScale = Annotated[VarianceScale, Field(description="The scale of the scores.")]
Weights = Annotated[
    PoolBy, Field(description="Weigh rounds by runs x (topics - 1), or by topics - 1.")
]
Create = Annotated[bool, Field(description="Make the task and round if needed.")]
Revise = Annotated[
    str | None,
    Field(description="Replace what is recorded by a new revision, for this reason."),
]
SeenRevision = Annotated[
    int | None,
    Field(
        description="The latest revision that the person who revises has seen, 0 for none; a later"
        " one is not revised. (default: the latest when it is asked)",
    ),
]
FirstN = Annotated[
    int | None, Field(ge=1, le=10**9, description="Only the first N. (default: all)")
]
DryRun = Annotated[bool, Field(description="Do it all, say what came out, write nothing.")]
FileMeasure = Annotated[
    str | None, Field(description="What the files call the measure, if otherwise.")
]
