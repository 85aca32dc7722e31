#!/usr/bin/env python3
"""Writes a BERT sentence encoder as ONNX: model_to_onnx.py CONFIG.json MODEL.safetensors OUT.onnx

Inputs input_ids, attention_mask and token_type_ids (int64, batch x sequence), output last_hidden_state (float32,
batch x sequence x hidden). Plain operators of opset 17, so that any runtime can run it. Needs only the standard
library: both formats are simple, and packages for them would be ten times the size of this tool.
"""
import array
import json
import struct
import sys

FLOAT, INT64 = 1, 7  # TensorProto.DataType
MASKED = -3.4028234663852886e38  # the smallest float32: exp() of it is 0


# --- protocol buffers: a message is a list of (field number, value), written in order ---


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1  # negative numbers are written as 64 bits
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def message(*fields):
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [varint(number << 3), varint(value)]
        elif isinstance(value, float):
            parts += [varint(number << 3 | 5), struct.pack("<f", value)]
        else:
            value = value.encode() if isinstance(value, str) else value
            parts += [varint(number << 3 | 2), varint(len(value)), value]
    return b"".join(parts)


# --- ONNX: the few messages that are needed, with the field numbers of onnx.proto ---


def tensor(name, kind, dims, raw):
    return message(*[(1, d) for d in dims], (2, kind), (8, name), (9, raw))


def attribute(name, value):
    if isinstance(value, int):
        return message((1, name), (3, value), (20, 2))
    if isinstance(value, float):
        return message((1, name), (2, value), (20, 1))
    return message((1, name), *[(8, v) for v in value], (20, 7))


def value_info(name, kind, dims):
    shape = message(*[(1, message((2, d) if isinstance(d, str) else (1, d))) for d in dims])
    return message((1, name), (2, message((1, message((1, kind), (2, shape))))))


class Graph:
    def __init__(self):
        self.nodes = []
        self.initializers = []
        self.known = set()

    def floats(self, name, dims, raw):
        return self._constant(name, FLOAT, dims, raw)

    def scalar(self, value):
        return self._constant(f"float_{value}", FLOAT, [], struct.pack("<f", value))

    def ints(self, *values):
        name = "ints_" + "_".join(map(str, values))
        return self._constant(name, INT64, [len(values)], struct.pack(f"<{len(values)}q", *values))

    def _constant(self, name, kind, dims, raw):
        if name not in self.known:
            self.known.add(name)
            self.initializers.append(tensor(name, kind, dims, raw))
        return name

    def op(self, kind, inputs, output, **attributes):
        named = [(5, attribute(k, v)) for k, v in attributes.items()]
        self.nodes.append(message(*[(1, i) for i in inputs], (2, output), (3, output + "/node"), (4, kind), *named))
        return output

    def model(self, inputs, outputs):
        graph = message(
            *[(1, n) for n in self.nodes], (2, "sentence_encoder"), *[(5, t) for t in self.initializers],
            *[(11, i) for i in inputs], *[(12, o) for o in outputs])
        return message((1, 8), (2, "pg_memento"), (7, graph), (8, message((1, ""), (2, 17))))


# --- safetensors: the length of a JSON header, the header, the numbers ---


