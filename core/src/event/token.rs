//! The words of a sentence, with what they can be.

use std::borrow::Cow;
use std::ops::Range;

use super::lexicon::{Tags, tags_of};

/// A word without the punctuation around it. Contractions are two: `I'll` is `i` and `will`.
#[derive(Clone, Debug)]
pub struct Token<'a> {
    /// As it is written.
    pub raw: &'a str,
    /// In lower case.
    pub plain: Cow<'a, str>,
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
    /// The lists that it is in.
    pub tags: Tags,
    /// What punctuation follows it.
    pub after: After,
    /// Whether it is inside of quotation marks.
    pub is_quoted: bool,
    /// Whether it has a possessive `'s`.
    pub is_possessive: bool,
}

/// What punctuation follows a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum After {
    Nothing,
    Comma,
    /// A semicolon, a colon, a dash, a bracket.
    Break,
}

impl Token<'_> {
    /// Whether it is written with a capital.
    pub fn is_capitalized(&self) -> bool {
        self.raw.starts_with(char::is_uppercase)
    }

    /// Whether it is in one of the lists.
    pub fn is(&self, lists: Tags) -> bool {
        self.tags.meets(lists)
    }
}

const OPENING: [char; 8] = ['(', '[', '{', '\'', '‘', '*', '_', '`'];
const CLOSING: [char; 16] = [')', ']', '}', '\'', '’', '*', '_', '`', ',', '.', ';', ':', '!', '?', '"', '”'];
const QUOTES: [char; 5] = ['"', '“', '”', '«', '»'];

/// Quotations of so many words are what somebody says; shorter ones are names of things.
const SAID: usize = 3;

/// The words of a part of a text.
pub fn tokens(text: &str, part: Range<usize>) -> Vec<Token<'_>> {
    let mut found: Vec<Token> = Vec::new();
    let mut quote_from: Option<usize> = None;
    let body = &text[part.clone()];
    for piece in body.split_whitespace() {
        let start = part.start + (piece.as_ptr() as usize - body.as_ptr() as usize);
        let opened = piece.trim_start_matches(|c| OPENING.contains(&c) || QUOTES.contains(&c));
        let opening = &piece[..piece.len() - opened.len()];
        let raw = opened.trim_end_matches(|c| CLOSING.contains(&c) || QUOTES.contains(&c));
        let closing = &opened[raw.len()..];
        if opening.contains(QUOTES) && quote_from.is_none() {
            quote_from = Some(found.len());
        }
        // What stands in square brackets is a link, and part of the sentence.
        if opening.contains('(')
            && let Some(last) = found.last_mut()
        {
            last.after = After::Break;
        }
        if raw.is_empty() {
            // A dash between two words.
            if let Some(last) = found.last_mut() {
                last.after = After::Break;
            }
        } else {
            push(&mut found, raw, start + piece.len() - opened.len(), after(closing));
        }
        if closing.contains(QUOTES)
            && let Some(from) = quote_from.take()
            && found.len() - from >= SAID
        {
            found[from..].iter_mut().for_each(|token| token.is_quoted = true);
        }
    }
    found
}

fn after(closing: &str) -> After {
    if closing.contains([';', ':', ')', ']', '}', '!', '?']) {
        After::Break
    } else if closing.contains(',') {
        After::Comma
    } else {
        After::Nothing
    }
}

/// What a contraction stands for.
const CONTRACTED: [(&str, &str); 4] = [("'ll", "will"), ("'ve", "have"), ("'re", "are"), ("'m", "am")];

/// Words after which `'s` is `is` or `has`.
const IS_AFTER: &str = "it|that|there|he|she|what|who|here|where";

fn push<'a>(found: &mut Vec<Token<'a>>, raw: &'a str, start: usize, after: After) {
    let plain = lower(raw);
    let mut split = CONTRACTED.iter().find_map(|(end, word)| Some((plain.strip_suffix(end)?.len(), *word)));
    let possessive = plain.strip_suffix("'s").map(str::len).filter(|length| *length > 0);
    if let Some(length) = possessive
        && crate::query::word::is_one_of(&plain[..length], IS_AFTER)
    {
        split = Some((length, "is"));
    }
    // The apostrophe may be a longer character in the text than in its plain form.
    let apostrophe = raw.rfind(['\'', '’']).unwrap_or(raw.len());
    let token = |raw: &'a str, plain: Cow<'a, str>, span: Range<usize>, after, is_possessive| {
        let tags = tags_of(&plain);
        Token { raw, plain, span, tags, after, is_quoted: false, is_possessive }
    };
    match split {
        Some((length, word)) if length > 0 => {
            let (head, tail) = raw.split_at(apostrophe);
            found.push(token(head, lower(head), start..start + apostrophe, After::Nothing, false));
            found.push(token(tail, Cow::Borrowed(word), start + apostrophe..start + raw.len(), after, false));
        }
        _ => {
            let end = start + raw.len();
            let bare = if possessive.is_some() { &raw[..apostrophe] } else { raw };
            found.push(token(bare, lower(bare), start..end, after, possessive.is_some()));
        }
    }
}

/// In lower case, with straight apostrophes.
fn lower(raw: &str) -> Cow<'_, str> {
    if raw.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        Cow::Borrowed(raw)
    } else {
        Cow::Owned(raw.to_lowercase().replace('’', "'"))
    }
}
