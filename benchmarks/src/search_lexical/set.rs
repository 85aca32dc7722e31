//! A set of documents and questions whose answers are known.

use std::collections::{BTreeSet, HashMap};

use postgres::Client;
use serde_json::Value;

use crate::data;

pub struct Document {
    pub id: String,
    pub text: String,
    pub scope: String,
}

pub struct Query {
    pub text: String,
    pub scope: String,
    /// How relevant which documents are.
    pub relevant: HashMap<String, f64>,
}

pub struct RetrievalSet {
    pub name: &'static str,
    pub documents: Vec<Document>,
    pub queries: Vec<Query>,
}

impl RetrievalSet {
    /// A set of MEMENTO_DATA, where it is there. Queries without an answer are left out.
    pub fn read(name: &'static str) -> Option<Self> {
        let part = |file: &str| data::file(&format!("retrieval/{name}/{file}"));
        let mut relevant: HashMap<String, HashMap<String, f64>> = HashMap::new();
        for line in part("qrels.tsv")?.lines().skip(1) {
            let mut fields = line.split('\t');
            if let (Some(query), Some(document), Some(grade)) = (fields.next(), fields.next(), fields.next())
            {
                let grade: f64 = grade.parse().unwrap_or(0.0);
                if grade > 0.0 {
                    relevant.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
                }
            }
        }
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let scope = |value: &Value| value["meta"]["scope"].as_str().unwrap_or_default().to_owned();
        let lines = |file: &str| -> Option<Vec<Value>> {
            Some(part(file)?.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
        };
        let documents = lines("corpus.jsonl")?
            .iter()
            .map(|value| Document {
                id: text(value, "_id"),
                text: format!("{}\n{}", text(value, "title"), text(value, "text")).trim().replace('\0', ""),
                scope: scope(value),
            })
            .filter(|document| !document.text.is_empty())
            .collect();
        let queries = lines("queries.jsonl")?
            .iter()
            .filter_map(|value| {
                let relevant = relevant.remove(&text(value, "_id"))?;
                Some(Query { text: text(value, "text"), scope: scope(value), relevant })
            })
            .collect();
        Some(Self { name, documents, queries })
    }

    /// Stores each document as an item with one chunk, its id as the title.
    pub fn store(&self, client: &mut Client) {
        let scopes: BTreeSet<&str> = self.documents.iter().map(|document| document.scope.as_str()).collect();
        for scope in scopes {
            let project = project(scope);
            let own: Vec<&Document> =
                self.documents.iter().filter(|document| document.scope == scope).collect();
            let ids: Vec<&str> = own.iter().map(|document| document.id.as_str()).collect();
            let texts: Vec<&str> = own.iter().map(|document| document.text.as_str()).collect();
            client
                .execute("select memento.create_project($1)", &[&project])
                .unwrap_or_else(|error| panic!("{error}"));
            client
                .execute(include_str!("store.sql"), &[&project, &ids, &texts])
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// The project that answers a query.
    pub fn project_of(&self, query: &Query) -> String {
        project(&query.scope)
    }
}

fn project(scope: &str) -> String {
    format!("scope-{scope}")
}
