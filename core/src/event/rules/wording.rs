//! How events are worded: narratives, quotes, and what says nothing.

use std::ops::Range;

use crate::event::check::{LONGEST_NARRATIVE, LONGEST_QUOTE, MOST_QUOTE_WORDS};
use crate::query::word::is_one_of;

/// `none`, `n/a`, `TBD`: a label with nothing behind it.
pub fn says_nothing(text: &str) -> bool {
    const NOTHING: &str = "none|n/a|na|tbd|tba|nothing|no|nil|todo|pending|open|unknown|?|-|–|—|none so far|none yet|\
                           not yet|to be decided|to be determined|to be defined|none identified|no decision|none at this time";
    let plain = text.trim_matches(|c: char| c.is_whitespace() || ".!*_()[]".contains(c)).to_lowercase();
    let is_link = text.starts_with("[") && text.contains("](") && text.ends_with(')');
    let has_letter = plain.contains(char::is_alphabetic);
    !has_letter || is_link || is_one_of(&plain, NOTHING)
}

/// One to six words, of which the first has a capital or is a handle.
pub fn is_a_name(text: &str) -> bool {
    let name = text.trim().trim_start_matches(['*', '_', '@']);
    (1..=6).contains(&name.split_whitespace().count()) && name.starts_with(char::is_uppercase)
}

/// What a text says, on one line, without markup, and by whom.
pub fn narrative(text: &str, speaker: Option<&str>) -> String {
    let plain = text.replace("**", "").replace('`', "");
    let words = plain.split_whitespace();
    let words = speaker.map(|name| format!("{name}:")).into_iter().chain(words.map(str::to_owned));
    let whole = words.collect::<Vec<_>>().join(" ");
    whole.chars().take(LONGEST_NARRATIVE).collect::<String>().trim().to_owned()
}

/// The part of a span that may be quoted: what comes before a place, as far as there is room behind it for what follows.
pub fn quote(text: &str, span: Range<usize>, around: usize) -> Range<usize> {
    const BEFORE: usize = 8;
    let part = &text[span.clone()];
    let offset = |word: &str| span.start + word.as_ptr() as usize - part.as_ptr() as usize;
    let words: Vec<Range<usize>> =
        part.split_whitespace().map(|word| offset(word)..offset(word) + word.len()).collect();
    let at = words.partition_point(|word| word.end <= around);
    let first = if words.len() <= MOST_QUOTE_WORDS { 0 } else { at.saturating_sub(BEFORE) };
    let last = words.len().min(first + MOST_QUOTE_WORDS);
    let Some(start) = words.get(first).map(|word| word.start) else { return span };
    let end = words[..last].last().map_or(span.end, |word| word.end);
    start..text[start..end].char_indices().nth(LONGEST_QUOTE).map_or(end, |(cut, _)| start + cut)
}
