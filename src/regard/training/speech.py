"""The last layer and its loss in one: logits are made, turned into their gradients and used, a few rows at a time.

What a plain cross-entropy keeps for the way back, N x V numbers several times over, is half the time of a training step
on a processor: memory is fetched, filled and read again. Here a block of logits stays in the cache, and the gradients
of features and weights are made on the way out.

N rows, D width, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor

ROWS = 1024  # rows of logits that are worked on at once: with 8,000 pieces in bfloat16 they are 16 MB
PAIRS = 128  # rows of both dropouts' logits, likewise: they are worked on in float32
TINY = 1e-37  # the smallest probability whose logarithm is taken


def smoothed_loss(
    x: Tensor, weight: Tensor, bias: Tensor | None, wanted: Tensor, smoothing: float, dtype: torch.dtype
) -> Tensor:
    """sum over rows n of -(1-s) log p_n(wanted_n) - s/V sum over v of log p_n(v), with p_n = softmax(W x_n + b).

    x [N, D], weight [V, D], bias [V], wanted [N]; the products are made in `dtype`, sums in float32.
    """
    loss: Tensor = SmoothedLoss.apply(x, weight, bias, wanted, smoothing, dtype)  # type: ignore[no-untyped-call]
    return loss


class SmoothedLoss(torch.autograd.Function):
    """With the smoothed target q = (1-s) onehot(wanted) + s/V (Szegedy et al. 2016), the logits' gradient is p - q.

    Its part -s/V is the same for all pieces of a row: it is added to the sums at the end, not written N x V times.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, wanted: Tensor, smoothing: float, dtype: torch.dtype
    ) -> Tensor:
        learns = any(ctx.needs_input_grad)
        size, mean, mean_bias = weight.size(0), weight.mean(0), 0.0 if bias is None else float(bias.mean())
        x, narrow, narrow_bias = x.to(dtype), weight.to(dtype), None if bias is None else bias.to(dtype)
        x_grad, weight_grad = torch.empty_like(x), torch.zeros_like(weight)
        bias_grad = None if bias is None else torch.zeros_like(bias)
        loss = weight.new_zeros(())
        logits = x.new_empty(min(ROWS, x.size(0)), size)
        for rows, said, rows_grad in zip(x.split(ROWS), wanted[:, None].split(ROWS), x_grad.split(ROWS), strict=True):
            p = logits[: rows.size(0)]
            product(rows, narrow, narrow_bias, p)
            own = p.gather(1, said).float()
            torch.softmax(p, -1, out=p)
            log_p = p.gather(1, said).float().clamp_min(TINY).log()
            mean_logits = rows.float() @ mean + mean_bias
            loss -= log_p.sum() + smoothing * (mean_logits - own[:, 0]).sum()  # log sum exp = own - log_p
            if learns:
                p.scatter_add_(1, said, p.new_full(said.shape, smoothing - 1))
                torch.mm(p, narrow, out=rows_grad)
                weight_grad += p.T @ rows
                if bias_grad is not None:
                    bias_grad += p.sum(0, dtype=torch.float32)
        if learns:
            x_grad -= (smoothing * mean).to(dtype)
            weight_grad -= (smoothing / size) * x.sum(0, dtype=torch.float32)
            if bias_grad is not None:
                bias_grad -= smoothing * x.size(0) / size
            ctx.save_for_backward(x_grad, weight_grad, bias_grad)
        return loss

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x_grad, weight_grad, bias_grad = ctx.saved_tensors
        (scale,) = grads
        return (
            x_grad.float().mul_(scale),
            weight_grad * scale,
            None if bias_grad is None else bias_grad * scale,
            None,
            None,
            None,
        )


def product(rows: Tensor, weight: Tensor, bias: Tensor | None, out: Tensor) -> None:
    """rows [N, D] x weight [V, D] + bias [V] -> out [N, V]"""
    if bias is None:
        torch.mm(rows, weight.T, out=out)
    else:
        torch.addmm(bias, rows, weight.T, out=out)


