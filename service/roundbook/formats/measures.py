"""Measure names as the evaluation tools spell them, and which one the user means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from roundbook.errors import BadFileError
from roundbook.formats.table import shown

# trec_eval 9 and 10 (`-m all_trec`, with -Z and preferences), as its own test output spells them.
_TREC_EVAL = re.compile(
    r"Z?(?:num_(?:q|ret|rel|rel_ret|nonrel_judged_ret)|relstring(?:_[0-9]+)?|runid|"
    r"(?:gm_)?map|map_cut_[0-9]+|map_avgjg|gm_bpref|bpref\w*|recip_rank|Rprec\w*(?:\.[0-9]+)?|"
    r"(?:relative_)?P_(?:avgjg_)?[0-9]+|(?:recall|success|unj)_[0-9]+|iprec_at_recall_[0-9.]+|"
    r"11pt_avg\S*|R?ndcg(?:_\S+)?|inf(?:AP|NDCG)|binG|rbp(?:_\S+)?|utility\S*|yaap|"
    r"set_(?:P|recall|map|F|relative_P)\S*|prefs_\S+|amean_\S+)",
    re.IGNORECASE,
)
# ir_measures: a name, parameters in brackets, a cutoff; and NTCIREVAL's names that carry none.
_IR_MEASURES = re.compile(
    r"(?:AP|MAP|RR|MRR|nDCG|MSnDCG|Rprec|Bpref|ERR|nERR|RBP|EBR|iRBU|infAP|Accuracy|BPM|Compat|"
    r"ERR_IA|nERR_IA|AP_IA|P_IA|alpha_n?DCG|α_n?DCG|n?NRBP|StRecall|INST|INSQ|IPrec|Judged|"
    r"NERR(?:8|9|10|11)|NumQ|NumRel|NumRet|SDCG|Set(?:P|R|F|AP)|Success|Q-measure|O-measure|"
    r"P-measure|P-plus|D#?-\w+|I-rec|Precision|Recall)(?:\(.*\))?(?:@[0-9n]+(?:\.[0-9]+)?)?|"
    r"[A-Za-zα][\w#-]{0,40}(?:\(.*\))?@[0-9]+(?:\.[0-9]+)?",
    re.IGNORECASE,
)
# ir_measures' NERR8 to NERR11 are C/W/L's "Nearly ERR" by equation number, not Sakai's
# normalised ERR nERR@10: only the exact name may choose one of them.
_NEARLY_ERR = re.compile(r"NERR(?:8|9|10|11)\b")

_Rewrite = str | Callable[[re.Match[str]], str]


def _cutoff(name: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{name}@{int(match[1])}"


_ALIASES: tuple[tuple[re.Pattern[str], _Rewrite], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), rewrite)
    for pattern, rewrite in (
        (r"(?:map|mean average precision|average precision)", "ap"),
        (r"(?:recip_rank|mrr)", "rr"),
        (r"(?:r-prec|r_prec|rprecision)", "rprec"),
        (r"q-measure", "q"),
        (r"set_P", "setp"),
        (r"set_recall", "setr"),
        (r"map(?:_cut_|@)0*([0-9]{1,9})", _cutoff("ap")),
        (r"ndcg_cut_0*([0-9]{1,9})", _cutoff("ndcg")),
        (r"(?:p_|precision@)0*([0-9]{1,9})", _cutoff("p")),
        (r"(?:recall_|recall@)0*([0-9]{1,9})", _cutoff("r")),
        (r"(?:success_)0*([0-9]{1,9})", _cutoff("success")),
        (r"(?:mrr|recip_rank)@0*([0-9]{1,9})", _cutoff("rr")),
        (r"q-measure@0*([0-9]{1,9})", _cutoff("q")),
    )
)
_PADDED = re.compile(r"(.*@)0*([0-9]{1,9})")
_MAX_MEASURES = 10_000


def is_measure_like(name: str) -> bool:
    """Tell whether a known evaluation tool writes measures of this name."""
    return bool(_TREC_EVAL.fullmatch(name) or _IR_MEASURES.fullmatch(name))


def canonical_measure(name: str) -> str:
    """Return one spelling for the names that are known to mean the same measure."""
    if _NEARLY_ERR.match(name):
        return name
    for pattern, rewrite in _ALIASES:
        if match := pattern.fullmatch(name):
            return rewrite if isinstance(rewrite, str) else rewrite(match)
    # NTCIREVAL pads cutoffs: MSnDCG@0010.
    padded = _PADDED.fullmatch(name)
    return f"{padded[1]}{int(padded[2])}".lower() if padded else name.lower()


def choose_measure(names: Iterable[str], measure: str, file_measure: str | None, file: str) -> str:
    """Return the one of a file's measures that the user means.

    Parameters
    ----------
    names : iterable of str
        The names in the file.
    measure : str
        The measure's name in the record; tried exactly, then in any case, then by its aliases.
    file_measure : str or None
        The name in the file, if the user gave it; only an exact match counts.
    file : str

    Raises
    ------
    BadFileError
        If no measure of the file fits, or several do.
    """
    names = list(dict.fromkeys(names))
    if len(names) > _MAX_MEASURES:
        raise BadFileError(
            f"the file names {len(names)} measures; check which column holds them",
            file,
            way_out="too many measures",
        )
    wanted = measure if file_measure is None else file_measure
    if wanted in names:
        return wanted
    if file_measure is None:
        for spelt in (_in_any_case, canonical_measure):
            fitting = [name for name in names if spelt(name) == spelt(wanted)]
            if len(fitting) > 1:
                raise BadFileError(
                    f"the measures {_listed(fitting)} of this file could all be {wanted}",
                    file,
                    way_out="several measures",
                )
            if fitting:
                return fitting[0]
    if len(names) == 1:
        raise BadFileError(
            f"the file holds the measure {_listed(names)}, not {wanted}",
            file,
            way_out="another measure",
        )
    raise BadFileError(
        f"the file holds no measure {wanted}, but {_listed(names)}",
        file,
        way_out="other measures",
    )


def _in_any_case(name: str) -> str:
    return name if _NEARLY_ERR.match(name) else name.lower()


def _listed(names: list[str], limit: int = 40) -> str:
    more = len(names) - limit
    short = [name if name.isprintable() and len(name) <= 80 else shown(name) for name in names]
    return ", ".join(short[:limit]) + (f" and {more} more" if more > 0 else "")
