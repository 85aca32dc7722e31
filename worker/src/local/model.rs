//! A model in memory. Profiles that use the same file share it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ort::logging::LogLevel;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{OutputSelector, RunOptions, Session};
use ort::value::{Outlet, TensorElementType, TensorRef};

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

/// A loaded model. Runs one after the other, in the order of asking; a run cannot be interrupted.
pub(crate) struct Model {
    session: FairMutex<Session>,
    takes_types: bool,
    output: String,
}

type Key = (PathBuf, usize, &'static [&'static str]);

impl Model {
    /// The model of a file, loaded if nobody holds it yet. Of its outputs the first of `wanted` that it has is used, or the
    /// only one.
    pub fn shared(
        library: &Path,
        file: &Path,
        threads: usize,
        wanted: &'static [&'static str],
    ) -> Result<Arc<Self>, ProviderError> {
        static HELD: Mutex<Option<HashMap<Key, Weak<Model>>>> = Mutex::new(None);
        let path = file.canonicalize().map_err(|error| broken("model.onnx cannot be read", &error, HINT))?;
        let key = (path, threads, wanted);
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let held = held.get_or_insert_default();
        if let Some(model) = held.get(&key).and_then(Weak::upgrade) {
            return Ok(model);
        }
        let model = Arc::new(Self::load(library, &key.0, threads, wanted)?);
        held.retain(|_, model| model.strong_count() > 0);
        held.insert(key, Arc::downgrade(&model));
        Ok(model)
    }

    fn load(library: &Path, file: &Path, threads: usize, wanted: &[&str]) -> Result<Self, ProviderError> {
        let environment = runtime::environment(library)?;
        let session = open(&environment, file, threads)
            .map_err(|error| broken("model.onnx cannot be loaded", &error, HINT))?;
        let takes_types = check_inputs(session.inputs())?;
        let output = choose_output(session.outputs(), wanted)?;
        Ok(Self { session: FairMutex::new(session), takes_types, output })
    }

    /// Runs the model on one text.
    pub fn run(&self, text: &Encoded) -> Result<Output, ProviderError> {
        self.session.with(|session| self.run_in(session, text)).map_err(|_| {
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
        let outputs = if self.takes_types {
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

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Model").field("output", &self.output).finish_non_exhaustive()
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

fn choose_output(outputs: &[Outlet], wanted: &[&str]) -> Result<String, ProviderError> {
    let floats =
        || outputs.iter().filter(|output| output.dtype().tensor_type() == Some(TensorElementType::Float32));
    let by_name = wanted.iter().find_map(|name| floats().find(|output| output.name() == *name));
    let only = || Some(floats().next()?).filter(|_| floats().count() == 1);
    by_name.or_else(only).map(|output| output.name().to_owned()).ok_or_else(|| {
        broken("model.onnx cannot be used", &format!("it has no output called {}", wanted.join(" or ")), HINT)
    })
}
