"""Command lines that stand below the help of commands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "demo": """
textkin demo
textkin demo --out /tmp/tour
textkin demo --practice practice
""",
        "study": """
textkin study pairs.csv --out runs/mine
textkin study pairs.csv --out runs/strict --precision 0.95 --curve
textkin study pairs.csv --out runs/pretrained --models static,minilm,cross-encoder
textkin study pairs.tsv --out runs/vectors --vectors glove.6B.300d.txt --models siamese-lstm
""",
        "lint": """
textkin lint pairs.csv
textkin lint texts.txt --model default
textkin lint exam.tsv corpus.tsv
textkin lint train.tsv test.tsv --columns a=question1,b=question2,label=is_duplicate
""",
        "split": """
textkin split pairs.csv --out split
textkin split pairs.csv --out split --dev-size 0.1 --test-size 0.1 --near 0.9
textkin split train-v1.1.json --out by-article --scheme articles --dev-size 40 --test-size 40
textkin split train-v2.0.json --out by-article-2 --scheme articles --like by-article
textkin split quora_duplicate_questions.tsv --out quora-ir --scheme quora-ir
""",
        "convert": """
textkin convert train-v1.1.json --out squad-t.tsv
textkin convert src-dev.txt --out squad-t.tsv --neighbours 9
""",
        "negatives": """
textkin negatives train.tsv --out triplets.tsv
textkin negatives train.tsv --out triplets.jsonl --model minilm --relative-margin 0.05
textkin negatives train.tsv --out triplets.tsv --ranks 1-20 --filter runs/cross/model
""",
        "train": """
textkin train siamese-lstm --train split/train.tsv --dev split/dev.tsv --out runs/lstm
textkin train ranking-knrm --train WikiQA-train.tsv --dev WikiQA-dev.tsv --vectors glove.txt --out runs/knrm
textkin train mine.toml --train train.tsv --dev dev.tsv --more duplicates.tsv --out runs/mine
textkin train --list
textkin train siamese-lstm --show > mine.toml
textkin train quora-mnrl --start all-MiniLM-L6-v2 --train train.tsv --dev dev.tsv --out runs/minilm
textkin train small.toml --teacher all-MiniLM-L6-v2 --train texts.txt --dev dev.tsv --out runs/small
""",
        "distil": """
textkin distil all-MiniLM-L6-v2 --out small
textkin distil all-MiniLM-L6-v2 --out mine --texts tickets.txt --vocabulary words.txt
textkin distil models/teacher --out wide --no-pca --stored float16
""",
        "compare": """
textkin compare test.tsv runs/a/model runs/b/model --dev dev.tsv
textkin compare WikiQA-test.tsv minilm default --against bm25 --table paper.tex
textkin compare --qrels qrels.txt --run bm25.trec --run colbert=c2/run.trec -m nDCG@10
textkin compare dev-v2.0.json --predictions predictions.json
""",
        "ensemble": """
textkin ensemble runs/cross/model runs/bag/model tfidf --dev dev.tsv --out runs/both
textkin ensemble bm25:english default --dev scifact/ --split train --out runs/hybrid
textkin ensemble runs/c0/model runs/c1/model runs/c2/model --dev WikiQA-dev.tsv --combine sum --out runs/three
""",
        "calibrate": """
textkin calibrate dev.tsv runs/mine/model --precision 0.95 --test test.tsv
textkin calibrate labelled.tsv default --precision 0.95 --proof --out decision.json
textkin calibrate dev-v2.0.json runs/reader/model --f1
textkin calibrate labelled.tsv questions.kin --precision 0.9
textkin calibrate qrels.txt tickets.kin --queries queries.tsv --precision 0.8
""",
        "score": """
textkin score "reset my password" "I forgot my password"
textkin score "reset my password" "I forgot my password" --model minilm --explain
textkin score --pairs new.csv --model runs/lstm/model --out scored.tsv
textkin score --pairs new.csv --threshold 0.7
textkin score --pairs new.csv --model tfidf --fit corpus.txt
""",
        "classify": """
textkin classify new.txt labelled.tsv --label topic
textkin classify test.tsv train.tsv --label topic --model minilm --threshold 0.6 --out labels.tsv
textkin classify labelled.tsv --label topic --ways 20 --shots 1
""",
        "answer": """
textkin answer "When was the mill built?" passages.txt
textkin answer "When was the mill built?" handbook/ runs/reader/model -k 5
textkin answer "When was the mill built?" passages.txt runs/bidaf/model --attention seen.html
""",
        "encode": """
