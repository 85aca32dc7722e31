//! API keys by reference: a profile names an environment variable or a file, the server's settings say which of them may be
//! read. The key itself is never stored, logged or shown.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::provider::{Code, ProviderError};

/// The longest key that is read. Longer files are not keys.
const MAX_KEY_BYTES: u64 = 8 * 1024;

/// A value that must not be seen. Its text is only reached through [`Secret::expose`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

/// Which environment variables and files may be read as keys: from the server's settings, never from a profile. Without
/// it, a profile could send any variable or file of the server to any endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRules {
    /// What the name of a variable must begin with.
    pub env_prefix: String,
    /// The one directory whose files may be read.
    pub directory: Option<PathBuf>,
}

impl Default for KeyRules {
    fn default() -> Self {
        Self { env_prefix: "MEMENTO_KEY_".into(), directory: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reference {
    Env(String),
    File(PathBuf),
}

/// Where a key is read from, already checked against the rules. It is read again for each call, so that a key can be
/// changed without a restart and does not stay in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySource(Reference);

impl KeySource {
    /// The source that `{"env": "NAME"}` or `{"file": "name"}` refers to.
    pub fn from_config(value: &Value, rules: &KeyRules) -> Result<Self, ProviderError> {
        let reference = value.as_object().filter(|object| object.len() == 1).and_then(|object| {
            let (how, name) = object.iter().next()?;
            Some((how.as_str(), name.as_str()?))
        });
        match reference {
            Some(("env", name)) => Self::variable(name, rules),
            Some(("file", name)) => Self::file(name, rules),
            _ => Err(refused("api_key is not a reference").with_hint(format!(
                "keys are never stored: put the key into an environment variable of the server, and write \
                 {{\"api_key\": {{\"env\": \"{}...\"}}}} or {{\"api_key\": {{\"file\": \"name\"}}}}",
                rules.env_prefix
            ))),
        }
    }

    fn variable(name: &str, rules: &KeyRules) -> Result<Self, ProviderError> {
        // An empty prefix would open the whole environment by mistake.
        let allowed =
            !rules.env_prefix.is_empty() && name.strip_prefix(rules.env_prefix.as_str()).is_some_and(is_word);
        if !allowed {
            return Err(refused("the variable of api_key must not be read")
                .with_hint(format!("use a variable whose name begins with {}", rules.env_prefix)));
        }
        Ok(Self(Reference::Env(name.into())))
    }

    fn file(name: &str, rules: &KeyRules) -> Result<Self, ProviderError> {
        let Some(directory) = &rules.directory else {
            return Err(refused("key files are not enabled")
                .with_hint("set the server's directory for keys, or use {\"env\": ...}"));
        };
        let plain =
            !name.starts_with('.') && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        if name.is_empty() || name.len() > 255 || !plain {
            return Err(refused("the file of api_key is not a plain name")
                .with_hint("give the name of a file in the server's directory for keys, without a path"));
        }
        Ok(Self(Reference::File(directory.join(name))))
    }

    /// Reads the key.
    pub fn read(&self) -> Result<Secret, ProviderError> {
        let text = match &self.0 {
            Reference::Env(name) => std::env::var(name).map_err(|_| {
                refused(format!("environment variable {name} is not set")).with_hint(
                    "set it in the environment of the server (or of memento-worker), then restart it",
                )
            })?,
            Reference::File(path) => read_key_file(path)?,
        };
        let key = text.trim();
        // Anything else could not be sent in a header, or would end it.
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused("the API key is empty or has characters that no key has")
                .with_hint("store the bare key, on one line, without quotes"));
        }
        Ok(Secret(key.into()))
    }
}

fn read_key_file(path: &Path) -> Result<String, ProviderError> {
    let unreadable = |what: &str| {
        refused(format!("the file of api_key {what}")).with_hint(
            "put a file that only the server's user can write into the server's directory for keys",
        )
    };
    let directory = path.parent().and_then(|parent| parent.canonicalize().ok());
    let real = path.canonicalize().map_err(|_| unreadable("cannot be found"))?;
    // Links inside the directory are how secrets are mounted; links out of it would be a way around the rule.
    if !directory.is_some_and(|directory| real.starts_with(directory)) {
        return Err(unreadable("is a link out of the directory for keys"));
    }
    let facts = real.metadata().map_err(|_| unreadable("cannot be read"))?;
    if !facts.is_file() || facts.len() > MAX_KEY_BYTES {
        return Err(unreadable("is not a file with a key"));
    }
    if facts.permissions().mode() & 0o002 != 0 {
        return Err(unreadable("can be written by everybody"));
    }
    std::fs::read_to_string(&real).map_err(|_| unreadable("cannot be read"))
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 200
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn refused(message: impl Into<String>) -> ProviderError {
    ProviderError::new(Code::Key, message)
}
