//! What a profile may say: keys by reference only, known names only, and nothing of a mistake is repeated.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Also in functions that only tests call.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use memento_worker::provider::{self, BatchLimits, Code, Kind, Policy, ProfileSpec, ProviderError};
use memento_worker::secret::{KeyRules, KeySource};
use serde_json::{Value, json};

fn spec(provider: &str, config: Value) -> ProfileSpec {
    ProfileSpec { provider: provider.into(), model: "m".into(), dims: 4, config }
}

fn policy() -> Policy {
    // Cargo sets CARGO_PKG_NAME for tests; a test cannot set variables without unsafe code.
    let keys = KeyRules { env_prefix: "CARGO_PKG_".into(), directory: None };
    Policy { allowed_hosts: vec!["*.example.com".into()], keys, ..Policy::default() }
}

fn refusal(provider: &str, config: Value) -> ProviderError {
    let error = provider::embedder(&spec(provider, config.clone()), &policy()).err();
    let error = error.unwrap_or_else(|| panic!("{provider} took {config}"));
    assert_eq!(error.kind(), Kind::Invalid, "{error:?}");
    assert!(error.hint.is_some() && !format!("{error:?}").contains("sk-"), "{error:?}");
    error
}

const URL: &str = "https://gpu.example.com:8443/v1";

#[test]
fn mistakes_in_a_profile_are_refused_and_not_repeated() {
    for (config, code) in [
        (json!([]), Code::Config),
        (json!("sk-1"), Code::Config),
        (json!({"base_url": 1}), Code::Config),
        (json!({"base_url": "gpu.example.com"}), Code::Config),
        (json!({"base_url": "https://sk-1@gpu.example.com"}), Code::Config),
        (json!({"base_url": "https://gpu.example.com/?key=sk-1"}), Code::Config),
        (json!({"base_url": "http://gpu.example.com"}), Code::HostRefused),
        (json!({"base_url": "https://elsewhere.com"}), Code::HostRefused),
        (json!({"base_url": URL, "api_key": "sk-1"}), Code::Key),
        (json!({"base_url": URL, "api_key": {"value": "sk-1"}}), Code::Key),
        (json!({"base_url": URL, "api_key": {"env": "CARGO_PKG_NAME", "file": "sk-1"}}), Code::Key),
        (json!({"base_url": URL, "api_key": {"env": "HOME"}}), Code::Key),
        (json!({"base_url": URL, "api_key": {"env": "CARGO_PKG_"}}), Code::Key),
        (json!({"base_url": URL, "api_key": {"env": "CARGO_PKG_NOT_SET"}}), Code::Key),
        (json!({"base_url": URL, "api_key": {"file": "key"}}), Code::Key),
        (json!({"base_url": URL, "headers": {"authorization": "sk-1"}}), Code::Config),
        (json!({"base_url": URL, "sk-1": 1}), Code::Config),
        (json!({"base_url": URL, "timeout_ms": 0}), Code::Config),
        (json!({"base_url": URL, "timeout_ms": "sk-1"}), Code::Config),
        (json!({"base_url": URL, "max_batch_texts": -1}), Code::Config),
        (json!({"base_url": URL, "max_batch_texts": 1.5}), Code::Config),
        (json!({"base_url": URL, "dimensions": 512}), Code::Config),
    ] {
        assert_eq!(refusal("openai", config.clone()).code, code, "{config}");
    }
    assert_eq!(refusal("nobody", json!({})).code, Code::Config);
    assert_eq!(refusal("hash", json!({"base_url": URL})).code, Code::Config);
    assert_eq!(refusal("tei", json!({})).code, Code::Config);
}

#[test]
fn the_providers_own_address_wants_a_key() {
    let policy = Policy { allowed_hosts: vec!["*".into()], ..policy() };
    for name in ["openai", "voyage", "jina"] {
        let error = provider::embedder(&spec(name, json!({})), &policy).err().unwrap();
        assert_eq!(error.code, Code::Key, "{name}: {error:?}");
        let with_key = spec(name, json!({"api_key": {"env": "CARGO_PKG_NAME"}}));
        assert!(provider::embedder(&with_key, &policy).is_ok(), "{name}");
    }
}

