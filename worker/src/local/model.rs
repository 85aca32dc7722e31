//! A model in memory. Profiles that use the same file share it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ort::logging::LogLevel;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{OutputSelector, RunOptions, Session};
use ort::value::{Outlet, TensorElementType, TensorRef};
use sha2::{Digest, Sha256};

use super::fair::FairMutex;
use super::text::Encoded;
use super::{broken, runtime};
use crate::provider::{Code, ProviderError};

const HINT: &str = "use an ONNX export of a sentence encoder or cross-encoder: inputs input_ids, attention_mask and perhaps \
                    token_type_ids (int64), a float32 output";

/// What a run gives: numbers in rows of equal length.
pub(crate) struct Output {
    /// Rows: one for each token, or a single one.
    pub rows: usize,
    /// All rows, one after the other.
    pub numbers: Vec<f32>,
}

/// A model and the output of it that is used.
pub(crate) struct Model {
    loaded: Arc<Loaded>,
    output: String,
}

/// A file in memory. Runs one after the other, in the order of asking; a run cannot be interrupted.
struct Loaded {
    session: FairMutex<Session>,
    takes_types: bool,
    /// The names of its outputs of float32 numbers.
    outputs: Vec<String>,
    /// The SHA-256 of the file.
    digest: Vec<u8>,
}

impl Loaded {
    /// The model of a file, loaded if nobody holds it yet.
    fn shared(library: &Path, file: &Path, threads: usize) -> Result<Arc<Self>, ProviderError> {
        static HELD: Mutex<Vec<(PathBuf, usize, Weak<Loaded>)>> = Mutex::new(Vec::new());
        let path = file.canonicalize().map_err(|error| broken("model.onnx cannot be read", &error, HINT))?;
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(.., loaded)| loaded.strong_count() > 0);
        let same = held.iter().find(|(held, with, _)| (held, *with) == (&path, threads));
        if let Some(loaded) = same.and_then(|(.., loaded)| loaded.upgrade()) {
            return Ok(loaded);
        }
        let loaded = Arc::new(Self::load(library, &path, threads)?);
        held.push((path, threads, Arc::downgrade(&loaded)));
        Ok(loaded)
    }

    fn load(library: &Path, file: &Path, threads: usize) -> Result<Self, ProviderError> {
        let environment = runtime::environment(library)?;
        let session = open(&environment, file, threads)
            .map_err(|error| broken("model.onnx cannot be loaded", &error, HINT))?;
        let takes_types = check_inputs(session.inputs())?;
        let outputs = float_outputs(session.outputs());
        let digest = digest_of(file).map_err(|error| broken("model.onnx cannot be read", &error, HINT))?;
        Ok(Self { session: FairMutex::new(session), takes_types, outputs, digest })
    }
}

impl Model {
    /// The model of a file. Of its outputs the first of `wanted` that it has is used, or the only one.
    pub fn open(library: &Path, file: &Path, threads: usize, wanted: &[&str]) -> Result<Self, ProviderError> {
        let loaded = Loaded::shared(library, file, threads)?;
        let output = choose_output(&loaded.outputs, wanted)?;
        Ok(Self { loaded, output })
    }

    /// The SHA-256 of its file.
    pub fn digest(&self) -> &[u8] {
        &self.loaded.digest
    }

    /// Runs the model on one text.
    pub fn run(&self, text: &Encoded) -> Result<Output, ProviderError> {
        self.loaded.session.with(|session| self.run_in(session, text)).map_err(|_| {
            ProviderError::new(Code::ModelFailed, "the local model failed on a text")
                .with_hint("max_tokens of the profile may be more than the model takes, or memory is short")
        })
    }

