//! What kind of answer a query wants.

use super::pattern::occurs;
use super::word::Word;
use crate::tech::{Kind, TechToken};

/// Kinds of answers, as seed 002 names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// None of the others for sure.
    Auto,
    /// What was decided, and why.
    Decision,
    /// What somebody has to do.
    ActionItems,
    /// Whose words.
    WhoSaid,
    /// What is wrong, and how it is mended.
    Troubleshooting,
    /// How far something is.
    Status,
}

impl Intent {
    /// All words in results.
    pub const WORDS: [&str; 6] =
        ["auto", "decision", "action_items", "who_said", "troubleshooting", "status"];

    /// The intent of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        use Intent::{ActionItems, Auto, Decision, Status, Troubleshooting, WhoSaid};
        [Auto, Decision, ActionItems, WhoSaid, Troubleshooting, Status]
            .into_iter()
            .find(|intent| intent.as_str() == word)
    }

    /// Kinds of items that hold such answers.
    pub fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Auto => &[],
            Self::Decision => &["decision", "decisions"],
            Self::ActionItems => &["action_item", "action_items"],
            // Words, not what others have made of them.
            Self::WhoSaid => &["chat", "transcript"],
            Self::Troubleshooting => &["tech_notes", "analysis"],
            Self::Status => &["summary"],
        }
    }

    /// The word in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Decision => "decision",
            Self::ActionItems => "action_items",
            Self::WhoSaid => "who_said",
            Self::Troubleshooting => "troubleshooting",
            Self::Status => "status",
        }
    }
}

/// In this order, the first that matches: `what did Ana say about the error` asks for her words, `status of the error fix`
/// for the status. Signs of trouble come last, as they are often only the subject.
const PHRASES: [(Intent, &[&str]); 5] = [
    (
        Intent::WhoSaid,
        &[
            "who ?has|have|had ?first|originally|else|also|actually|initially @say",
            "what do|does|did|has|have|had @person ?ever|already|also|just @say",
            "when|where|why did @person ?ever|first @say",
            "^ did|has|have @person ?ever|already|also @say",
            "according to @name",
            "quote|quotes from|by",
        ],
    ),
    (
        Intent::ActionItems,
        &[
            "action item|items|point|points",
            "action-item|action-items",
            "todo|todos|to-do|to-dos !app|apps|application|comment|comments|mvc|component|api|example",
            "next steps",
            "follow-ups|followups",
            "follow-up items|tasks",
            "open|outstanding|pending|my|our tasks",
            "tasks for|assigned",
            "assigned to @name",
            "assigned to me|us",
            "what do|does|did|will|must @person need|needs|needed|have|has to do|deliver|finish|complete|prepare|send !to|when|if",
            "what ?is|are|was|were @person supposed|expected to do|deliver|finish|complete|prepare|send !to|when|if",
            "who needs|has to",
        ],
    ),
    (
        Intent::Decision,
        &[
            "did|didn't|have|has|had @we ?ever|already|finally|actually|not|just|all decide|decided|agree|agreed|choose|chosen|settle|settled|pick|picked|select|selected",
            "we|they|team ?have|had|has ?finally|already|never|not|just|all decided|agreed|chose|settled|opted|picked",
            "what|why|when did @name decide|agree",
            "what|which|when|why|how|who|where was|were|has|have|had .. decided|agreed",
            "who decided|agreed|chose",
            "why do|did|don't|didn't|have|haven't|are|aren't|were @we choose|chosen|pick|select|use|using|adopt|reject|switch|move|moving|abandon|prefer",
            "why do|did|don't|didn't|are|aren't|were @we go|going with|for",
            "why was|were .. chosen|adopted|abandoned",
            "-make|making|makes decisions !tree|trees",
            "decision about|on|regarding|behind|concerning|around|record|records|log|made|for",
            "-make|making|makes|a decision $",
            "final decision",
            "rationale for|behind",
        ],
    ),
    (
        Intent::Status,
        &[
            "-exit|http|return|response|error status of",
            "current|latest|project|overall status !code|codes",
            "status update|updates|report|reports",
            "any|latest|recent update|updates|news|progress on|about|regarding|with",
            "the latest on|with",
            "where are we with|on|at|in",
            "where do|does .. stand",
            "how far along",
            "how far are we",
            "how ?is|are|has .. going|progressing $",
            "coming along $",
            "-in progress on|with|of",
            "is|are ... on track",
            "^ is|are|has|have|was|were|did !there|it|this ... yet $",
            "^ is|are|has|have|was|were !there ... done|finished|complete|completed|ready|shipped|released|deployed|live|merged|landed ?yet|now|already $",
            "done|finished|complete|completed|ready|shipped|released|deployed|merged yet",
        ],
    ),
    (
        Intent::Troubleshooting,
        &[
            "why ... failing|fails|failed|fail|crash|crashes|crashed|crashing|broken|breaks|breaking|hangs|hanging|stuck|slow|down|leaking|rejected|unavailable",
            "why ... isn't|aren't|doesn't|don't|can't|cannot|won't|didn't|not .. work|working|start|starting|connect|load|respond|compile|build|run|match|find|return|boot|sync|updating",
            "how to|do|did|can|should .. fix|debug|troubleshoot|diagnose",
            "not|isn't|aren't working|responding|starting|loading|connecting|reachable",
            "doesn't|don't|won't|can't|cannot|couldn't work|start|connect|load|respond|compile|build|boot",
            "-of|and|human|handle|handles|handling error|errors !budget|budgets|handling|handler|handlers|bar|bars|correction|margin|page|pages|monitoring|tracking|reporting",
            "exception|exceptions !of|to|for|handling|request|requests",
            "failing !fast|forward",
            "fails|failed to|with|when|after",
            "crash|crashes|crashed|crashing !course|courses|test|tests",
            "stack trace|traces",
            "stacktrace|traceback|segfault|segfaults|outage|outages|oomkilled|crashloopbackoff|troubleshoot|troubleshooting",
            "segmentation fault",
            "kernel panic",
            "panicked at",
            "core dump|dumped",
            "out of memory",
            "connection refused|reset",
            "permission|access denied",
            "timed|times|timing out",
            "root cause",
            "bug in|with",
        ],
    ),
];

