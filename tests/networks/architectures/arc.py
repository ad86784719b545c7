"""Common parts of the tests of ARC-I and ARC-II."""

import torch

from tests.networks.architectures.matching import values
from tests.reference.matching_matrix import layer


def decided(model, features):
    for part in model.decide:
        if isinstance(part, torch.nn.Linear):
            features = layer(*values(part), features)
        elif isinstance(part, torch.nn.ReLU):
            features = [max(0.0, value) for value in features]
    return features
