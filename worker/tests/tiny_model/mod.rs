//! Models of a few bytes, written by hand: enough of ONNX and of a tokenizer to see every step of the way.

use std::path::{Path, PathBuf};

/// The vocabulary, by id. The first four are marks.
pub const WORDS: [&str; 8] = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "red", "green", "blue", "grey"];

/// The vector of each word.
pub const TABLE: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [0.1, 0.1, 0.1],
    [0.0, 0.0, 0.1],
    [0.2, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.5, 0.5],
];

/// A directory with `model.onnx` and `tokenizer.json`, removed in the end.
pub struct ModelDir(pub PathBuf);

impl ModelDir {
    pub fn new(name: &str, model: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("memento-tiny-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("model.onnx"), model).unwrap();
        std::fs::write(path.join("tokenizer.json"), tokenizer()).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ModelDir {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A tokenizer of whole words. It cuts and pads to 4 tokens, as real ones do to 128: nobody should let it.
fn tokenizer() -> String {
    let vocabulary: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(id, word)| (word.to_string(), id.into())).collect();
    let mark = |name: &str, kind: u8| serde_json::json!({"SpecialToken": {"id": name, "type_id": kind}});
    let text = |name: &str, kind: u8| serde_json::json!({"Sequence": {"id": name, "type_id": kind}});
    let special = |name: &str, id: u8| serde_json::json!({"id": name, "ids": [id], "tokens": [name]});
    serde_json::json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 4}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                    "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [mark("[CLS]", 0), text("A", 0), mark("[SEP]", 0)],
            "pair": [mark("[CLS]", 0), text("A", 0), mark("[SEP]", 0), text("B", 1), mark("[SEP]", 1)],
            "special_tokens": {"[CLS]": special("[CLS]", 1), "[SEP]": special("[SEP]", 2)}
        },
        "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    })
    .to_string()
}

/// The vectors of the words: `last_hidden_state`.
pub fn encoder(takes_types: bool) -> Vec<u8> {
    let mut graph = Graph::new(takes_types);
    graph.floats("table", &[8, 3], &TABLE.concat());
    graph.node("Gather", &["table", "input_ids"], "last_hidden_state", &[]);
    graph.finish("last_hidden_state", &[None, None, Some(3)])
}

/// The same, only for texts of exactly 16 tokens.
pub fn encoder_of_16_tokens() -> Vec<u8> {
    let mut graph = Graph::new(false);
    graph.floats("table", &[8, 3], &TABLE.concat());
    graph.floats("positions", &[16, 3], &[0.0; 48]);
    graph.node("Gather", &["table", "input_ids"], "words", &[]);
    graph.node("Add", &["words", "positions"], "last_hidden_state", &[]);
    graph.finish("last_hidden_state", &[None, None, Some(3)])
}

/// The sum of the vectors, by the model itself: `sentence_embedding`.
pub fn encoder_that_pools() -> Vec<u8> {
    let mut graph = Graph::new(false);
    graph.floats("table", &[8, 3], &TABLE.concat());
    graph.ints("second", &[1]);
    graph.node("Gather", &["table", "input_ids"], "words", &[]);
    graph.node("ReduceSum", &["words", "second"], "sentence_embedding", &[("keepdims", 0)]);
    graph.finish("sentence_embedding", &[None, Some(3)])
}

/// A cross-encoder: the more red (and the less green) the second text is, the higher the logit.
pub fn cross_encoder() -> Vec<u8> {
    let mut graph = Graph::new(true);
    graph.floats("table", &[8, 1], &[0.0, 0.0, 0.0, 0.0, 1.5, -1.5, 0.0, 0.0]);
    graph.ints("second", &[1]);
    graph.ints("last", &[-1]);
    graph.node("Gather", &["table", "input_ids"], "words", &[]);
    graph.node("Cast", &["token_type_ids"], "in_second", &[("to", 1)]);
    graph.node("Unsqueeze", &["in_second", "last"], "spread", &[]);
    graph.node("Mul", &["words", "spread"], "counted", &[]);
    graph.node("ReduceSum", &["counted", "second"], "logits", &[("keepdims", 0)]);
    graph.finish("logits", &[None, Some(1)])
}

/// A model that wants something else than text.
pub fn no_encoder() -> Vec<u8> {
    let mut graph = Graph::new(false);
    graph.floats("table", &[8, 3], &TABLE.concat());
    graph.inputs.push(value_info("pixel_values", 7, &[None, None]));
    graph.node("Gather", &["table", "pixel_values"], "last_hidden_state", &[]);
    graph.finish("last_hidden_state", &[None, None, Some(3)])
}

/// A graph in the making, with the field numbers of onnx.proto.
struct Graph {
    nodes: Vec<Vec<u8>>,
    constants: Vec<Vec<u8>>,
    inputs: Vec<Vec<u8>>,
}

impl Graph {
    fn new(takes_types: bool) -> Self {
        let mut names = vec!["input_ids", "attention_mask"];
        names.extend(takes_types.then_some("token_type_ids"));
        let inputs = names.into_iter().map(|name| value_info(name, 7, &[None, None])).collect();
        Self { nodes: vec![], constants: vec![], inputs }
    }

    fn floats(&mut self, name: &str, dims: &[u64], values: &[f32]) {
        self.constant(name, 1, dims, values.iter().flat_map(|value| value.to_le_bytes()).collect());
    }

    fn ints(&mut self, name: &str, values: &[i64]) {
        let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, 7, &[values.len() as u64], raw);
    }

    fn constant(&mut self, name: &str, kind: u64, dims: &[u64], raw: Vec<u8>) {
        let mut tensor: Vec<u8> = dims.iter().flat_map(|dim| number(1, *dim)).collect();
        tensor.extend([number(2, kind), bytes(8, name.as_bytes()), bytes(9, &raw)].concat());
        self.constants.push(tensor);
    }

    fn node(&mut self, kind: &str, inputs: &[&str], output: &str, attributes: &[(&str, u64)]) {
        let mut node: Vec<u8> = inputs.iter().flat_map(|input| bytes(1, input.as_bytes())).collect();
        node.extend([bytes(2, output.as_bytes()), bytes(4, kind.as_bytes())].concat());
        for (name, value) in attributes {
            node.extend(bytes(5, &[bytes(1, name.as_bytes()), number(3, *value), number(20, 2)].concat()));
        }
        self.nodes.push(node);
    }

    fn finish(self, output: &str, dims: &[Option<u64>]) -> Vec<u8> {
        let list =
            |field, items: &[Vec<u8>]| items.iter().flat_map(|item| bytes(field, item)).collect::<Vec<u8>>();
        let graph = [
            list(1, &self.nodes),
            bytes(2, b"tiny"),
            list(5, &self.constants),
            list(11, &self.inputs),
            bytes(12, &value_info(output, 1, dims)),
        ]
        .concat();
        let opset = [bytes(1, b""), number(2, 17)].concat();
        [number(1, 8), bytes(7, &graph), bytes(8, &opset)].concat()
    }
}

fn value_info(name: &str, kind: u64, dims: &[Option<u64>]) -> Vec<u8> {
    let dim = |dim: &Option<u64>| bytes(1, &dim.map_or_else(|| bytes(2, b"any"), |size| number(1, size)));
    let shape: Vec<u8> = dims.iter().flat_map(dim).collect();
    let tensor = [number(1, kind), bytes(2, &shape)].concat();
    [bytes(1, name.as_bytes()), bytes(2, &bytes(1, &tensor))].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = vec![];
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}
