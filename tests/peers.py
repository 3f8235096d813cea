"""Others' models made ours, weight by weight."""

import torch

from regard.models.transformer import Transformer
from regard.recipe import TransformerSpec


def copy(ours, theirs):
    """The weights of modules of one shape; nothing may be left over."""
    ours.load_state_dict(theirs.state_dict())


@torch.no_grad()
def marian(theirs):
    """Hugging Face's MarianMTModel as our Transformer."""
    config = theirs.config
    spec = TransformerSpec(
        width=config.d_model,
        heads=config.encoder_attention_heads,
        inner=config.encoder_ffn_dim,
        encoder_layers=config.encoder_layers,
        decoder_layers=config.decoder_layers,
        activation=config.activation_function,
        positions="halved",
        output_bias=True,
    )
    ours = Transformer(spec, config.vocab_size, config.vocab_size).eval()
    ours.logits.weight.copy_(theirs.model.shared.weight)  # all three are one
    ours.logits.bias.copy_(theirs.final_logits_bias[0])
    for mine, other in zip(ours.encoder.layers, theirs.model.encoder.layers, strict=True):
        copy_layer(mine, other)
    for mine, other in zip(ours.decoder.layers, theirs.model.decoder.layers, strict=True):
        copy_layer(mine, other)
        copy_attention(mine.cross, other.encoder_attn)
        copy(mine.around_cross.norm, other.encoder_attn_layer_norm)
    return ours


def copy_layer(mine, other):
    copy_attention(mine.own, other.self_attn)
    copy(mine.around_own.norm, other.self_attn_layer_norm)
    copy(mine.feed_forward.inner, other.fc1)
    copy(mine.feed_forward.outer, other.fc2)
    copy(mine.around_feed_forward.norm, other.final_layer_norm)


def copy_attention(ours, theirs):
    copy(ours.query, theirs.q_proj)
    copy(ours.key, theirs.k_proj)
    copy(ours.value, theirs.v_proj)
    copy(ours.output, theirs.out_proj)
