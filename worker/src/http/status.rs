//! What a status means for the job that made the call.

use std::time::SystemTime;

use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

use super::Url;
use super::retry_after::retry_after;
use crate::provider::{Code, ProviderError};

/// How much of an error's body is looked at.
const MAX_ERROR_BYTES: u64 = 64 * 1024;

/// The error for an answer that is not a success. Of its body only known words are read and nothing is repeated, because it
/// may quote the input.
pub(super) fn refused(response: &mut Response<Body>, url: &Url) -> ProviderError {
    let status = response.status().as_u16();
    let host = url.host_and_port();
    let mut code = code_of(status);
    if code == Code::InputRefused && blames_configuration(response) {
        code = Code::NotFound;
    }
    let mut error =
        ProviderError::new(code, format!("{host} answered with status {status}")).with_hint(hint(code));
    if matches!(code, Code::RateLimited | Code::Unavailable | Code::Timeout) {
        error.retry_after = retry_after(response.headers(), SystemTime::now());
    }
    error
}

fn code_of(status: u16) -> Code {
    match status {
        300..=399 => Code::Redirected,
        400 | 413 | 422 => Code::InputRefused,
        401..=403 => Code::Unauthorized,
        408 | 504 => Code::Timeout,
        409 | 424 | 425 => Code::Unavailable,
        429 => Code::RateLimited,
        404..=499 => Code::NotFound,
        500..=599 => Code::Unavailable,
        _ => Code::BadAnswer,
    }
}

fn hint(code: Code) -> &'static str {
    match code {
        Code::Redirected => "redirects are not followed: give the final address as base_url",
        Code::InputRefused => {
            "the endpoint does not accept this text, or a batch of this size (max_batch_texts)"
        }
        Code::Unauthorized => "check the key that api_key refers to, and what its account may use",
        Code::NotFound => "check base_url and model in the profile",
        Code::RateLimited => "the endpoint is left alone for a while; lower concurrency if it happens often",
        Code::Timeout => "make batches smaller, or raise the server's time-out for providers",
        _ => "look at the log of the endpoint",
    }
}

/// Whether a refusal is about the profile and not about the input: the fields with which OpenAI and those who follow it say
/// what is wrong. Free text is not looked at; it could be the input's own words.
fn blames_configuration(response: &mut Response<Body>) -> bool {
    let Ok(body) = response.body_mut().with_config().limit(MAX_ERROR_BYTES).read_to_vec() else {
        return false;
    };
    let Ok(body) = serde_json::from_slice::<Value>(&body) else { return false };
    let field = |name: &str| body.pointer(&format!("/error/{name}")).and_then(Value::as_str);
    matches!(field("code"), Some("model_not_found" | "invalid_api_key" | "unsupported_parameter"))
        || matches!(field("param"), Some("model" | "dimensions" | "encoding_format" | "response_format"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Kind;

    #[test]
    fn every_status_has_a_kind() {
        for (status, kind) in [
            (301, Kind::Invalid),
            (400, Kind::Poison),
            (401, Kind::Invalid),
            (402, Kind::Invalid),
            (403, Kind::Invalid),
            (404, Kind::Invalid),
            (405, Kind::Invalid),
            (408, Kind::Retryable),
            (409, Kind::Retryable),
            (413, Kind::Poison),
            (422, Kind::Poison),
            (424, Kind::Retryable),
            (425, Kind::Retryable),
            (429, Kind::RateLimited),
            (500, Kind::Retryable),
            (503, Kind::Retryable),
            (599, Kind::Retryable),
        ] {
            assert_eq!(code_of(status).kind(), kind, "{status}");
        }
    }
}
