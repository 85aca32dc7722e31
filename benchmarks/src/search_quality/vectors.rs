//! Vectors of the local model, kept on disk by the hash of their text: a model makes some twenty a second, and the second run of a
//! measurement should not have to wait for it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memento_worker::provider::{self, EmbedRequest, Embedder, LocalSettings, Policy, ProfileSpec, Purpose};
use postgres::Client;

const DIMS: usize = 384;
const HASH: usize = 32;
const RECORD: usize = HASH + DIMS * 4;

/// How many chunks are read, embedded and stored at a time.
const BATCH: i64 = 64;

/// Texts whose vectors are known.
pub struct Vectors {
    known: HashMap<[u8; HASH], Vec<f32>>,
    file: File,
    model: Arc<dyn Embedder>,
}

impl Vectors {
    /// Those on disk, and the model for others.
    pub fn open(model_dir: &Path, library: &Path) -> Self {
        let path = cache_file();
        let content = std::fs::read(&path).unwrap_or_default();
        // A run that was stopped may have left a part of a record.
        let whole = content.len() / RECORD * RECORD;
        let known = content[..whole].chunks_exact(RECORD).map(record).collect();
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if whole < content.len() {
            file.set_len(whole as u64).unwrap_or_else(|error| panic!("{error}"));
        }
        Self { known, file, model: model(model_dir, library) }
    }

    /// Gives all chunks of a database that have none a vector by the default profile.
    pub fn fill(&mut self, client: &mut Client) {
        let mut made = 0;
        loop {
            let rows = client
                .query(include_str!("without_vector.sql"), &[&BATCH])
                .unwrap_or_else(|error| panic!("{error:?}"));
            if rows.is_empty() {
                break;
            }
            let chunks: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
            let mut numbers: Vec<f32> = Vec::with_capacity(chunks.len() * DIMS);
            for row in &rows {
                let before = self.known.len();
                numbers.extend(self.vector(row.get::<_, &[u8]>(1), row.get(2)));
                made += self.known.len() - before;
            }
            client
                .execute(include_str!("store_vectors.sql"), &[&chunks, &numbers, &(DIMS as i64)])
                .unwrap_or_else(|error| panic!("{error:?}"));
        }
        crate::data::tell(|| format!("{made} vectors made"));
    }

    fn vector(&mut self, hash: &[u8], text: String) -> Vec<f32> {
        let key: [u8; HASH] = hash.try_into().unwrap_or_else(|_| panic!("not a SHA-256"));
        if let Some(vector) = self.known.get(&key) {
            return vector.clone();
        }
        let request = EmbedRequest { texts: &[text], purpose: Purpose::Document, contextual: false };
        let embedded = self.model.embed(&request).unwrap_or_else(|error| panic!("{error}"));
        let vector = embedded.vectors.into_iter().next().unwrap_or_default();
        let mut record = key.to_vec();
        record.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        self.file.write_all(&record).unwrap_or_else(|error| panic!("{error}"));
        self.known.insert(key, vector.clone());
        vector
    }
}

fn record(bytes: &[u8]) -> ([u8; HASH], Vec<f32>) {
    let (hash, numbers) = bytes.split_at(HASH);
    let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap_or_default());
    (hash.try_into().unwrap_or_default(), numbers.chunks_exact(4).map(number).collect())
}

fn cache_file() -> PathBuf {
    let home = std::env::var_os("MEMENTO_BENCH_HOME").map_or_else(std::env::temp_dir, PathBuf::from);
    std::fs::create_dir_all(&home).unwrap_or_else(|error| panic!("{}: {error}", home.display()));
    home.join("vectors-all-MiniLM-L6-v2")
}

/// As the server has it.
fn model(model_dir: &Path, library: &Path) -> Arc<dyn Embedder> {
    let local = LocalSettings {
        library: Some(library.into()),
        model_dir: Some(model_dir.into()),
        ..LocalSettings::default()
    };
    let config = serde_json::json!({});
    let spec = ProfileSpec { provider: "local".into(), model: "all-MiniLM-L6-v2".into(), dims: DIMS, config };
    let policy = Policy { local, ..Policy::default() };
    provider::embedder(&spec, &policy).unwrap_or_else(|error| panic!("{error}"))
}
