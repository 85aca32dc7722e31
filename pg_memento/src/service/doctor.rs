//! What is here, what is missing, and what to do about it.

use std::path::Path;

use memento_core::version::is_at_least;
use pgrx::pg_sys::panic::ErrorReport;
use serde_json::{Map, Value, json};

use crate::background::slots::{self, Slot, State};
use crate::error::StatementError;
use crate::ffi::{database, server};
use crate::spi::catalog::{self, Engine};
use crate::{gucs, init};

/// The version of the library; the SQL objects of a database may be older until they are updated.
pub const LIBRARY_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The servers that are tested.
const SERVER_MAJORS: std::ops::RangeInclusive<i32> = 15..=18;

/// Extensions that add something when they are there. Only `vector` is required.
const ENGINES: [&str; 5] = ["vector", "pg_trgm", "pg_search", "pg_textsearch", "vchord_bm25"];

/// pgvector's iterative scan, which filtered searches need, came with 0.8.
const PGVECTOR_MINIMUM: (u32, u32) = (0, 8);

/// pgvector builds an HNSW index in maintenance_work_mem; 256 MB hold about 100,000 vectors of 384 dimensions,
/// beyond which the build slows down many times.
const HNSW_BUILD_BYTES: i64 = 256 * 1024 * 1024;

/// The files of a local model.
const MODEL_FILES: [&str; 2] = ["model.onnx", "tokenizer.json"];

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    Warn,
    Fail,
}

impl Status {
    /// The word in the result.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One line of the report.
pub struct Finding {
    pub check: &'static str,
    pub status: Status,
    pub detail: String,
    pub hint: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, status: Status::Ok, detail: detail.into(), hint: None }
    }

    fn warn(check: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { check, status: Status::Warn, detail: detail.into(), hint: Some(hint.into()) }
    }

    fn fail(check: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { check, status: Status::Fail, detail: detail.into(), hint: Some(hint.into()) }
    }
}

/// Runs all checks, in the order in which one would look.
pub fn examine() -> Result<Vec<Finding>, StatementError> {
    let mut findings =
        vec![server_version()?, extension_version()?, encoding()?, preload(), worker(), worker_processes()?];
    findings.extend(catalog::engines(&ENGINES)?.iter().map(engine));
    findings.extend([local_model()?, maintenance_work_mem()?, durability()?, allow_drop()]);
    findings.push(members()?);
    Ok(findings)
}

/// The same facts for programs.
pub fn capabilities() -> Result<Value, ErrorReport> {
    let server = catalog::server_version_num()?;
    let engines: Map<String, Value> = catalog::engines(&ENGINES)?
        .into_iter()
        .map(|engine| (engine.name, json!({"installed": engine.installed, "available": engine.available})))
        .collect();
    Ok(json!({
        "library_version": LIBRARY_VERSION,
        "extension_version": catalog::installed_version()?,
        "server_version_num": server,
        "in_recovery": catalog::in_recovery()?,
        "preloaded": init::preloaded(),
        "worker": slots::backend::of(database::current()).is_some_and(|slot| slot.is_running()),
        "engines": engines,
        "lanes": lanes()?,
        "local_model": has_local_model(),
        "max_content_bytes": gucs::max_content_bytes(),
    }))
}

/// The lanes that searches of this database have. Whether one runs depends on the query and the project; its notes say.
fn lanes() -> Result<Vec<&'static str>, StatementError> {
    let mut lanes = vec!["fts", "dense", "tech_token", "canonical", "pinned", "intent", "time"];
    if catalog::extension_schema("pg_trgm")?.is_some() {
        lanes.push("trigram");
    }
    Ok(lanes)
}

fn server_version() -> Result<Finding, StatementError> {
    let number = catalog::server_version_num()?;
    let detail = format!("PostgreSQL {}.{}", number / 10000, number % 10000);
    Ok(if SERVER_MAJORS.contains(&(number / 10000)) {
        Finding::ok("server_version", detail)
    } else {
        Finding::warn("server_version", detail, "pg_memento is tested with PostgreSQL 15 to 18")
    })
}

fn extension_version() -> Result<Finding, StatementError> {
    let installed = catalog::installed_version()?;
    Ok(if installed == LIBRARY_VERSION {
        Finding::ok("extension_version", installed)
    } else {
        Finding::fail(
            "extension_version",
            format!("the library is {LIBRARY_VERSION}, the objects in this database are {installed}"),
            "alter extension pg_memento update;",
        )
    })
}

