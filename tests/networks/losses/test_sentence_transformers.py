"""The losses shared with sentence-transformers have its values on random vectors.

Its losses run a model; here that is a stand-in, which returns given vectors.
"""

import pytest
import torch
from torch import nn

from textkin.networks.losses import LOSSES, build
from textkin.networks.losses.distances import distance, unit
from textkin.networks.losses.in_batch import in_batch
from textkin.networks.losses.matryoshka import matryoshka

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def peer():
    from sentence_transformers.sentence_transformer import losses

    return losses


class GivenVectors(nn.Module):
    device = torch.device("cpu")

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, features):
        return {"sentence_embedding": features["vectors"]}

    def __getitem__(self, place):
        return self  # the cached loss queries the first module

    def get_embedding_dimension(self):
        return self.dim


MODEL = GivenVectors(6)


def theirs(loss, labels, *sides):
    return float(loss([{"vectors": side} for side in sides], labels))


def vectors(count, rows=7, dim=6):
    generator = torch.Generator().manual_seed(count + rows)
    return [unit(torch.randn(rows, dim, generator=generator, dtype=torch.float64)) for _ in range(count)]


def cosines(a, b):
    return (a * b).sum(dim=1)


GRADES = torch.tensor([0.1, 0.9, 0.4, 0.4, 0.0, 1.0, 0.7])


def test_cosine_regression_is_the_mean_square_of_cosines(peer):
    a, b = vectors(2)
    expected = theirs(peer.CosineSimilarityLoss(MODEL), GRADES, a, b)
    assert float(build("mean-square")(cosines(a, b), GRADES)) == pytest.approx(expected)


@pytest.mark.parametrize("scale", [20.0, 3.0])
def test_cosent_and_angle(peer, scale):
    a, b = vectors(2)
    expected = theirs(peer.CoSENTLoss(MODEL, scale=scale), GRADES, a, b)
    assert float(build("cosent", scale=scale)(cosines(a, b), GRADES)) == pytest.approx(expected)
    for dim in (6, 5):
        a, b = vectors(2, dim=dim)
        expected = theirs(peer.AnglELoss(MODEL, scale=scale), GRADES, a, b)
        assert float(build("angle", scale=scale)(a, b, GRADES)) == pytest.approx(expected)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("negatives", [0, 1, 3])
@pytest.mark.parametrize("rows", [None, 2, 7])
def test_multiple_negatives_with_hard_negatives(peer, symmetric, negatives, rows):
    a, b, *others = vectors(2 + negatives)
    direction = {"directions": ("query_to_doc", "doc_to_query"), "partition_mode": "per_direction"}
    options = direction if symmetric else {}
    expected = theirs(peer.MultipleNegativesRankingLoss(MODEL, **options), None, a, b, *others)
    found = in_batch(LOSSES["multiple-negatives"], a, torch.cat([b, *others]), symmetric=symmetric, rows=rows)
    assert float(found) == pytest.approx(expected)
    cached = peer.CachedMultipleNegativesRankingLoss(MODEL, mini_batch_size=2, **options)
    assert float(cached.calculate_loss([[side] for side in (a, b, *others)])) == pytest.approx(expected)


def test_simcse_is_multiple_negatives_of_texts_with_themselves(peer):
    first, again = vectors(2)  # one text under two dropouts
    expected = theirs(peer.MultipleNegativesRankingLoss(MODEL), None, first, again)
    allowed = ~torch.eye(7, dtype=torch.bool)  # the values for distinct texts without known duplicates
    assert float(in_batch(LOSSES["multiple-negatives"], first, again, allowed)) == pytest.approx(expected)


def test_margin_mean_square(peer):
    a, positive, one, other = vectors(4)
    taught = torch.rand(7, 3, dtype=torch.float64)
    scores = torch.stack([cosines(a, side) for side in (positive, one, other)], dim=1)
    margins = taught[:, :1] - taught[:, 1:]
    loss = build("margin-mean-square")
    expected = theirs(peer.MarginMSELoss(MODEL), taught, a, positive, one, other)
    assert float(loss(scores[:, 0], scores[:, 1:], margins)) == pytest.approx(expected)
    expected = theirs(peer.MarginMSELoss(MODEL), margins[:, 0], a, positive, one)
    assert float(loss(scores[:, 0], scores[:, 1], margins[:, 0])) == pytest.approx(expected)


