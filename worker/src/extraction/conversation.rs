//! Asking a model about a document, and writing down what each call cost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use memento_core::token;

use crate::job::Held;
use crate::provider::{Chat, ChatRequest, Code, Format, Message, ProviderError, Role, Usage};
use crate::store::{Call, Payee};

use super::reader::Tell;

/// The longest answer. A passage of some thousand tokens has a few dozen events at most.
const ANSWER_TOKENS: u32 = 8_192;

/// The calls for one document.
pub struct Conversation<'a> {
    pub held: Held,
    pub chat: &'a dyn Chat,
    pub payee: Payee,
    pub tell: &'a Tell<'a>,
    /// Whether nobody waits for the document any more.
    pub is_over: &'a AtomicBool,
}

impl Conversation<'_> {
    /// What the model says. Every call is told, also one that fails.
    pub fn ask(&self, messages: Vec<Message>, format: Format) -> Result<String, ProviderError> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(ProviderError::new(Code::Unavailable, "the job is no longer this worker's"));
        }
        let request = ChatRequest { messages, format, max_tokens: ANSWER_TOKENS };
        let started = Instant::now();
        let outcome = self.chat.complete(&request);
        let mut call = Call {
            held: self.held,
            outcome: "ok".into(),
            items: 1,
            tokens: 0,
            sent: 0,
            received: 0,
            duration: started.elapsed(),
        };
        match &outcome {
            Ok(answer) => cost(&mut call, &request, &answer.usage, || token::count(&answer.text)),
            Err(error) => {
                call.outcome = error.code.name().into();
                let said = if error.code == Code::CutOff { ANSWER_TOKENS as usize } else { 0 };
                if let Some(usage) = &error.usage {
                    cost(&mut call, &request, usage, || said);
                }
            }
        }
        (self.tell)(self.payee.clone(), call);
        outcome.map(|answer| answer.text)
    }
}

/// As the provider counts, or as we do where it does not say.
fn cost(call: &mut Call, request: &ChatRequest, usage: &Usage, answer_tokens: impl FnOnce() -> usize) {
    let counted = || {
        let asked: usize = request.messages.iter().map(|message| token::count(&message.content)).sum();
        (asked + answer_tokens()) as u64
    };
    call.tokens = usage.tokens.unwrap_or_else(counted);
    (call.sent, call.received) = (usage.bytes_sent, usage.bytes_received);
}

/// What the model is told before all else.
pub fn system(content: String) -> Message {
    Message { role: Role::System, content }
}

/// What is said to the model.
pub fn user(content: String) -> Message {
    Message { role: Role::User, content }
}

/// What the model has said.
pub fn assistant(content: String) -> Message {
    Message { role: Role::Assistant, content }
}
