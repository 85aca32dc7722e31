//! Pages of a search go on as the first began.

use std::collections::BTreeSet;

use memento_tests::failure::assert_failure;
use postgres::Client;
use serde_json::Value;

use super::scene::{count, json, without_worker};
use super::tools::write_events;

fn page(client: &mut Client, arguments: &str, after: Option<&str>) -> Value {
    let after = after.map_or("null".to_owned(), |after| format!("'{after}'"));
    json(
        client,
        &format!(
            "memento.event_search({arguments}, max_items => 100, include_evidence => false, after => {after})"
        ),
    )
}

fn keys(page: &Value) -> impl Iterator<Item = String> + '_ {
    page["events"].as_array().unwrap().iter().map(|event| event["event_id"].to_string())
}

/// More than can be ranked, after the first page: the order stays that of the first, and each event is there once.
#[test]
fn what_becomes_frequent_between_pages_changes_no_order() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, 2_200);
    for (arguments, order, change) in [
        (
            "'storage'",
            "relevance",
            "update memento.semantic_event set narrative = replace(narrative, 'the pricing model', 'storage')",
        ),
        (
            "'item'",
            "time",
            "update memento.semantic_event set narrative = replace(narrative, 'Item', 'Thing') where event_time is null",
        ),
    ] {
        let mut seen = BTreeSet::new();
        let first = page(&mut client, arguments, None);
        assert_eq!(first["order"], order, "{arguments}");
        seen.extend(keys(&first));
        client.batch_execute(change).unwrap();
        client.batch_execute("analyze memento.semantic_event").unwrap();
        let mut after = first["next_after"].as_str().map(str::to_owned);
        let mut read = seen.len();
        while let Some(last) = after {
            let next = page(&mut client, arguments, Some(&last));
            assert_eq!(
                (&next["order"], &next["total"], &next["total_is_exact"], &next["matched"]),
                (&first["order"], &first["total"], &first["total_is_exact"], &first["matched"]),
                "{arguments}"
            );
            read += keys(&next).count();
            seen.extend(keys(&next));
            after = next["next_after"].as_str().map(str::to_owned);
        }
        assert_eq!(seen.len(), read, "{arguments}: each once");
        assert!(read >= 1_700, "{arguments}: {read}");
    }
}

/// Few events that are sure enough are counted, found and turned over page by page, without words.
#[test]
fn few_that_are_sure_are_all_found() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, 3_000);
    let expected = count(&mut client, "select count(*) from memento.semantic_event where confidence >= 0.95");
    let (mut seen, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = page(&mut client, "min_confidence => 0.95", after.as_deref());
        assert_eq!((&page["total"], &page["total_is_exact"]), (&expected.into(), &true.into()));
        seen.extend(keys(&page));
        after = page["next_after"].as_str().map(str::to_owned);
        if after.is_none() {
            break;
        }
    }
    let newest: Vec<String> = client
        .query(
            "select '\"' || event_id || '\"' from memento.semantic_event where confidence >= 0.95 order by event_time desc nulls last, event_id",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(seen, newest);
}

#[test]
fn a_cursor_is_what_a_page_gave() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, 300);
    let first = page(&mut client, "'storage'", None);
    let good = first["next_after"].as_str().unwrap();
    for wrong in [
        good.replacen('a', "x", 1),
        good.replacen('r', "x", 1),
        format!("{good}/0"),
        good.replacen('/', "9999999999/", 1),
        good.rsplit_once('/').unwrap().0.to_owned(),
        "ar1/7ff0000000000000/-/00000000-0000-0000-0000-000000000000".to_owned(),
        "at1/0/1x/00000000-0000-0000-0000-000000000000".to_owned(),
        String::new(),
    ] {
        let search = client.query_one("select memento.event_search('storage', after => $1)", &[&wrong]);
        assert_failure(search, "22023", "VALIDATION_ERROR");
    }
}
