//! Labels before a text (`Decision: ...`) and above a list (`## Action items`).

use crate::event::{Category, Role};

/// What a heading or a label says about the lines below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What its items are.
    pub category: Category,
    /// Whether an item must look like an event itself: documentation has `Next steps` too.
    pub needs_more: bool,
    /// What somebody is who is named there.
    pub role: Option<Role>,
}

/// A label and where the text begins that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// What it says.
    pub section: Section,
    /// In bytes, with blanks and markup.
    pub length: usize,
}

use Category::{Change, Collaboration, Commitment, Decision, Execution, Feedback, QualityRisk, Stakeholder};

/// Labels before a text, in lower case and in the singular.
const LABELS: &[(Category, &[&str])] = &[
    (
        Decision,
        &[
            "decision",
            "decided",
            "final decision",
            "key decision",
            "agreed",
            "agreement",
            "we decided",
            "we agreed",
        ],
    ),
    (
        Commitment,
        &[
            "action",
            "action item",
            "todo",
            "to do",
            "to-do",
            "next step",
            "next action",
            "follow up",
            "follow-up",
            "task",
            "commitment",
            "deadline",
            "deliverable",
            "action required",
        ],
    ),
    (
        QualityRisk,
        &[
            "risk",
            "issue",
            "blocker",
            "blocked",
            "concern",
            "problem",
            "bug",
            "incident",
            "known issue",
            "open issue",
            "impediment",
            "main risk",
            "biggest risk",
            "blocking issue",
            "quality risk",
            "regression",
            "vulnerability",
            "outage",
        ],
    ),
    (
        Feedback,
        &[
            "feedback",
            "user feedback",
            "customer feedback",
            "client feedback",
            "complaint",
            "review feedback",
        ],
    ),
    (Change, &["change", "changed", "scope change", "change of plan", "plan change"]),
    (Execution, &["done", "completed", "shipped", "deployed", "fixed", "released", "delivered", "launched"]),
    (
        Collaboration,
        &["handoff", "handover", "hand-off", "hand-over", "met with", "discussed", "synced with"],
    ),
    (Stakeholder, &["stakeholder", "role", "new role", "responsibility"]),
];

/// Labels that say who somebody is.
const ROLES: &[(Role, &[&str])] = &[
    (
        Role::Owner,
        &["owner", "dri", "lead", "tech lead", "project lead", "project owner", "product owner", "assignee"],
    ),
    (Role::Reviewer, &["reviewer", "approver", "security reviewer", "code reviewer"]),
    (Role::Stakeholder, &["sponsor", "executive sponsor", "point of contact", "contact person"]),
];

/// What lists are called besides the plural of a label.
const SECTIONS: &[(Category, &[&str])] = &[
    (Decision, &["decisions made", "key decisions", "decision log", "what we decided", "agreements"]),
    (
        Commitment,
        &["actions", "action points", "action list", "commitments", "follow ups", "todos", "to-dos"],
    ),
    (
        QualityRisk,
        &["risks and issues", "risks issues", "risks and concerns", "risks and blockers", "blockers"],
    ),
    (
        Feedback,
        &["feedback received", "user feedback", "what users said", "what customers said", "review comments"],
    ),
    (Execution, &["accomplishments", "what we did", "what we shipped", "completed work", "completed tasks"]),
    (Change, &["what changed", "scope changes"]),
    (Stakeholder, &["stakeholders", "roles", "roles and responsibilities", "owners", "ownership"]),
];

/// The longest label has so many words.
const MOST_WORDS: usize = 4;

/// The label at the start of a text, with something after it.
pub fn leading(text: &str) -> Option<Label> {
    let bare = text.trim_start_matches(['*', '_', ' ']);
    let (name, rest) = split(bare)?;
    let section = named(name).or_else(|| role_of(name))?;
    let rest = rest.trim_start_matches(['*', '_', ' ', '\t']);
    (!rest.is_empty()).then_some(Label { section, length: text.len() - rest.len() })
}

/// What a line says that is nothing but a label: `Action items:` or `**Decisions**`.
pub fn alone(line: &str) -> Option<Section> {
    let bare = line.trim_matches(['*', '_', ' ']);
    let is_marked = bare.ends_with(':') || (line.starts_with("**") && line.ends_with("**"));
    if !is_marked { None } else { section(bare.trim_end_matches([':', '*', '_', ' '])) }
}

/// What a heading says about the list below it.
pub fn section(heading: &str) -> Option<Section> {
    let name = plain(heading)?;
    let listed =
        SECTIONS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(category, _)| *category);
    if let Some(category) = listed {
        return Some(Section { category, needs_more: category == Stakeholder, role: None });
    }
    let singular = name.strip_suffix('s').unwrap_or(&name);
    // `Issues` and `Change` are also sections of documentation.
    let needs_more = matches!(
        singular,
        "next step" | "issue" | "problem" | "change" | "bug" | "task" | "known issue" | "role"
    );
    named(singular).map(|section| Section { needs_more, ..section })
}

/// Whether a name is that of a label.
pub fn is_name(name: &str) -> bool {
    named(name).or_else(|| role_of(name)).or_else(|| section(name)).is_some()
}

/// A name up to the mark that ends it, and what follows.
fn split(text: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 48;
    let head = &text[..text.floor_char_boundary(LONGEST)];
    let colon = head.find([':', '：']);
    if let Some(at) = colon {
        let mark = text[at..].chars().next().map_or(1, char::len_utf8);
        return Some((&text[..at], &text[at + mark..]));
    }
    let dash =
        [" - ", " – ", " — "].into_iter().filter_map(|dash| Some((head.find(dash)?, dash.len()))).min()?;
    Some((&text[..dash.0], &text[dash.0 + dash.1..]))
}

fn named(name: &str) -> Option<Section> {
    let name = plain(name)?;
    let (category, _) = LABELS.iter().find(|(_, names)| names.contains(&name.as_str()))?;
    let needs_more = matches!(name.as_str(), "follow up" | "follow-up" | "next step" | "task");
    Some(Section { category: *category, needs_more, role: None })
}

fn role_of(name: &str) -> Option<Section> {
    let name = plain(name)?;
    let (role, _) = ROLES.iter().find(|(_, names)| names.contains(&name.as_str()))?;
    Some(Section { category: Stakeholder, needs_more: true, role: Some(*role) })
}

/// In lower case, without markup, numbers (`Decision #3`) and what stands in brackets.
fn plain(name: &str) -> Option<String> {
    let name = name.split(['(', '[']).next().unwrap_or(name);
    let mut words: Vec<String> = name
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS + 2)
        .collect();
    while words.last().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit())) {
        words.pop();
    }
    (1..=MOST_WORDS).contains(&words.len()).then(|| words.join(" "))
}
