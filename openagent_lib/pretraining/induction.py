"""An initialisation in which attention already copies: previous-token heads in layer 0, induction heads in layer 1.

Most of the difficulty of in-context tool use is copying strings, and a tiny transformer does not discover copying
within a few million tokens. The heads are set by hand and trained on like all other weights. Disclosed wherever
results of the miniature are shown.

Assumption: not in the paper, whose models have learnt to copy in their own pre-training.
"""

import math

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from openagent_lib.sandbox.tool import DESCRIPTION_FIRST

EMBEDDING_SCALE = 0.1
POSITION_SHARPNESS = 2.2
TURNING = 0.1
MATCH_SHARPNESS = 2.5
COPY_STRENGTH = 3.0


def miniature_config(
    vocabulary: int,
    pad: int,
    end: int,
    layers: int = 4,
    hidden: int = 128,
    heads: int = 2,
    head_width: int = 64,
    rope_theta: float = 1e6,
) -> Qwen2Config:
    """Return the architecture: Qwen2 with untied embeddings, at a width that two CPU cores can train.

    Args:
        vocabulary: Number of tokens; rounded up to a multiple of 64.
        pad: Token id of padding.
        end: Token id that ends a message.
        layers: Number of layers, at least 2 for the induction heads.
        hidden: Width.
        heads: Attention heads; every one has its own keys and values.
        head_width: Width of a head.
        rope_theta: Base of the rotary embedding. The larger it is, the more of a head's width compares contents over
            the length of a conversation, undisturbed by the distance.
    """
    return Qwen2Config(
        vocab_size=math.ceil(vocabulary / 64) * 64,
        hidden_size=hidden,
        intermediate_size=hidden * 8 // 3 // 64 * 64,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        head_dim=head_width,
        rope_parameters={"rope_type": "default", "rope_theta": rope_theta},
        max_position_embeddings=2048,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=end,
        pad_token_id=pad,
        # With the description before the name, a causal model can find a name by what it has just read.
        schema_key_order=DESCRIPTION_FIRST,
    )


def _rotation(size: int, generator: torch.Generator) -> torch.Tensor:
    return torch.linalg.qr(torch.randn(size, size, generator=generator))[0]


def apply_induction(model: Qwen2ForCausalLM, seed: int = 0, pointer: int | None = None) -> None:
    """Overwrite the embeddings, the attention of layers 0 and 1, and the output head, in place.

    Layer 0 looks at the previous token and writes its embedding to the residual stream in a rotated basis. In layer 1
    a query of "my token" meets a key of "my previous token", so a position finds what followed the same token earlier
    and writes it in the basis that the output head reads.

    Args:
        model: A freshly made model with at least two layers and untied embeddings.
        seed: Seed of the random bases.
        pointer: A further layer whose heads write the token that they look at.
    """
    generator = torch.Generator().manual_seed(seed)
    size = model.config.hidden_size
    read, write, out = (_rotation(size, generator) for _ in range(3))
    with torch.no_grad():
        model.model.embed_tokens.weight.normal_(0, EMBEDDING_SCALE, generator=generator)
        _look_back(model)
        previous, match = (model.model.layers[layer].self_attn for layer in (0, 1))
        inner = previous.q_proj.out_features
        repeats = inner / size
        # Every row of the rotations appears in as many heads as the heads are wider than the model.
        rows = torch.arange(inner) % size
        previous.v_proj.weight.copy_(write[rows])
        previous.o_proj.weight.copy_(EMBEDDING_SCALE * read.T[:, rows] / repeats)
        match.q_proj.weight.copy_(MATCH_SHARPNESS * write[rows])
        match.k_proj.weight.copy_(MATCH_SHARPNESS * read[rows])
        _copy_what_is_seen(match, out)
        model.lm_head.weight.copy_(model.model.embed_tokens.weight @ out.T)
        if pointer is not None:
            _copy_what_is_seen(model.model.layers[pointer].self_attn, out)


def _copy_what_is_seen(attention: torch.nn.Module, out: torch.Tensor) -> None:
    """Make the heads of a layer write the token that they look at, in the basis that the output head reads."""
    inner, size = attention.v_proj.out_features, len(out)
    rows = torch.arange(inner) % size
    attention.v_proj.weight.copy_(torch.eye(size)[rows])
    attention.o_proj.weight.copy_(COPY_STRENGTH * EMBEDDING_SCALE * out[:, rows] / (inner / size))


def _look_back(model: Qwen2ForCausalLM) -> None:
    """Make layer 0 attend to the previous token: biases, turned by one position of the rotary embedding."""
    config, attention = model.config, model.model.layers[0].self_attn
    half = attention.head_dim // 2
    frequencies = 1.0 / config.rope_parameters["rope_theta"] ** (torch.arange(half) / half)
    attention.q_proj.weight.mul_(0.1)
    attention.k_proj.weight.mul_(0.1)
    # Only turning dimensions tell positions apart; they share the sharpness, however few they are.
    turning = frequencies > TURNING
    strength = POSITION_SHARPNESS * turning * (half / turning.sum() / 3) ** 0.5
    key = torch.cat([torch.ones(half), torch.zeros(half)])
    query = torch.cat([torch.cos(-frequencies), torch.sin(-frequencies)])
    attention.k_proj.bias.copy_((strength.repeat(2) * key).repeat(config.num_attention_heads))
    attention.q_proj.bias.copy_((strength.repeat(2) * query).repeat(config.num_attention_heads))
