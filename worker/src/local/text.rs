//! Text to token ids.

use std::path::Path;

use sha2::{Digest, Sha256};
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use super::broken;
use crate::provider::{Code, ProviderError};

/// Text beyond this many bytes for each token that the model takes is not even looked at. Words are shorter, so only texts of
/// almost nothing but blanks could tell.
const BYTES_PER_TOKEN: usize = 128;

/// The ids of one text or of a pair, without padding.
pub(crate) struct Encoded {
    pub ids: Vec<i64>,
    /// 0 for the first text, 1 for the second.
    pub types: Vec<i64>,
}

impl Encoded {
    fn new(encoding: &Encoding) -> Self {
        let widen = |numbers: &[u32]| numbers.iter().map(|number| i64::from(*number)).collect();
        Self { ids: widen(encoding.get_ids()), types: widen(encoding.get_type_ids()) }
    }
}

/// The tokenizer of a model.
pub(crate) struct TextEncoder {
    tokenizer: Tokenizer,
    max_bytes: usize,
    digest: Vec<u8>,
}

impl TextEncoder {
    /// Loads `tokenizer.json`. What it says about truncation and padding is for another use (often 128 tokens) and replaced.
    pub fn load(path: &Path, max_tokens: usize) -> Result<Self, ProviderError> {
        let fail = |reason: &dyn std::fmt::Display| {
            broken(
                "tokenizer.json cannot be loaded",
                reason,
                "the model's directory needs model.onnx and the tokenizer.json that belongs to it",
            )
        };
        let file = std::fs::read(path).map_err(|error| fail(&error))?;
        let mut tokenizer = Tokenizer::from_bytes(&file).map_err(|error| fail(&error))?;
        let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| fail(&error))?;
        tokenizer.with_padding(None);
        let digest = Sha256::digest(&file).to_vec();
        Ok(Self { tokenizer, max_bytes: max_tokens.saturating_mul(BYTES_PER_TOKEN), digest })
    }

    /// The SHA-256 of its file.
    pub fn digest(&self) -> &[u8] {
        &self.digest
    }

    /// A text.
    pub fn text(&self, text: &str) -> Result<Encoded, ProviderError> {
        let encoding = self.tokenizer.encode(self.beginning(text), true).map_err(|_| refused())?;
        self.checked(&encoding)
    }

    /// A query and a text that may answer it.
    pub fn pair(&self, query: &str, text: &str) -> Result<Encoded, ProviderError> {
        let pair = (self.beginning(query), self.beginning(text));
        let encoding = self.tokenizer.encode(pair, true).map_err(|_| refused())?;
        self.checked(&encoding)
    }

    fn beginning<'a>(&self, text: &'a str) -> &'a str {
        &text[..text.floor_char_boundary(self.max_bytes)]
    }

    /// Tokenizers without marks at the beginning and end give nothing for an empty text, and a model cannot run on nothing.
    fn checked(&self, encoding: &Encoding) -> Result<Encoded, ProviderError> {
        let encoded = Encoded::new(encoding);
        match encoded.ids.is_empty() {
            true => Ok(Encoded { ids: vec![0], types: vec![0] }),
            false => Ok(encoded),
        }
    }
}

fn refused() -> ProviderError {
    ProviderError::new(Code::InputRefused, "the tokenizer of the local model cannot read the text")
        .with_hint("the text may hold characters that the model does not know")
}
