//! Why a model gave no answer, in words that can be stored in a job row and shown to anybody.

use std::time::Duration;

use super::Usage;

/// What the caller should do about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The same call may work later.
    Retryable,
    /// The endpoint wants to be left alone for a while; the call itself is fine and no attempt is spent.
    RateLimited,
    /// The profile or a setting is wrong: no call of this profile can work until somebody changes it.
    Invalid,
    /// One of these texts can never work. In a batch, which of them is not known.
    Poison,
    /// The local model is not there, or not yet.
    NotReady,
}

/// Lists the codes once: the enum, their names and what kind each is.
macro_rules! codes {
    ($($(#[$doc:meta])+ $name:ident = $text:literal, $kind:ident;)+) => {
        /// What happened, for programs. Each code has one kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[$doc])+ $name,)+ }

        impl Code {
            /// The name that goes into job rows and error details.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// What to do about it.
            pub fn kind(self) -> Kind {
                match self { $(Code::$name => Kind::$kind,)+ }
            }

            /// The code of a name, as it came over a wire.
            pub fn from_name(name: &str) -> Option<Code> {
                match name { $($text => Some(Code::$name),)+ _ => None }
            }
        }
    };
}

codes! {
    /// The profile's configuration cannot be understood.
    Config = "PROVIDER_CONFIG", Invalid;
    /// The host is not allowed, or its address is not.
    HostRefused = "PROVIDER_HOST_REFUSED", Invalid;
    /// The API key that the profile refers to is not there or must not be used.
    Key = "PROVIDER_KEY", Invalid;
    /// 401, 402 or 403.
    Unauthorized = "PROVIDER_UNAUTHORIZED", Invalid;
    /// 404 and the like: a wrong address or a wrong model.
    NotFound = "PROVIDER_NOT_FOUND", Invalid;
    /// The endpoint wants to send us elsewhere.
    Redirected = "PROVIDER_REDIRECTED", Invalid;
    /// The certificate of the endpoint is not trusted.
    Certificate = "PROVIDER_CERTIFICATE", Invalid;
    /// The vectors are not as long as the profile says.
    Dims = "PROVIDER_DIMS", Invalid;
    /// 429.
    RateLimited = "PROVIDER_RATE_LIMITED", RateLimited;
    /// No connection, a server error, or a connection that broke.
    Unavailable = "PROVIDER_UNAVAILABLE", Retryable;
    /// No answer in time.
    Timeout = "PROVIDER_TIMEOUT", Retryable;
    /// An answer that is not what was asked for.
    BadAnswer = "PROVIDER_BAD_ANSWER", Retryable;
    /// An answer that was asked for twice and is not of the form that was asked for.
    InvalidReply = "INVALID_JSON_SCHEMA", Retryable;
    /// The model had more to say than an answer may have tokens.
    CutOff = "PROVIDER_ANSWER_CUT_OFF", Retryable;
    /// An answer of more bytes than are allowed.
    AnswerTooLarge = "PROVIDER_ANSWER_TOO_LARGE", Retryable;
    /// 400, 413 or 422: the endpoint does not want this input.
    InputRefused = "PROVIDER_INPUT_REFUSED", Poison;
    /// The local model is not configured, or being loaded.
    ModelNotReady = "MODEL_NOT_READY", NotReady;
    /// The library, the model or its tokenizer could not be loaded.
    ModelBroken = "MODEL_BROKEN", NotReady;
    /// The model there is not the one that made the profile's vectors.
    ModelChanged = "MODEL_CHANGED", NotReady;
    /// The model was loaded, but a run failed.
    ModelFailed = "MODEL_FAILED", Retryable;
    /// More callers than the local model serves at a time.
    ModelBusy = "MODEL_BUSY", Retryable;
}

/// A failed call. The message holds a status and our own words: never a key, a header, a path, or anything that the endpoint
/// answered, because an endpoint may quote the text that it was sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What happened.
    pub code: Code,
    /// The same for people: lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// How long the endpoint asked to be left alone.
    pub retry_after: Option<Duration>,
    /// What the call cost, where there was an answer: one that cannot be used is paid for as well.
    pub usage: Option<Usage>,
}

impl ProviderError {
    /// A failure without a hint.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, retry_after: None, usage: None }
    }

    /// The same with a hint.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same of a call that was answered.
    pub(crate) fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// What the caller should do about it.
    pub fn kind(&self) -> Kind {
        self.code.kind()
    }

    /// A mistake in a profile.
    pub(crate) fn config(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Code::Config, message).with_hint(hint)
    }

    /// An answer that is not what was asked for.
    pub(crate) fn bad_answer(message: impl Into<String>) -> Self {
        Self::new(Code::BadAnswer, message)
            .with_hint("check that the endpoint serves the API that the profile's provider names")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_survives_its_name() {
        for code in [Code::Config, Code::RateLimited, Code::ModelBusy, Code::InputRefused] {
            assert_eq!(Code::from_name(code.name()), Some(code));
        }
        assert_eq!(Code::from_name("PROVIDER_SOMETHING"), None);
    }
}
