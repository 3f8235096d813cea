"""Matrix factorization: how much a user will like an item, the articles' picture of what a dot product means.

B batch, D width.
"""

import torch
from torch import Tensor, nn

from regard.models.embedding import Embedding
from regard.models.interface import Ratings
from regard.recipe import FactorizationSpec

SMALL = 0.1  # the first vectors are small, so that the biases speak first


class Factorization(Ratings):
    """rating = mean + b_user + b_item + p_user . q_item (Koren, Bell and Volinsky 2009, equation 4)"""

    def __init__(self, spec: FactorizationSpec, users: int, items: int) -> None:
        super().__init__()
        self.user, self.item = Embedding(users, spec.width, SMALL), Embedding(items, spec.width, SMALL)
        self.user_bias, self.item_bias = nn.Parameter(torch.zeros(users)), nn.Parameter(torch.zeros(items))
        self.mean = nn.Parameter(torch.zeros(()))

    def forward(self, users: Tensor, items: Tensor) -> Tensor:
        matched: Tensor = (self.user(users) * self.item(items)).sum(-1)
        return self.mean + self.user_bias[users] + self.item_bias[items] + matched
