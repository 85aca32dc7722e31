//! Extensions that rank by BM25 with an index of their own: what the catalogues say of them, and how to speak to each.

use super::dense::planned_rows;
use super::{StatementResult, kept_rows, required, rows, write};

/// The index that `enable_bm25` makes.
pub const INDEX: &str = "memento.chunk_bm25_idx";

/// In the order in which they are used, where there are several.
const EXTENSIONS: [&str; 2] = ["pg_search", "pg_textsearch"];

/// An engine of this database.
pub struct LexicalEngine {
    pub name: String,
    pub version: String,
    /// Its index of chunks, quoted; none if there is none that is ready.
    pub index: Option<String>,
    /// Its operators and functions that we know, qualified and quoted.
    operators: Vec<String>,
    functions: Vec<String>,
}

impl LexicalEngine {
    fn operator(&self, name: &str) -> Option<&str> {
        let ending = format!(".{name})");
        self.operators.iter().find(|operator| operator.ends_with(&ending)).map(String::as_str)
    }

    /// The last one by name: `pdb` is what `paradedb` is called in newer versions.
    fn function(&self, name: &str) -> Option<&str> {
        let ending = format!(".{name}");
        self.functions.iter().rfind(|function| function.ends_with(&ending)).map(String::as_str)
    }

    /// The statement for [`super::lexical::best_of`]; none if the engine is not as we know it, or has no index.
    pub fn statement(&self) -> Option<String> {
        let index = self.index.as_deref()?;
        match self.name.as_str() {
            "pg_search" => {
                let score = self.function("score")?;
                // Both take any text for words, not for a query in some syntax.
                let matches = match (self.operator("|||"), self.operator("@@@")) {
                    (Some(any_word), _) => format!("c.chunk_text {any_word} $19::text"),
                    (None, Some(matches)) => {
                        let words =
                            self.functions.iter().find(|function| function.as_str() == "paradedb.match")?;
                        format!("c.chunk_id {matches} {words}('chunk_text', $19::text)")
                    }
                    (None, None) => return None,
                };
                Some(format!(
                    "select c.chunk_id, c.version_id, {score}(c.chunk_id)::float8 as score from memento.chunk c
                      where c.project_id = $1 and {matches} order by {score}(c.chunk_id) desc, c.chunk_id limit $20"
                ))
            }
            "pg_textsearch" => {
                let (distance, query) = (self.operator("<@>")?, self.function("to_bm25query")?);
                let index = pgrx::spi::quote_literal(index);
                let distance = format!("c.chunk_text {distance} {query}($19::text, {index})");
                // The index knows no projects: what is of others is dropped by the join that follows.
                Some(format!(
                    "select c.chunk_id, c.version_id, -({distance})::float8 as score from memento.chunk c
                      order by {distance} limit $20"
                ))
            }
            _ => None,
        }
    }

    /// Whether its index tells projects apart.
    pub fn knows_projects(&self) -> bool {
        self.name == "pg_search"
    }

    /// Whether its statement gives equal scores in the order of chunks. The index of pg_textsearch knows no second key.
    pub fn orders_ties(&self) -> bool {
        self.name == "pg_search"
    }

    /// The command that makes the index.
    pub fn index_command(&self) -> Option<&'static str> {
        match self.name.as_str() {
            "pg_search" => Some(
                r#"create index chunk_bm25_idx on memento.chunk using bm25 (chunk_id, project_id, chunk_text)
                   with (key_field = 'chunk_id', text_fields =
                     '{"chunk_text": {"tokenizer": {"type": "default", "stemmer": "English", "stopwords_language": "English"}}}')"#,
            ),
            "pg_textsearch" => Some(
                "create index chunk_bm25_idx on memento.chunk using bm25 (chunk_text) with (text_config = 'pg_catalog.english')",
            ),
            _ => None,
        }
    }
}

/// The engines that are installed in this database.
pub fn installed() -> StatementResult<Vec<LexicalEngine>> {
    kept_rows(include_str!("queries/lexical_engines.sql"), &[EXTENSIONS.to_vec().into()], |row| {
        Ok(LexicalEngine {
            name: required(&row, 1)?,
            version: required(&row, 2)?,
            index: row.get(3)?,
            operators: required(&row, 4)?,
            functions: required(&row, 5)?,
        })
    })
}

/// About how many chunks there are, of all projects.
pub fn estimate_chunks() -> StatementResult<f64> {
    planned_rows("explain (format json) select from memento.chunk", &[])
}

/// Drops the index, if it is there. Without a word where it is not.
pub fn drop_index() -> StatementResult<()> {
    let known = rows("select pg_catalog.to_regclass($1) is not null", &[INDEX.into()], |row| {
        required::<bool>(&row, 1)
    })?;
    if known.contains(&true) { command("drop index memento.chunk_bm25_idx") } else { Ok(()) }
}

/// Runs a command that changes an index.
pub fn command(text: &str) -> StatementResult<()> {
    write(text, &[], |_| Ok(())).map(drop)
}