fn encoding() -> Result<Finding, StatementError> {
    let encoding = catalog::setting("server_encoding")?.unwrap_or_default();
    Ok(if encoding == "UTF8" {
        Finding::ok("encoding", encoding)
    } else {
        Finding::fail("encoding", encoding, "create database ... encoding 'UTF8' template template0;")
    })
}

fn preload() -> Finding {
    if init::preloaded() {
        Finding::ok("preload", "shared_preload_libraries has pg_memento")
    } else {
        Finding::warn(
            "preload",
            "shared_preload_libraries does not have pg_memento: there is no background worker",
            "add pg_memento to shared_preload_libraries in postgresql.conf and restart the server",
        )
    }
}

fn worker() -> Finding {
    if !init::preloaded() {
        return Finding::warn(
            "worker",
            "no background worker: the library is not preloaded",
            "see the check preload; until then: call memento.drain(); or run memento-worker",
        );
    }
    if server::in_recovery() {
        return Finding::ok("worker", "the server is a standby; a worker starts when it is promoted");
    }
    if !gucs::worker() {
        return Finding::warn(
            "worker",
            "memento.worker is off",
            "alter system set memento.worker = on; select pg_reload_conf();",
        );
    }
    match slots::backend::of(database::current()) {
        Some(slot) => running_worker(&slot),
        None if slots::backend::launcher_pid().is_none() => Finding::fail(
            "worker",
            "the process pg_memento launcher is not there",
            "look for pg_memento in the server's log; max_worker_processes may be too low",
        ),
        None => Finding::fail(
            "worker",
            "this database has no worker",
            "select pg_reload_conf(); makes the launcher look again; memento.max_databases may be too low",
        ),
    }
}

fn running_worker(slot: &Slot) -> Finding {
    let code = slot.error_code();
    let detail = match code {
        Some(code) => format!("{}, last error {code}, {} restarts", slot.state.as_str(), slot.restarts),
        None => format!("{}, {} restarts", slot.state.as_str(), slot.restarts),
    };
    if slot.is_running() || slot.state == State::Resting {
        Finding::ok("worker", detail)
    } else if slot.is_refused() {
        Finding::warn(
            "worker",
            "waits until another database's worker makes room",
            "alter system set max_worker_processes = 16; and restart the server",
        )
    } else {
        Finding::warn(
            "worker",
            detail,
            "look for pg_memento in the server's log, then: select memento.wait_until_running('1 min');",
        )
    }
}

/// The launcher, the model host and a worker for each database share the places with those of parallel queries.
fn worker_processes() -> Result<Finding, StatementError> {
    let places: i64 =
        catalog::setting("max_worker_processes")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    let needed = 2 + slots::backend::list().len() as i64;
    let parallel: i64 =
        catalog::setting("max_parallel_workers")?.and_then(|text| text.parse().ok()).unwrap_or(0).min(places);
    Ok(if init::preloaded() && places < needed + parallel.min(2) {
        Finding::warn(
            "max_worker_processes",
            format!("{places} places for {needed} processes of pg_memento and all parallel queries"),
            format!(
                "alter system set max_worker_processes = {}; and restart the server",
                needed + parallel.max(2)
            ),
        )
    } else {
        Finding::ok("max_worker_processes", format!("{places} places, {needed} for pg_memento"))
    })
}

fn engine(engine: &Engine) -> Finding {
    let (check, purpose) = match engine.name.as_str() {
        "vector" => ("pgvector", "vectors"),
        "pg_trgm" => ("pg_trgm", "misspelt words"),
        "pg_search" => ("pg_search", "BM25 ranking"),
        "pg_textsearch" => ("pg_textsearch", "BM25 ranking"),
        _ => return unused(engine),
    };
    match (&engine.installed, &engine.available) {
        (Some(version), _) if engine.name == "vector" && !is_at_least(version, PGVECTOR_MINIMUM) => {
            Finding::warn(
                check,
                format!("version {version} cannot scan an index iteratively"),
                "install pgvector 0.8 or later, then: alter extension vector update;",
            )
        }
        (Some(version), _) => Finding::ok(check, format!("version {version}")),
        (None, Some(version)) => Finding {
            hint: Some(match purpose {
                "BM25 ranking" => format!("create extension {}; select memento.enable_bm25();", engine.name),
                _ => format!("create extension {};", engine.name),
            }),
            ..Finding::ok(check, format!("version {version} is available for {purpose}"))
        },
        (None, None) => Finding::ok(check, format!("not on this server; for {purpose}")),
    }
}

