"""Guides: two auxiliary losses that show a model what to read and where to look, on top of predicting tokens.

Choosing a tool takes two steps that token prediction alone finds slowly: read which attribute a document promises and
which one is wanted now, then look from the want to the tool that promises it. The first loss asks the hidden state at a
name in the tool list, and at a place that chooses, for the tokens of that attribute. The second asks one attention head
at the places that choose to look at the name of the right tool, or at the start where no tool helps. Neither touches
what the model computes when it is used; the projection of the first is thrown away.

Assumption: ours; the paper does not pre-train.
"""

import torch
from torch import nn
from torch.nn import functional
from transformers import Qwen2ForCausalLM
from transformers.models.qwen2.modeling_qwen2 import rotate_half

from openagent_lib.pretraining.batches import Batch


class Guides(nn.Module):
    """The auxiliary losses of one model."""

    def __init__(self, model: Qwen2ForCausalLM, layer: int) -> None:
        """Watch one layer of a model.

        Args:
            model: The model.
            layer: The layer whose head 0 points; its input is what must be readable.
        """
        super().__init__()
        size = model.config.hidden_size
        self.read = nn.Linear(size, size, bias=False)
        nn.init.orthogonal_(self.read.weight)
        self.width = model.model.layers[layer].self_attn.head_dim
        # In a tuple, so that the model's own parameters are not taken for the guides'.
        self._watched = (model,)
        attention = model.model.layers[layer].self_attn
        self._seen: dict[str, torch.Tensor] = {}
        attention.q_proj.register_forward_hook(lambda _, inputs, output: self._see(hidden=inputs[0], query=output))
        attention.k_proj.register_forward_hook(lambda _, inputs, output: self._see(key=output))

    def _see(self, **tensors: torch.Tensor) -> None:
        self._seen |= tensors

    def losses(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the loss of reading and the loss of looking.

        To be called after the model's forward pass on the same batch.
        """
        (model,) = self._watched
        reading = looking = self.read.weight.sum() * 0.0
        if len(batch.meanings):
            hidden = self._seen["hidden"][batch.meanings[:, 0], batch.meanings[:, 1]]
            scores = functional.log_softmax(self.read(hidden) @ model.model.embed_tokens.weight.T, -1)
            is_word = batch.words >= 0
            picked = scores.gather(1, batch.words.clamp(min=0)) * is_word
            reading = -(picked.sum(1) / is_word.sum(1)).mean()
        if len(batch.choices):
            row, place, target = batch.choices.T
            query, key = self._seen["query"][row, place, : self.width], self._seen["key"][:, :, : self.width]
            places = torch.arange(key.shape[1])
            cos, sin = model.model.rotary_emb(key, places[None])
            key = key * cos + rotate_half(key) * sin
            query = query * cos[0, place] + rotate_half(query) * sin[0, place]
            scores = torch.einsum("nd,ntd->nt", query, key[row]) / self.width**0.5
            scores = scores.masked_fill(places[None] > place[:, None], -torch.inf)
            looking = functional.cross_entropy(scores, target)
        return reading, looking
