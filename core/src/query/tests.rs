use super::*;
use proptest::prelude::*;

mod times;

/// A Wednesday.
fn today() -> Date {
    Date::try_new(2026, 7, 15).unwrap()
}

#[track_caller]
fn all_have_intent(intent: Intent, queries: &[&str]) {
    for query in queries {
        assert_eq!(analyze(query, today()).intent, intent, "{query}");
    }
}

#[test]
fn decisions_are_asked_for() {
    all_have_intent(
        Intent::Decision,
        &[
            "what did we decide about storage?",
            "What did the team decide on retries",
            "why did we choose Postgres",
            "why don't we use Kafka",
            "why did we go with gRPC?",
            "who decided to drop the queue",
            "what was decided about the export",
            "have we agreed on a date",
            "decisions last week",
            "decision about the error format",
            "what's the final decision?",
            "rationale behind the two-phase rollout",
            "what did Ana decide",
        ],
    );
}

#[test]
fn action_items_are_asked_for() {
    all_have_intent(
        Intent::ActionItems,
        &[
            "action items for Ana",
            "what does Bob need to do",
            "what do the designers have to deliver by Friday?",
            "what's Tom supposed to do",
            "todo",
            "open tasks of the infra team",
            "next steps from the kickoff",
            "everything assigned to Ana",
            "status of the action items",
            "action items for fixing the error",
        ],
    );
}

#[test]
fn words_of_people_are_asked_for() {
    all_have_intent(
        Intent::WhoSaid,
        &[
            "who said that the export is slow",
            "who first mentioned the deadline?",
            "what did Ana say about the error",
            "what does the new CTO think about Rust",
            "did anyone mention SOC 2?",
            "according to Ana the cache is cold",
            "quotes from the customer",
            "who said we decided on Kafka",
        ],
    );
}

#[test]
fn trouble_is_asked_about() {
    all_have_intent(
        Intent::Troubleshooting,
        &[
            "why is checkout failing",
            "why does the worker not start?",
            "how to fix the deadlock",
            "how do I debug the planner",
            "status code 500",
            "exit code 137",
            "ECONNRESET on checkout",
            "error when saving",
            "login doesn't work",
            "java.lang.NullPointerException in PaymentService",
            "connection refused",
            "why is the status page down",
            "why was the request rejected",
            "Traceback (most recent call last)\n  File \"a.py\", line 3\nwe decided to raise",
            "boom\n    at org.acme.Server.run(Server.java:12)",
        ],
    );
}

#[test]
fn a_status_is_asked_for() {
    all_have_intent(
        Intent::Status,
        &[
            "status of the migration",
            "what's the status of PAY-4012",
            "where are we with the audit",
            "is the migration done yet",
            "Is the export ready?",
            "has Bob replied yet?",
            "any updates on hiring",
            "how is the rollout going?",
            "are we on track",
            "status of the error fix",
        ],
    );
}

#[test]
fn what_is_not_clear_is_left_open() {
    all_have_intent(
        Intent::Auto,
        &[
            "",
            "?!",
            "storage",
            "Decide: How to Make Better Choices",
            "decision tree pruning",
            "how to make decisions",
            "how does the scheduler decide which node to use",
            "why did Postgres choose a sequential scan",
            "error budget policy",
            "How do we handle errors",
            "margin of error",
            "with the exception of Tuesdays",
            "crash course on Rust",
            "HTTP status codes",
            "status code 200",
            "git status",
            "exit status of a shell",
            "todo app in React",
            "why is the sky blue",
            "what does the log say",
            "what do you think",
            "how do we report expenses",
            "action movies",
            "who owns billing",
            "according to the docs",
            "Who. Said nobody",
        ],
    );
}