/// An engine that people ask about and that nothing here uses: no reason to install it.
fn unused(engine: &Engine) -> Finding {
    let there = match (&engine.installed, &engine.available) {
        (Some(version), _) => format!("version {version}"),
        (None, Some(version)) => format!("version {version} is available"),
        (None, None) => "not on this server".into(),
    };
    Finding::ok("vchord_bm25", format!("{there}; pg_memento does not use it"))
}

/// Where no project uses it, it may well be missing.
fn local_model() -> Result<Finding, StatementError> {
    let is_used = catalog::uses_local_model()?;
    let detail = match lacks_for_local_model() {
        lacks if lacks.is_empty() => {
            return Ok(Finding::ok("local_model", "the library and a model can be read"));
        }
        lacks => lacks.join("; "),
    };
    Ok(if is_used {
        Finding::warn(
            "local_model",
            format!("the vectors of the profiles that use it wait: {detail}"),
            "run scripts/setup, then: alter system set memento.onnx_library = '/path/libonnxruntime.so'; \
             alter system set memento.model_dir = '/path/with/model.onnx/and/tokenizer.json'; select pg_reload_conf();",
        )
    } else {
        Finding::ok("local_model", format!("no project that you see uses one; {detail}"))
    })
}

/// What keeps the local model from being loaded, as far as its files say. They are read by the server's user, as here.
fn lacks_for_local_model() -> Vec<String> {
    let mut lacks = Vec::new();
    match gucs::models().onnx_library {
        None => lacks.push("memento.onnx_library is not set".to_owned()),
        Some(library) if !is_readable(Path::new(&library)) => {
            lacks.push("the file that memento.onnx_library names cannot be read".to_owned());
        }
        Some(_) => {}
    }
    match gucs::model_dir() {
        None => lacks.push("memento.model_dir is not set".to_owned()),
        Some(directory) if models_of_their_own(Path::new(&directory)) == 0 => {
            let missing = missing_model_files(Path::new(&directory));
            if !missing.is_empty() {
                lacks.push(format!("memento.model_dir has no {} that can be read", missing.join(" and no ")));
            }
        }
        Some(_) => {}
    }
    lacks
}

fn is_readable(file: &Path) -> bool {
    file.is_file() && std::fs::File::open(file).is_ok()
}

fn missing_model_files(directory: &Path) -> Vec<&'static str> {
    MODEL_FILES.into_iter().filter(|file| !is_readable(&directory.join(file))).collect()
}

/// How many directories in the one of the settings have a model.
fn models_of_their_own(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter(|entry| missing_model_files(&entry.path()).is_empty()).count()
}

fn has_local_model() -> bool {
    gucs::model_dir().is_some_and(|directory| {
        let directory = Path::new(&directory);
        missing_model_files(directory).is_empty() || models_of_their_own(directory) > 0
    })
}

fn maintenance_work_mem() -> Result<Finding, StatementError> {
    let shown = catalog::setting("maintenance_work_mem")?.unwrap_or_default();
    Ok(if catalog::setting_bytes("maintenance_work_mem")? < HNSW_BUILD_BYTES {
        Finding::warn(
            "maintenance_work_mem",
            format!("{shown} makes building a vector index slow beyond some 10,000 chunks"),
            "alter system set maintenance_work_mem = '512MB'; select pg_reload_conf();",
        )
    } else {
        Finding::ok("maintenance_work_mem", shown)
    })
}

fn durability() -> Result<Finding, StatementError> {
    for setting in ["fsync", "full_page_writes"] {
        if catalog::setting(setting)?.as_deref() == Some("off") {
            return Ok(Finding::fail(
                "durability",
                format!("{setting} is off: a crash can corrupt the database"),
                format!("alter system set {setting} = on; select pg_reload_conf();"),
            ));
        }
    }
    Ok(Finding::ok("durability", "fsync and full_page_writes are on"))
}

fn allow_drop() -> Finding {
    if gucs::allow_drop() {
        Finding::warn("allow_drop", "DROP EXTENSION would lose all memories", "reset memento.allow_drop;")
    } else {
        Finding::ok("allow_drop", "DROP EXTENSION is refused while memories exist")
    }
}

fn members() -> Result<Finding, StatementError> {
    let gone = catalog::members_without_role()?;
    Ok(match gone.first() {
        None => Finding::ok("members", "every member is an existing role"),
        Some(first) => Finding::warn(
            "members",
            format!("members whose role does not exist: {}", gone.join(", ")),
            format!("select memento.revoke_access('{first}', '<project>');"),
        ),
    })
}
