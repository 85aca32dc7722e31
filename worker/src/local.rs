//! Models that run in this process, by ONNX Runtime. The runtime's library is loaded at run time from a path in the server's
//! settings; nothing of it is linked.

mod fair;
mod model;
mod runtime;
mod text;

pub(crate) use self::model::{Model, Output};
pub(crate) use self::text::{Encoded, TextEncoder};
use crate::provider::{Code, ProviderError};

/// The library, the model or the tokenizer cannot be used. What the library says is shown, cut: it is about a file that a
/// superuser has named, not about anybody's text.
fn broken(what: &str, reason: &dyn std::fmt::Display, hint: &str) -> ProviderError {
    let reason: String = reason.to_string().chars().filter(|c| !c.is_control()).take(300).collect();
    ProviderError::new(Code::ModelBroken, format!("{what}: {reason}")).with_hint(hint)
}
