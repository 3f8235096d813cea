"""What training makes small.

B batch, T target length, V vocabulary.
"""

import torch.nn.functional as F
from torch import Tensor

from regard.text.symbols import PAD


def smoothed_cross_entropy(logits: Tensor, wanted: Tensor, smoothing: float) -> Tensor:
    """Mean over the wanted tokens of -(1-s) log p(wanted) - s/V sum log p (Szegedy et al. 2016, section 7).

    logits [B, T, V], wanted [B, T]; what is filled with PAD does not count.
    """
    return F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD, label_smoothing=smoothing)
