import pytest
import torch

from tests.reference.matching_matrix import kernel_features
from textkin.base.errors import UsageError
from textkin.networks.nn.kernels import KernelPooling, linear_on_counts

pytestmark = pytest.mark.torch

A = torch.arange(4) < torch.tensor([4, 1, 2, 0, 3])[:, None]
B = torch.arange(6) < torch.tensor([6, 2, 1, 3, 0])[:, None]


def cosines():
    values = torch.rand(5, 4, 6) * 2 - 1
    values[0, 1, 2] = values[1, 0, 0] = 1.0  # exact matches
    values[0, 2, 2] = 0.9999999
    return values


@pytest.mark.parametrize(
    ("kernels", "sigma", "exact_sigma"), [(21, 0.1, 0.001), (11, 0.1, 0.001), (2, 0.5, 0.2)]
)
def test_features_are_those_of_the_plain_loop(kernels, sigma, exact_sigma):
    pooling = KernelPooling(kernels=kernels, sigma=sigma, exact_sigma=exact_sigma)
    values = cosines()
    expected = [
        kernel_features(
            values[row, A[row]][:, B[row]].tolist(), kernels=kernels, sigma=sigma, exact_sigma=exact_sigma
        )
        for row in range(5)
    ]
    torch.testing.assert_close(pooling(values, A, B), torch.tensor(expected), atol=1e-5, rtol=1e-5)


def test_the_gradient_is_that_of_automatic_differentiation():
    pooling = KernelPooling(kernels=11, sigma=0.1, exact_sigma=0.001)
    centres, widths = torch.tensor(pooling.centres), torch.tensor(pooling.widths)
    values = cosines().requires_grad_()
    wanted = torch.randn(5, 11)
    (pooling(values, A, B) * wanted).sum().backward()
    twin = values.detach().double().requires_grad_()
    near = torch.exp(-((twin.unsqueeze(3) - centres) ** 2) / (2 * widths**2))
    near = near * (A.unsqueeze(2) & B.unsqueeze(1)).unsqueeze(3)
    (near.sum(dim=2).log1p().sum(dim=1) * wanted).sum().backward()
    torch.testing.assert_close(values.grad.double(), twin.grad, atol=1e-3, rtol=1e-4)
    assert values.grad[~(A.unsqueeze(2) & B.unsqueeze(1))].abs().sum() == 0


def test_leading_axes_are_separate_images():
    pooling = KernelPooling(kernels=5, sigma=0.2, exact_sigma=0.01)
    values = torch.stack([cosines() for _ in range(3)], dim=1)
    found = pooling(values, A.unsqueeze(1), B.unsqueeze(1))
    for image in range(3):
        torch.testing.assert_close(found[:, image], pooling(values[:, image], A, B))


def test_kernels_stand_in_the_middle_of_their_part_of_the_range():
    pooling = KernelPooling(kernels=6, sigma=0.1, exact_sigma=0.001)
    assert pooling.centres == pytest.approx([-0.8, -0.4, 0.0, 0.4, 0.8, 1.0])
    assert pooling.widths == (0.1, 0.1, 0.1, 0.1, 0.1, 0.001)


def test_the_linear_layer_starts_small():
    layer = linear_on_counts(500, 2)
    assert 0.013 < layer.weight.abs().max() <= 0.014
    assert layer.bias.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("options", "words"),
    [({"kernels": 1}, "kernels is 1"), ({"sigma": 0.0}, "sigma is 0.0"), ({"exact_sigma": -1}, "above 0")],
)
def test_impossible_kernels_are_refused(options, words):
    with pytest.raises(UsageError, match=words):
        KernelPooling(**{"kernels": 11, "sigma": 0.1, "exact_sigma": 0.001, **options})