#[test]
fn profiles_follow_the_looks_of_a_query() {
    for (query, profile) in [
        ("", Profile::Default),
        (" \n\t", Profile::Default),
        ("...", Profile::Default),
        ("storage", Profile::Technical),
        ("retry policy for payments", Profile::Technical),
        ("ECONNRESET on checkout", Profile::Technical),
        ("what did we decide about storage?", Profile::Conversational),
        ("what did we decide about worker_processes and the cache", Profile::Conversational),
        ("getParentChain", Profile::Code),
        ("PAY-4012", Profile::Code),
        ("worker_processes default", Profile::Code),
        ("std::mem::take()", Profile::Code),
        ("if (a == b) { run(); }", Profile::Code),
        ("it broke again today and I do not know why\n  at a.B.c(B.java:1)", Profile::Code),
    ] {
        assert_eq!(analyze(query, today()).weight_profile, profile, "{query}");
    }
}

#[test]
fn weights_share_the_same_whole() {
    for profile in [Profile::Default, Profile::Technical, Profile::Conversational, Profile::Code] {
        let LaneWeights { lexical, semantic, trigram, tech_token, canonical, pinned, intent, time } =
            profile.weights();
        assert!((lexical + semantic + trigram - 1.0).abs() < 1e-9, "{}", profile.as_str());
        assert_eq!([canonical, pinned, intent, time], [0.1; 4]);
        assert!(tech_token >= semantic.min(0.5), "an identifier is not drowned");
    }
    assert_eq!(Profile::Default.weights().semantic, 0.5);
}

#[test]
fn every_word_for_an_intent_is_read_and_only_auto_prefers_nothing() {
    for word in Intent::WORDS {
        let intent = Intent::from_word(word).unwrap();
        assert_eq!(intent.as_str(), word);
        assert_eq!(intent.kinds().is_empty(), intent == Intent::Auto, "{word}");
    }
    assert_eq!(Intent::from_word("decisions"), None);
}

#[test]
fn names_are_seen_inside_of_sentences() {
    for (query, has_name) in [
        ("When did Caroline go to the support group?", true),
        ("what did we decide with Ana", true),
        ("When did we decide?", false),
        ("what I've said and what I meant", false),
        ("No. Why not?", false),
        ("", false),
    ] {
        assert_eq!(analyze(query, today()).has_name, has_name, "{query}");
    }
}

#[test]
fn tokens_are_sorted_and_unique() {
    let found = analyze("PAY-4012 and pay-4012 on v2.8.1", today());
    assert_eq!(found.tech_tokens, ["2.8.1", "pay-4012"]);
}

#[test]
fn only_the_start_of_a_query_is_looked_at() {
    let long = format!("{} PAY-4012 yesterday", "ä".repeat(LONGEST_QUERY));
    let found = analyze(&long, today());
    assert_eq!((found.tech_tokens.len(), found.dates), (0, None));
    for part in
        ["in the ", "who ", "last 7 ", "from 2024 to ", "is ", "a_b.c=", "why not ", "what did a ", "(", "–"]
    {
        analyze(&part.repeat(1_000_000 / part.len()), today());
    }
}

/// Words that dates and intents are made of, put together at random.
fn query() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "(in|on|since|before|after|until|between|from|to|and|the|of|last|this|past|ago|a)",
        "(today|yesterday|days|week|months|quarter|years|January|may|March|Sept|Q3|and)[,.]?",
        "[0-9]{1,4}(st|th)?",
        "[0-9]{4}-[0-9]{2}(-[0-9]{2})?",
        "(what|who|why|how|is|did|we|Ana|say|decide|status|error|done|yet|todo|decisions)[?']?",
        "\\PC{0,6}",
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn ranges_are_not_empty_and_spans_are_inside(query in query(), day in -719_162i64..=2_932_896) {
        let today = Date::from_days(day).unwrap();
        let found = analyze(&query, today);
        prop_assert_eq!(&found, &analyze(&query, today));
        if let Some(DateMention { range, span }) = found.dates {
            prop_assert!(range.from.is_some() || range.until.is_some());
            if let (Some(from), Some(until)) = (range.from, range.until) {
                prop_assert!(from < until);
            }
            prop_assert!(query.get(span).is_some_and(|text| !text.trim().is_empty()));
        }
    }

    #[test]
    fn no_text_is_too_strange(query in "\\PC{0,200}|(\\PC|\\s|[0-9-]){0,100}") {
        analyze(&query, today());
    }
}
