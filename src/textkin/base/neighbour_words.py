"""Words of neighbouring libraries, and of earlier commands, for what textkin does."""

from collections.abc import Mapping
from types import MappingProxyType

MEANT: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("agree", "benchmark", "evaluate", "measure", "test"), "compare"),
        **dict.fromkeys(("embed", "embeddings", "hash", "transform", "vectorize"), "encode"),
        **dict.fromkeys(("api-key", "mcp"), "serve"),
        **dict.fromkeys(("SentenceTransformer", "StaticModel", "CrossEncoder"), "load"),
        **dict.fromkeys(("cos_sim", "cosine_similarity", "pairwise_cos_sim", "similarity"), "score"),
        **dict.fromkeys(("distance", "entailment", "nli", "ratio"), "score"),
        **dict.fromkeys(("SemHash", "deduplicate", "drop_duplicates", "find_duplicates"), "dedupe"),
        **dict.fromkeys(("Collection", "open"), "open_collection"),
        **dict.fromkeys(("most_similar", "nearest", "query", "rank", "rerank", "semantic_search"), "search"),
        **dict.fromkeys(("ask", "qa", "question_answering"), "answer"),
        **dict.fromkeys(("find_threshold", "fit_threshold", "threshold"), "calibrate"),
        **dict.fromkeys(("read", "read_csv", "read_pairs"), "load_pairs"),
        "Model": "load",
        "choose": "answer",
        "contest": "study",
        "evaluate_run": "measure",
        "explain": "score",
        "inspect": "collection info",
        "paraphrase_mining": "mine",
        "passport": "verify",
        "recipes": "train",
        "predict": "score",
        "fit": "train",
        "topics": "cluster",
        "train_test_split": "split",
    }
)
"""The command or the public name that is meant by each word."""
