//! Vectors near a query's.
//!
//! pgvector's types and operators are named with its schema, wherever it is installed: the statements have `{...}` in place of
//! them. What is put there comes from the catalogue, quoted, or is a number.

use memento_core::filter::Filter;
use memento_core::nearest::IndexScan;
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;
use pgrx::spi::quote_identifier;
use serde_json::Value;

use super::search::{Scope, of_wanted_items, wanted};
use super::{StatementResult, kept_rows, required, rows};
use crate::error::StatementError;
use crate::ffi::explain::explain;
use crate::ffi::setting::with_settings;

/// The vectors of a profile, as statements name them.
pub struct Space {
    distance: String,
    /// What `{...}` in statements stands for.
    names: [(&'static str, String); 3],
    /// How many numbers a vector has.
    pub dims: i32,
    /// How many vectors its index has; none if there is no index.
    pub indexed: Option<f64>,
}

impl Space {
    fn new(profile: Uuid, schema: &str, distance: String, dims: i32, indexed: Option<f64>) -> Self {
        let schema = quote_identifier(schema);
        // As the index is defined: see memento._index_definition().
        let kind = if dims > 2000 { "halfvec" } else { "vector" };
        let operator = match distance.as_str() {
            "l2" => "<->",
            "ip" => "<#>",
            _ => "<=>",
        };
        let names = [
            ("{vector}", format!("{schema}.{kind}({dims})")),
            ("{nearer}", format!("operator({schema}.{operator})")),
            ("{profile}", format!("'{profile}'::uuid")),
        ];
        Self { distance, names, dims, indexed }
    }

    fn statement(&self, template: &str) -> String {
        self.names.iter().fold(template.to_owned(), |statement, (mark, name)| statement.replace(mark, name))
    }

    /// How alike a vector and one at a distance from it are; larger is nearer. On the scale of the cosine, which it is if both are
    /// as long as each other, as those of models are.
    pub fn similarity(&self, vector: &[f32], distance: f64) -> f64 {
        let square: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
        let square = if square > 0.0 { square } else { 1.0 };
        match self.distance.as_str() {
            "l2" => 1.0 - distance.powi(2) / (2.0 * square),
            "ip" => -distance / square,
            _ => 1.0 - distance,
        }
    }
}

/// What is near: how many at most to which point of a space.
pub struct Query<'a> {
    pub space: &'a Space,
    pub vector: &'a [f32],
    pub limit: i32,
}

/// The vectors of a project by a profile; none if there are none.
pub fn space(project: Uuid, profile: Uuid) -> StatementResult<Option<Space>> {
    let found =
        kept_rows(include_str!("queries/vector_space.sql"), &[project.into(), profile.into()], |row| {
            let schema: String = required(&row, 1)?;
            Ok(Space::new(profile, &schema, required(&row, 2)?, required(&row, 3)?, row.get(4)?))
        })?;
    Ok(found.into_iter().next())
}

/// About how many chunks a search looks at, as the server's planner has it: filters, project and time.
pub fn estimate(scope: &Scope) -> StatementResult<f64> {
    let mut arguments = wanted(scope.project, &scope.filter, scope.as_of);
    arguments.push(scope.as_of.into());
    planned_rows(concat!("explain (format json) ", of_wanted_items!("chunks_in_scope")), &arguments)
}

/// About how many chunks a project has, of all versions.
pub fn estimate_project(project: Uuid) -> StatementResult<f64> {
    planned_rows(
        "explain (format json) select from memento.chunk c where c.project_id = $1",
        &[project.into()],
    )
}

/// How many rows the server's planner expects an EXPLAIN of JSON to give.
pub(super) fn planned_rows(statement: &str, arguments: &[DatumWithOid]) -> StatementResult<f64> {
    explain(statement, arguments)
        .and_then(|plan| serde_json::from_str::<Value>(&plan).ok())
        .and_then(|plan| plan[0]["Plan"]["Plan Rows"].as_f64())
        .ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition))
}

