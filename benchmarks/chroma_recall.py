"""Evidence recall of retrieved chunks in the Chroma chunking evaluation, ours beside peers, at the same character budget.

Run by `scripts/bench chroma_recall`, which gives the data's folder and the program that cuts with ours.

Recall of a question is the share of the characters of its references that is in the 5 chunks found for it, among the
chunks of all corpora, as the evaluation's authors define it. Two retrievers: BM25 (bm25s: Lucene's formula, k1 = 1.5,
b = 0.75, English stop words, no stemming) and cosine of static embeddings (wordllama: 256 dimensions).
One configuration per peer: its defaults, characters as the unit, no overlap.
"""

import csv
import json
import logging
import pathlib
import subprocess
import sys

import bm25s
import numpy
import wordllama
from chonkie import FastChunker, RecursiveChunker, SentenceChunker
from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter
from semantic_text_splitter import MarkdownSplitter, TextSplitter
from semchunk import chunkerify

logging.disable()

BUDGETS = (1400, 600)
FOUND = 5
RESAMPLES = 10_000


def spans_of_ours(program, text, budget):
    cut = subprocess.run([program, "chunk_spans", str(budget)], input=text.encode(), capture_output=True, check=True)
    return [tuple(json.loads(line)) for line in cut.stdout.splitlines()]


def spans_of_text_splitter(splitter, text):
    return [(start, start + len(chunk)) for start, chunk in splitter.chunk_indices(text)]


def spans_of_langchain(splitter, text):
    documents = splitter.create_documents([text])
    starts = [document.metadata["start_index"] for document in documents]
    return [(start, start + len(document.page_content)) for start, document in zip(starts, documents)]


def spans_of_chonkie(chunker, text):
    return [(chunk.start_index, chunk.end_index) for chunk in chunker.chunk(text)]


def semchunk(text, budget):
    _, spans = chunkerify(len, budget)(text, offsets=True)
    return spans


def chunkers(program):
    langchain = {"chunk_overlap": 0, "add_start_index": True}
    return {
        "ours": lambda text, size: spans_of_ours(program, text, size),
        "text-splitter markdown": lambda text, size: spans_of_text_splitter(MarkdownSplitter(size), text),
        "text-splitter text": lambda text, size: spans_of_text_splitter(TextSplitter(size), text),
        "langchain recursive": lambda text, size: spans_of_langchain(
            RecursiveCharacterTextSplitter(chunk_size=size, **langchain), text
        ),
        "langchain markdown": lambda text, size: spans_of_langchain(
            MarkdownTextSplitter(chunk_size=size, **langchain), text
        ),
        "chonkie recursive": lambda text, size: spans_of_chonkie(RecursiveChunker("character", size), text),
        "chonkie sentence": lambda text, size: spans_of_chonkie(SentenceChunker("character", size, 0), text),
        # Its budget is in bytes, its offsets are in characters.
        "chonkie fast": lambda text, size: spans_of_chonkie(FastChunker(chunk_size=size), text),
        "semchunk": semchunk,
    }


def read_questions(folder):
    with open(folder / "questions_df.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["references"] = [(ref["start_index"], ref["end_index"]) for ref in json.loads(row["references"])]
    return rows


def found_by_bm25(chunks, questions):
    quiet = {"show_progress": False}
    index = bm25s.BM25()
    index.index(bm25s.tokenize(chunks, stopwords="en", **quiet), **quiet)
    return index.retrieve(bm25s.tokenize(questions, stopwords="en", **quiet), k=FOUND, **quiet)[0]


def found_by_embedding(model):
    def found(chunks, questions):
        likeness = model.embed(questions, norm=True) @ model.embed(chunks, norm=True).T
        return numpy.argsort(-likeness, axis=1, kind="stable")[:, :FOUND]

    return found


def recall(question, chunks):
    """The share of the characters of the references that are in the chunks."""
    wanted = [set(range(*reference)) for reference in question["references"]]
    seen = set()
    for corpus, start, end in chunks:
        if corpus == question["corpus_id"]:
            seen.update(range(start, end))
    return len(seen & set().union(*wanted)) / sum(map(len, wanted))


def difference(ours, theirs):
    """The mean of ours minus theirs, with its 95% interval by paired bootstrap over questions."""
    gains = ours - theirs
    draws = numpy.random.default_rng(1).integers(0, len(gains), (RESAMPLES, len(gains)))
    low, high = numpy.percentile(gains[draws].mean(axis=1), [2.5, 97.5])
    return f"{gains.mean():+.3f} ({low:+.3f} to {high:+.3f})"


def measure(cut, corpora, budget, questions, retrievers):
    """The recall of each question, by retriever, and a word about the chunks."""
    spans = [(name, start, end) for name, text in corpora.items() for start, end in cut(text, budget)]
    spans = [(name, start, end) for name, start, end in spans if corpora[name][start:end].strip()]
    over = sum(end - start > budget for _, start, end in spans)
    texts = [corpora[name][start:end] for name, start, end in spans]
    asked = [question["question"] for question in questions]
    recalls = {}
    for retriever, found in retrievers.items():
        rows = found(texts, asked)
        recalls[retriever] = numpy.array(
            [recall(question, [spans[at] for at in row]) for question, row in zip(questions, rows)]
        )
    return recalls, f"{len(spans)} chunks, {over} over the budget"


def main(folder, program):
    folder = pathlib.Path(folder)
    corpora = {path.stem: path.read_bytes().decode() for path in sorted((folder / "corpora").glob("*.md"))}
    questions = [row for row in read_questions(folder) if row["corpus_id"] in corpora]
    # The package has its files, but looks for one of them in another folder first, and would download it.
    files = pathlib.Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=files, disable_download=True)
    retrievers = {"bm25": found_by_bm25, "wordllama": found_by_embedding(model)}
    for budget in BUDGETS:
        results = {}
        for name, cut in chunkers(program).items():
            results[name], chunks = measure(cut, corpora, budget, questions, retrievers)
            means = ", ".join(f"{retriever} {values.mean():.3f}" for retriever, values in results[name].items())
            print(f"{budget} characters, {name}: recall@{FOUND} {means} ({chunks})", flush=True)
        for retriever in retrievers:
            peers = {name: found[retriever] for name, found in results.items() if name != "ours"}
            best = max(peers, key=lambda name: peers[name].mean())
            gain = difference(results["ours"][retriever], peers[best])
            print(f"{budget} characters, {retriever}: ours minus the best peer ({best}) {gain}")


if __name__ == "__main__":
    main(*sys.argv[1:])
