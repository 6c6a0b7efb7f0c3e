"""Readers of TREC run files and relevance assessments (qrels), as arrays of document numbers."""

from roundbook.formats.trec.qrels import QrelsFile, read_qrels
from roundbook.formats.trec.runs import RankedList, RunFiles, read_runs

__all__ = ["QrelsFile", "RankedList", "RunFiles", "read_qrels", "read_runs"]
