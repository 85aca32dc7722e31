//! Keys, tokens and passwords in a text.
//!
//! One pass finds the few literals that secrets begin with or stand behind; each is then looked at by hand, never farther
//! than a limit, or than the next literal of its kind, so the time is linear. Made to keep quiet where it is not sure: hashes,
//! uuids, encoded images, placeholders and the names of secrets are not secrets.

mod assignment;
mod json;
mod rule;
#[cfg(test)]
mod tests;
mod token;
mod url;
mod value;

use std::ops::Range;

pub use json::{ScreenedJson, screen_json};

use crate::memory_kind::words;

words! {
    /// What a secret is.
    Kind {
        /// A private key in PEM form, or of PGP.
        PrivateKey = "private_key",
        /// An access key id of AWS.
        AwsAccessKey = "aws_access_key",
        /// A token of GitHub.
        GithubToken = "github_token",
        /// A token of GitLab.
        GitlabToken = "gitlab_token",
        /// A token of Slack, or the address of a hook.
        SlackToken = "slack_token",
        /// A key of Stripe.
        StripeKey = "stripe_key",
        /// A key of Anthropic.
        AnthropicKey = "anthropic_key",
        /// A key of OpenAI, or of one of those that use its form.
        OpenaiKey = "openai_key",
        /// A key or token of Google.
        GoogleKey = "google_key",
        /// A token of Hugging Face.
        HuggingFaceToken = "hugging_face_token",
        /// A JSON web token.
        Jwt = "jwt",
        /// The password in a URL.
        UrlPassword = "url_password",
        /// What stands behind `Bearer` or `Basic` in a header.
        AuthorizationHeader = "authorization_header",
        /// What a name such as `password` or `api_key` is set to.
        Assignment = "assignment",
    }
}

/// A secret and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is.
    pub kind: Kind,
    /// Its span in bytes: what must not be seen, without the name or header before it.
    pub span: Range<usize>,
}

/// The secrets of a text, in order; they do not overlap.
pub fn scan(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = rule::hits(text)
        .filter_map(|(rule, literal)| {
            let (kind, span) = rule.secret(text.as_bytes(), literal)?;
            Some(Secret { kind, span })
        })
        .collect();
    found.sort_by_key(|secret| (secret.span.start, secret.kind));
    // What overlaps is one secret, named by what is known best: an API key that is assigned is an API key.
    found.dedup_by(|next, before| {
        let overlaps = next.span.start < before.span.end;
        if overlaps {
            before.span.end = before.span.end.max(next.span.end);
            before.kind = before.kind.min(next.kind);
        }
        overlaps
    });
    found
}

/// The text with `[REDACTED:kind]` in the place of each secret.
pub fn redact(text: &str) -> String {
    without(text, &scan(text))
}

fn without(text: &str, secrets: &[Secret]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for secret in secrets {
        redacted.push_str(&text[end..secret.span.start]);
        redacted.push_str("[REDACTED:");
        redacted.push_str(secret.kind.as_str());
        redacted.push(']');
        end = secret.span.end;
    }
    redacted.push_str(&text[end..]);
    redacted
}
