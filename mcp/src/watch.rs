//! Resources that a client wants to hear about. The database is asked every few seconds, and only while somebody wants to
//! know: notifications of the server would cost every writer a lock.

use std::collections::HashMap;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::database::Database;
use crate::failure::Failure;
use crate::statement;

/// How often.
pub const PERIOD: Duration = Duration::from_secs(2);

/// How many resources one session can watch.
pub const MOST: usize = 256;

/// The state of each resource when it was last looked at.
pub type States = HashMap<String, Option<String>>;

/// The states of resources now.
pub async fn look(database: &Database, uris: &[String]) -> Result<States, Failure> {
    let rows = database.query(statement::STATES, &[&uris], &CancellationToken::new()).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Takes over new states of resources that are watched still, and says which of them have changed.
pub fn changed(known: &mut States, now: States) -> Vec<String> {
    let mut changed = Vec::new();
    for (uri, state) in now {
        if let Some(before) = known.get_mut(&uri)
            && *before != state
        {
            *before = state;
            changed.push(uri);
        }
    }
    changed.sort();
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_watched_and_new_is_told() {
        let states = |pairs: &[(&str, &str)]| -> States {
            pairs.iter().map(|(uri, state)| ((*uri).to_owned(), Some((*state).to_owned()))).collect()
        };
        let mut known = states(&[("a", "1"), ("b", "1")]);
        assert_eq!(changed(&mut known, states(&[("a", "1"), ("b", "2"), ("c", "1")])), ["b"]);
        assert!(changed(&mut known, states(&[("a", "1"), ("b", "2")])).is_empty());
        let mut gone = known.clone();
        gone.insert("a".into(), None);
        assert_eq!(changed(&mut known, gone), ["a"]);
    }
}
