"""A hash that is the same on every machine and in every run."""

from hashlib import blake2b


def stable_hash(text: str, *, seed: int = 0) -> int:
    """A 64-bit hash of ``text`` with ``seed``; unlike ``hash`` it never changes between processes."""
    digest = blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=8, salt=seed.to_bytes(16, "little", signed=True)
    )
    return int.from_bytes(digest.digest(), "little")
