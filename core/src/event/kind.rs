//! The words of events.

use crate::memory_kind::words;

words! {
    /// What kind of event it is. The list is fixed.
    Category {
        /// A promise, a deadline, something to be delivered.
        Commitment = "Commitment",
        /// Something was done.
        Execution = "Execution",
        /// A choice was made.
        Decision = "Decision",
        /// People met, talked or handed something over.
        Collaboration = "Collaboration",
        /// An issue, a blocker, a concern.
        QualityRisk = "QualityRisk",
        /// What users or reviewers think.
        Feedback = "Feedback",
        /// Something became different.
        Change = "Change",
        /// Who is involved, and as what.
        Stakeholder = "Stakeholder",
    }
}

words! {
    /// What an event is about.
    SubjectType {
        /// Somebody.
        Person = "person",
        /// A project.
        Project = "project",
        /// A thing, also a piece of software.
        Object = "object",
        /// Anything else.
        Other = "other",
    }
}

words! {
    /// What somebody has to do with an event.
    Role {
        /// It is theirs.
        Owner = "owner",
        /// They take part.
        Contributor = "contributor",
        /// They judge it.
        Reviewer = "reviewer",
        /// It matters to them.
        Stakeholder = "stakeholder",
        /// Anything else.
        Other = "other",
    }
}

words! {
    /// What an entity is.
    EntityType {
        /// Somebody.
        Person = "person",
        /// A company, a team, an authority.
        Org = "org",
        /// A project.
        Project = "project",
        /// A thing, also a piece of software.
        Object = "object",
        /// Somewhere.
        Place = "place",
        /// A time that has a name.
        Time = "time",
    }
}
