use super::*;

fn iso(date: Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// The range as `from..until`, and the words that it is from.
fn dates_on(query: &str, today: Date) -> (String, &str) {
    match analyze(query, today).dates {
        None => (String::new(), ""),
        Some(DateMention { range, span }) => {
            let [from, until] = [range.from, range.until].map(|date| date.map(iso).unwrap_or_default());
            (format!("{from}..{until}"), &query[span])
        }
    }
}

#[test]
fn times_by_name() {
    for (query, range, span) in [
        ("calls on 2026-01-05", "2026-01-05..2026-01-06", "on 2026-01-05"),
        ("calls of 2026-01", "2026-01-01..2026-02-01", "of 2026-01"),
        ("roadmap 2026", "2026-01-01..2027-01-01", "2026"),
        ("what changed in 2025?", "2025-01-01..2026-01-01", "in 2025"),
        ("in 1999", "1999-01-01..2000-01-01", "in 1999"),
        ("goals for Q3 2025", "2025-07-01..2025-10-01", "for Q3 2025"),
        ("2025 Q4 goals", "2025-10-01..2026-01-01", "2025 Q4"),
        ("2025-Q1", "2025-01-01..2025-04-01", "2025-Q1"),
        ("January 2026 calls", "2026-01-01..2026-02-01", "January 2026"),
        ("calls, Jan 5, 2026", "2026-01-05..2026-01-06", "Jan 5, 2026"),
        ("calls of Jan. 5th", "2026-01-05..2026-01-06", "of Jan. 5th"),
        ("5 January 2026", "2026-01-05..2026-01-06", "5 January 2026"),
        ("the 5th of May 2026.", "2026-05-05..2026-05-06", "the 5th of May 2026"),
        ("5 may 2026", "2026-05-05..2026-05-06", "5 may 2026"),
        ("may 2026", "2026-05-01..2026-06-01", "may 2026"),
        ("march 5", "2026-03-05..2026-03-06", "march 5"),
        ("Feb 29", "2024-02-29..2024-03-01", "Feb 29"),
        ("what happened in March", "2026-03-01..2026-04-01", "in March"),
        ("decisions March", "2026-03-01..2026-04-01", "March"),
        ("in December", "2025-12-01..2026-01-01", "in December"),
        ("july numbers", "2026-07-01..2026-08-01", "july"),
        ("the April numbers", "2026-04-01..2026-05-01", "the April"),
        ("September's plan", "2025-09-01..2025-10-01", "September's"),
        ("last March", "2026-03-01..2026-04-01", "last March"),
        ("the week of 2026-03-04", "2026-03-02..2026-03-09", "the week of 2026-03-04"),
        ("the week of January", "2026-01-01..2026-02-01", "of January"),
        ("this November", "2026-11-01..2026-12-01", "this November"),
    ] {
        assert_eq!(dates_on(query, today()), (range.to_owned(), span), "{query}");
    }
}

#[test]
fn times_seen_from_today() {
    for (query, range, span) in [
        ("decisions today", "2026-07-15..2026-07-16", "today"),
        ("yesterday's call", "2026-07-14..2026-07-15", "yesterday's"),
        ("last week", "2026-07-06..2026-07-13", "last week"),
        ("calls this week?", "2026-07-13..2026-07-20", "this week"),
        ("last month", "2026-06-01..2026-07-01", "last month"),
        ("last quarter", "2026-04-01..2026-07-01", "last quarter"),
        ("this quarter", "2026-07-01..2026-10-01", "this quarter"),
        ("last year's budget", "2025-01-01..2026-01-01", "last year's"),
        ("calls in the last 7 days", "2026-07-08..2026-07-16", "in the last 7 days"),
        ("over the past 3 months", "2026-04-15..2026-07-16", "over the past 3 months"),
        ("past week", "2026-07-08..2026-07-16", "past week"),
        ("last two weeks", "2026-07-01..2026-07-16", "last two weeks"),
        ("three days ago", "2026-07-12..2026-07-13", "three days ago"),
        ("a month ago", "2026-06-01..2026-07-01", "a month ago"),
    ] {
        assert_eq!(dates_on(query, today()), (range.to_owned(), span), "{query}");
    }
    let end_of_march = Date::try_new(2026, 3, 31).unwrap();
    assert_eq!(dates_on("past month", end_of_march).0, "2026-02-28..2026-04-01");
    let monday = Date::try_new(2026, 7, 13).unwrap();
    assert_eq!(dates_on("this week", monday).0, "2026-07-13..2026-07-20");
    assert_eq!(dates_on("in July", Date::try_new(2026, 7, 1).unwrap()).0, "2026-07-01..2026-08-01");
}

#[test]
fn ends_can_be_open() {
    for (query, range, span) in [
        ("errors since Monday or since 2026-07-01", "2026-07-01..", "since 2026-07-01"),
        ("since last week", "2026-07-06..", "since last week"),
        ("after January 2026", "2026-02-01..", "after January 2026"),
        ("before May 2026 only", "..2026-05-01", "before May 2026"),
        ("until Jan 5, 2026", "..2026-01-06", "until Jan 5, 2026"),
        ("before the March release", "..2026-03-01", "before the March"),
        ("agreed by 2026-03-01", "..2026-03-02", "by 2026-03-01"),
        ("from 2024 onwards", "2024-01-01..", "from 2024 onwards"),
        ("between Jan 5 and Feb 3, 2026", "2026-01-05..2026-02-04", "between Jan 5 and Feb 3, 2026"),
        (
            "between March 2026 and January 2026",
            "2026-01-01..2026-04-01",
            "between March 2026 and January 2026",
        ),
        ("from November to February 2026", "2025-11-01..2026-03-01", "from November to February 2026"),
        ("2024 to 2025 plans", "2024-01-01..2026-01-01", "2024 to 2025"),
        ("2026-01-05 – 2026-01-07", "2026-01-05..2026-01-08", "2026-01-05 – 2026-01-07"),
        ("from last week to today", "2026-07-06..2026-07-16", "from last week to today"),
        ("January 5-10, 2025", "2025-01-01..2026-01-01", "2025"),
        ("in May and in June", "2026-05-01..2026-06-01", "in May"),
    ] {
        assert_eq!(dates_on(query, today()), (range.to_owned(), span), "{query}");
    }
}

#[test]
fn what_is_no_time_is_left_alone() {
    for query in [
        "",
        "5.1.2026",
        "1/5/2026",
        "release 2026.01",
        "PROJ-2026",
        "v2026",
        "#2024",
        "build_2025",
        "2026-02-30",
        "2026-13",
        "2026-01-05-rc1",
        "Feb 30, 2026",
        "30 February 2026",
        "February 30",
        "this may fail",
        "in may",
        "May I ask something",
        "it may, or may not",
        "only 5 may fail",
        "march on",
        "March on Rome",
        "in march",
        "what did April say",
        "action items for April",
        "Jan said so",
        "written by April",
        "week of 2026-02-30",
        "dec to hex",
        "error 2013",
        "SQL Server 2019",
        "port 2024",
        "over 2000 users",
        "2048 game",
        "12345",
        "last call",
        "last day of the sprint",
        "the past is past",
        "before lunch",
        "since forever",
        "between us and them",
        "between January and the release",
        "Jan 5 to 10",
        "q3",
        "0 days ago",
        "2026-01-05 10:11:12 ERROR boom",
        "We left in. March!",
    ] {
        assert_eq!(dates_on(query, today()), (String::new(), ""), "{query}");
    }
}

#[test]
fn days_are_counted_both_ways() {
    for (year, month, day, days) in [
        (1970, 1, 1, 0),
        (2000, 2, 29, 11_016),
        (2000, 3, 1, 11_017),
        (1, 1, 1, -719_162),
        (9999, 12, 31, 2_932_896),
    ] {
        let date = Date::try_new(year, month, day).unwrap();
        assert_eq!((date.days(), Date::from_days(days)), (days, Some(date)));
    }
    let mut last = None;
    for days in -719_162..=2_932_896 {
        let date = Date::from_days(days);
        assert!(date > last && date.is_some_and(|date| date.days() == days), "{days}");
        last = date;
    }
    for none in [-719_163, 2_932_897, i64::MIN, i64::MAX] {
        assert_eq!(Date::from_days(none), None);
    }
    for (year, month, day) in
        [(0, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (1900, 2, 29)]
    {
        assert_eq!(Date::try_new(year, month, day), None);
    }
}

#[test]
fn the_ends_of_the_calendar_are_no_times() {
    let first = Date::try_new(1, 1, 1).unwrap();
    let last = Date::try_new(9999, 12, 31).unwrap();
    for query in ["yesterday", "last year", "past 3 months", "last week"] {
        assert_eq!(dates_on(query, first).0, "", "{query}");
    }
    for query in ["today", "this week", "this year"] {
        assert_eq!(dates_on(query, last).0, "", "{query}");
    }
}
