//! Who speaks in which part of a conversation that is written down as lines, `Ana: Hello.`

use std::collections::BTreeSet;
use std::ops::Range;

use crate::event::speaker_of_line;
use crate::memory_kind::ArtifactType;

/// What people and models are called in the records of programs, of which one of each makes a conversation: then what else stands
/// before a colon, in their long answers, is nobody.
const ROLES: [&str; 8] = ["user", "human", "assistant", "ai", "bot", "model", "system", "tool"];
const OF_PEOPLE: usize = 2;

/// Whether nobody but a model speaks, given as [`speaker_key`] has them.
pub fn only_models_speak(speakers: &[String]) -> bool {
    let is_model = |name: &String| ROLES[OF_PEOPLE..].contains(&name.as_str());
    !speakers.is_empty() && speakers.iter().all(is_model)
}

/// More turns than these are no conversation, and would take many times the memory of their text.
const MOST_TURNS: usize = 100_000;

/// The turns of a conversation: where each begins, and who speaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speakers {
    turns: Vec<(usize, String)>,
}

impl Speakers {
    /// Reads the lines of a text, if its kind is one of a conversation.
    pub fn of(text: &str, kind: &str) -> Self {
        let is_conversation =
            matches!(ArtifactType::from_word(kind), Some(ArtifactType::Chat | ArtifactType::Transcript));
        if is_conversation { Self::of_conversation(text) } else { Self::default() }
    }

    fn of_conversation(text: &str) -> Self {
        let mut turns = Vec::new();
        let (mut at, mut in_code) = (0, false);
        for line in text.split_inclusive(['\n', '\r']) {
            let said = line.trim_start();
            if said.starts_with("```") || said.starts_with("~~~") {
                in_code = !in_code;
            } else if !in_code && let Some(name) = speaker_of_line(said) {
                if turns.len() == MOST_TURNS {
                    return Self::default();
                }
                turns.push((at + line.len() - said.len(), speaker_key(name)));
            }
            at += line.len();
        }
        let role = |name: &str| ROLES.iter().position(|role| *role == name);
        let roles: Vec<usize> = turns.iter().filter_map(|(_, name)| role(name)).collect();
        if roles.iter().any(|role| *role < OF_PEOPLE) && roles.iter().any(|role| *role >= OF_PEOPLE) {
            turns.retain(|(_, name)| role(name).is_some());
        }
        Self { turns }
    }

    /// Who speaks in a part of the text, given in bytes: also who has begun before it and still speaks. Sorted.
    pub fn within(&self, part: &Range<usize>) -> Vec<&str> {
        let first = self.turns.partition_point(|(begin, _)| *begin <= part.start).saturating_sub(1);
        let heard = self.turns[first..].iter().take_while(|(begin, _)| *begin < part.end);
        // What stands before the first turn is said by nobody.
        heard.map(|(_, name)| name.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Where somebody begins to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpokenTurn {
    /// In bytes.
    pub start: usize,
    /// Whether a model answers people, or somebody a model.
    pub is_answer: bool,
}

/// The turns of a conversation.
pub(crate) fn spoken_turns(text: &str) -> Vec<SpokenTurn> {
    let turns = Speakers::of_conversation(text).turns;
    let is_model = |place: usize| ROLES[OF_PEOPLE..].contains(&turns[place].1.as_str());
    let is_answer = |place: usize| place > 0 && is_model(place) != is_model(place - 1);
    turns
        .iter()
        .enumerate()
        .map(|(place, (start, _))| SpokenTurn { start: *start, is_answer: is_answer(place) })
        .collect()
}

/// A name as speakers are compared: in lower case, with one blank between words and without the mark of a handle.
pub fn speaker_key(name: &str) -> String {
    let words: Vec<&str> = name.trim().trim_start_matches('@').split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CALL: &str = "Weekly call\n\nAna Lima: Hello.\nHow are you?\n[00:12:03] Tom (host): Fine.\n**Ana Lima**: Good: let us begin.\n";

    fn within(part: &str) -> Vec<String> {
        let start = CALL.find(part).unwrap();
        let speakers = Speakers::of(CALL, "transcript");
        speakers.within(&(start..start + part.len())).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_model_that_speaks_alone() {
        let is_of_model = |names: &[&str]| {
            only_models_speak(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert!(is_of_model(&["assistant"]) && is_of_model(&["assistant", "tool"]));
        assert!(!is_of_model(&["assistant", "user"]) && !is_of_model(&["ana"]) && !is_of_model(&[]));
    }

    #[test]
    fn who_speaks_in_a_part() {
        assert_eq!(within("Weekly call"), [] as [&str; 0]);
        assert_eq!(within("Ana Lima: Hello."), ["ana lima"]);
        assert_eq!(within("How are you?"), ["ana lima"], "she goes on");
        assert_eq!(within("are you?\n[00:12:03] Tom (host): Fine."), ["ana lima", "tom"]);
        assert_eq!(within("[00:12:03] Tom (host): Fine."), ["tom"]);
        assert_eq!(within(CALL), ["ana lima", "tom"]);
    }

    #[test]
    fn only_conversations_have_speakers() {
        assert_eq!(Speakers::of(CALL, "note"), Speakers::default());
        assert_eq!(Speakers::of("ana: hi", "chat").within(&(0..7)), ["ana"]);
    }

    #[test]
    fn between_a_user_and_a_model_nobody_else_speaks() {
        let chat = "user: What do I need?\nassistant: A bowl.\n\nIngredients: flour\n\n```\nuser: no\n```\nuser: Thanks";
        let starts: Vec<&str> =
            spoken_turns(chat).into_iter().map(|turn| &chat[turn.start..turn.start + 6]).collect();
        assert_eq!(starts, ["user: ", "assis", "user: "].map(|word| &chat[chat.find(word).unwrap()..][..6]));
        assert_eq!(Speakers::of(chat, "chat").within(&(0..chat.len())), ["assistant", "user"]);
    }

    #[test]
    fn too_many_turns_are_no_conversation() {
        assert_eq!(spoken_turns(&"bo:\n".repeat(MOST_TURNS)).len(), MOST_TURNS);
        assert_eq!(spoken_turns(&"bo:\n".repeat(MOST_TURNS + 1)), []);
    }

    #[test]
    fn names_are_compared_by_their_words() {
        assert_eq!(speaker_key(" @Ana  LIMA "), "ana lima");
    }

    proptest! {
        #[test]
        fn any_text_and_part_will_do(text in "([A-Z][a-z]{1,3}: |[a-z\n]){0,40}", start in 0usize..60, length in 0usize..60) {
            let speakers = Speakers::of(&text, "chat");
            let all = speakers.within(&(0..text.len()));
            let some = speakers.within(&(start..start + length));
            prop_assert!(start >= text.len() || some.iter().all(|name| all.contains(name)));
        }
    }
}
