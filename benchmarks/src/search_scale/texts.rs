//! As many texts as are wanted, from those at hand: parts of two documents each, so that words stand together as they do in them.

use super::random::Random;
use crate::labelled;

/// Talk, minutes, abstracts, logs and questions about code.
const SETS: [&str; 5] =
    ["longmemeval_turn_pooled", "qmsum_val_turn", "scifact_train", "loghub_exact_token", "cosqa_dev"];

/// How long a part may be, in bytes.
const PART: usize = 300;

/// One text in so many has an identifier of its own, and one in so many an identifier that others have too.
const OWN_IDENTIFIER: usize = 20;
const SHARED_IDENTIFIER: usize = 50;

/// What texts are made of.
pub struct Texts {
    documents: Vec<Vec<String>>,
    random: Random,
    made: usize,
}

impl Texts {
    /// From the data sets; none where they are not there.
    pub fn new(seed: u64) -> Option<Self> {
        let mut documents = Vec::new();
        for set in SETS {
            let texts = labelled::sample(set, 1, usize::MAX)?.texts;
            documents.extend(texts.iter().map(|text| sentences(&text.text)).filter(|all| !all.is_empty()));
        }
        Some(Self { documents, random: Random::new(seed), made: 0 })
    }

    /// The next one.
    pub fn next(&mut self) -> String {
        self.made += 1;
        let mut text = self.part();
        text.push(' ');
        text.push_str(&self.part());
        if self.made.is_multiple_of(OWN_IDENTIFIER) {
            text.push_str(&format!(" See INC-{}.", self.made));
        }
        if self.made.is_multiple_of(SHARED_IDENTIFIER) {
            text.push_str(&format!(" It is ERR_BATCH_{}.", self.made % 7919));
        }
        text
    }

    fn part(&mut self) -> String {
        let chosen = self.random.below(self.documents.len());
        let document = &self.documents[chosen];
        let first = self.random.below(document.len());
        let mut part = document[first].clone();
        for sentence in &document[first + 1..] {
            if part.len() + sentence.len() > PART {
                break;
            }
            part.push(' ');
            part.push_str(sentence);
        }
        part
    }
}

/// Long ones are cut.
fn sentences(text: &str) -> Vec<String> {
    let cut = |sentence: &str| sentence[..sentence.floor_char_boundary(PART)].replace('\u{0}', " ");
    text.split(['.', '\n', '?', '!']).map(str::trim).filter(|sentence| sentence.len() > 20).map(cut).collect()
}
