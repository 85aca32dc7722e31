use super::*;

/// A Wednesday.
fn wednesday() -> Option<Date> {
    Date::try_new(2026, 3, 11)
}

fn when(text: &str, lean: Lean) -> Vec<String> {
    mentions(text, wednesday(), lean)
        .iter()
        .map(|mention| mention.time.to_rfc3339().unwrap()[..10].to_owned())
        .collect()
}

#[test]
fn times_ahead_are_counted_from_the_day_of_the_text() {
    for (text, expected) in [
        ("tomorrow", "2026-03-12"),
        ("later today", "2026-03-11"),
        ("on Friday", "2026-03-13"),
        ("by Wednesday", "2026-03-18"),
        ("next Monday", "2026-03-16"),
        ("next Friday", "2026-03-20"),
        ("this Friday", "2026-03-13"),
        ("starting Monday.", "2026-03-16"),
        ("on Monday, 23 March", "2026-03-23"),
        ("next Friday, March 20,", "2026-03-20"),
        ("on March 15", "2026-03-15"),
        ("by March 1", "2027-03-01"),
        ("on 14 February", "2027-02-14"),
        ("the 5th of May", "2026-05-05"),
        ("on Feb 29", "2028-02-29"),
        ("by Q1", "2026-03-31"),
        ("in Q4", "2026-10-01"),
        ("by the end of Q2", "2026-06-30"),
        ("by end of month", "2026-03-31"),
        ("by the end of the month", "2026-03-31"),
        ("before the end of the week", "2026-03-15"),
        ("at the end of next month", "2026-04-30"),
        ("by the end of June", "2026-06-30"),
        ("by April", "2026-04-30"),
        ("before April", "2026-03-31"),
        ("before March", "2027-02-28"),
        ("before Q3", "2026-06-30"),
        ("before Q1", "2026-12-31"),
        ("before 2027", "2026-12-31"),
        ("due before May", "2026-04-30"),
        ("before next week", "2026-03-15"),
        ("before next quarter", "2026-03-31"),
        ("before the end of April", "2026-04-30"),
        ("before EOM", "2026-03-31"),
        ("before the month is over", "2026-03-31"),
        ("before Friday", "2026-03-13"),
        ("before March 15", "2026-03-15"),
        ("in two weeks", "2026-03-25"),
        ("within 3 days", "2026-03-14"),
        ("in a month", "2026-04-11"),
        ("two weeks from now", "2026-03-25"),
        ("next week", "2026-03-16"),
        ("this quarter", "2026-01-01"),
        ("by EOD", "2026-03-11"),
        ("by EOM", "2026-03-31"),
        ("by close of business today", "2026-03-11"),
        ("last Friday", "2026-03-06"),
    ] {
        assert_eq!(when(text, Lean::Future), [expected], "{text}");
    }
}

#[test]
fn times_behind_are_counted_from_the_day_of_the_text() {
    for (text, expected) in [
        ("yesterday", "2026-03-10"),
        ("last night", "2026-03-10"),
        ("on Friday", "2026-03-06"),
        ("on Wednesday", "2026-03-04"),
        ("last Thursday", "2026-03-05"),
        ("on March 15", "2025-03-15"),
        ("in December", "2025-12-01"),
        ("in Q4", "2025-10-01"),
        ("two weeks ago", "2026-02-25"),
        ("last month", "2026-02-01"),
        ("last week", "2026-03-02"),
        ("this morning", "2026-03-11"),
        ("before February", "2026-01-31"),
        ("in the next two weeks", "2026-03-25"),
    ] {
        assert_eq!(when(text, Lean::Past), [expected], "{text}");
    }
    // How long something took is no time.
    for text in ["in two weeks", "within a month", "in about 3 days"] {
        assert_eq!(when(text, Lean::Past), [""; 0], "{text}");
    }
}

#[test]
fn absolute_times_need_no_day() {
    for (text, expected) in [
        ("due 2026-03-01", "2026-03-01T00:00:00Z"),
        ("at 2026-03-01T10:30:00Z sharp", "2026-03-01T10:30:00Z"),
        ("at 2026-03-01 10:30", "2026-03-01T10:30:00Z"),
        ("March 15, 2024", "2024-03-15T00:00:00Z"),
        ("15 March 2024", "2024-03-15T00:00:00Z"),
        ("by Q1 2024", "2024-03-31T00:00:00Z"),
        ("2024-Q1", "2024-01-01T00:00:00Z"),
        ("by March 2024", "2024-03-31T00:00:00Z"),
        ("before March 2024", "2024-02-29T00:00:00Z"),
        ("in 2027", "2027-01-01T00:00:00Z"),
    ] {
        let found = mentions(text, None, Lean::Future);
        let times: Vec<_> = found.iter().filter_map(|mention| mention.time.to_rfc3339()).collect();
        assert_eq!(times, [expected], "{text}");
    }
    for text in
        ["tomorrow", "on Friday", "by Q1", "March 15", "in two weeks", "end of the month", "next week"]
    {
        assert_eq!(mentions(text, None, Lean::Future), [], "{text}");
    }
}

#[test]
fn other_words_are_no_times() {
    for text in [
        "we may march on",
        "a second",
        "the end of the road",
        "in a nutshell",
        "the last day",
        "2026",
        "version 2.3",
        "chapter 5",
        "February 30",
        "one of them",
        "wed her",
        "the sun",
        "by Alice",
        "in the end",
        "from 10 to 50",
        "due to rain",
    ] {
        assert_eq!(mentions(text, wednesday(), Lean::Future), [], "{text}");
    }
}

#[test]
fn the_span_is_that_of_the_words() {
    let text = "We ship by Friday, or in two weeks.";
    let spans: Vec<&str> =
        mentions(text, wednesday(), Lean::Future).into_iter().map(|mention| &text[mention.span]).collect();
    assert_eq!(spans, ["by Friday", "in two weeks"]);
}

#[test]
fn no_day_is_too_far() {
    for (year, month, day) in [(1, 1, 1), (9999, 12, 31)] {
        let today = Date::try_new(year, month, day);
        for text in [
            "tomorrow",
            "yesterday",
            "in 999 years",
            "999 years ago",
            "next year",
            "last Monday",
            "Feb 29",
            "by Q4",
            "eow",
        ] {
            for lean in [Lean::Future, Lean::Past] {
                mentions(text, today, lean);
            }
        }
    }
}