    fn run_in(&self, session: &mut Session, text: &Encoded) -> ort::Result<Output> {
        let shape = [1, text.ids.len()];
        let mask = vec![1_i64; text.ids.len()];
        let ids = TensorRef::from_array_view((shape, &text.ids[..]))?;
        let mask = TensorRef::from_array_view((shape, &mask[..]))?;
        let options =
            RunOptions::new()?.with_outputs(OutputSelector::no_default().with(self.output.as_str()));
        let outputs = if self.loaded.takes_types {
            let types = TensorRef::from_array_view((shape, &text.types[..]))?;
            let inputs =
                ort::inputs!["input_ids" => ids, "attention_mask" => mask, "token_type_ids" => types];
            session.run_with_options(inputs, &options)?
        } else {
            session.run_with_options(ort::inputs!["input_ids" => ids, "attention_mask" => mask], &options)?
        };
        let value = outputs.get(&self.output).ok_or_else(|| ort::Error::new("no output"))?;
        let (shape, numbers) = value.try_extract_tensor::<f32>()?;
        let width =
            shape.last().copied().and_then(|width| usize::try_from(width).ok()).filter(|width| *width > 0);
        let rows = width.map_or(0, |width| numbers.len() / width);
        Ok(Output { rows, numbers: numbers.to_vec() })
    }
}

fn digest_of(file: &Path) -> std::io::Result<Vec<u8>> {
    let (mut file, mut hasher, mut part) = (File::open(file)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hasher.finalize().to_vec()),
            read => hasher.update(&part[..read]),
        }
    }
}

fn open(
    environment: &ort::environment::Environment,
    file: &Path,
    threads: usize,
) -> Result<Session, ort::Error> {
    Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        // Threads of the pool would burn a core for a while after each run.
        .with_intra_op_spinning(false)?
        // It plans memory for one length of text, and each text has another.
        .with_memory_pattern(false)?
        // What goes wrong comes back as an error; the log of the server is not the place for it.
        .with_log_level(LogLevel::Fatal)?
        .commit_from_file(file)
}

/// Whether the model takes token types. What it takes beyond that nobody would give it.
fn check_inputs(inputs: &[Outlet]) -> Result<bool, ProviderError> {
    let has = |name: &str| inputs.iter().any(|input| input.name() == name);
    let is_known = |input: &Outlet| {
        ["input_ids", "attention_mask", "token_type_ids"].contains(&input.name())
            && input.dtype().tensor_type() == Some(TensorElementType::Int64)
    };
    match has("input_ids") && has("attention_mask") && inputs.iter().all(is_known) {
        true => Ok(has("token_type_ids")),
        false => {
            Err(broken("model.onnx cannot be used", &"its inputs are not those of a text encoder", HINT))
        }
    }
}

fn float_outputs(outputs: &[Outlet]) -> Vec<String> {
    let is_float = |output: &&Outlet| output.dtype().tensor_type() == Some(TensorElementType::Float32);
    outputs.iter().filter(is_float).map(|output| output.name().to_owned()).collect()
}

fn choose_output(outputs: &[String], wanted: &[&str]) -> Result<String, ProviderError> {
    let by_name = wanted.iter().find_map(|name| outputs.iter().find(|output| output == name));
    match (by_name, outputs) {
        (Some(output), _) | (None, [output]) => Ok(output.clone()),
        _ => Err(broken(
            "model.onnx cannot be used",
            &format!("it has no output called {}", wanted.join(" or ")),
            HINT,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_in_memory_once() {
        let path = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.exists());
        let Some((library, directory)) =
            path("MEMENTO_TEST_ONNX_LIBRARY").zip(path("MEMENTO_TEST_MODEL_DIR"))
        else {
            println!("left out: the local model is not there; scripts/setup brings it");
            return;
        };
        let open = |wanted| Model::open(&library, &directory.join("model.onnx"), 1, wanted).unwrap();
        let (one, other) = (open(&["last_hidden_state"]), open(&["sentence_embedding", "last_hidden_state"]));
        assert!(Arc::ptr_eq(&one.loaded, &other.loaded));
    }
}
