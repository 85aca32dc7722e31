//! `hash`: vectors without a model, for tests and to try things out. Each word adds to one dimension that its hash chooses, so
//! texts that share words are near each other, and the same text has the same vector everywhere.

use std::time::Instant;

use super::config::Config;
use super::{BatchLimits, EmbedRequest, Embedded, Embedder, ProfileSpec, ProviderError, Usage};

pub(super) struct HashEmbedder {
    dims: usize,
}

impl HashEmbedder {
    pub fn new(spec: &ProfileSpec) -> Result<Self, ProviderError> {
        Config::new(spec, &[])?;
        Ok(Self { dims: spec.dims })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dims];
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            self.add(&mut vector, &word.to_lowercase());
        }
        if vector.iter().all(|number| *number == 0.0) {
            // No words, or words that cancel each other out: the text as a whole.
            self.add(&mut vector, text);
        }
        let norm = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|number| *number /= norm);
        vector
    }

    fn add(&self, vector: &mut [f32], word: &str) {
        let hash = fnv1a(word.as_bytes());
        let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
        vector[(hash % self.dims as u64) as usize] += sign;
    }
}

impl Embedder for HashEmbedder {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        let started = Instant::now();
        let vectors = request.texts.iter().map(|text| self.vector(text)).collect();
        Ok(Embedded { vectors, usage: Usage { duration: started.elapsed(), ..Usage::default() } })
    }

    fn limits(&self) -> BatchLimits {
        BatchLimits { texts: 256, tokens: 1_000_000, concurrency: 4, context_tokens: None }
    }
}

/// FNV-1a: stable over versions of Rust, unlike the standard library's hash. The last steps mix the high bits, which are weak
/// for short words, into the low ones.
fn fnv1a(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(text: &str) -> Vec<f32> {
        HashEmbedder { dims: 64 }.vector(text)
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn shared_words_are_near() {
        let query = vector("where is the database");
        let near = cosine(&query, &vector("The database is in Berlin"));
        let far = cosine(&query, &vector("bananas ripen slowly"));
        assert!(near > far + 0.3, "{near} {far}");
    }

    #[test]
    fn every_text_has_a_unit_vector() {
        for text in ["", " ", "...", "one", "one two three", "naïve café", "数据库"] {
            let vector = vector(text);
            assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5, "{text}");
        }
    }

    #[test]
    fn the_same_on_every_machine() {
        let vector = vector("alpha");
        let place = vector.iter().position(|number| *number != 0.0);
        // Worked out by another implementation.
        assert_eq!((place, vector[9]), (Some(9), 1.0));
    }
}