def test_distillation(peer):
    found, teacher = vectors(2)
    for measure, name in (("square", "mse"), ("cosine", "cosine")):
        expected = theirs(peer.EmbedDistillLoss(MODEL, distance_metric=name), teacher, found)
        assert float(build("distillation", measure=measure)(found, teacher)) == pytest.approx(expected)
    assert float(build("distillation")(found, teacher)) == pytest.approx(
        theirs(peer.MSELoss(MODEL), teacher, found)
    )


def test_matryoshka(peer):
    a, b = vectors(2)
    inner = peer.MultipleNegativesRankingLoss(MODEL)
    wrapped = peer.MatryoshkaLoss(MODEL, inner, [6, 4, 2], matryoshka_weights=[1, 0.5, 0.25])
    expected = theirs(wrapped, None, a, b)

    def loss(first, second):
        return in_batch(LOSSES["multiple-negatives"], first, second)

    assert float(matryoshka(loss, (a, b), (4, 2), (0.5, 0.25))) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["cosine", "euclidean", "manhattan"])
def test_contrastive_losses_and_triplets_over_their_distances(peer, name):
    a, b, other = vectors(3)
    labels = torch.tensor([1, 0, 1, 1, 0, 0, 1])
    word = "COSINE_DISTANCE" if name == "cosine" else name.upper()
    siamese = getattr(peer.SiameseDistanceMetric, word)
    kinds = {"contrastive": peer.ContrastiveLoss, "online-contrastive": peer.OnlineContrastiveLoss}
    for loss, kind in kinds.items():
        made = build(loss, distance=name, margin=1.2)
        found = made(distance(a, b, made.distance), labels)
        expected = theirs(kind(MODEL, distance_metric=siamese, margin=1.2), labels, a, b)
        assert float(found) == pytest.approx(expected, rel=1e-4)  # theirs adds 1e-6 to each difference
    triplets = getattr(peer.TripletDistanceMetric, word.removesuffix("_DISTANCE"))
    triplet = peer.TripletLoss(MODEL, distance_metric=triplets, triplet_margin=1.2)
    expected = theirs(triplet, None, a, b, other)
    assert float(build("triplet", measure=name, margin=1.2)(a, b, other)) == pytest.approx(expected, rel=1e-4)


GROUPS = torch.tensor([0, 1, 0, 2, 1, 2, 0])


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
@pytest.mark.parametrize("margin", [0.1, 5.0])
def test_triplets_of_groups(peer, measure, margin):
    (found,) = vectors(1)
    metric = getattr(peer.BatchHardTripletLossDistanceFunction, f"{measure}_distance")
    options = {"measure": measure, "margin": margin}
    for name, kind in (
        ("batch-all-triplet", peer.BatchAllTripletLoss),
        ("batch-hard-triplet", peer.BatchHardTripletLoss),
    ):
        expected = theirs(kind(MODEL, distance_metric=metric, margin=margin), GROUPS, found)
        assert float(build(name, **options)(found, GROUPS)) == pytest.approx(expected)
    soft = peer.BatchHardSoftMarginTripletLoss(MODEL, distance_metric=metric)
    assert float(build("batch-hard-triplet", soft=True, measure=measure)(found, GROUPS)) == pytest.approx(
        theirs(soft, GROUPS, found)
    )


def test_a_text_without_kin_has_no_triplet(peer):
    # sentence-transformers gives such a text a positive at distance 0: it adds a term that pushes the nearest
    # negative away and counts in the mean. Here it makes no triplet, and the two values part.
    (found,) = vectors(1)
    lone = torch.tensor([0, 1, 0, 2, 1, 3, 0])
    metric = peer.BatchHardTripletLossDistanceFunction.cosine_distance
    expected = theirs(peer.BatchHardTripletLoss(MODEL, distance_metric=metric, margin=1.5), lone, found)
    sums = build("batch-hard-triplet", margin=1.5, reduction="sum")(found, lone)
    nearest = (1 - found @ found.T).masked_fill(torch.eye(7, dtype=torch.bool), 9).amin(dim=1)
    assert float(sums) + float((1.5 - nearest[[3, 5]]).sum()) == pytest.approx(7 * expected)
    assert float(build("batch-hard-triplet", margin=1.5)(found, lone)) == pytest.approx(float(sums) / 5)