class Weights:
    def __init__(self, path):
        with open(path, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            self.header = json.loads(file.read(length))
            self.data = file.read()
        # Some exports put the name of the model in front of each tensor's.
        self.prefix = next((p for p in ("", "bert.", "model.") if p + "embeddings.LayerNorm.weight" in self.header), "")

    def read(self, name):
        entry = self.header[self.prefix + name]
        if entry["dtype"] != "F32":
            raise SystemExit(f"{name} is {entry['dtype']}, only F32 is understood")
        begin, end = entry["data_offsets"]
        return entry["shape"], self.data[begin:end]

    def transposed(self, name):
        (rows, columns), raw = self.read(name)
        numbers = array.array("f", raw)
        turned = array.array("f")
        for column in range(columns):
            turned.extend(numbers[column::columns])
        return [columns, rows], turned.tobytes()


class Encoder:
    def __init__(self, config, weights):
        if (config["model_type"], config["hidden_act"]) != ("bert", "gelu"):
            raise SystemExit("only BERT with gelu is understood")
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise SystemExit("only absolute positions are understood")
        self.config, self.weights, self.graph = config, weights, Graph()
        self.hidden, self.heads = config["hidden_size"], config["num_attention_heads"]

    def weight(self, name):
        return self.graph.floats(name, *self.weights.read(name))

    def linear(self, x, name, output):
        matrix = self.graph.floats(name + ".weight", *self.weights.transposed(name + ".weight"))
        product = self.graph.op("MatMul", [x, matrix], output + "/product")
        return self.graph.op("Add", [product, self.weight(name + ".bias")], output)

    def norm(self, x, name, output):
        return self.graph.op(
            "LayerNormalization", [x, self.weight(name + ".weight"), self.weight(name + ".bias")], output,
            axis=-1, epsilon=float(self.config["layer_norm_eps"]))

    def embeddings(self):
        g, tables = self.graph, "embeddings."
        word = g.op("Gather", [self.weight(tables + "word_embeddings.weight"), "input_ids"], "word", axis=0)
        kind = g.op("Gather", [self.weight(tables + "token_type_embeddings.weight"), "token_type_ids"], "kind", axis=0)
        length = g.op("Shape", ["input_ids"], "length", start=1, end=2)
        place = g.op(
            "Slice", [self.weight(tables + "position_embeddings.weight"), g.ints(0), length, g.ints(0)], "place")
        total = g.op("Add", [g.op("Add", [word, kind], "word_and_kind"), place], "embedded")
        return self.norm(total, tables + "LayerNorm", "embedded/norm")

    def mask(self):
        g = self.graph
        spread = g.op("Unsqueeze", ["attention_mask", g.ints(1, 2)], "mask/spread")
        kept = g.op("Cast", [spread], "mask/float", to=FLOAT)
        return g.op("Mul", [g.op("Sub", [g.scalar(1.0), kept], "mask/dropped"), g.scalar(MASKED)], "mask/bias")

    def attention(self, x, mask, layer, out):
        g, size = self.graph, self.hidden // self.heads

        def heads(part, order):
            flat = self.linear(x, f"{layer}.attention.self.{part}", f"{out}/{part}")
            split = g.op("Reshape", [flat, g.ints(0, 0, self.heads, size)], f"{out}/{part}/heads")
            return g.op("Transpose", [split], f"{out}/{part}/turned", perm=order)

        query, key = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1])
        value = heads("value", [0, 2, 1, 3])
        scores = g.op("MatMul", [query, key], out + "/scores")
        scaled = g.op("Div", [scores, g.scalar(float(size) ** 0.5)], out + "/scaled")
        weights = g.op("Softmax", [g.op("Add", [scaled, mask], out + "/masked")], out + "/weights", axis=-1)
        mixed = g.op("Transpose", [g.op("MatMul", [weights, value], out + "/mixed")], out + "/back", perm=[0, 2, 1, 3])
        joined = g.op("Reshape", [mixed, g.ints(0, 0, self.hidden)], out + "/joined")
        return self.linear(joined, f"{layer}.attention.output.dense", out + "/attended")

    def gelu(self, x, out):
        g = self.graph
        erf = g.op("Erf", [g.op("Div", [x, g.scalar(2.0**0.5)], out + "/div")], out + "/erf")
        product = g.op("Mul", [x, g.op("Add", [erf, g.scalar(1.0)], out + "/plus")], out + "/product")
        return g.op("Mul", [product, g.scalar(0.5)], out)

    def layer(self, x, mask, number):
        g, layer, out = self.graph, f"encoder.layer.{number}", f"layer{number}"
        attended = self.attention(x, mask, layer, out)
        x = self.norm(g.op("Add", [attended, x], out + "/sum1"), f"{layer}.attention.output.LayerNorm", out + "/norm1")
        wide = self.gelu(self.linear(x, f"{layer}.intermediate.dense", out + "/wide"), out + "/gelu")
        narrow = self.linear(wide, f"{layer}.output.dense", out + "/narrow")
        return self.norm(g.op("Add", [narrow, x], out + "/sum2"), f"{layer}.output.LayerNorm", out + "/norm2")

    def model(self):
        x, mask = self.embeddings(), self.mask()
        for number in range(self.config["num_hidden_layers"]):
            x = self.layer(x, mask, number)
        self.graph.op("Identity", [x], "last_hidden_state")
        ids = [value_info(n, INT64, ["batch", "sequence"]) for n in ("input_ids", "attention_mask", "token_type_ids")]
        return self.graph.model(ids, [value_info("last_hidden_state", FLOAT, ["batch", "sequence", self.hidden])])


def main(config_path, weights_path, out):
    with open(config_path, encoding="utf-8") as file:
        config = json.load(file)
    model = Encoder(config, Weights(weights_path)).model()
    with open(out, "wb") as file:
        file.write(model)
    print(f"{out}: {len(model) / 1e6:.1f} MB")


if __name__ == "__main__":
    if sys.byteorder != "little" or len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
