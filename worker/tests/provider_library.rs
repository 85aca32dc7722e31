//! The library of ONNX Runtime, in a process that has not loaded it yet.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Also in functions that only tests call.

#[allow(dead_code)] // Only one of its models is needed here.
mod tiny_model;

use std::path::{Path, PathBuf};

use memento_worker::provider::{self, Code, LocalSettings, Policy, ProfileSpec, ProviderError};
use serde_json::json;
use tiny_model::ModelDir;

fn load(library: &Path, model: &ModelDir) -> Result<(), ProviderError> {
    let local = LocalSettings {
        library: Some(library.into()),
        model_dir: Some(model.path().into()),
        ..LocalSettings::default()
    };
    let spec = ProfileSpec { provider: "local".into(), model: "tiny".into(), dims: 3, config: json!({}) };
    provider::embedder(&spec, &Policy { local, ..Policy::default() }).map(drop)
}

/// One test, because a process loads one library, once.
#[test]
fn what_is_not_the_library_is_an_error_and_the_right_one_can_follow() {
    let model = ModelDir::new("library", &tiny_model::encoder(false));
    let libc = PathBuf::from("/lib/x86_64-linux-gnu/libc.so.6");
    let wrong =
        ["libonnxruntime.so", "/nonexistent/libonnxruntime.so", "/etc/passwd", "/"].map(PathBuf::from);
    for path in wrong.iter().chain(libc.exists().then_some(&libc)) {
        let error = load(path, &model).unwrap_err();
        assert_eq!((error.code, error.hint.is_some()), (Code::ModelBroken, true), "{error:?}");
    }
    let right = std::env::var_os("MEMENTO_TEST_ONNX_LIBRARY").map(PathBuf::from).filter(|path| path.exists());
    let Some(right) = right else {
        println!(
            "left out: MEMENTO_TEST_ONNX_LIBRARY names nothing; scripts/setup brings it, scripts/env names it"
        );
        return;
    };
    load(&right, &model).unwrap();
    let error = load(&wrong[1], &ModelDir::new("library2", &tiny_model::encoder(true))).unwrap_err();
    assert!(error.message.contains("another library"), "{error:?}");
    load(&right, &model).unwrap();
}
