//! What is true of every result, whatever the text.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use memento_core::chunk::{Budget, Measure, chunk_markdown, outline};
use memento_core::citation::{Problem, check_citations};
use memento_core::diff::{Diff, Op};
use memento_core::event::reply::{MOST_EVENTS, extraction};
use memento_core::event::rules::{Context, extract};
use memento_core::event::{Extraction, time};
use memento_core::filter::Filter;
use memento_core::quote::locate_quote;
use memento_core::sentence::sentence_starts;
use memento_core::transcript::{SEVERAL_SPEAKERS, Turn, chunk_transcript, render};
use memento_core::{query, secret, tech, token};
use unicode_segmentation::UnicodeSegmentation;

/// Sizes of chunks, as the budget itself keeps them to itself.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub measure: Measure,
    pub target: usize,
    pub max: usize,
    pub overlap: usize,
}

impl Sizes {
    pub fn budget(self) -> Budget {
        let Self { measure, target, max, overlap } = self;
        Budget::try_new(measure, target as i64, max as i64, overlap as i64).unwrap()
    }

    /// How much can be repeated: exact for characters; tokens that meet may part.
    fn most_repeated(self) -> usize {
        let overlap = self.overlap.min(self.target / 2);
        match self.measure {
            Measure::Chars => overlap,
            Measure::Tokens => overlap + overlap / 8 + 2,
        }
    }
}

/// The places of a text: where characters and grapheme clusters begin.
struct Places<'a> {
    text: &'a str,
    /// Byte offset of each character, and of the end.
    chars: Vec<usize>,
    /// Whether a cluster begins, or the text ends, at a byte offset.
    clusters: Vec<bool>,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        let chars = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut clusters = vec![false; text.len() + 1];
        text.grapheme_indices(true).for_each(|(at, _)| clusters[at] = true);
        clusters[text.len()] = true;
        Self { text, chars, clusters }
    }

    /// The bytes of a span that is given in characters, if it holds a given text.
    #[track_caller]
    fn exact(&self, span: Range<usize>, slice: &str) -> Range<usize> {
        let bytes = self.chars[span.start]..self.chars[span.end];
        assert_eq!(&self.text[bytes.clone()], slice, "the slice between the offsets is the text");
        bytes
    }

    #[track_caller]
    fn is_blank(&self, span: Range<usize>) {
        let between = &self.text[span];
        // A byte order mark at the start is no text.
        let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
        assert!(between.chars().all(is_blank), "not covered: {between:?}");
    }

    /// Chunks one after the other: in order, without a gap, whole clusters, within their sizes.
    #[track_caller]
    fn follows(&self, sizes: Sizes, before: &Range<usize>, chunk: &Range<usize>, size: usize) {
        assert!(
            chunk.start >= before.start && chunk.end > before.end,
            "{before:?} {chunk:?}: in order, each goes on"
        );
        assert!(self.clusters[chunk.start] && self.clusters[chunk.end], "{chunk:?} cuts a cluster");
        let text = &self.text[chunk.clone()];
        // At the start it may have the indentation of code.
        assert!(!text.graphemes(true).next_back().unwrap().trim().is_empty(), "ends with a blank: {text:?}");
        assert_eq!(size, sizes.measure.size(text));
        let is_one_cluster = text.graphemes(true).nth(1).is_none();
        assert!(size <= sizes.max || is_one_cluster, "{size} > {}: {text:?}", sizes.max);
        if chunk.start >= before.end {
            self.is_blank(before.end..chunk.start);
        } else {
            let repeated = sizes.measure.size(&self.text[chunk.start..before.end]);
            assert!(repeated <= sizes.most_repeated(), "{repeated} repeated of {}", sizes.overlap);
        }
    }
}

/// Chunks of a document, and that they agree with its outline.
pub fn markdown(text: &str, sizes: Sizes) {
    let places = Places::new(text);
    let sections: Vec<_> = outline(text).collect();
    let mut before = 0..0;
    for chunk in chunk_markdown(text, sizes.budget()) {
        let bytes = places.exact(chunk.start_char..chunk.end_char, chunk.text);
        assert_eq!(bytes, chunk.bytes);
        places.follows(sizes, &before, &bytes, chunk.size);
        let inside = sections.partition_point(|section| section.start_char < chunk.end_char);
        let section = inside.checked_sub(1).map(|at| &sections[at]);
        assert_eq!(chunk.heading.anchor.as_ref(), section.map(|section| &section.anchor));
        assert_eq!(Some(&chunk.heading.path), section.map(|section| &section.path).or(Some(&Vec::new())));
        before = bytes;
    }
    places.is_blank(before.end..text.len());
    let again = || chunk_markdown(text, sizes.budget()).map(|chunk| (chunk.bytes, chunk.kind, chunk.size));
    assert!(again().eq(again()), "the same each time");
}

