"""Ours equals theirs, with their weights copied: torch.nn.Transformer, Hugging Face's Marian and GPT-2."""

import pytest
import torch

from peers import copy, marian
from regard.models.interface import no_source
from regard.models.language import Language
from regard.models.transformer import Transformer
from regard.recipe import LanguageSpec, TransformerSpec

transformers = pytest.importorskip("transformers")

B, S, T, WIDTH, HEADS, INNER, PIECES = 3, 7, 5, 12, 3, 23, 29
LENGTHS = torch.tensor([7, 3, 5])


def copy_torch_attention(ours, theirs):
    for i, part in enumerate((ours.query, ours.key, ours.value)):
        part.weight.copy_(theirs.in_proj_weight[i * WIDTH : (i + 1) * WIDTH])
        part.bias.copy_(theirs.in_proj_bias[i * WIDTH : (i + 1) * WIDTH])
    copy(ours.output, theirs.out_proj)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_torch_transformer(norm):
    torch.manual_seed(1)
    theirs = torch.nn.Transformer(WIDTH, HEADS, 2, 3, INNER, 0.1, batch_first=True, norm_first=norm == "pre").eval()
    randomise(theirs)
    spec = TransformerSpec(
        width=WIDTH, heads=HEADS, inner=INNER, encoder_layers=2, decoder_layers=3, norm=norm, positions="none"
    )
    ours = Transformer(spec, PIECES, PIECES).eval()
    if norm == "post":  # torch norms a post-norm stack's end once more; the paper does not, nor do we
        theirs.encoder.norm = theirs.decoder.norm = None
    with torch.no_grad():
        for mine, other in zip(ours.encoder.layers, theirs.encoder.layers, strict=True):
            copy_torch_attention(mine.own, other.self_attn)
            copy(mine.feed_forward.inner, other.linear1)
            copy(mine.feed_forward.outer, other.linear2)
            copy(mine.around_own.norm, other.norm1)
            copy(mine.around_feed_forward.norm, other.norm2)
        for mine, other in zip(ours.decoder.layers, theirs.decoder.layers, strict=True):
            copy_torch_attention(mine.own, other.self_attn)
            copy_torch_attention(mine.cross, other.multihead_attn)
            copy(mine.feed_forward.inner, other.linear1)
            copy(mine.feed_forward.outer, other.linear2)
            copy(mine.around_own.norm, other.norm1)
            copy(mine.around_cross.norm, other.norm2)
            copy(mine.around_feed_forward.norm, other.norm3)
        if norm == "pre":
            copy(ours.encoder.norm, theirs.encoder.norm)
            copy(ours.decoder.norm, theirs.decoder.norm)
        source, target = torch.randint(0, PIECES, (B, S)), torch.randint(0, PIECES, (B, T))
        hidden = theirs(
            ours.source(source),
            ours.target(target),
            tgt_mask=torch.ones(T, T, dtype=torch.bool).triu(1),
            src_key_padding_mask=behind_the_end(),
            memory_key_padding_mask=behind_the_end(),
        )
        torch.testing.assert_close(ours(source, LENGTHS, target), ours.logits(hidden), atol=1e-5, rtol=0)


def test_marian():
    torch.manual_seed(2)
    config = transformers.MarianConfig(
        vocab_size=PIECES, d_model=WIDTH, encoder_layers=2, decoder_layers=3, encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS, encoder_ffn_dim=INNER, decoder_ffn_dim=INNER, activation_function="swish",
        pad_token_id=PIECES - 1, eos_token_id=0, decoder_start_token_id=PIECES - 1, scale_embedding=True,
    )  # fmt: skip
    theirs = transformers.MarianMTModel(config).eval()
    randomise(theirs)
    ours = marian(theirs)
    with torch.no_grad():
        source, target = torch.randint(0, PIECES, (B, S)), torch.randint(0, PIECES, (B, T))
        mask = ~behind_the_end()
        logits = theirs(input_ids=source, attention_mask=mask.long(), decoder_input_ids=target).logits
        torch.testing.assert_close(ours(source, LENGTHS, target), logits, atol=1e-5, rtol=0)


def test_gpt2():
    torch.manual_seed(3)
    config = transformers.GPT2Config(
        vocab_size=PIECES, n_positions=11, n_embd=WIDTH, n_layer=3, n_head=HEADS, n_inner=INNER
    )
    theirs = transformers.GPT2LMHeadModel(config).eval()
    randomise(theirs)
    ours = Language(LanguageSpec(width=WIDTH, heads=HEADS, inner=INNER, layers=3, longest=11), PIECES).eval()
    with torch.no_grad():
        ours.logits.weight.copy_(theirs.transformer.wte.weight)
        ours.target.positions.weight.copy_(theirs.transformer.wpe.weight)
        for mine, other in zip(ours.decoder.layers, theirs.transformer.h, strict=True):
            weights, biases = other.attn.c_attn.weight.T, other.attn.c_attn.bias  # theirs are [in, out]
            for i, part in enumerate((mine.own.query, mine.own.key, mine.own.value)):
                part.weight.copy_(weights[i * WIDTH : (i + 1) * WIDTH])
                part.bias.copy_(biases[i * WIDTH : (i + 1) * WIDTH])
            for part, conv in (
                (mine.own.output, other.attn.c_proj),
                (mine.feed_forward.inner, other.mlp.c_fc),
                (mine.feed_forward.outer, other.mlp.c_proj),
            ):
                part.weight.copy_(conv.weight.T)
                part.bias.copy_(conv.bias)
            copy(mine.around_own.norm, other.ln_1)
            copy(mine.around_feed_forward.norm, other.ln_2)
        copy(ours.decoder.norm, theirs.transformer.ln_f)
        ids = torch.randint(0, PIECES, (B, T))
        torch.testing.assert_close(ours(*no_source(B), ids), theirs(ids).logits, atol=1e-5, rtol=0)


def behind_the_end():
    return torch.arange(S) >= LENGTHS[:, None]


def randomise(theirs):
    """Fresh models have zero biases and unit norms, which would hide a swap."""
    with torch.no_grad():
        for name, weight in theirs.named_parameters():
            if name.endswith("bias") or "norm" in name or ".ln_" in name:
                weight.add_(0.3 * torch.randn(weight.shape))
        if hasattr(theirs, "final_logits_bias"):
            theirs.final_logits_bias.normal_()
