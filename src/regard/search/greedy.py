"""Greedy search: at each step the likeliest token, and no way back."""

from torch import Tensor

from regard.models.interface import Seq2Seq
from regard.search.beams import best
from regard.search.loop import Plan, search
from regard.search.rules import Rules, SearchOptions
from regard.search.steps import Steps


class GreedyOptions(SearchOptions):
    """Greedy search has no options of its own."""


def greedy(model: Seq2Seq, source: Tensor, lengths: Tensor, options: GreedyOptions) -> Steps:
    """One hypothesis for each sentence of source [B, S], of which the first lengths [B] count."""
    return search(model, source, lengths, Rules(options, source.size(0), source.device), Plan(best))
