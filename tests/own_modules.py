"""Users' own networks, for tests."""

NET = '''
import textkin as tk
import torch
from torch import nn


class Net(tk.Matcher):
    """Mean word vectors of both texts, compared by one layer."""

    def __init__(self, size: int, pad_id: int, *, dim: int = 8, outputs: int = 1):
        super().__init__(outputs)
        self.words = nn.Embedding(size, dim, padding_idx=pad_id)
        self.layer = nn.Linear(dim, outputs)

    def forward(self, a, b):
        return self.layer(self.mean(a) * self.mean(b))

    def mean(self, text):
        known = text.mask.unsqueeze(-1)
        return (self.words(text.ids) * known).sum(dim=1) / known.sum(dim=1).clamp(min=1)
'''

TOWER = '''
import textkin as tk
from torch import nn


class Tower(tk.Tower):
    """Mean word vectors, of any length."""

    def __init__(self, size: int, *, dim: int = 8):
        super().__init__()
        self.dim = dim
        self.words = nn.Embedding(size, dim)

    def forward(self, text):
        return 3 * (self.words(text.ids) * text.mask.unsqueeze(-1)).sum(dim=1)
'''
