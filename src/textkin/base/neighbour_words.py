"""Words of neighbouring libraries, and of earlier commands, for what textkin does."""

from collections.abc import Collection, Mapping
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
        "list": "models",
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

_OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("top_k", "k"), ("k", "per_text", "top")),
        "n": ("k", "top", "per_text"),
        **dict.fromkeys(("limit", "top"), ("top", "k")),
        **dict.fromkeys(("m", "model_name"), ("model",)),
        **dict.fromkeys(("o", "output"), ("out",)),
        "query": ("queries",),
        **dict.fromkeys(("metric", "metrics"), ("measures", "measure")),
        **dict.fromkeys(("cutoff", "min_score", "n_clusters", "similarity", "t"), ("threshold",)),
        **dict.fromkeys(("column", "field", "subset"), ("text",)),
        "corpus": ("against", "texts"),
        **dict.fromkeys(("documents", "sentences"), ("texts",)),
        "precision": ("dtype",),
        **dict.fromkeys(("context", "contexts", "passage"), ("passages",)),
        "random_state": ("seed",),
        **dict.fromkeys(("valid_size", "validation_size"), ("dev_size",)),
    }
)


def meant_option(given: str, known: Collection[str]) -> str | None:
    """The option that neighbouring libraries and programs mean by a name; None if there is none.

    Example:
        >>> meant_option("top_k", ["per_text", "threshold"])
        'per_text'
    """
    return next((one for one in _OPTIONS.get(given, ()) if one in known), None)