def agreeing_loss(
    x: Tensor,
    y: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    wanted: Tensor,
    smoothing: float,
    alpha: float,
    dtype: torch.dtype,
) -> Tensor:
    """R-Drop (Liang et al. 2021, equation 4), halved: (L(p) + L(q)) / 2 + alpha / 4 (KL(p || q) + KL(q || p)).

    p and q are what two dropouts say to the same rows: x and y [N, D].
    """
    loss: Tensor = AgreeingLoss.apply(x, y, weight, bias, wanted, smoothing, alpha, dtype)  # type: ignore[no-untyped-call]
    return loss


class AgreeingLoss(torch.autograd.Function):
    """With d = log p - log q, the gradient of KL(p||q) + KL(q||p) by the logits of p is p (d - KL(p||q)) + p - q.

    With half the smoothed loss's it is p (1/2 + a - a KL(p||q) + a d) - a q - (1-s)/2 onehot - s/2V, a = alpha / 4.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        y: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        wanted: Tensor,
        smoothing: float,
        alpha: float,
        dtype: torch.dtype,
    ) -> Tensor:
        learns, a = any(ctx.needs_input_grad), alpha / 4
        size, mean, mean_bias = weight.size(0), weight.mean(0), 0.0 if bias is None else float(bias.mean())
        features = torch.stack((x, y)).to(dtype)
        narrow, narrow_bias = weight.to(dtype), None if bias is None else bias.to(dtype)
        grads, weight_grad = torch.empty_like(features), torch.zeros_like(weight)
        bias_grad = None if bias is None else torch.zeros_like(bias)
        loss = weight.new_zeros(())
        made = features.new_empty(2, min(PAIRS, x.size(0)), size)
        for start in range(0, x.size(0), PAIRS):
            rows, said = features[:, start : start + PAIRS], wanted[start : start + PAIRS, None].expand(2, -1, 1)
            z = made[:, : rows.size(1)]
            for one, logits in zip(rows, z, strict=True):
                product(one, narrow, narrow_bias, logits)
            own = z.gather(2, said).float()
            log_p = z.log_softmax(-1, dtype=torch.float32)
            p, apart = log_p.exp(), log_p[0] - log_p[1]
            kl = torch.einsum("knv,nv->kn", p, apart)[..., None] * apart.new_tensor([1.0, -1.0]).view(2, 1, 1)
            mean_logits = rows.float() @ mean + mean_bias
            loss -= (log_p.gather(2, said).sum() + smoothing * (mean_logits - own[..., 0]).sum()) / 2 - a * kl.sum()
            if learns:
                for k, sign in enumerate((1, -1)):
                    grad = torch.add(0.5 + a - a * kl[k], apart, alpha=sign * a).mul_(p[k])
                    torch.sub(grad, p[1 - k], alpha=a, out=z[k])
                z.scatter_add_(2, said, z.new_full(said.shape, (smoothing - 1) / 2))
                for one, row, out in zip(z, rows, grads[:, start : start + PAIRS], strict=True):
                    torch.mm(one, narrow, out=out)
                    weight_grad += one.T @ row
                if bias_grad is not None:
                    bias_grad += z.sum((0, 1), dtype=torch.float32)
        if learns:
            grads -= (smoothing / 2 * mean).to(dtype)
            weight_grad -= (smoothing / 2 / size) * features.sum((0, 1), dtype=torch.float32)
            if bias_grad is not None:
                bias_grad -= smoothing * x.size(0) / size
            ctx.save_for_backward(grads, weight_grad, bias_grad)
        return loss

    @staticmethod
    def backward(ctx: Any, *above: Tensor) -> tuple[Tensor | None, ...]:
        grads, weight_grad, bias_grad = ctx.saved_tensors
        (scale,) = above
        x_grad, y_grad = grads.float() * scale
        bias_part = None if bias_grad is None else bias_grad * scale
        return x_grad, y_grad, weight_grad * scale, bias_part, None, None, None, None
