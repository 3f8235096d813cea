"""attend: score -> hide -> softmax -> mix, four pure functions; one fused kernel when nobody watches.

B batch, H heads, T queries, S keys, K key width, V value width.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention.probe import Probe
from regard.attention.scores import Score, dot, scaled_dot


def hide(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Minus infinity where the mask does not let through."""
    return scores if mask is None else scores.masked_fill(~mask, float("-inf"))


def softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """weights = exp(score) / sum of exp(score) over the keys. A row with every key hidden becomes zeros, not NaN."""
    weights = scores.softmax(-1)
    return weights if mask is None else weights.masked_fill(~mask, 0.0)


def mix(weights: Tensor, v: Tensor) -> Tensor:
    """Each query's answer: the values, weighted and summed. [..., T, S] x [..., S, V] -> [..., T, V]"""
    return weights @ v


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    *,
    score: Score = scaled_dot,
    probe: Probe | None = None,
    dropout: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """softmax(score(q, k)) v (Vaswani et al. 2017, equation 1): q [B,H,T,K], k [B,H,S,K], v [B,H,S,V] -> [B,H,T,V].

    Where q has several times the rows of k and v, so many of its rows look at the same keys: a sentence's beams. The
    mask hides the same from each then.
    """
    watched = probe is not None and probe.watched
    if (several := q.size(0) // k.size(0)) > 1:
        if not watched:
            return apart(attend(together(q, several), k, v, mask, score=score, dropout=dropout), several)
        k, v = k.repeat_interleave(several, 0), v.repeat_interleave(several, 0)
        mask = None if mask is None else mask.repeat_interleave(several, 0)
    if not watched and dropout is None and fused_pays(q, score):
        scale = 1.0 if score is dot else None  # None: 1 / sqrt(K)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
    see = probe if probe is not None and watched else unseen
    q, k, v = see("q", q), see("k", k), see("v", v)
    scores = see("scores", score(q, k))
    hidden = see("masked", hide(scores, mask))
    weights = see("weights", softmax(hidden, mask))
    return see("mix", mix(weights if dropout is None else dropout(weights), v))


def together(q: Tensor, several: int) -> Tensor:
    """The queries of several rows as one row's: [B * R, H, T, K] -> [B, H, R * T, K]"""
    return q.unflatten(0, (-1, several)).transpose(1, 2).flatten(2, 3)


def apart(answers: Tensor, several: int) -> Tensor:
    """Each row's answers by themselves again: [B, H, R * T, V] -> [B * R, H, T, V]"""
    return answers.unflatten(2, (several, -1)).transpose(1, 2).flatten(0, 1)


def unseen(name: str, value: Tensor) -> Tensor:
    return value


def fused_pays(q: Tensor, score: Score) -> bool:
    """Whether torch's fused kernel can do it and is the faster way.

    On a processor in bfloat16 it takes 2 to 4 times as long, forward and backward, as plain products at sentence
    lengths (`make bench-attend` prints it); in float32 it is as fast or faster, on a GPU faster in both.
    """
    if score is not dot and score is not scaled_dot:
        return False
    return q.dtype != torch.bfloat16 or q.device.type != "cpu"


def attend_plainly(x: Tensor) -> Tensor:
    """Self-attention without any parameters, the articles' first version: y = softmax(x x^T) x; x [..., T, D]."""
    return mix(softmax(dot(x, x), None), x)
