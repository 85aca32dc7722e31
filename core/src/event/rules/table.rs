//! The shapes of sentences that are events; see `pattern.rs` for the language. Of those that match, the one that begins
//! first is taken, and of several the first in the table.

use std::sync::LazyLock;

use super::pattern::Pattern;
use crate::event::Category;

use Category::{Change, Collaboration, Commitment, Decision, Execution, Feedback, QualityRisk, Stakeholder};

/// A shape, what it is, and how sure that is.
pub struct Rule {
    pub category: Category,
    pub confidence: f64,
    pub pattern: Pattern,
    /// What else must be true.
    pub needs: Needs,
}

/// What else must be true for a shape to be an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// A time in the same clause.
    Time,
    /// One that says until when.
    Deadline,
    /// A time, or a sure sign that a person promises: `Kubernetes will create` is none.
    Promise,
    /// The item of a list, a label before it, or a time.
    Place,
}

/// Every rule, read once.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule = |&(category, confidence, needs, text): &Row| {
        Some(Rule { category, confidence, needs, pattern: Pattern::read(text)? })
    };
    TABLE.iter().filter_map(rule).collect()
});

type Row = (Category, f64, Needs, &'static str);

use Needs::{Deadline, Nothing, Place, Promise, Time};

const TABLE: &[Row] = &[
    // Who is who.
    (Stakeholder, 0.85, Nothing, "@name will|shall lead|own|head|chair|oversee ~ <"),
    (Stakeholder, 0.85, Nothing, "@name will|shall be|become the|our|a|an < .. #role ~"),
    (Stakeholder, 0.85, Nothing, "@name #bepres|became|becomes|#bepast *#adv the|our|in < .. #role|charge ~"),
    (
        Stakeholder,
        0.75,
        Nothing,
        "@name #bepres|became|becomes *#adv a|an|now|#role < .. #role ~ for|of|on|at",
    ),
    (Stakeholder, 0.85, Nothing, "@agent #bepres|#bepast *#adv responsible|accountable ~ for <"),
    (Stakeholder, 0.85, Nothing, "@person *#adv owns|leads|heads|chairs|oversees ~ <"),
    (Stakeholder, 0.85, Nothing, "@name ?#have|#bepres *#adv took|taken|taking|takes over ~ ?as <"),
    (
        Stakeholder,
        0.85,
        Nothing,
        "added|assigned|appointed|named|promoted|nominated|designated ~ @name as|to <",
    ),
    (
        Stakeholder,
        0.85,
        Nothing,
        "@name #bepast|been *#adv appointed|promoted|named|assigned|elected|designated|nominated ~ ?as|to <",
    ),
    (Stakeholder, 0.8, Nothing, "@name ?#have *#adv joined|joins|left|leaves ~ ... as <"),
    (
        Stakeholder,
        0.8,
        Nothing,
        "@name *#adv joined|joins ~ the|our < .. team|project|company|board|group|squad",
    ),
    (Stakeholder, 0.85, Nothing, "@name *#adv reports|reporting ~ to <"),
    (Stakeholder, 0.8, Nothing, "our|the|my .. #role ~ .. is|are|was @person"),
    // Choices.
    (Commitment, 0.8, Nothing, "@solo ?#have *#adv agreed ~ to @verb <"),
    (Decision, 0.9, Nothing, "@agent ?#have *#adv #decided ~ to|on|against|that|for|not|in <"),
    (Decision, 0.85, Nothing, "@agent ?#have *#adv agreed ~ to|on|that|not|upon <"),
    (Decision, 0.85, Nothing, "@agent ?#have *#adv #chose ~ !up|on|out <"),
    (Decision, 0.85, Nothing, "@agent ?#have *#adv settled ~ on|for < @any"),
    (Decision, 0.85, Nothing, "@agent ?#have *#adv went|gone ~ with < @any"),
    (Decision, 0.85, Nothing, "@agent ?#have *#adv ruled|signed ~ out|off ?on <"),
    (Decision, 0.85, Nothing, "^ decided|agreed|opted|voted ~ to|on|against|that|not|for <"),
    (Decision, 0.8, Nothing, "^ chose|approved|rejected ~ #det|@cap <"),
    (Decision, 0.9, Nothing, "it was|is|has ?been *#adv decided|agreed|resolved ~ to|that|not|on|against <"),
    (
        Decision,
        0.85,
        Nothing,
        "the|our|final|unanimous decision|consensus|verdict|agreement ~ was|is *#adv to|that|against !be <",
    ),
    (Decision, 0.8, Nothing, "#bepast|been|got *#adv approved|rejected|chosen|vetoed|ratified ~"),
    (Decision, 0.85, Nothing, "@agent #bepres *#adv going ~ with <"),
    (Decision, 0.8, Nothing, "we will *#adv go ~ with <"),
    (
        Decision,
        0.85,
        Nothing,
        "@agent ?#have *#adv made|reached|took|taken ~ the|a|our .. decision to|that|on <",
    ),
    // What became different.
    (Change, 0.9, Nothing, "@agent ?#have *#adv #changed ~ < ... from ... to"),
    (Change, 0.85, Nothing, "^ #changed ~ < ... from ... to"),
    (Change, 0.9, Nothing, "#bepast|been|got *#adv #changed ~ .. from ... to"),
    (Change, 0.8, Nothing, "-to|#hypo|#neg #varied ~ .. from .. @num .. to"),
    (Change, 0.85, Nothing, "@agent ?#have *#adv renamed ~ < ... to|as"),
    (Change, 0.85, Nothing, "@agent ?#have *#adv replaced|swapped ~ < ... with|for"),
    (Change, 0.85, Nothing, "@agent ?#have *#adv switched|pivoted|transitioned ~ .. to <"),
    (Change, 0.8, Nothing, "^ renamed|replaced|switched|swapped ~ < ... to|with|as"),
    (
        Change,
        0.85,
        Nothing,
        "#bepast|been|got *#adv renamed|replaced|switched|swapped|converted ~ .. to|with|by",
    ),
    (Change, 0.85, Nothing, "@agent ?#have *#adv postponed|rescheduled|deferred ~ <"),
    (
        Change,
        0.85,
        Nothing,
        "@agent ?#have *#adv moved|pushed|shifted|brought ~ < @any ... back|forward|out to|by|until",
    ),
    (Change, 0.85, Nothing, "@agent ?#have *#adv moved|pushed|shifted ~ < ... to @time"),
    (Change, 0.85, Nothing, "#bepast|been|got *#adv postponed|rescheduled|deferred ~"),
    (
        Change,
        0.85,
        Nothing,
        "#bepast|been|got *#adv moved|pushed|shifted ~ .. back|forward|out|to ?to|by|until ?the @time",
    ),
    (Change, 0.85, Nothing, "#bepast|been|got *#adv #adjusted ~ .. to|by|from @num"),
    (Change, 0.85, Nothing, "@agent ?#have *#adv #adjusted ~ < ... to|by|from @num"),
    (
        Change,
        0.8,
        Nothing,
        "@agent no longer ~ support|supports|use|uses|offer|offers|accept|accepts|require|requires|sell|provide <",
    ),
    (Change, 0.75, Nothing, "is|are no longer ~ part|supported|available|required|offered|used"),
    (Change, 0.75, Nothing, "now ~ ... instead of"),
    // Promises.
    (Commitment, 0.85, Promise, "@agent will|shall *#adv @verb ~ <"),
    (Commitment, 0.85, Promise, "@agent #bepres *#adv going to *#adv @verb ~ <"),
    (Commitment, 0.85, Promise, "@agent #bepres *#adv gonna *#adv @verb ~ <"),
    (Commitment, 0.85, Nothing, "@agent ?#have *#adv #promised ~ to <"),
    (Commitment, 0.85, Nothing, "@agent #commit ~ to <"),
    (Commitment, 0.75, Time, "@agent #plan ~ to @verb <"),
    (Commitment, 0.85, Place, "^ @name to @verb ~ <"),
    (Commitment, 0.8, Deadline, "^ @name @does ~ <"),
    (Commitment, 0.85, Time, "is|are *#adv due ~"),
    (Commitment, 0.8, Time, "deadline|eta ~ ... is|are"),
    // People together.
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv met ~ *#adv with|about|on|to|@cap|again <"),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv met ~ ?on @time"),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv #talked ~ ?up with|to|on <"),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv caught|checked|sat|teamed ~ up|in|down with|on <"),
    (Collaboration, 0.8, Nothing, "@agent ?#have *#adv worked|working ~ *#adv with < #det"),
    (
        Collaboration,
        0.85,
        Nothing,
        "@agent ?#have *#adv had|held ~ < a|an|another|our|the .. -time #session ?meeting with|about|on|and",
    ),
    (
        Collaboration,
        0.8,
        Nothing,
        "@agent ?#have *#adv held|organised|organized|hosted|attended ~ < a|an|another|our|the .. #session",
    ),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv discussed|debated ~ <"),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv reviewed ~ < ... together|jointly"),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv handed|passed ~ < ... over|off"),
    (Collaboration, 0.8, Nothing, "^ handed ~ over|off <"),
    (
        Collaboration,
        0.85,
        Nothing,
        "handoff|handover|hand-off|hand-over ~ < ... #bepast|been|is complete|completed|done|finished",
    ),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv presented|demoed ~ < ... to|with|for"),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv walked|talked ~ .. through <"),
    (Collaboration, 0.85, Nothing, "@agent ?#have *#adv briefed ~ .. on|about <"),
    // What people think of it.
    (Feedback, 0.85, Nothing, "#giver ?#have *#adv #said ~ < !in|by|at|for|as"),
    (Feedback, 0.85, Nothing, "#giver ?#have *#adv asked ~ for|us|to <"),
    (Feedback, 0.85, Nothing, "#giver keep|keeps|kept ~ asking|requesting|complaining|telling"),
    (Feedback, 0.85, Nothing, "#giver ?#have *#adv pointed ~ out <"),
    (Feedback, 0.85, Nothing, "#giver ?#have *#adv found|find|felt|feel ~ ... #judged|that"),
    (Feedback, 0.85, Nothing, "#giver #bepast|#bepres|seemed|seem *#adv #feeling ~ with|about|by|that|$"),
    (
        Feedback,
        0.85,
        Nothing,
        "@agent ?#have *#adv received|got|gathered|collected|heard ~ .. feedback|complaints|praise ?from|on|about|that",
    ),
    (
        Feedback,
        0.8,
        Nothing,
        "feedback ~ on|from|about < ... #bepast|is|has|#judged !welcome|appreciated|encouraged|important|always",
    ),
    (Feedback, 0.8, Nothing, "@agent ?#have *#adv gave|given|shared|provided|left ~ .. feedback"),
    // What is wrong, or may go wrong.
    (
        QualityRisk,
        0.85,
        Nothing,
        "#bepres|#bepast|been|remains|still *#adv blocked|stuck ~ by|on|until|because|waiting <",
    ),
    (QualityRisk, 0.8, Nothing, "@agent #bepres|#bepast *#adv blocked|stuck ~ $"),
    (
        QualityRisk,
        0.85,
        Nothing,
        "found|discovered|uncovered|identified|detected|spotted|noticed|revealed|hit|encountered ~ !to|that < ... #problem",
    ),
    (
        QualityRisk,
        0.85,
        Nothing,
        "@agent #bepres|#have ?been seeing|experiencing|having|getting ~ < .. #problem",
    ),
    (
        QualityRisk,
        0.85,
        Nothing,
        "@agent #bepres|#bepast|feel|feels|remain|have ?been *#adv concerned|worried|nervous|afraid|anxious ~ about|that|of <",
    ),
    (
        QualityRisk,
        0.85,
        Nothing,
        "my|our|the|main|biggest|only|one concern|worry|risk|blocker|fear|concerns|risks ~ is|are|remains|was < that|#det|@cap|around|about|whether",
    ),
    (
        QualityRisk,
        0.85,
        Nothing,
        "there is|are|was|were *#adv a|an|some|several|two|three|@num < .. #problem|risk|risks ~ in|with|that|of|for|on|when|affecting|$",
    ),
    (QualityRisk, 0.85, Nothing, "#bepres|#bepast|be *#adv at risk ~"),
    (
        QualityRisk,
        0.8,
        Nothing,
        "-#det|#neg|to|#bepres|#bepast|#have|that|or|and failed|crashed|broke ~ due|because|again|twice|@time|during|since|last|yesterday|overnight|down",
    ),
    (QualityRisk, 0.8, Nothing, "-#det|#neg|to|#bepres|#bepast|#have|that|or|and failed|crashed ~ @time"),
    (
        QualityRisk,
        0.85,
        Nothing,
        "is|are|keeps|keep|kept|been|#bepast|still *#adv failing|crashing|broken|flaky|unstable|unavailable|degraded|leaking|overloaded|offline ~ !our|us|me|them|you|down|into|up|by",
    ),
    (QualityRisk, 0.8, Nothing, "is|are|been|keeps|kept *#adv timing ~ out"),
    (
        QualityRisk,
        0.8,
        Nothing,
        "-it|that|this|he|she|i|they|we is|are|#bepast|went *#adv down ~ for|again|since|$",
    ),
    (QualityRisk, 0.85, Nothing, "is|are|#bepast|been *#adv delayed|overdue|slipping ~"),
    (QualityRisk, 0.85, Nothing, "behind schedule|plan ~"),
    (QualityRisk, 0.85, Nothing, "@agent ?#bepres|#bepast|#have ?been *#adv running|ran ~ out of <"),
    (
        QualityRisk,
        0.85,
        Nothing,
        "outage|incident|breach|downtime ~ took|caused|affected|hit|brought|lasted|knocked|occurred|happened|cost",
    ),
    (QualityRisk, 0.85, Nothing, "missed ~ the|a|an|our|its|their < .. deadline|date|milestone|target|sla"),
    (
        QualityRisk,
        0.85,
        Nothing,
        "#problem ~ .. #bepast|been found|discovered|reported|introduced|detected|identified",
    ),
    // What was done.
    (
        Execution,
        0.85,
        Nothing,
        "@agent ?#have *#adv !finished|delivered|concluded #done|#didweak ~ < !by|using|via|as|well|very|out",
    ),
    (Execution, 0.85, Nothing, "@agent ?#have *#adv delivered ~ < #det|@num|@cap"),
    (
        Execution,
        0.85,
        Nothing,
        "@agent ?#have *#adv finished|concluded ~ < !in|on|at|with|@time|#month|up|as",
    ),
    (Execution, 0.85, Nothing, "@agent ?#have *#adv shared ~ < the|a|an|our|this|these|@num .. with"),
    (
        Execution,
        0.85,
        Nothing,
        "@agent ?#have *#adv rolled|wrapped|set|shut|taken ~ out|back|up|down|offline <",
    ),
    (Execution, 0.8, Nothing, "^ *#adv #done|#didweak ~ < #det|@num|new|up|out"),
    (Execution, 0.8, Nothing, "^ *#adv #done|#didweak ~ < @cap .. to|on|for|in|into|from|with"),
    (Execution, 0.8, Nothing, "^ *#adv rolled|wrapped|shut ~ out|back|up|down <"),
    (Execution, 0.85, Nothing, "#have been *#adv #done|#didweak ~"),
    (Execution, 0.85, Nothing, "#have been *#adv rolled|wrapped|shut ~ out|back|up|down"),
    (Execution, 0.8, Nothing, "#bepast *#adv #done ~"),
    (Execution, 0.8, Nothing, "#bepast *#adv rolled ~ out|back"),
    (Execution, 0.85, Nothing, "went|gone live ~"),
    (Execution, 0.8, Nothing, "is|are now live ~"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        for (_, confidence, _, text) in TABLE {
            assert!(Pattern::read(text).is_some(), "{text}");
            assert!((0.5..=1.0).contains(confidence), "{text}");
        }
    }
}
