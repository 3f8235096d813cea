"""What a search finds, whoever runs it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hypothesis:
    """One answer to a sentence."""

    ids: tuple[int, ...]  # without the start token and the end token
    log_prob: float  # the sum over all ids, and the end token where it ended
    log_probs: tuple[float, ...]  # of each of them; none where the engine tells the sum alone
    score: float  # log_prob / length ** length_penalty, the end token counted: what hypotheses are ranked by
    ended: bool  # by the end token; otherwise the limit cut it

    @property
    def mean(self) -> float:
        """The log-probability of a token."""
        return self.log_prob / max(len(self.ids) + self.ended, 1)
