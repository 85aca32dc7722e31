//! The library of ONNX Runtime: loaded once for a process, and never unloaded.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ort::environment::Environment;

use super::broken;
use crate::provider::ProviderError;

const HINT: &str = "scripts/setup brings it; or give the absolute path of libonnxruntime.so, version 1.17 or later, in the \
                    server's settings";

/// Set by whoever starts the process; see [`refuse_telemetry`].
const TELEMETRY_OFF: &str = "ORT_DISABLE_TELEMETRY";

/// The first release whose official builds report usage unless they are told not to.
const FIRST_WITH_TELEMETRY: u32 = 29;

/// The environment of the process. A library that failed to load can be tried again, also from another path; one that was
/// loaded stays.
pub(super) fn environment(library: &Path) -> Result<Environment, ProviderError> {
    static LOADED: Mutex<Option<(PathBuf, Environment)>> = Mutex::new(None);
    let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((path, environment)) = &*loaded {
        return match path == library {
            true => Ok(environment.clone()),
            false => Err(broken(
                "another library of ONNX Runtime is in use",
                &"a process can load one only",
                "restart the server to change it",
            )),
        };
    }
    let environment = load(library)?;
    *loaded = Some((library.to_path_buf(), environment.clone()));
    Ok(environment)
}

fn load(library: &Path) -> Result<Environment, ProviderError> {
    // Relative paths would be looked for in several places.
    if !library.is_absolute() {
        return Err(broken("the path of ONNX Runtime", &"it is not absolute", HINT));
    }
    let builder = ort::init_from(library)
        .map_err(|error| broken("the library of ONNX Runtime cannot be loaded", &error, HINT))?;
    refuse_telemetry(ort::info(), std::env::var(TELEMETRY_OFF).ok().as_deref())?;
    builder
        .with_name("pg_memento")
        .with_telemetry(false)
        .build()
        .map_err(|error| broken("the library of ONNX Runtime cannot be started", &error, HINT))
}

/// Newer builds start a thread that reports usage, and look at the variable when they start. This crate cannot set it, because
/// changing the environment of a process with threads is unsafe: whoever starts the process does.
fn refuse_telemetry(build_info: &str, variable: Option<&str>) -> Result<(), ProviderError> {
    let is_quiet = minor_version(build_info).is_some_and(|minor| minor < FIRST_WITH_TELEMETRY);
    match is_quiet || variable == Some("1") {
        true => Ok(()),
        false => Err(broken(
            "this build of ONNX Runtime may report usage",
            &"it must be told not to before it starts",
            "set ORT_DISABLE_TELEMETRY=1 in the environment of the server, or use version 1.28",
        )),
    }
}

/// The 28 of `..., git-branch=rel-1.28.0, ...`.
fn minor_version(build_info: &str) -> Option<u32> {
    let (_, rest) = build_info.split_once("rel-1.")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_quiet_builds_start_without_the_variable() {
        let info = |version: &str| {
            format!("ORT Build Info: git-branch=rel-{version}, git-commit-id=0, build type=Release")
        };
        assert!(refuse_telemetry(&info("1.28.0"), None).is_ok());
        assert!(refuse_telemetry(&info("1.29.0"), None).is_err());
        assert!(refuse_telemetry(&info("1.29.0"), Some("0")).is_err());
        assert!(refuse_telemetry(&info("1.31.2"), Some("1")).is_ok());
        assert!(refuse_telemetry("somebody's own build", None).is_err());
    }
}
