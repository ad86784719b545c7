"""Small files of data sets, with rows that are skipped."""

import gzip
from pathlib import Path


def write_quora(file: Path) -> Path:
    file.write_text(
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
        '0\t1\t2\tWhat is "x"?\tWhat\'s x?\t1\n1\t3\t4\t\tempty\t0\n2\t5\t6\tOne?\tTwo?\t0\n'
    )
    return file


def write_beir(folder: Path) -> Path:
    (folder / "qrels").mkdir()
    (folder / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "Sun", "text": "It is hot."}\n{"_id": "d2", "title": "", "text": ""}\n'
    )
    (folder / "queries.jsonl.gz").write_bytes(gzip.compress(b'{"_id": "q1", "text": "hot?"}\n'))
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq9\td1\t1\nq1\td9\t1\n"
    )
    return folder
