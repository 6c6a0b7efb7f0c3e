"""Names of measures: the spellings of evaluation tools, and Roundbook's canonical names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

# trec_eval 9 and 10 (`-m all_trec`, with -Z and preferences), as its own test output spells them.
_TREC_EVAL = (
    r"Z?(?:num_(?:q|ret|rel|rel_ret|nonrel_judged_ret)|relstring(?:_[0-9]+)?|runid|"
    r"(?:gm_)?map|map_cut_[0-9]+|map_avgjg|gm_bpref|bpref\w*|recip_rank|Rprec\w*(?:\.[0-9]+)?|"
    r"(?:relative_)?P_(?:avgjg_)?[0-9]+|(?:recall|success|unj)_[0-9]+|iprec_at_recall_[0-9.]+|"
    r"11pt_avg\S*|R?ndcg(?:_\S+)?|inf(?:AP|NDCG)|binG|rbp(?:_\S+)?|utility\S*|yaap|"
    r"set_(?:P|recall|map|F|relative_P)\S*|prefs_\S+|amean_\S+)"
)
# ir_measures: a name, parameters in brackets, a cutoff; and NTCIREVAL's names that carry none.
_IR_MEASURES = (
    r"(?:AP|MAP|RR|MRR|nDCG|MSnDCG|Rprec|Bpref|ERR|nERR|RBP|EBR|iRBU|infAP|Accuracy|BPM|Compat|"
    r"ERR_IA|nERR_IA|AP_IA|P_IA|alpha_n?DCG|α_n?DCG|n?NRBP|StRecall|INST|INSQ|IPrec|Judged|"
    r"NERR(?:8|9|10|11)|NumQ|NumRel|NumRet|SDCG|Set(?:P|R|F|AP)|Success|Q-measure|O-measure|"
    r"P-measure|P-plus|P\+|D#?-\w+|I-rec|Precision|Recall)(?:\(.*\))?(?:@[0-9n]+(?:\.[0-9]+)?)?|"
    r"[A-Za-zα][\w#-]{0,40}(?:\(.*\))?@[0-9]+(?:\.[0-9]+)?"
)
# ir_measures' NERR8 to NERR11 are C/W/L's "Nearly ERR" by equation number, not Sakai's
# normalised ERR nERR@10: only the exact name may choose one of them.
_NEARLY_ERR = re.compile(r"NERR(?:8|9|10|11)\b")

# The names that Roundbook records, those of ir_measures where it has the measure.
FAMILIES = (
    *("AP", "P", "R", "RR", "nDCG", "Rprec", "Bpref", "ERR", "RBP", "Success", "Judged", "IPrec"),
    *("infAP", "Accuracy", "BPM", "Compat", "INST", "INSQ", "SDCG", "iRBU", "EBR"),
    *("SetP", "SetR", "SetF", "SetAP", "NumQ", "NumRel", "NumRet"),
    *("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "AP_IA", "P_IA", "NRBP", "nNRBP", "StRecall"),
    *("MSnDCG", "nERR", "nG", "Q", "O-measure", "P-measure", "P+"),
)
# Measures whose scores lie between 0 and 1.
WITHIN_ONE = frozenset(FAMILIES) - {
    *("BPM", "INST", "INSQ", "SDCG", "EBR", "iRBU", "Compat", "NumQ", "NumRel", "NumRet"),
    *("alpha_DCG", "NRBP", "nNRBP"),
}
# Those names by every spelling, in lower case and with _ for -.
FAMILY_OF = {family.lower().replace("-", "_"): family for family in FAMILIES} | {
    spelling: family
    for family, spellings in {
        "AP": ("map", "mean average precision", "average precision"),
        "RR": ("mrr", "recip_rank", "reciprocal rank"),
        "P": ("precision",),
        "R": ("recall",),
        "Q": ("q_measure",),
        "P+": ("p_plus",),
        "Rprec": ("r_prec", "rprecision"),
        "SetP": ("set_p",),
        "SetR": ("set_recall",),
        "SetF": ("set_f",),
        "SetAP": ("set_map",),
        "NumQ": ("num_q",),
        "NumRel": ("num_rel",),
        "NumRet": ("num_ret",),
        "AP_IA": ("map_ia",),
        "StRecall": ("strec",),
        "alpha_DCG": ("α_dcg",),
        "alpha_nDCG": ("α_ndcg",),
    }.items()
    for spelling in spellings
}
# trec_eval's names with a cutoff, as it prints them and as its option -m takes them.
_TREC_EVAL_CUTOFF = re.compile(
    r"(?:(map_cut|ndcg_cut|recall|success|iprec_at_recall)[_.]|(P)[_.]?)"
    r"([0-9]{1,9}(?:\.[0-9]{1,9})?)",
    re.IGNORECASE | re.ASCII,
)
_BEFORE_CUTOFF = {
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "p": "P",
    "recall": "R",
    "success": "Success",
    "iprec_at_recall": "IPrec",
}
_NAME = re.compile(
    r"(?P<family>[^()@]+)(?:\((?P<parameters>[^()]*)\))?(?:@\s*(?P<cutoff>[0-9]+(?:\.[0-9]+)?))?"
)
# A comma within gains=1:1,2:3 begins no parameter.
_NEXT_PARAMETER = re.compile(r",(?![^=,]*:)")
# Default parameters of measures, which canonical names leave out.
_DEFAULTS = {
    *(("AP", "denominator", "R"), ("AP", "rel", "1"), ("P", "rel", "1"), ("RBP", "rel", "1")),
    *(("Q", "beta", "1"), ("P+", "beta", "1")),
}


def is_measure_like(name: str) -> bool:
    """Return whether a name is a measure of a known evaluation tool."""
    # Compiled here, on first use: every command imports this module, and few read a file.
    return any(re.fullmatch(names, name, re.IGNORECASE) for names in (_TREC_EVAL, _IR_MEASURES))


def clean_measure(name: str) -> str:
    """Return a measure's name in NFC, without surplus space."""
    return " ".join(normalize("NFC", name).split())


