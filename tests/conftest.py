"""What all tests share."""

import torch

# The tensors here are small: a second thread costs more than it gives, and very much more beside a busy neighbour.
torch.set_num_threads(1)
