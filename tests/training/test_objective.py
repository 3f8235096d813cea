import math

import pytest
import torch

from regard.training.objective import smoothed_cross_entropy


def test_by_hand():
    # Three pieces with logits ln 1, ln 2, ln 5 have probabilities 1/8, 2/8, 5/8. Wanted is the last (here id 2):
    # plain -ln(5/8); smoothed by 0.3: 0.7 * -ln(5/8) - 0.1 * (ln(1/8) + ln(2/8) + ln(5/8)). The second is PAD.
    logits = torch.tensor([[[1.0, 2.0, 5.0], [9.0, 1.0, 4.0]]]).log()
    wanted = torch.tensor([[2, 1]])
    plain = -math.log(5 / 8)
    assert smoothed_cross_entropy(logits, wanted, 0.0).item() == pytest.approx(plain, abs=1e-6)
    smooth = 0.7 * plain - 0.1 * (math.log(1 / 8) + math.log(2 / 8) + math.log(5 / 8))
    assert smoothed_cross_entropy(logits, wanted, 0.3).item() == pytest.approx(smooth, abs=1e-6)
