"""What every search is told: where it starts and ends, and which tokens may come next.

B sentences, N of them still searched, K beams, T tokens so far, V vocabulary.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.errors import InputError
from regard.search.beams import Beams


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchOptions:
    """What greedy, beam and sampling have in common."""

    start: int  # the token that a target begins with; it is read first and belongs to no hypothesis
    end: int  # the token that ends a hypothesis
    limit: int | Sequence[int] | Tensor  # how many tokens at most, the end token counted: for all, or for each sentence
    banned: Sequence[int] = ()  # tokens never chosen (padding, unknown, begin), unless a prefix or phrase wants them
    no_repeat: int = 0  # no sequence of so many tokens comes twice, the start token counted; 0: all may
    prefix: Sequence[Sequence[int]] = ()  # for each sentence the tokens it must begin with; its log_probs count

    def __post_init__(self) -> None:
        limits = torch.as_tensor(self.limit)
        if limits.dim() > 1 or not limits.numel() or int(limits.min()) < 1:
            raise InputError(f"limit is {limits.tolist()}; it must be 1 token or more, for all or for each sentence")
        if self.no_repeat < 0:
            raise InputError(f"no_repeat is {self.no_repeat}; it must be 0 (all may repeat) or a number of tokens")
        if (lowest := min(self.named())) < 0:
            raise InputError(f"token {lowest}; tokens are numbered from 0")
        if any(self.end in prefix for prefix in self.prefix):
            raise InputError(f"a prefix contains the end token {self.end}; nothing could follow it")

    def named(self) -> Iterable[int]:
        """All tokens that the options speak of."""
        return [self.start, self.end, *self.banned, *(token for prefix in self.prefix for token in prefix)]


def one_each(name: str, given: int, batch: int) -> None:
    """Refuses a list of other than one entry a sentence."""
    if given != batch:
        raise InputError(f"{name} for {given} sentences; the batch has {batch}: one entry each")


class Rules:
    """The options laid out for one batch: each sentence's limit and prefix, and what they forbid at a step."""

    def __init__(self, options: SearchOptions, batch: int, device: torch.device) -> None:
        if batch == 0:
            raise InputError("an empty batch; give at least one sentence")
        limits = torch.as_tensor(options.limit, device=device)
        if limits.dim():
            one_each("limit", limits.numel(), batch)
        if options.prefix:
            one_each("prefix", len(options.prefix), batch)
        self.options = options
        self.limits = limits.expand(batch)  # [B]
        self.prefixes = [list(prefix) for prefix in options.prefix] or [[] for _ in range(batch)]
        self.banned = torch.tensor(list(options.banned), dtype=torch.long, device=device)
        for i, (prefix, limit) in enumerate(zip(self.prefixes, self.limits.tolist(), strict=True)):
            if len(prefix) > limit:
                raise InputError(f"sentence {i}: a prefix of {len(prefix)} tokens; its limit is {limit}")

    def check_vocabulary(self, size: int) -> None:
        if (highest := max(self.options.named())) >= size:
            raise InputError(f"token {highest}; this model's target tokens are 0 to {size - 1}")

    def forbid(self, totals: Tensor, beams: Beams) -> Tensor:
        """totals [N, K, V], the score of every continuation, becomes minus infinity where it may not be; in place."""
        forced, tokens = self.forced(beams)
        wanted = totals[forced, :, tokens]
        if len(self.banned):
            totals[..., self.banned] = -torch.inf
        if self.options.no_repeat:
            forbid_repeats(totals, beams.ids, self.options.no_repeat)
        totals[forced] = -torch.inf
        totals[forced, :, tokens] = wanted
        return totals

    def forced(self, beams: Beams) -> tuple[Tensor, Tensor]:
        """The rows still within their prefix, and what it wants of each next."""
        prefixes = [self.prefixes[sentence] for sentence in beams.sentences.tolist()]
        pairs = [(row, prefix[beams.time]) for row, prefix in enumerate(prefixes) if len(prefix) > beams.time]
        rows, tokens = torch.tensor(pairs, dtype=torch.long, device=self.banned.device).view(-1, 2).unbind(1)
        return rows, tokens


def forbid_repeats(totals: Tensor, ids: Tensor, size: int) -> None:
    """Forbids what would make, with the end of ids [N, K, T], `size` tokens seen before (Paulus et al. 2018, 2.5)."""
    if ids.size(-1) < size:
        return
    seen = ids.unfold(-1, size, 1)  # [N, K, T - size + 1, size]
    newest = ids[..., ids.size(-1) - size + 1 :]  # the beginning of what might come again
    again = (seen[..., :-1] == newest[:, :, None]).all(-1)
    row, beam, place = again.nonzero(as_tuple=True)
    totals[row, beam, seen[row, beam, place, -1]] = -torch.inf
