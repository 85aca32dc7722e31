//! Nobody can commit a quote that is not in its source, nor an event without one.

use memento_tests::failure::{assert_failure, failure};
use postgres::{Client, Transaction};

use super::scene::{count, ingest, json, without_worker};

const TEXT: &str = "Ünïted: we decided to use Postgres. Bob will migrate by Friday.";

/// Writes an event with one quote, as a superuser would by hand.
struct Attempt {
    start: i32,
    end: i32,
    quote: &'static str,
    chunk: &'static str,
    uid: Option<&'static str>,
}

const GOOD: Attempt =
    Attempt { start: 8, end: 35, quote: "we decided to use Postgres.", chunk: "null", uid: None };

impl Attempt {
    fn evidence(&self, transaction: &mut Transaction, event: &str) -> Result<u64, postgres::Error> {
        let uid = self.uid.map_or("i.artifact_uid".to_owned(), |uid| format!("'{uid}'"));
        transaction.execute(
            &format!(
                "insert into memento.event_evidence (project_id, event_id, evidence_id, version_id, chunk_id, start_char, end_char, artifact_uid, revision_id, quote)
                 select v.project_id, '{event}', '{event}', v.version_id, {}, $1, $2, {uid}, memento._revision_id(v.content_hash), $3
                   from memento.version v join memento.item i using (project_id, item_id) where v.version_num = 1 and i.source_id = 'one'",
                self.chunk
            ),
            &[&self.start, &self.end, &self.quote],
        )
    }
}

fn event(transaction: &mut Transaction, event: &str) -> Result<u64, postgres::Error> {
    transaction.execute(
        &format!(
            "insert into memento.semantic_event (project_id, event_id, version_id, evidence_id, extraction_run_id, confidence, category, artifact_uid, revision_id,
                                                 extractor, narrative, subject_json, actors_json)
             select v.project_id, '{event}', v.version_id, '{event}', '{event}', 0.9, 'Decision', i.artifact_uid, memento._revision_id(v.content_hash),
                    'hand', 'Postgres is used', '{{\"type\": \"object\", \"ref\": \"Postgres\"}}', '[]'
               from memento.version v join memento.item i using (project_id, item_id) where v.version_num = 1 and i.source_id = 'one'"
        ),
        &[],
    )
}

/// What is wrong with a quote, and how it is refused.
const WRONG: [(Attempt, &str); 8] = [
    (Attempt { quote: "we decided to use MySQL ok.", ..GOOD }, "EVIDENCE_NOT_IN_SOURCE"),
    (Attempt { quote: "We decided to use Postgres.", ..GOOD }, "EVIDENCE_NOT_IN_SOURCE"),
    (Attempt { start: 9, ..GOOD }, "EVIDENCE_NOT_IN_SOURCE"),
    (Attempt { end: 36, ..GOOD }, "EVIDENCE_NOT_IN_SOURCE"),
    (Attempt { start: 60, end: 9000, ..GOOD }, "EVIDENCE_NOT_IN_SOURCE"),
    (Attempt { start: 7, end: 8, quote: " ", ..GOOD }, "EVIDENCE_NOT_IN_SOURCE"),
    (Attempt { uid: Some("uid_0000000000000000"), ..GOOD }, "EVIDENCE_REVISION"),
    (Attempt { chunk: "(select max(c.chunk_id) from memento.chunk c)", ..GOOD }, "EVIDENCE_CHUNK"),
];

const EVENT: &str = "00000000-0000-4000-8000-000000000001";

fn write(client: &mut Client, attempt: &Attempt) -> Result<(), postgres::Error> {
    let mut transaction = client.transaction()?;
    attempt.evidence(&mut transaction, EVENT)?;
    event(&mut transaction, EVENT)?;
    transaction.commit()
}