#[test]
fn a_profile_chooses_its_batches_and_may_speak_of_its_index() {
    let config = json!({
        "base_url": URL, "max_batch_texts": 7, "max_batch_tokens": 900, "concurrency": 3, "timeout_ms": null,
        "hnsw": {"m": 16}, "query": {"ef_search_min": 40}
    });
    let embedder = provider::embedder(&spec("openai", config), &policy()).unwrap();
    assert_eq!(
        embedder.limits(),
        BatchLimits { texts: 7, tokens: 900, concurrency: 3, context_tokens: None }
    );
    let context = |provider: &str, model: &str, config: Value| {
        let spec = ProfileSpec { model: model.into(), ..spec(provider, config) };
        provider::embedder(&spec, &policy()).unwrap().limits().context_tokens.is_some()
    };
    assert!(context("voyage", "voyage-context-3", json!({"base_url": URL})));
    assert!(!context("voyage", "voyage-3", json!({"base_url": URL})));
    assert!(context("jina", "jina-embeddings-v3", json!({"base_url": URL, "late_chunking": true})));
    assert!(!context("jina", "jina-embeddings-v3", json!({"base_url": URL})));
}

#[test]
fn an_endpoint_has_a_name_without_path_or_key() {
    for (provider, config, name) in [
        ("openai", json!({}), "openai:api.openai.com"),
        ("openai", json!({"base_url": "https://GPU.example.com:8443/v1/x"}), "openai:gpu.example.com:8443"),
        ("openai", json!({"base_url": "https://gpu.example.com:443"}), "openai:gpu.example.com"),
        ("voyage", json!(null), "voyage:api.voyageai.com"),
        ("tei", json!({"base_url": "http://10.0.0.1:80"}), "tei:10.0.0.1"),
        ("tei", json!({"base_url": "https://sk-1@host"}), "tei"),
        ("local", json!({}), "local:m"),
    ] {
        assert_eq!(provider::endpoint(&spec(provider, config)), name);
    }
}

struct KeyDirectory(PathBuf);

impl KeyDirectory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("memento-keys-{}", std::process::id()));
        std::fs::create_dir_all(path.join("keys/inner")).unwrap();
        Self(path)
    }

    fn read(&self, name: &str) -> Result<String, ProviderError> {
        let rules = KeyRules { directory: Some(self.0.join("keys")), ..KeyRules::default() };
        let secret = KeySource::from_config(&json!({"file": name}), &rules)?.read()?;
        assert_eq!((format!("{secret}"), format!("{secret:?}")), ("***".into(), "***".into()));
        Ok(secret.expose().into())
    }
}

impl Drop for KeyDirectory {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

#[test]
fn key_files_stay_in_their_directory() {
    let directory = KeyDirectory::new();
    let write = |name: &str, content: &str| std::fs::write(directory.0.join(name), content).unwrap();
    write("outside", "sk-outside");
    write("keys/plain", "sk-plain\n");
    write("keys/inner/target", "sk-linked");
    write("keys/empty", " \n");
    write("keys/two", "sk-1\nx-header: 1");
    write("keys/large", &"x".repeat(10_000));
    write("keys/open", "sk-open");
    let set_mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(directory.0.join("keys/open"), set_mode(0o666)).unwrap();
    symlink("inner/target", directory.0.join("keys/linked")).unwrap();
    symlink("../outside", directory.0.join("keys/escape")).unwrap();

    assert_eq!(directory.read("plain").unwrap(), "sk-plain");
    assert_eq!(directory.read("linked").unwrap(), "sk-linked");
    for name in [
        "",
        ".",
        "..",
        "../outside",
        "/etc/passwd",
        "inner/target",
        "missing",
        "empty",
        "two",
        "large",
        "open",
        "escape",
        "inner",
        ".hidden",
        "a\0b",
        "a b",
    ] {
        let error = directory.read(name).unwrap_err();
        assert_eq!((error.code, error.hint.is_some()), (Code::Key, true), "{name}: {error:?}");
        assert!(!format!("{error:?}").contains("sk-"), "{error:?}");
    }
}
