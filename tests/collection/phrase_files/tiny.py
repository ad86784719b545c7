"""A phrase encoder with few numbers, and a small data set in its two parts."""

import json
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from scipy.sparse import csr_array

from textkin.data.protocols import PhraseVectors


def vector(text, dim):
    """Small whole numbers, so that many products are the same."""
    return np.array([crc32(f"{place}{text}".encode()) % 5 - 2 for place in range(dim)])


@dataclass
class Tiny:
    """Each word is a phrase; inputs are recorded."""

    name: str = "tiny"
    dim: int = 4
    sparse: bool = False
    priors: bool = True
    seen: list = field(default_factory=list)
    fail_at: int | None = None

    def phrases(self, passages):
        self.seen += passages
        if self.fail_at is not None and len(self.seen) > self.fail_at:
            raise KeyboardInterrupt
        return [self._phrases(passage) for passage in passages]

    def questions(self, questions):
        self.seen += questions
        return self._rows(questions)

    def _phrases(self, passage):
        places, start = [], 0
        for word in passage.split(" "):
            if word:
                places.append((start, start + len(word)))
            start += len(word) + 1
        words = [passage[start:end] for start, end in places]
        priors = np.array([len(word) for word in words], dtype=np.float32) if self.priors else None
        return PhraseVectors(np.array(places, dtype=np.int64).reshape(-1, 2), self._rows(words), priors)

    def _rows(self, texts):
        rows = np.array([vector(text, self.dim) for text in texts], dtype=np.float32).reshape(-1, self.dim)
        return csr_array(rows) if self.sparse else rows


TITLES = ["AC/DC", "ac/dc", "..", "Ünï 字", ""]
CONTEXTS = ["the cat sat on the mat", "", "one", "zwei drei vier", "a b c d e f g h"]


def write_parts(folder, *, repeat=1):
    """A context file and a question file; returns the texts of the questions by id, and their contexts."""
    contexts, questions, asked = [], [], {}
    for number, title in enumerate(TITLES * repeat):
        texts = CONTEXTS[number % 5 :] + CONTEXTS[: number % 5]
        names = [f"{number}/{place}" for place in range(len(texts))]
        contexts.append({"title": title, "paragraphs": [{"context": text} for text in texts]})
        qas = [[{"id": name, "question": f"what is {name}?"}] for name in names]
        questions.append({"title": title, "paragraphs": [{"qas": each} for each in qas]})
        asked |= {name: (f"what is {name}?", text) for name, text in zip(names, texts, strict=True)}
    (folder / "c.json").write_text(json.dumps({"data": contexts}))
    (folder / "q.json").write_text(json.dumps({"data": questions}))
    return asked