#[test]
fn a_quote_that_is_not_in_its_source_is_refused_for_everybody() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", TEXT);
    ingest(&mut client, "two", "Another document: we decided to use Postgres.");
    let long: &'static str = Box::leak(format!("long {}", vec!["word"; 25].join(" ")).into_boxed_str());
    client
        .execute("select memento.artifact_ingest('note', 'test', $1, source_id => 'three')", &[&long])
        .unwrap();
    for role in ["origin", "replica"] {
        client.batch_execute(&format!("set session_replication_role = {role}")).unwrap();
        for (attempt, code) in &WRONG {
            assert_failure(write(&mut client, attempt), "23514", code);
        }
    }
    client.batch_execute("reset session_replication_role").unwrap();
    for (start, end) in [(-1, 5), (5, 5), (5, 4)] {
        let error = failure(write(&mut client, &Attempt { start, end, ..GOOD }));
        assert!(["23514"].contains(&error.code().code()), "{error:?}");
    }
    assert_eq!(count(&mut client, "select count(*) from memento.event_evidence"), 0);

    // At most 25 words.
    let mut transaction = client.transaction().unwrap();
    let words = transaction.execute(
        "insert into memento.event_evidence (project_id, event_id, version_id, start_char, end_char, artifact_uid, revision_id, quote)
         select v.project_id, gen_random_uuid(), v.version_id, 0, char_length(v.content), i.artifact_uid, memento._revision_id(v.content_hash), v.content
           from memento.version v join memento.item i using (project_id, item_id) where i.source_id = 'three'",
        &[],
    );
    let error = assert_failure(words, "23514", "EVIDENCE_NOT_IN_SOURCE");
    assert!(error.message().contains("25 words"), "{error:?}");
    transaction.rollback().unwrap();

    // What is right is taken, with the chunk that contains it, and cannot be made wrong afterwards.
    let chunk = "(select c.chunk_id from memento.chunk c where c.version_id = v.version_id)";
    write(&mut client, &Attempt { chunk, ..GOOD }).unwrap();
    for change in [
        "quote = 'we decided to use MySQL.'",
        "start_char = 7",
        "end_char = 34",
        "version_id = (select version_id from memento.version where content like 'Another%')",
        "chunk_id = (select max(chunk_id) from memento.chunk)",
    ] {
        let error = failure(client.execute(&format!("update memento.event_evidence set {change}"), &[]));
        assert_eq!(error.code().code(), "23514", "{change}: {error:?}");
    }
    client
        .batch_execute("set memento.maintenance = on; update memento.event_evidence set quote = 'we said'; reset memento.maintenance")
        .unwrap();
}

#[test]
fn an_event_without_evidence_cannot_commit() {
    let cluster = without_worker();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    ingest(&mut client, "one", TEXT);

    let mut transaction = client.transaction().unwrap();
    event(&mut transaction, EVENT).unwrap();
    assert_eq!(failure(transaction.commit()).code().code(), "23503");

    // In either order, and then the last quote cannot be taken away.
    let mut transaction = client.transaction().unwrap();
    event(&mut transaction, EVENT).unwrap();
    GOOD.evidence(&mut transaction, EVENT).unwrap();
    transaction.commit().unwrap();
    for statement in ["delete from memento.event_evidence", "truncate memento.event_evidence"] {
        failure(client.batch_execute(statement));
    }

    // The quotes go with the event.
    client.batch_execute("delete from memento.semantic_event").unwrap();
    assert_eq!(count(&mut client, "select count(*) from memento.event_evidence"), 0);
}

/// A subscriber of replication runs no triggers of statements.
#[test]
fn rows_that_replication_brings_are_checked_without_triggers_of_statements() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", TEXT);
    ingest(&mut client, "two", "Another document: we decided to use Postgres.");
    client
        .batch_execute(
            "alter table memento.event_evidence disable trigger event_evidence_insert_check;
             alter table memento.event_evidence disable trigger event_evidence_update_check;
             alter table memento.semantic_event disable trigger semantic_event_insert_check;
             alter table memento.semantic_event disable trigger semantic_event_update_check;
             set session_replication_role = replica",
        )
        .unwrap();
    for (attempt, code) in &WRONG {
        assert_failure(write(&mut client, attempt), "23514", code);
    }
    let chunk = "(select c.chunk_id from memento.chunk c where c.version_id = v.version_id)";
    write(&mut client, &Attempt { chunk, ..GOOD }).unwrap();
    let of_two = "(select version_id from memento.version where content like 'Another%')";
    for (change, code) in [
        ("event_evidence set quote = 'we decided to use MySQL.'", "EVIDENCE_NOT_IN_SOURCE"),
        ("event_evidence set start_char = 7", "EVIDENCE_NOT_IN_SOURCE"),
        ("event_evidence set version_id = gen_random_uuid()", "EVIDENCE_REVISION"),
        (&format!("event_evidence set version_id = {of_two}"), "EVIDENCE_REVISION"),
        ("event_evidence set chunk_id = (select max(chunk_id) from memento.chunk)", "EVIDENCE_CHUNK"),
        (&format!("semantic_event set version_id = {of_two}"), "EVIDENCE_REVISION"),
    ] {
        assert_failure(client.execute(&format!("update memento.{change}"), &[]), "23514", code);
    }
    // Ordinary writes do not pay for it twice: there it does not run.
    client.batch_execute("reset session_replication_role").unwrap();
    client.batch_execute("update memento.event_evidence set quote = 'unchecked'").unwrap();
}

