"""onnxruntime in Python as the peer of the local model: the same file, threads and texts.

Run by `scripts/bench local_embedding` as `local_embedding.py MODEL_DIR THREADS MAX_TOKENS`. The first line of standard input is
a JSON list of texts; each further line is a command, answered by one line: `vectors` embeds all texts and prints their vectors,
`all` embeds them, `cpu` does the same and prints the seconds of CPU time that it took, `bare N` runs the model N times on the tokens of the first text, without tokenizing and pooling.
"""

import json
import sys
import time

import numpy
import onnxruntime
from tokenizers import Tokenizer


def main(folder, threads, max_tokens):
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    tokenizer.enable_truncation(int(max_tokens))
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(folder + "/model.onnx", options, providers=["CPUExecutionProvider"])

    def inputs(text):
        ids = numpy.array([tokenizer.encode(text).ids], numpy.int64)
        return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}

    def embed(text):
        vector = session.run(["last_hidden_state"], inputs(text))[0][0].mean(axis=0)
        return vector / numpy.linalg.norm(vector)

    texts = json.loads(sys.stdin.readline())
    first = inputs(texts[0])
    for line in sys.stdin:
        command, *count = line.split()
        answer = "done"
        if command == "bare":
            for _ in range(int(count[0])):
                session.run(["last_hidden_state"], first)
        else:
            started = time.process_time()
            vectors = [embed(text) for text in texts]
            if command == "cpu":
                answer = str(time.process_time() - started)
            if command == "vectors":
                answer = json.dumps([vector.tolist() for vector in vectors])
        print(answer, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