/// What a way to look for the nearest chunks gives.
pub struct Nearest {
    /// Chunks with their distances.
    pub found: Vec<(i64, f64)>,
    /// Whether that is all there is.
    pub saw_all: bool,
}

/// The nearest chunks, by reading the vectors of all that are in question; none if they are `too_many`.
pub fn in_scope(scope: &Scope, query: &Query, too_many: i64) -> StatementResult<Option<Nearest>> {
    // Few rows of tables that are shared: by their keys, which are in memory, not by reading those of all.
    let settings = [(c"enable_seqscan", "off".to_owned()), (c"random_page_cost", "1.1".to_owned())];
    with_settings(&settings, || {
        nearest(query, of_wanted_items!("nearest_exact"), arguments(scope, query, &[too_many]))
    })
}

/// The nearest chunks among so many candidates of all vectors of the project; none if these are `too_many`.
pub fn by_scan(
    scope: &Scope,
    query: &Query,
    candidates: i64,
    too_many: i64,
) -> StatementResult<Option<Nearest>> {
    let statement = concat!(
        include_str!("queries/wanted_items.sql"),
        include_str!("queries/nearest_by_scan.sql"),
        include_str!("queries/nearest_of_candidates.sql")
    );
    let settings = [(c"random_page_cost", "1.1".to_owned())];
    with_settings(&settings, || nearest(query, statement, arguments(scope, query, &[candidates, too_many])))
}

/// The nearest chunks among the candidates of the index.
pub fn by_index(scope: &Scope, query: &Query, scan: &IndexScan) -> StatementResult<Option<Nearest>> {
    let statement = concat!(
        include_str!("queries/wanted_items.sql"),
        include_str!("queries/nearest_by_index.sql"),
        include_str!("queries/nearest_of_candidates.sql")
    );
    let settings = [
        (c"hnsw.ef_search", scan.ef_search.to_string()),
        // Without it an index that is shared gives only what happens to be of this project. Sorted afterwards.
        (c"hnsw.iterative_scan", "relaxed_order".to_owned()),
        (c"hnsw.max_scan_tuples", scan.most_passed.clamp(20_000, i64::from(i32::MAX)).to_string()),
        // Or the scan ends where it has filled work_mem, before that.
        (c"hnsw.scan_mem_multiplier", "16".to_owned()),
        // Only the index gives the order without a sort.
        (c"enable_sort", "off".to_owned()),
        (c"enable_seqscan", "off".to_owned()),
    ];
    with_settings(&settings, || nearest(query, statement, arguments(scope, query, &[scan.candidates])))
}

fn arguments(scope: &Scope, query: &Query, counts: &[i64]) -> Vec<DatumWithOid<'static>> {
    let mut arguments = wanted(scope.project, &scope.filter, scope.as_of);
    arguments.extend([scope.as_of.into(), query.vector.to_vec().into(), query.limit.into()]);
    arguments.extend(counts.iter().map(|count| DatumWithOid::from(*count)));
    arguments
}

fn nearest(query: &Query, template: &str, arguments: Vec<DatumWithOid>) -> StatementResult<Option<Nearest>> {
    let read = rows(&query.space.statement(template), &arguments, |row| {
        let (chunk, distance) = (row.get::<i64>(1)?, row.get::<f64>(2)?);
        Ok((chunk.zip(distance), required::<bool>(&row, 3)?, required::<bool>(&row, 4)?))
    })?;
    if read.iter().any(|(_, too_many, _)| *too_many) {
        return Ok(None);
    }
    let saw_all = read.iter().any(|(_, _, saw_all)| *saw_all);
    Ok(Some(Nearest { found: read.into_iter().filter_map(|(chunk, ..)| chunk).collect(), saw_all }))
}

impl Scope {
    /// Whether anything but the project limits it.
    pub fn is_filtered(&self) -> bool {
        self.as_of.is_some() || self.filter != Filter::default()
    }
}