/// Sections follow each other from the first heading to the end, each with an anchor of its own.
pub fn sections(text: &str) {
    let found: Vec<_> = outline(text).collect();
    let length = text.chars().count();
    let mut anchors = HashSet::new();
    for (at, section) in found.iter().enumerate() {
        assert!(!section.anchor.is_empty() && anchors.insert(&section.anchor), "{}", section.anchor);
        assert!((1..=6).contains(&section.level) && (1..=section.level).contains(&section.path.len()));
        let next = found.get(at + 1).map_or(length, |next| next.start_char);
        assert!(section.start_char < section.end_char && section.end_char == next);
    }
    assert!(outline(text).eq(found), "the same each time");
}

/// Chunks of a conversation: whole turns where they fit.
pub fn transcript(turns: &[Turn], sizes: Sizes) {
    let rendered = render(turns);
    let places = Places::new(&rendered.text);
    let chunks: Vec<_> = chunk_transcript(turns, &rendered, sizes.budget()).collect();
    let is_long = |turn: usize| sizes.measure.size(&rendered.text[rendered.spans[turn].clone()]) > sizes.max;
    let mut before = 0..0;
    for chunk in &chunks {
        let bytes = places.exact(chunk.start_char..chunk.end_char, chunk.text);
        places.follows(sizes, &before, &bytes, chunk.size);
        let (first, last) = (&rendered.spans[chunk.first_turn], &rendered.spans[chunk.last_turn]);
        assert!(first.start == bytes.start || (first.contains(&bytes.start) && is_long(chunk.first_turn)));
        assert!(last.end == bytes.end || (last.contains(&(bytes.end - 1)) && is_long(chunk.last_turn)));
        let speaks = |turn: &Turn| turn.speaker == chunk.speaker;
        let in_chunk = &turns[chunk.first_turn..=chunk.last_turn];
        assert!(chunk.speaker == SEVERAL_SPEAKERS || in_chunk.iter().any(speaks));
        before = bytes;
    }
    places.is_blank(before.end..rendered.text.len());
    assert!(chunk_transcript(turns, &rendered, sizes.budget()).eq(chunks), "the same each time");
}

static TIKTOKEN: LazyLock<tiktoken_rs::CoreBPE> = LazyLock::new(|| tiktoken_rs::cl100k_base().unwrap());

/// Tokens are those of tiktoken. (It takes quadratic time for long words, so not for every text.)
pub fn tokens(text: &str) {
    let count = token::count(text);
    assert!(count <= text.len() && (count == 0) == text.is_empty());
    assert_eq!(count, token::count_interruptibly(text, || ()));
    let longest = text.split_whitespace().map(str::len).max().unwrap_or(0);
    if longest <= 1000 {
        let expected = TIKTOKEN.encode_ordinary(text).len();
        assert!(count == expected || text.chars().any(is_newer_letter), "{count}, not {expected}: {text:?}");
    }
}

/// Whether a character became a letter after the version of Unicode that tiktoken-rs is built with. After other characters
/// a bracket is in one piece with them, and not with the letter that follows.
fn is_newer_letter(c: char) -> bool {
    let probe = format!("{c}[A");
    token::count(&probe) != TIKTOKEN.encode_ordinary(&probe).len()
}

/// Sentences are those of Unicode.
pub fn sentences(text: &str) {
    let expected: Vec<usize> = text.split_sentence_bound_indices().map(|(at, _)| at).collect();
    assert_eq!(sentence_starts(text).collect::<Vec<_>>(), expected, "{text:?}");
}

/// A slice of a text, in characters, is found at its place.
pub fn quote(text: &str, from: usize, length: usize) {
    let slice: String = text.chars().skip(from).take(length).collect();
    let blanks = slice.chars().take_while(|c| c.is_whitespace()).count();
    let quote = slice.trim();
    let found = locate_quote(text, quote, Some(from + blanks));
    let expected = from + blanks..from + blanks + quote.chars().count();
    assert_eq!(found, (!quote.is_empty()).then_some(expected), "{quote:?} in {text:?}");
    // Without a hint, somewhere at or before it.
    let first = locate_quote(text, &slice, None);
    assert!(first.is_some_and(|first| first.start <= from + blanks) || quote.is_empty());
    // With other white space, at a place that says the same.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("\t ");
    if let Some(span) = locate_quote(text, &words(quote), None) {
        let there: String = text.chars().skip(span.start).take(span.len()).collect();
        let plain = |text: &str| words(text).replace(['"', '“', '”', '„', '‟', '«', '»', '″', '＂'], "\"");
        let plain = |text: &str| plain(text).replace(['‘', '’', '‚', '‛', '‹', '›', '′', '`', '´'], "'");
        assert_eq!(plain(&there), plain(quote));
    } else {
        assert!(quote.is_empty(), "{quote:?} in {text:?}");
    }
}

