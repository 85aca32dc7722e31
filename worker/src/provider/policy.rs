//! What a profile says, and what any profile may do.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::secret::KeyRules;

/// Which model: a row of the table of profiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileSpec {
    /// Who serves it.
    pub provider: String,
    /// Its name there.
    pub model: String,
    /// The length of its vectors. Not used for reranking and chat.
    pub dims: usize,
    /// How to reach it and how to use it; see docs/models.md.
    pub config: Value,
}

/// What any profile may do: from settings that only a superuser can change, never from a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Hosts that may be called: `host`, `host:port`, `*.domain`, or `*`.
    pub allowed_hosts: Vec<String>,
    /// Whether loopback, private and link-local addresses may be called, and plain `http` be used to them.
    pub allow_private: bool,
    /// The longest wait for a connection.
    pub connect_timeout: Duration,
    /// The longest wait for the end of a call. A profile can shorten it.
    pub timeout: Duration,
    /// The largest answer that is read.
    pub max_response_bytes: u64,
    /// Which variables and files may be read as API keys.
    pub keys: KeyRules,
    /// Where the local model is.
    pub local: LocalSettings,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            allowed_hosts: ["api.openai.com", "api.voyageai.com", "api.jina.ai"].map(String::from).into(),
            allow_private: false,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            max_response_bytes: 64 * 1024 * 1024,
            keys: KeyRules::default(),
            local: LocalSettings::default(),
        }
    }
}

/// The local model, from the server's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSettings {
    /// The library of ONNX Runtime: an absolute path.
    pub library: Option<PathBuf>,
    /// The directory with `model.onnx` and `tokenizer.json` of the embedding model, or with a directory of that kind for each of
    /// several, called like the models.
    pub model_dir: Option<PathBuf>,
    /// The same of a cross-encoder.
    pub reranker_dir: Option<PathBuf>,
    /// Threads of one run. With more than one, the caller must block signals on the thread that makes the first call, because
    /// the threads of the pool inherit its mask and would otherwise take the server's signals.
    pub threads: usize,
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self { library: None, model_dir: None, reranker_dir: None, threads: 1 }
    }
}
