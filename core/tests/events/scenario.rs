//! The examples and end-to-end scenarios of the specification, as far as they need no database, and what surrounds them.

use memento_core::event::rules::{Context, extract};
use memento_core::event::{Actor, Category, Event, Role, SubjectType};
use memento_core::memory_kind::ArtifactType;
use memento_core::query::Date;

use crate::{categories, events};

fn only(text: &str) -> Event {
    let found = events(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.into_iter().next().unwrap()
}

fn day(event: &Event) -> String {
    event.event_time.unwrap().to_rfc3339().unwrap()[..10].to_owned()
}

fn owners(event: &Event) -> Vec<&str> {
    event.actors.iter().filter(|actor| actor.role == Role::Owner).map(|actor| actor.name.as_str()).collect()
}

#[test]
fn the_example_of_each_category() {
    for (category, text) in [
        (Category::Commitment, "Alice will deliver MVP by Q1"),
        (Category::Execution, "Deployed v2.3 to production"),
        (Category::Decision, "Decided to use Postgres over Kafka"),
        (Category::Collaboration, "Engineering and design synced on UI"),
        (Category::QualityRisk, "Security audit found XSS vulnerability"),
        (Category::Feedback, "Users reported login flow is confusing"),
        (Category::Change, "Changed pricing from $99 to $149"),
        (Category::Stakeholder, "Added Bob as security reviewer"),
    ] {
        let event = only(text);
        assert_eq!(event.category, category, "{text}");
        assert!(event.evidence.iter().eq([&(0..text.len())]), "{text}");
    }
    let commitment = only("Alice will deliver MVP by Q1");
    assert_eq!((owners(&commitment), day(&commitment).as_str()), (vec!["Alice"], "2026-03-31"));
    assert_eq!(commitment.subject.name, "MVP");
    let reviewer = only("Added Bob as security reviewer");
    assert_eq!(reviewer.actors, [Actor { name: "Bob".to_owned(), role: Role::Reviewer }]);
}

#[test]
fn a_small_artifact_has_its_decision() {
    let text = "Decision: We will use Postgres for event storage starting Monday.";
    let event = only(text);
    assert_eq!(event.category, Category::Decision);
    assert!(event.narrative.contains("Postgres"));
    assert_eq!(&text[event.evidence[0].clone()], text);
    assert_eq!(day(&event), "2026-03-16");
}

#[test]
fn a_large_artifact_has_all_of_them() {
    let filler =
        "The subsystem reads records and writes them to the log, where other parts of it can find them. "
            .repeat(30);
    let parts = [
        "Decision: Use Postgres for event storage.",
        "Alice Chen will deliver the migration plan by March 20.",
        "We decided to keep the old API until December.",
        "Bob will send the cost estimate next Friday.",
        "The board approved the budget for the second phase.",
    ];
    let text: String =
        parts.iter().map(|part| format!("# Part\n\n{filler}\n\n{part}\n\n{filler}\n\n")).collect();
    let found = events(&text);
    let count = |category| found.iter().filter(|event| event.category == category).count();
    assert_eq!((count(Category::Decision), count(Category::Commitment), found.len()), (3, 2, 5), "{found:?}");
    for (event, part) in found.iter().zip(parts) {
        assert_eq!(&text[event.evidence[0].clone()], part);
    }
}

#[test]
fn revisions_have_their_own_events() {
    assert!(only("Decision: Use MySQL.").narrative.contains("MySQL"));
    assert!(only("Decision: Actually, use Postgres instead.").narrative.contains("Postgres"));
    assert_eq!(only("Decision: Test failure handling.").category, Category::Decision);
    assert_eq!(events("Decision: Use Postgres."), events("Decision: Use Postgres."));
}

#[test]
fn a_conversation_has_speakers_as_actors() {
    let text = "Alice Chen: I'll send the deck by Friday.\nBob: Thanks. We decided to skip the demo.\n\
                Alice Chen: Bob will call the venue tomorrow.";
    let context = Context {
        artifact_type: Some(ArtifactType::Transcript),
        document_date: Date::try_new(2026, 3, 11),
        ..Context::default()
    };
    let found = extract(text, &context);
    let [deck, demo, venue] = found.events.as_slice() else { panic!("{found:?}") };
    assert_eq!((owners(deck), day(deck).as_str()), (vec!["Alice Chen"], "2026-03-13"));
    assert_eq!(deck.narrative, "Alice Chen: I'll send the deck by Friday.");
    assert_eq!(&text[deck.evidence[0].clone()], "I'll send the deck by Friday.");
    assert_eq!(demo.actors, [Actor { name: "Bob".to_owned(), role: Role::Contributor }]);
    assert_eq!((owners(venue), day(venue).as_str()), (vec!["Bob"], "2026-03-12"));
    let people: Vec<_> =
        found.entities.iter().map(|entity| (entity.name.as_str(), entity.mentions.len())).collect();
    assert_eq!(people, [("Alice Chen", 2), ("Bob", 2)]);
}

#[test]
fn items_have_owners_and_days() {
    let text = "## Action items\n\n- [ ] Ines: renew the certificate (due 2026-03-01)\n- Tomasz to collect quotes by Friday\n\
                - update the runbook @rosa\n- [x] book the room\n";
    let found = events(text);
    let seen: Vec<_> = found.iter().map(|event| (event.category, owners(event))).collect();
    let expected = [
        (Category::Commitment, vec!["Ines"]),
        (Category::Commitment, vec!["Tomasz"]),
        (Category::Commitment, vec!["rosa"]),
        (Category::Execution, vec![]),
    ];
    assert_eq!(seen, expected, "{found:?}");
    assert_eq!((day(&found[0]).as_str(), day(&found[1]).as_str()), ("2026-03-01", "2026-03-13"));
}

#[test]
fn a_record_of_a_decision_has_it_below_its_heading() {
    let text = "## Context\n\nFiles are slow.\n\n## Decision\n\nEvents are kept in Postgres. Files go away.\n\nMore about that.\n";
    let event = only(text);
    assert_eq!(event.category, Category::Decision);
    assert_eq!(&text[event.evidence[0].clone()], "Events are kept in Postgres.");
}

#[test]
fn what_is_code_or_quoted_is_no_event() {
    for text in [
        "```\nDecision: use tabs\n```",
        "    Decision: indented code",
        "> Decision: what somebody else wrote",
        "- item\n\n  ```\n  Decision: code in a list\n  ```\n",
        "<div>\nDecision: raw html\n</div>",
        "---\nDecision: front matter\n---\n",
        "\"We decided to leave the country,\" she said.",
        "| Decision: a | b |\n|---|---|\n| Decision: c | d |",
    ] {
        assert_eq!(categories(text), [], "{text}");
    }
}

#[test]
fn what_is_asked_supposed_or_denied_is_no_event() {
    for text in [
        "Did we decide to use Postgres?",
        "If Bob agrees, we will use Postgres.",
        "We will ship on Friday if the tests pass.",
        "We have not decided to use Postgres.",
        "Bob will not send the deck.",
        "Maybe we will send the deck on Friday.",
        "I think we shipped it yesterday.",
        "Decision: should we use Postgres?",
        "Decision: TBD",
        "Action items: none",
    ] {
        assert_eq!(categories(text), [], "{text}");
    }
}

#[test]
fn an_item_for_many_has_as_many_actors_as_fit() {
    let handles: String = (0..30).map(|n| format!(" @u{n}")).collect();
    assert_eq!(only(&format!("- [ ] send it{handles}")).actors.len(), 20);
}

#[test]
fn without_a_date_only_absolute_times_are_resolved() {
    let times =
        |text| extract(text, &Context::default()).events[0].event_time.and_then(|time| time.to_rfc3339());
    assert_eq!(times("Action: Bob to send the deck by Friday"), None);
    assert_eq!(times("Action: Bob to send the deck by 2026-03-20").as_deref(), Some("2026-03-20T00:00:00Z"));
}

/// What was done in two weeks was not done two weeks later.
#[test]
fn how_long_it_took_is_no_time() {
    assert_eq!(only("We shipped the importer in two weeks.").event_time, None);
    assert_eq!(day(&only("We will ship the importer in two weeks.")), "2026-03-25");
    assert_eq!(day(&only("Alice will deliver the importer before April.")), "2026-03-31");
}

#[test]
fn what_is_said_twice_is_one_event_with_two_quotes() {
    let event = only("Decision: use Postgres.\n\nSome text.\n\n**Decision:** Use Postgres\n");
    assert_eq!(event.evidence.len(), 2);
}

#[test]
fn the_subject_is_a_thing_or_what_the_document_is_about() {
    assert_eq!(only("We launched the loyalty programme on May 4.").subject.name, "loyalty programme");
    assert_eq!(only("We launched the loyalty programme on May 4.").subject.kind, SubjectType::Project);
    let context = Context { title: Some("Pricing"), ..Context::default() };
    let found = extract("We agreed on it.", &context).events;
    assert_eq!((found[0].subject.kind, found[0].subject.name.as_str()), (SubjectType::Other, "Pricing"));
}

#[test]
fn a_long_sentence_is_quoted_around_its_verb() {
    let words = (0..40).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let text = format!("We decided to {words}.");
    let event = only(&text);
    let quote = &text[event.evidence[0].clone()];
    assert!(quote.starts_with("We decided to word0") && quote.split(' ').count() == 25, "{quote}");
}