textkin encode questions.txt --out questions.npy
textkin encode questions.txt minilm --side query --out questions.npy
textkin encode tickets.csv mean-vectors --text subject --vectors glove.6B.100d.txt --out tickets.npy
textkin encode questions.txt --bits 256 --out codes.npy
textkin encode questions.txt --bits 128 --of letters --out codes.npy
""",
        "mine": """
textkin mine questions.txt --threshold 0.85 --out pairs.tsv
textkin mine tickets.csv --text subject --model runs/mine/model --precision 0.95 --out pairs.tsv
textkin mine new.txt --against known.txt --per-text 3 --out pairs.tsv
textkin mine articles.jsonl --embeddings articles.npy --top 100000 --ids-only --out pairs.tsv
""",
        "dedupe": """
textkin dedupe questions.txt --out deduped
textkin dedupe tickets.csv --text subject --keep votes --guards numbers,negation --out deduped
textkin dedupe questions.txt --out deduped --sample 200
textkin dedupe questions.txt --out deduped --labelled deduped/sample.csv --precision 0.95 --proof
""",
        "cluster": """
textkin cluster questions.txt --threshold 0.8 --out groups.tsv
textkin cluster tickets.csv --text subject --gold topic --threshold 0.8 --method communities
textkin cluster tickets.kin --where 'year >= 2025' --threshold 0.8 --out groups.tsv
""",
        "collection add": """
textkin collection add tickets.kin tickets.csv --text subject --id ticket --metadata lang,year
textkin collection add questions.kin questions.txt
textkin collection add papers.kin scifact --model runs/minilm --analyser english
textkin collection add papers.kin scifact --windows 64
""",
        "search": """
textkin search tickets.kin "I can't log in"
textkin search questions.txt "refund" -k 3
textkin search tickets.kin "refund" --mode words --where 'lang = "en" and year >= 2020'
textkin search papers.kin scifact -k 100 --out hybrid.trec
textkin search codes.npy new.txt -k 5 --bands 32 --out found.tsv
""",
        "match": """
textkin match tickets.kin "I can't log in" --base-rate 0.01
textkin match tickets.kin "I can't log in" --explain
textkin match tickets.kin new.csv --text subject --id ticket --out matches.tsv --add
textkin match questions.kin - --add --json < questions.log
""",
        "collection remove": """
textkin collection remove tickets.kin --ids closed.txt
textkin collection remove tickets.kin --where 'year <= 2014'
""",
        "serve": """
textkin serve
textkin serve minilm runs/cross-encoder/model tickets.kin
textkin serve town.phrases --runs runs
textkin serve --api-key-file keys.toml --new-key dashboard --read-only
textkin serve minilm --host 0.0.0.0 --api-key-file keys.toml
textkin serve --mcp tickets.kin
""",
        "verify": """
textkin verify runs/mine
textkin verify runs/mine/model
textkin verify tickets.kin --out passport.json
textkin verify all-MiniLM-L6-v2 --decision cut.json --out minilm-passport.json
textkin verify served/ --expect minilm-passport.json
""",
        "export": """
textkin export all-MiniLM-L6-v2 --to onnx --out minilm-onnx
textkin export runs/minilm/model --to openvino --dtype fp16 --out served --texts tickets.txt
textkin export default --to model2vec --out static
""",
        "phrases index": """
textkin phrases index passages.txt --model runs/piqa/model --out phrases
textkin phrases index dev-v1.1.json --model tfidf --out phrases
textkin phrases index many.txt --model piqa/model --out small --cells 256 --bytes-per-vector 64 --refine 0
""",
        "phrases add": """
textkin phrases add phrases more.txt
""",
        "phrases search": """
textkin phrases search phrases "Who gave Normandy its name?"
textkin phrases search phrases --json < questions.txt
""",
        "phrases evaluate": """
textkin phrases evaluate phrases dev-v1.1.json
textkin phrases evaluate phrases questions.txt
""",
        "phrases split": """
textkin phrases split dev-v1.1.json contexts.json questions.json
""",
        "phrases embed": """
textkin phrases embed contexts.json --model runs/piqa/model --out contexts --dtype float16
textkin phrases embed questions.json --model runs/piqa/model --out asked.zip
""",
        "phrases merge": """
textkin phrases merge contexts asked.zip --out answers.json
textkin phrases merge contexts theirs --question-file questions.json --out answers.json
""",
    }
)
"""The lines of each command that is a verb, by its name."""