/// Sentences of an answer are parts of it in order, and each is judged by what it cites.
pub fn citations(answer: &str, evidence: &[&str]) {
    let mut end = 0;
    for sentence in check_citations(answer, evidence) {
        let start = sentence.text.as_ptr() as usize - answer.as_ptr() as usize;
        assert!(start >= end, "{:?} in {answer:?}", sentence.text);
        end = start + sentence.text.len();
        assert!(sentence.text == sentence.text.trim() && sentence.text.contains(char::is_alphanumeric));
        assert!(sentence.cited.iter().all(|id| sentence.text.contains(id)));
        let unknown: Vec<&str> = sentence.cited.iter().filter(|id| !evidence.contains(id)).copied().collect();
        match sentence.problem {
            None => assert!(!sentence.cited.is_empty() && unknown.is_empty()),
            Some(Problem::NoCitation) => assert!(sentence.cited.is_empty()),
            Some(Problem::Unknown(ids)) => assert!(!ids.is_empty() && ids == unknown),
        }
    }
}

/// Technical tokens are some, and the same each time.
pub fn technical(text: &str) {
    let found: Vec<String> = tech::tokens(text).into_iter().collect();
    assert!(found.iter().all(|token| !token.is_empty()));
    assert!(tech::tokens(text).into_iter().eq(found));
    for token in tech::scan(text) {
        assert_eq!(&text[token.span.clone()], token.text);
    }
}

/// What is understood of a query is in it, and a range has a length.
pub fn query(text: &str) {
    let today = query::Date::try_new(2026, 2, 28).unwrap();
    let analysis = query::analyze(text, today);
    assert_eq!(analysis, query::analyze(text, today), "deterministic");
    assert!(analysis.tech_tokens.is_sorted());
    if let Some(mention) = analysis.dates {
        assert!(!text[mention.span].trim().is_empty());
        let query::DateRange { from, until } = mention.range;
        assert!(from.is_some() || until.is_some());
        assert!(from.zip(until).is_none_or(|(from, until)| from < until), "{text:?}");
    }
}

/// The lines that are kept or inserted are the new text, those that are kept or deleted the old one.
pub fn diff(old: &str, new: &str) {
    let diff = Diff::new(old, new);
    let without = |op: Op| diff.rows().filter(|row| row.op != op).map(|row| row.text).collect::<String>();
    assert_eq!(without(Op::Insert), old);
    assert_eq!(without(Op::Delete), new);
    for (hunk, pieces) in diff.words() {
        let without =
            |op: Op| pieces.iter().filter(|piece| piece.op != op).map(|piece| piece.text).collect::<String>();
        assert_eq!((without(Op::Insert).as_str(), without(Op::Delete).as_str()), (hunk.old, hunk.new));
    }
    assert_eq!(diff.unified("a", "b", 3).is_empty(), old == new);
}

/// Secrets are apart from each other and in order, and what is redacted has none of them.
pub fn secrets(text: &str) {
    let found = secret::scan(text);
    let mut end = 0;
    for secret in &found {
        assert!(end <= secret.span.start && !text[secret.span.clone()].is_empty());
        end = secret.span.end;
    }
    let redacted = secret::redact(text);
    assert_eq!(found.is_empty(), redacted == text);
}

/// A filter or an error that says what to do.
pub fn filter(text: &str) {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else { return };
    match Filter::from_json(&json) {
        Ok(filter) => assert_eq!(Filter::from_json(&json), Ok(filter)),
        Err(error) => assert!(!error.hint().is_empty()),
    }
}

/// Events and entities keep their limits, what they quote is in the text, and the same text gives the same.
pub fn events(text: &str) {
    let document_date = query::Date::try_new(2026, 2, 28);
    for context in [Context::default(), Context { document_date, title: Some("Plan"), ..Context::default() }]
    {
        let found = extract(text, &context);
        assert_eq!(found, extract(text, &context), "deterministic");
        extracted(text, &found);
    }
    for mention in time::mentions(text, document_date, time::Lean::Past) {
        assert!(!text[mention.span].trim().is_empty());
    }
}

/// An answer about the text before the first form feed is events of that text, or a list of problems.
pub fn event_reply(text: &str) {
    let (chunk, reply) = text.split_once('\u{c}').unwrap_or((text, text));
    match extraction(reply, chunk, None) {
        Ok(reply) => {
            assert!(reply.extraction.events.len() <= MOST_EVENTS);
            extracted(chunk, &reply.extraction);
        }
        Err(report) => assert!(!report.to_string().is_empty()),
    }
}

fn extracted(text: &str, found: &Extraction) {
    for event in &found.events {
        assert_eq!(event.violations(text), [], "{event:?}");
        assert!(event.evidence.is_sorted_by_key(|span| (span.start, span.end)));
        assert!(
            event.evidence.iter().all(|span| text[span.clone()].trim() == &text[span.clone()]),
            "{event:?}"
        );
    }
    for entity in &found.entities {
        assert_eq!(entity.violations(text), [], "{entity:?}");
        let is_name = |span: &Range<usize>| {
            entity.name == text[span.clone()]
                || entity.aliases.iter().any(|alias| *alias == text[span.clone()])
        };
        assert!(!entity.mentions.is_empty() && entity.mentions.iter().all(is_name), "{entity:?}");
    }
}
