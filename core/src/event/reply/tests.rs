use super::*;
use crate::event::{Actor, Category, MOST_EVIDENCE, Role, Subject, SubjectType};
use serde_json::json;

const TEXT: &str =
    "Alice Chen said: “we’re going with freemium for launch”. Bob will ship it by Friday. Alice agreed.";

fn event(category: &str, quote: &str) -> Value {
    json!({
        "category": category,
        "subject": {"type": "project", "ref": "pricing"},
        "actors": [{"ref": "Alice Chen", "role": "owner"}],
        "event_time": null,
        "narrative": "The team goes with freemium.",
        "evidence": {"quote": quote, "start_char": 0, "end_char": 10},
        "confidence": 0.9,
    })
}

fn read(reply: &str) -> Result<Reply, Report> {
    extraction(reply, TEXT, Date::try_new(2026, 3, 11))
}

fn problems(value: Value) -> Vec<String> {
    read(&value.to_string()).unwrap_err().problems().to_vec()
}

fn quotes(reply: &Reply) -> Vec<&str> {
    reply.extraction.events.iter().flat_map(|event| &event.evidence).map(|span| &TEXT[span.clone()]).collect()
}

#[test]
fn the_form_is_forgiven() {
    let good = json!({"entities": [], "events": [event("Decision", "going with freemium")]}).to_string();
    let forms = [
        good.clone(),
        format!("\u{feff}{good}"),
        format!("```json\n{good}\n```"),
        format!("Here is what I found [see above] in {{the text}}:\n{good}\nAnything else?"),
        good.replace("}]}", "},\n ],\n }"),
        format!("{{\"thoughts\": [1, 2]}} {good}"),
        json!([event("Decision", "going with freemium")]).to_string(),
    ];
    for form in forms {
        let reply = read(&form).unwrap_or_else(|report| panic!("{form}\n{report}"));
        assert_eq!(quotes(&reply), ["going with freemium"], "{form}");
        assert_eq!(reply.dropped, Dropped::default());
    }
}

