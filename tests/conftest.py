"""What all tests share."""

import signal

import torch
from hypothesis import settings

# The tensors here are small: a second thread costs more than it gives, and very much more beside a busy neighbour.
torch.set_num_threads(1)

# Who starts the tests behind `&` or nohup may have Ctrl-C ignored, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says how busy the machine is.
settings.register_profile("regard", deadline=None)
settings.load_profile("regard")
