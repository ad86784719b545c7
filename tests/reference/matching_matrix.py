"""Slow and obvious: models' features from the similarities of a pair of texts, given as a list of rows."""

import math


def matrix(left, right, *, how="cosine"):
    """Similarities of every vector of one text to every vector of the other."""

    def similarity(x, y):
        product = sum(p * q for p, q in zip(x, y, strict=True))
        norm = math.hypot(*x) * math.hypot(*y)
        if how == "dot":
            return product
        return product / norm if norm else 0.0

    return [[similarity(x, y) for y in right] for x in left]


def kernel_features(rows, *, kernels, sigma, exact_sigma):
    features = []
    for kernel in range(kernels):
        exact = kernel == kernels - 1
        centre = 1.0 if exact else 1 / (kernels - 1) + 2 * kernel / (kernels - 1) - 1
        width = exact_sigma if exact else sigma
        total = 0.0
        for row in rows:
            total += math.log(1 + sum(math.exp(-((s - centre) ** 2) / (2 * width**2)) for s in row))
        features.append(total)
    return features


def bin_of(similarity, bins):
    """The last bin holds similarity 1, up to rounding; the others divide the range below."""
    if similarity > 1 - 4e-6:
        return bins - 1
    return max(0, min(bins - 2, math.floor((similarity + 1) / 2 * (bins - 1) + 1e-7 * bins)))


def histogram(row, *, bins, kind):
    counts = [0] * bins
    for similarity in row:
        counts[bin_of(similarity, bins)] += 1
    if kind == "NH":
        return [count / max(1, len(row)) for count in counts]
    return [math.log(1 + count) for count in counts] if kind == "LCH" else counts


def sums_by_bin(row, *, bins):
    sums = [0.0] * bins
    for similarity in row:
        sums[bin_of(similarity, bins)] += similarity
    return sums


def strongest(row, k):
    return (sorted(row, reverse=True) + [0.0] * k)[:k]


def largest_of_cells(rows, *, height, width):
    """The maximum of each cell of a grid over a matrix; zeros if it is empty."""
    if not rows or not rows[0]:
        return [[0.0] * width for _ in range(height)]

    def cells(count, places):
        for cell in range(count):
            start = cell * places // count
            yield range(start, max(start + 1, (cell + 1) * places // count))

    return [
        [max(rows[i][j] for i in across for j in along) for along in cells(width, len(rows[0]))]
        for across in cells(height, len(rows))
    ]


def image_filter(images, weight, bias, *, width):
    """One output channel of a convolution in two directions with zeros around: images [channels][n][m]."""
    reach = width // 2
    height, length = len(images[0]), len(images[0][0])
    out = [[bias] * length for _ in range(height)]
    for i in range(height):
        for j in range(length):
            for image, taps in zip(images, weight, strict=True):
                for di in range(width):
                    for dj in range(width):
                        y, x = i + di - reach, j + dj - reach
                        if 0 <= y < height and 0 <= x < length:
                            out[i][j] += taps[di][dj] * image[y][x]
    return out


def layer(weight, bias, inputs):
    """A dense layer: weight [outputs][inputs]."""
    return [
        sum(w * x for w, x in zip(row, inputs, strict=True)) + more
        for row, more in zip(weight, bias, strict=True)
    ]


def shares(scores):
    """Softmax."""
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]
