//! Reads a profile's configuration. Unknown names are refused, so that a typing error does not pass for a setting; values are
//! never repeated in messages, because one of them could be a key in the wrong place.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::{ProfileSpec, ProviderError};

/// What belongs to the index and the search and not to the provider.
const OTHERS: [&str; 2] = ["hnsw", "query"];

/// The configuration of one profile.
#[derive(Clone, Copy)]
pub(super) struct Config<'a> {
    map: Option<&'a Map<String, Value>>,
}

impl<'a> Config<'a> {
    /// Checks that there is nothing in it that the provider does not know.
    pub fn new(spec: &'a ProfileSpec, known: &[&[&str]]) -> Result<Self, ProviderError> {
        let map = match &spec.config {
            Value::Null => None,
            Value::Object(map) => Some(map),
            _ => {
                return Err(ProviderError::config(
                    "the profile's configuration is not a JSON object",
                    "use {} for none",
                ));
            }
        };
        let is_known = |name: &str| OTHERS.contains(&name) || known.iter().any(|names| names.contains(&name));
        if let Some(name) = map.and_then(|map| map.keys().find(|name| !is_known(name))) {
            let shown = if is_name(name) { name.as_str() } else { "?" };
            let mut names: Vec<_> = known.concat();
            names.extend(OTHERS);
            names.sort_unstable();
            return Err(ProviderError::config(
                format!("unknown \"{shown}\" in the configuration of the profile"),
                format!("known for this provider: {}", names.join(", ")),
            ));
        }
        Ok(Self { map })
    }

    /// A value as it is.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        self.map.and_then(|map| map.get(name)).filter(|value| !value.is_null())
    }

    /// A string.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, ProviderError> {
        let read = |value: &'a Value| value.as_str().ok_or_else(|| wrong(name, "must be a string"));
        self.value(name).map(read).transpose()
    }

    /// A flag; false where it is not given.
    pub fn flag(&self, name: &str) -> Result<bool, ProviderError> {
        let read = |value: &Value| value.as_bool().ok_or_else(|| wrong(name, "must be true or false"));
        Ok(self.value(name).map(read).transpose()?.unwrap_or(false))
    }

    /// A whole number in a range.
    pub fn number(&self, name: &str, range: RangeInclusive<usize>) -> Result<Option<usize>, ProviderError> {
        let read = |value: &Value| {
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.filter(|number| range.contains(number)).ok_or_else(|| {
                wrong(name, &format!("must be a whole number from {} to {}", range.start(), range.end()))
            })
        };
        self.value(name).map(read).transpose()
    }
}

/// Whether a name can be shown: what is not a plain word could be a key in the wrong place.
pub(super) fn is_name(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn wrong(name: &str, what: &str) -> ProviderError {
    ProviderError::config(format!("{name} {what}"), "correct the configuration of the profile")
}
