//! Texts that go to a model in one call.

use std::collections::BTreeSet;

use crate::job::{Held, Input};
use crate::provider::BatchLimits;

/// Texts of one project that are embedded by one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The chunks, in the order of the call.
    pub inputs: Vec<Input>,
    /// Whether they are the chunks of one document, each to be embedded in its context.
    pub contextual: bool,
}

impl Batch {
    /// The jobs that the texts are for.
    pub fn jobs(&self) -> BTreeSet<Held> {
        self.inputs.iter().map(|input| input.held).collect()
    }

    /// Two halves, to find out which text is to blame; none if there is but one, or if they belong together.
    pub fn halves(mut self) -> Result<[Self; 2], Self> {
        if self.contextual || self.inputs.len() < 2 {
            return Err(self);
        }
        let second = self.inputs.split_off(self.inputs.len() / 2);
        Ok([self, Self { inputs: second, contextual: false }])
    }
}

/// How many texts of jobs that have failed once before go together; of those that have failed more often, a quarter each time.
const AFTER_FAILURE: usize = 64;

/// Groups inputs into batches within the limits: of one project each, so that each call can be accounted for, and a document that
/// is embedded in its context by itself, where the model can do that. A text beyond the limits goes alone.
///
/// `failures` is how often their jobs have failed before. A failure of a call is one of all of its jobs, and may be the fault of one
/// text, or of so many texts at a time: so they go with fewer others after each, and alone before it is the last.
pub fn group(inputs: Vec<Input>, limits: BatchLimits, failures: u32) -> Vec<Batch> {
    let shared = match failures {
        0 => usize::MAX,
        _ => AFTER_FAILURE >> (2 * (failures - 1).min(3)),
    };
    let mut batches: Vec<Batch> = Vec::new();
    let mut tokens = 0;
    for input in inputs {
        let contextual = input.contextual && limits.context_tokens.is_some();
        let most_tokens = limits.context_tokens.filter(|_| contextual).unwrap_or(limits.tokens);
        // Those of a document that is embedded in its context belong together.
        let most_texts = if contextual { limits.texts } else { limits.texts.min(shared) };
        let fits = batches.last().is_some_and(|batch| {
            batch.contextual == contextual
                && batch.inputs.len() < most_texts.max(1)
                && tokens + input.tokens <= most_tokens
                && batch.inputs.first().is_some_and(|first| {
                    first.held.project == input.held.project && (!contextual || first.held == input.held)
                })
        });
        if !fits {
            tokens = 0;
            batches.push(Batch { inputs: Vec::new(), contextual });
        }
        tokens += input.tokens;
        if let Some(batch) = batches.last_mut() {
            batch.inputs.push(input);
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn input(project: u128, job: i64, tokens: usize, contextual: bool) -> Input {
        let held = Held { project: Uuid::from_u128(project), job, attempt: 1 };
        Input { held, chunk: job, text: "text".into(), tokens, contextual }
    }

    proptest! {
        #[test]
        fn every_input_is_in_one_batch_and_limits_hold(
            given in prop::collection::vec((0_u128..3, 0_i64..5, 0_usize..50, any::<bool>()), 0..60),
            texts in 0_usize..8,
            tokens in 0_usize..100,
            context_tokens in prop::option::of(0_usize..100),
            failures in 0_u32..9,
        ) {
            let inputs: Vec<Input> = given.iter().map(|&(project, job, size, contextual)| input(project, job, size, contextual)).collect();
            let batches = group(inputs.clone(), BatchLimits { texts, tokens, concurrency: 1, context_tokens }, failures);
            prop_assert_eq!(batches.iter().flat_map(|batch| batch.inputs.clone()).collect::<Vec<_>>(), inputs, "in their order");
            for batch in &batches {
                prop_assert!(!batch.inputs.is_empty() && batch.inputs.len() <= texts.max(1));
                let most = context_tokens.filter(|_| batch.contextual).unwrap_or(tokens);
                prop_assert!(batch.inputs.len() == 1 || batch.inputs.iter().map(|input| input.tokens).sum::<usize>() <= most);
                prop_assert!(batch.inputs.iter().all(|input| input.held.project == batch.inputs[0].held.project));
                prop_assert!(!batch.contextual || batch.jobs().len() == 1);
                prop_assert!(batch.contextual || failures < 4 || batch.inputs.len() == 1, "alone before the last failure");
            }
        }

        #[test]
        fn halves_are_the_whole(count in 1_usize..20) {
            let batch = Batch { inputs: (0..count).map(|job| input(1, job as i64, 1, false)).collect(), contextual: false };
            match batch.clone().halves() {
                Ok([first, second]) => prop_assert_eq!([first.inputs, second.inputs].concat(), batch.inputs),
                Err(same) => prop_assert!(same.inputs.len() == 1),
            }
        }
    }
}