#[test]
fn what_is_no_json_is_said() {
    for (reply, problem) in [
        ("", "there is no JSON object in the answer"),
        ("I am sorry, there are no events.", "there is no JSON object in the answer"),
        ("{\"events\": [", "the JSON of the answer ends before it is complete"),
        ("{\"events\": nothing}", "the JSON of the answer is malformed"),
        ("{“events”: []}", "the JSON of the answer is malformed"),
        ("{\"found\": []}", "the JSON object of the answer has none of the keys that were asked for"),
    ] {
        assert_eq!(read(reply).unwrap_err().problems(), [problem], "{reply}");
    }
    let deep = format!("{{\"events\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(read(&deep).unwrap_err().problems(), ["the JSON of the answer is nested too deep"]);
    let long = format!("{{\"events\": [], \"x\": \"{}\"}}", "x".repeat(LONGEST_REPLY));
    assert_eq!(read(&long).unwrap_err().problems(), ["the answer is longer than 4 MB"]);
}

#[test]
fn every_problem_of_an_event_is_said() {
    let mut wrong = event("Rumour", "Bob");
    wrong["confidence"] = json!(7);
    wrong["event_time"] = json!("soon");
    wrong["actors"] = json!([{"ref": "", "role": "boss"}]);
    wrong["subject"] = json!("pricing");
    wrong["narrative"] = json!(3);
    wrong["evidence"] = json!(3);
    assert_eq!(
        problems(json!({"events": [event("Decision", "Bob"), wrong]})),
        [
            "events[1].category must be one of Commitment, Execution, Decision, Collaboration, QualityRisk, Feedback, Change, Stakeholder",
            "events[1].narrative must be a string",
            "events[1].subject.type must be one of person, project, object, other",
            "events[1].subject.ref is missing",
            "events[1].actors[0].role must be one of owner, contributor, reviewer, stakeholder, other",
            "events[1].actors[0].ref is blank",
            "events[1].event_time must be null or a time such as 2026-01-31T10:00:00Z",
            "events[1].confidence must be a number from 0 to 1",
            "events[1].evidence must be an object with a quote",
        ]
    );
    assert_eq!(problems(json!({"events": {}})), ["events must be a list"]);
    assert_eq!(problems(json!({"entities": []})), ["events must be a list"]);
    for confidence in [json!(-0.1), json!("0.9"), json!(null), json!(1e300)] {
        let mut wrong = event("Decision", "Bob");
        wrong["confidence"] = confidence;
        assert_eq!(
            problems(json!({"events": [wrong]})),
            ["events[0].confidence must be a number from 0 to 1"]
        );
    }
}

#[test]
fn too_much_is_refused_and_the_report_stays_short() {
    let many = vec![event("Decision", "Bob"); 10_000];
    assert_eq!(problems(json!({"events": many})), ["events has 10000 elements, more than 200"]);
    let report = read(&json!({"events": vec![json!({}); 200]}).to_string()).unwrap_err();
    assert_eq!(report.problems().len(), 20);
    assert!(report.to_string().ends_with("more of the kind"), "{report}");
    let mut long = event("Decision", "Bob");
    long["narrative"] = json!("x".repeat(1001));
    assert_eq!(
        problems(json!({"events": [long]})),
        ["events[0].narrative has 1001 characters, more than 1000"]
    );
}

#[test]
fn quotes_that_are_not_there_are_dropped_and_counted() {
    let reply = json!({"events": [
        event("Decision", "\"we're going  with freemium"),
        event("Commitment", "Bob promises to ship"),
        event("Commitment", "BOB WILL SHIP IT"),
        event("Commitment", "x".repeat(100_000).as_str()),
    ]});
    let reply = read(&reply.to_string()).unwrap();
    assert_eq!(quotes(&reply), ["“we’re going with freemium"]);
    assert_eq!(reply.dropped, Dropped { quotes: 3, events: 3, entities: 0 });
    assert_eq!(reply.extraction.events[0].violations(TEXT), []);
}

#[test]
fn several_quotes_and_texts_are_evidence_too() {
    let mut found = event("Decision", "");
    found["evidence"] = json!([{"quote": "Alice agreed"}, "Alice Chen said", "Alice agreed", "nobody"]);
    let reply = read(&json!({"events": [found]}).to_string()).unwrap();
    assert_eq!(quotes(&reply), ["Alice Chen said", "Alice agreed"]);
    assert_eq!(reply.dropped.quotes, 1);
}

/// What is no quote is dropped like one that is not in the text, and the event stands with the others.
#[test]
fn quotes_that_are_none_are_dropped_and_counted() {
    for none in
        [json!(""), json!("  \n"), json!(null), json!({}), json!({"quote": null}), json!({"quote": 7})]
    {
        let mut alone = event("Decision", "");
        alone["evidence"] = none.clone();
        let mut beside = event("Decision", "");
        beside["evidence"] = json!([none, "Alice agreed"]);
        let reply = read(&json!({"events": [alone, beside]}).to_string()).unwrap();
        assert_eq!(quotes(&reply), ["Alice agreed"], "{none}");
        assert_eq!(reply.dropped, Dropped { quotes: 2, events: 1, entities: 0 }, "{none}");
    }
    let mut crowded = event("Decision", "");
    crowded["evidence"] = json!(vec!["Alice agreed"; MOST_EVIDENCE + 3]);
    let reply = read(&json!({"events": [crowded]}).to_string()).unwrap();
    assert_eq!((quotes(&reply), reply.dropped.quotes), (vec!["Alice agreed"], 3));
}

#[test]
fn a_long_quote_is_cut_and_stays_a_part_of_the_text() {
    let text = (0..60).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    let reply = extraction(&json!({"events": [event("Decision", &text)]}).to_string(), &text, None).unwrap();
    let span = reply.extraction.events[0].evidence[0].clone();
    assert_eq!(text[span.clone()].split(' ').count(), MOST_QUOTE_WORDS);
    assert!(text[span].ends_with("w24"));
}

#[test]
fn of_two_places_the_one_near_the_hint_is_taken() {
    let mut found = event("Decision", "Alice");
    found["evidence"]["start_char"] = json!(85);
    let reply = read(&json!({"events": [found]}).to_string()).unwrap();
    assert_eq!(reply.extraction.events[0].evidence[0].start, TEXT.rfind("Alice").unwrap());
}

#[test]
fn times_may_be_words() {
    for (time, expected) in [
        ("2026-04-01T10:00:00+02:00", Some("2026-04-01T08:00:00Z")),
        ("2026-04-01", Some("2026-04-01T00:00:00Z")),
        ("by Friday", Some("2026-03-13T00:00:00Z")),
    ] {
        let mut found = event("Commitment", "Bob will ship it by Friday");
        found["event_time"] = json!(time);
        let reply = read(&json!({"events": [found]}).to_string()).unwrap();
        let time = reply.extraction.events[0].event_time.and_then(|time| time.to_rfc3339());
        assert_eq!(time.as_deref(), expected);
    }
}

#[test]
fn what_was_done_lies_behind() {
    // The document is of a Wednesday.
    for (category, expected) in [
        ("Commitment", "2026-03-13T00:00:00Z"),
        ("Decision", "2026-03-13T00:00:00Z"),
        ("Execution", "2026-03-06T00:00:00Z"),
        ("Collaboration", "2026-03-06T00:00:00Z"),
        ("Feedback", "2026-03-06T00:00:00Z"),
        ("QualityRisk", "2026-03-06T00:00:00Z"),
    ] {
        let mut found = event(category, "Alice agreed");
        found["event_time"] = json!("on Friday");
        let reply = read(&json!({"events": [found]}).to_string()).unwrap();
        let time = reply.extraction.events[0].event_time.and_then(|time| time.to_rfc3339());
        assert_eq!(time.as_deref(), Some(expected), "{category}");
    }
}

#[test]
fn entities_have_their_places() {
    let reply = json!({"events": [], "entities": [
        {"name": "Alice Chen", "type": "person", "aliases": ["Alice", "A. Chen", "Alice"]},
        {"name": "Carol", "type": "person"},
        {"name": "Bob", "type": "person", "aliases": []},
        {"name": "Bob", "type": "person", "aliases": ["Bobby"]},
    ]});
    let reply = read(&reply.to_string()).unwrap();
    let found: Vec<_> = reply
        .extraction
        .entities
        .iter()
        .map(|e| (e.name.as_str(), e.aliases.len(), e.mentions.len()))
        .collect();
    assert_eq!(found, [("Alice Chen", 2, 2), ("Bob", 1, 1)]);
    assert_eq!(reply.dropped.entities, 1);
    assert_eq!(
        problems(json!({"events": [], "entities": [{"name": "", "type": "robot"}]})),
        [
            "entities[0].type must be one of person, org, project, object, place, time",
            "entities[0].name is blank"
        ]
    );
}

fn placed(category: Category, quote: &str) -> Event {
    let start = TEXT.find(quote).unwrap();
    Event {
        category,
        narrative: quote.to_owned(),
        subject: Subject { kind: SubjectType::Other, name: "launch".to_owned() },
        actors: vec![Actor { name: "Alice".to_owned(), role: Role::Owner }],
        event_time: crate::filter::Timestamp::parse("2026-03-13"),
        confidence: 0.7,
        evidence: std::iter::once(start..start + quote.len()).collect(),
    }
}

fn merged(reply: Value) -> Result<Reply, Report> {
    let events = [
        placed(Category::Decision, "going with freemium"),
        placed(Category::Commitment, "Bob will ship it by Friday"),
        placed(Category::Decision, "Alice agreed"),
    ];
    canonical(&json!({ "canonical_events": reply }).to_string(), &events, TEXT)
}

fn canonical_event(mut of: Value, key: &str, value: Value) -> Value {
    of[key] = value;
    of
}

#[test]
fn events_are_put_together_by_number_or_by_quote() {
    let by_number = canonical_event(event("Decision", ""), "sources", json!([1, 3]));
    let by_quote = canonical_event(
        event("Decision", ""),
        "evidence_list",
        json!([{"quote": "with freemium", "chunk_id": "x"}, {"quote": "Alice agreed"}, {"quote": "made up"}]),
    );
    for (entry, dropped) in [(by_number, 0), (by_quote, 1)] {
        let reply = merged(json!([entry])).unwrap();
        assert_eq!(quotes(&reply), ["going with freemium", "Alice agreed", "Bob will ship it by Friday"]);
        let first = &reply.extraction.events[0];
        assert_eq!((first.narrative.as_str(), first.confidence), ("The team goes with freemium.", 0.9));
        // Alice Chen is none of the sources' actors.
        assert_eq!(first.actors, [Actor { name: "Alice".to_owned(), role: Role::Owner }]);
        assert_eq!(first.event_time, crate::filter::Timestamp::parse("2026-03-13"));
        assert_eq!(reply.dropped.quotes, dropped);
    }
}

#[test]
fn nothing_is_invented_and_nothing_is_lost() {
    let invented = canonical_event(event("Decision", ""), "evidence_list", json!([{"quote": "made up"}]));
    let reply = merged(json!([invented])).unwrap();
    assert_eq!(reply.extraction.events.len(), 3);
    assert_eq!((reply.dropped.events, reply.dropped.quotes), (1, 1));
    let twice = canonical_event(event("Decision", ""), "sources", json!([1]));
    assert_eq!(merged(json!([twice, twice])).unwrap().dropped.events, 1);
    let problems = |reply| merged(reply).unwrap_err().problems().to_vec();
    let other = canonical_event(event("Feedback", ""), "sources", json!([1]));
    assert_eq!(problems(json!([other])), ["canonical_events[0].category must be that of a source"]);
    let unknown = canonical_event(event("Decision", ""), "sources", json!([4, 0, "1"]));
    assert_eq!(problems(json!([unknown])).len(), 3);
    assert_eq!(problems(json!([event("Decision", "")])), ["canonical_events[0].sources is missing"]);
}

/// A document may tell the model to put everything together, and a model may do it: what cannot be one occurrence stays apart.
#[test]
fn what_cannot_be_the_same_stays_apart() {
    let said = |category, quote: &str, subject: &str, day: Option<&str>| Event {
        subject: Subject { kind: SubjectType::Other, name: subject.to_owned() },
        event_time: day.and_then(crate::filter::Timestamp::parse),
        ..placed(category, quote)
    };
    let events = [
        said(Category::Decision, "going with freemium", "pricing", None),
        said(Category::Feedback, "Alice Chen said", "pricing", None),
        said(Category::Decision, "Bob will ship it", "the pricing-model", Some("2026-03-13")),
        said(Category::Decision, "by Friday", "Pricing", Some("2026-03-20")),
        said(Category::Decision, "Alice agreed", "storage", None),
    ];
    let all = canonical_event(event("Decision", ""), "sources", json!([1, 2, 3, 4, 5]));
    let reply = canonical(&json!({"canonical_events": [all]}).to_string(), &events, TEXT).unwrap();
    let left: Vec<(&str, usize)> =
        reply.extraction.events.iter().map(|event| (event.category.as_str(), event.evidence.len())).collect();
    assert_eq!(left, [("Feedback", 1), ("Decision", 2), ("Decision", 1), ("Decision", 1)]);
    assert_eq!(reply.extraction.events[1].event_time, events[2].event_time);
    assert_eq!(reply.dropped, Dropped::default());
}

#[test]
fn quotes_without_room_are_counted() {
    let text = (0..30).map(|n| format!("w{n:02} ")).collect::<String>();
    let events: Vec<Event> = (0..30)
        .map(|n| Event {
            evidence: std::iter::once(n * 4..n * 4 + 3).collect(),
            ..placed(Category::Decision, "Alice")
        })
        .collect();
    let all = canonical_event(event("Decision", ""), "sources", json!((1..=30).collect::<Vec<_>>()));
    let reply = canonical(&json!({"canonical_events": [all]}).to_string(), &events, &text).unwrap();
    assert_eq!(
        (reply.extraction.events.len(), reply.extraction.events[0].evidence.len()),
        (1, MOST_EVIDENCE)
    );
    assert_eq!(reply.dropped.quotes, 30 - MOST_EVIDENCE);
    let (merged, crowded) = merge_duplicates(events);
    assert_eq!((merged.len(), crowded), (1, 30 - MOST_EVIDENCE));
}
