//! The events of the documents in samples/: read the difference, then accept it by running the tests with
//! INSTA_UPDATE=always.

use std::fmt::Write;

use crate::events;

const SAMPLES: [(&str, &str); 4] = [
    ("design-note", include_str!("../../../samples/design-note.md")),
    ("incident", include_str!("../../../samples/incident.md")),
    ("meeting-notes", include_str!("../../../samples/meeting-notes.md")),
    ("runbook", include_str!("../../../samples/runbook.md")),
];

#[test]
fn events_of_the_samples() {
    for (name, text) in SAMPLES {
        let mut seen = String::new();
        for event in events(text) {
            let actors: Vec<String> = event
                .actors
                .iter()
                .map(|actor| format!("{} ({})", actor.name, actor.role.as_str()))
                .collect();
            let time = event.event_time.and_then(|time| time.to_rfc3339()).unwrap_or_default();
            let (category, subject) = (event.category.as_str(), &event.subject.name);
            let _ = writeln!(seen, "=== {category} of {subject} by [{}] {time}", actors.join(", "));
            let _ = writeln!(seen, "{}", event.narrative);
            for span in event.evidence {
                let _ = writeln!(seen, "> {}", text[span].replace('\n', "\\n"));
            }
        }
        insta::assert_snapshot!(format!("events_of_{name}"), seen);
    }
}