@lru_cache(maxsize=1024)  # one command asks for the same few again and again
def canonical_measure(name: str) -> str:
    """Return the canonical name of a measure from any tool's spelling.

    That is ir_measures' name, with parameters in the order of their names, gains in that of the
    grades, numbers without padding, and without parameters at their defaults: ``nDCG@10`` for
    ``ndcg_cut_10``. Of any other name surplus space, the order of parameters and the zeros before
    a cutoff change.

    Examples
    --------
    >>> [canonical_measure(name) for name in ("map", "P_10", "MSnDCG@0010", "rbp(p=0.80)")]
    ['AP', 'P@10', 'MSnDCG@10', 'RBP(p=0.8)']
    >>> canonical_measure("clicks per query")
    'clicks per query'
    """
    name = clean_measure(name)
    if _NEARLY_ERR.match(name):
        return name
    if cut := _TREC_EVAL_CUTOFF.fullmatch(name):
        return f"{_BEFORE_CUTOFF[(cut[1] or cut[2]).lower()]}@{_number(cut[3])}"
    if name.lower() == "num_rel_ret":
        return "NumRet(rel=1)"
    parts = split_measure(name)
    if parts is None:
        return name
    family = FAMILY_OF.get(parts.family.lower().replace("-", "_"), parts.family)
    parameters = ",".join(
        f"{key}={value}"
        for key, value in sorted(parts.parameters.items())
        if (family, key, value) not in _DEFAULTS
    )
    return (
        family
        + (f"({parameters})" if parameters else "")
        + (f"@{_number(parts.cutoff)}" if parts.cutoff else "")
    )


class MeasureParts(NamedTuple):
    """The parts of a measure's name: its family, parameters by name, and the cutoff as text."""

    family: str
    parameters: dict[str, str]
    cutoff: str | None


def split_measure(name: str) -> MeasureParts | None:
    """Return the parts of ``family(parameter=value, ...)@cutoff``, None of any other name."""
    match = _NAME.fullmatch(name)
    parameters = split_parameters((match and match["parameters"]) or "")
    if match is None or parameters is None:
        return None
    return MeasureParts(match["family"].strip(), parameters, match["cutoff"])


def split_parameters(text: str) -> dict[str, str] | None:
    """Return the parameters in a measure's brackets by name, numbers without padding.

    None if a part is no ``name=value``, or a name comes twice.
    """
    parameters: dict[str, str] = {}
    for part in filter(None, map(str.strip, _NEXT_PARAMETER.split(text))):
        key, _, value = map(str.strip, part.partition("="))
        if not key or not value or key in parameters:
            return None
        parameters[key] = _gains(value) if ":" in value else _parameter(value)
    return parameters


def is_known_measure(name: str) -> bool:
    """Return whether a canonical name is that of a known measure, whatever its parameters."""
    match = _NAME.fullmatch(name)
    return match is not None and match["family"] in FAMILIES


def is_within_one(name: str) -> bool:
    """Return whether scores of a measure of this canonical name lie between 0 and 1."""
    parts = split_measure(name)
    return parts is not None and parts.family in WITHIN_ONE


def measure_key(name: str) -> str:
    """Return a key equal for all spellings of a measure.

    It is in lower case, but for NERR8 to 11, which are other measures in capitals.
    """
    name = canonical_measure(name)
    return name if _NEARLY_ERR.match(name) else name.lower()


def _number(text: str) -> str:
    if not re.fullmatch(r"[0-9]{0,9}\.?[0-9]{1,9}", text, re.ASCII):
        return text
    return repr(float(text)) if "." in text else str(int(text))


def _gains(text: str) -> str:
    """Return gains in canonical form, ``1:1,2:3`` for ``{2:3, 0:0, 1:1.0}``; other texts as is."""
    pairs = [tuple(map(str.strip, pair.split(":"))) for pair in text.strip("{}").split(",")]
    if not all(len(pair) == 2 and re.fullmatch(r"-?[0-9]{1,9}", pair[0]) for pair in pairs):
        return text
    return ",".join(
        f"{int(grade)}:{_parameter(gain)}"
        for grade, gain in sorted(pairs, key=lambda pair: int(pair[0]))
        if (int(grade), _parameter(gain)) != (0, "0")
    )


def _parameter(text: str) -> str:
    return _number(text).removesuffix(".0")
