//! Putting together what a model has found in several passages of a document.

use memento_core::event::prompt;
use memento_core::event::{Event, merge_duplicates, reply};

use super::conversation::Conversation;
use super::model::{Begun, Prompts, ask};
use super::schema;
use crate::provider::{Code, ProviderError};
use crate::store::Document;

/// So many events are compared by one call: written anew, all of them fit in an answer.
const MOST_TOGETHER: usize = 40;

/// What is put together so far.
#[derive(Clone, Debug, Default)]
pub struct Together {
    events: Vec<Event>,
    batches: usize,
    /// Events that stay as they are because the model could not be brought to compare them.
    pub not_compared: usize,
}

/// The events of a document, each once, and for how many quotes there was no room. What says the same in the same words needs no
/// model; what says it in others is for the model to see.
pub fn canonical(
    talk: &Conversation,
    document: &Document,
    prompts: &Prompts,
    begun: &mut Begun,
) -> Result<(Vec<Event>, usize), ProviderError> {
    let (events, crowded) = merge_duplicates(begun.found.events.clone());
    if begun.passages + begun.halved < 2 {
        return Ok((events, crowded));
    }
    for batch in batches(events).into_iter().skip(begun.together.batches) {
        let compared = compare(talk, document, prompts, begun, batch)?;
        begun.together.events.extend(compared);
        begun.together.batches += 1;
    }
    let mut events = std::mem::take(&mut begun.together.events);
    events.sort_by_key(|event| event.evidence.first().map_or(0, |span| span.start));
    Ok((events, crowded))
}

/// Events that are shown to the model together. Of many, those of a category and a subject are beside each other: no others can
/// be the same.
fn batches(mut events: Vec<Event>) -> Vec<Vec<Event>> {
    let count = events.len().div_ceil(MOST_TOGETHER);
    if count > 1 {
        events.sort_by_cached_key(|event| (event.category.as_str(), event.subject.name.to_lowercase()));
    }
    // All of about the same size.
    let size = events.len().div_ceil(count.max(1)).max(1);
    events.chunks(size).map(<[Event]>::to_vec).collect()
}

/// An answer that cannot be used is no reason to lose what was found: the events stay as they are, and are counted.
fn compare(
    talk: &Conversation,
    document: &Document,
    prompts: &Prompts,
    begun: &mut Begun,
    events: Vec<Event>,
) -> Result<Vec<Event>, ProviderError> {
    if events.len() < 2 {
        return Ok(events);
    }
    let asked = prompt::canonicalise(&prompts.canonicalise, &events, &document.content);
    let read = |answer: &str| reply::canonical(answer, &events, &document.content);
    match ask(talk, prompts, asked, schema::canonical(), begun, read) {
        Ok(reply) => {
            begun.drop(reply.dropped);
            Ok(reply.extraction.events)
        }
        Err(error) if is_of_the_answer(error.code) => {
            begun.together.not_compared += events.len();
            Ok(events)
        }
        Err(error) => Err(error),
    }
}

/// Whether the same question would have the same end.
fn is_of_the_answer(code: Code) -> bool {
    matches!(
        code,
        Code::BadAnswer
            | Code::InvalidReply
            | Code::CutOff
            | Code::AnswerTooLarge
            | Code::InputRefused
            | Code::Timeout
    )
}
