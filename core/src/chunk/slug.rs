//! Anchors of headings, as GitHub makes them.

use std::collections::HashMap;

/// Gives each heading of a document an anchor of its own.
#[derive(Default)]
pub struct Slugger {
    used: HashMap<String, usize>,
}

impl Slugger {
    /// The anchor of the next heading: lower case, punctuation dropped, blanks to hyphens; the second of a name gets
    /// `-1`, the third `-2`, and so on, past names that are taken.
    pub fn anchor(&mut self, heading: &str) -> String {
        let base = slug(heading);
        let Some(count) = self.used.get(&base).copied() else {
            self.used.insert(base.clone(), 0);
            return base;
        };
        let mut next = count + 1;
        let mut anchor = format!("{base}-{next}");
        while self.used.contains_key(&anchor) {
            next += 1;
            anchor = format!("{base}-{next}");
        }
        self.used.insert(base, next);
        self.used.insert(anchor.clone(), 0);
        anchor
    }
}

fn slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    for c in heading.trim().chars() {
        match c {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(c),
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            c if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ => {}
        }
    }
    // A heading of punctuation only still needs an anchor.
    if slug.is_empty() { "section".into() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::Slugger;

    #[test]
    fn anchors_are_those_of_github() {
        let mut slugger = Slugger::default();
        for (heading, anchor) in [
            ("Getting started", "getting-started"),
            ("What's new in v2.0?", "whats-new-in-v20"),
            ("Getting started", "getting-started-1"),
            ("Getting started", "getting-started-2"),
            ("a_b - c", "a_b---c"),
            ("Ärger & Ölwechsel", "ärger--ölwechsel"),
            ("日本語", "日本語"),
            ("???", "section"),
            ("", "section-1"),
        ] {
            assert_eq!(slugger.anchor(heading), anchor, "{heading}");
        }
    }

    #[test]
    fn a_taken_number_is_passed_over() {
        let mut slugger = Slugger::default();
        assert_eq!(slugger.anchor("a"), "a");
        assert_eq!(slugger.anchor("a-1"), "a-1");
        assert_eq!(slugger.anchor("a"), "a-2");
        assert_eq!(slugger.anchor("a-1"), "a-1-1");
    }
}