pub fn intent(query: &str, words: &[Word], found: &[TechToken]) -> Intent {
    if has_stack_trace(query) {
        return Intent::Troubleshooting;
    }
    let phrase = PHRASES.iter().find(|(_, patterns)| patterns.iter().any(|pattern| occurs(pattern, words)));
    match phrase {
        Some((intent, _)) => *intent,
        None if found.iter().any(|token| is_failure(query, token)) => Intent::Troubleshooting,
        None => Intent::Auto,
    }
}

/// Whether a line is one that only a stack trace has.
pub fn has_stack_trace(query: &str) -> bool {
    query.lines().map(str::trim).any(|line| {
        line.starts_with("Traceback (most recent call last)")
            || line.starts_with("Caused by: ")
            || (line.starts_with("at ")
                && line.contains('(')
                && line.contains([':', '.'])
                && line.ends_with(')'))
            || (line.starts_with("File \"") && line.contains("\", line "))
            || (line.starts_with("goroutine ") && line.contains('['))
            || (line.starts_with("thread '") && line.contains("panicked at"))
    })
}

/// Codes of success and redirection.
const FINE: [&str; 11] = ["0", "200", "201", "202", "204", "206", "301", "302", "304", "307", "308"];

/// An error code that says that something failed, or the name of an exception.
fn is_failure(query: &str, found: &TechToken) -> bool {
    match found.kind {
        Kind::ErrorCode => !FINE.contains(&found.normal_form().as_str()),
        Kind::Identifier => {
            let name = &query[found.span.clone()];
            name.starts_with(|c: char| c.is_ascii_uppercase())
                && (name.ends_with("Error") || name.ends_with("Exception"))
        }
        _ => false,
    }
}