/// Where foreign keys are not looked at, a quote can be moved to a version that is not there; one whose version goes before it only loses
/// its chunk.
#[test]
fn a_quote_of_no_version_is_refused() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", TEXT);
    let chunk = "(select c.chunk_id from memento.chunk c where c.version_id = v.version_id)";
    write(&mut client, &Attempt { chunk, ..GOOD }).unwrap();
    client.batch_execute("set session_replication_role = replica").unwrap();
    for change in ["version_id = gen_random_uuid()", "version_id = gen_random_uuid(), quote = 'made up'"] {
        assert_failure(
            client.execute(&format!("update memento.event_evidence set {change}"), &[]),
            "23514",
            "EVIDENCE_REVISION",
        );
    }
    client
        .batch_execute("delete from memento.version; update memento.event_evidence set chunk_id = null")
        .unwrap();
    let made_up = client.execute("update memento.event_evidence set quote = 'made up'", &[]);
    assert_failure(made_up, "23514", "EVIDENCE_REVISION");
}

/// A quote of another version proves nothing, whichever of the two is written or changed last.
#[test]
fn an_event_and_its_quotes_are_of_one_version() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", TEXT);
    ingest(&mut client, "two", TEXT);
    write(&mut client, &GOOD).unwrap();
    let of_two = "(select v.version_id from memento.version v join memento.item i using (project_id, item_id) where i.source_id = 'two')";
    let uid = "(select i.artifact_uid from memento.item i where i.source_id = 'two')";
    let other_quote = format!(
        "insert into memento.event_evidence (project_id, event_id, version_id, start_char, end_char, artifact_uid, revision_id, quote)
         select project_id, event_id, {of_two}, start_char, end_char, {uid}, revision_id, quote from memento.event_evidence"
    );
    for role in ["origin", "replica"] {
        client.batch_execute(&format!("set session_replication_role = {role}")).unwrap();
        for statement in [
            other_quote.clone(),
            format!("update memento.event_evidence set version_id = {of_two}, artifact_uid = {uid}"),
            format!("update memento.semantic_event set version_id = {of_two}, artifact_uid = {uid}"),
        ] {
            assert_failure(client.execute(&statement, &[]), "23514", "EVIDENCE_REVISION");
        }
    }
}

/// Replication does not look at foreign keys, and anybody with enough rights can say that he is replication.
#[test]
fn replication_brings_no_event_without_evidence() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", TEXT);
    client.batch_execute("set session_replication_role = replica").unwrap();
    let mut transaction = client.transaction().unwrap();
    event(&mut transaction, EVENT).unwrap();
    assert_failure(transaction.commit(), "23514", "EVIDENCE_MISSING");
    // In either order within a transaction, and the quotes first in one of their own, as a dump brings them.
    let mut transaction = client.transaction().unwrap();
    event(&mut transaction, EVENT).unwrap();
    GOOD.evidence(&mut transaction, EVENT).unwrap();
    transaction.commit().unwrap();
    for change in [
        "delete from memento.event_evidence",
        "update memento.event_evidence set evidence_id = gen_random_uuid()",
        "update memento.semantic_event set evidence_id = gen_random_uuid()",
    ] {
        assert_failure(client.batch_execute(change), "23514", "EVIDENCE_MISSING");
    }
    client
        .batch_execute(
            "begin; delete from memento.semantic_event; delete from memento.event_evidence; commit",
        )
        .unwrap();
    let mut transaction = client.transaction().unwrap();
    GOOD.evidence(&mut transaction, EVENT).unwrap();
    transaction.commit().unwrap();
    let mut transaction = client.transaction().unwrap();
    event(&mut transaction, EVENT).unwrap();
    transaction.commit().unwrap();
    assert_eq!(count(&mut client, "select count(*) from memento.semantic_event"), 1);
}

#[test]
fn forms_are_checked() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", TEXT);
    write(&mut client, &GOOD).unwrap();
    for change in [
        "category = 'Opinion'",
        "confidence = 7",
        "confidence = 'NaN'",
        "narrative = '  '",
        "subject_json = '[]'",
        "subject_json = '{\"type\": \"object\"}'",
        "subject_json = '{\"type\": \"thing\", \"ref\": \"x\"}'",
        "actors_json = '{}'",
        "actors_json = '[{\"ref\": \"Bob\"}]'",
        "actors_json = '[{\"ref\": 1, \"role\": \"owner\"}]'",
        "actors_json = '[{\"ref\": \"Bob\", \"role\": \"boss\"}]'",
        "actors_json = '[\"Bob\"]'",
    ] {
        let error = failure(client.execute(&format!("update memento.semantic_event set {change}"), &[]));
        assert_eq!(error.code().code(), "23514", "{change}: {error:?}");
    }
    client
        .batch_execute(
            "update memento.semantic_event set actors_json = '[{\"ref\": \"Bob\", \"role\": \"owner\"}]'",
        )
        .unwrap();
    let seen = json(&mut client, &format!("memento.event_get('{EVENT}')"));
    assert_eq!(seen["actors"][0]["ref"], "Bob");
}
