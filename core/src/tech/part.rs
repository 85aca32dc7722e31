//! A word and its parts.

use std::ops::Range;

use super::Kind;
use super::looks::{Looks, Marks};
use super::shape::{self, LONGEST_TOKEN};

/// How many parts of one word are looked at: enough for a long path, and a bound for hostile input.
const MOST_PARTS: usize = 64;

/// How many directories above a path are looked at.
const MOST_PARENTS: usize = 8;

/// What separates parts, strongest first; of `=` and `:` the one that stands first is the stronger.
const SEPARATORS: [u8; 10] = [b'=', b':', b'/', b'\\', b'@', b'$', b'#', b'&', b'?', b'+'];

/// Words to tokens; keeps its memory from word to word.
#[derive(Default)]
pub struct Parts {
    waiting: Vec<Range<usize>>,
}

impl Parts {
    /// Calls `found` for the word, if it is technical, and for its parts that are, with their spans in it. Answers whether
    /// the word itself is.
    pub fn collect(&mut self, word: &[u8], looks: Looks, mut found: impl FnMut(Range<usize>, Kind)) -> bool {
        let whole = trimmed(word, 0..word.len());
        self.waiting.clear();
        self.waiting.push(whole.clone());
        let (mut looked_at, mut is_token) = (0, false);
        while let Some(span) = self.waiting.pop() {
            if span.is_empty() || looked_at == MOST_PARTS {
                continue;
            }
            looked_at += 1;
            let looks = if span.len() == word.len() { looks } else { Looks::of(&word[span.clone()]) };
            if looks.is_plain() || looks.is_short_number(span.len()) {
                continue;
            }
            let kind = shape::kind(&word[span.clone()], looks);
            if let Some(kind) = kind {
                is_token |= span == whole;
                found(span.clone(), kind);
            }
            let mut within = Within { word, span, found: &mut found };
            match separator(within.text(), looks) {
                Some(separator) => self.split(separator, &mut within),
                None => within.look_at_ends(looks, kind),
            }
        }
        is_token
    }

    /// Puts the parts into the queue, so that the first is looked at next, and looks at what reaches over a separator.
    fn split(&mut self, separator: Separator, within: &mut Within<'_, impl FnMut(Range<usize>, Kind)>) {
        let text = within.text();
        match separator {
            Separator::Scheme(place) => {
                self.waiting.extend([within.part(place + 3, text.len()), within.part(0, place)]);
            }
            Separator::Mark(mark) => {
                within.look_over(mark);
                let first = self.waiting.len();
                let mut from = 0;
                for part in text.split(|b| *b == mark).take(MOST_PARTS.saturating_sub(first)) {
                    self.waiting.push(within.part(from, from + part.len()));
                    from += part.len() + 1;
                }
                self.waiting[first..].reverse();
            }
        }
    }
}

enum Separator {
    /// `://`, at a place.
    Scheme(usize),
    Mark(u8),
}

fn separator(text: &[u8], looks: Looks) -> Option<Separator> {
    if !looks.has_any(const { Marks::of(&SEPARATORS) }) {
        return None;
    }
    if looks.has(b':')
        && looks.has(b'/')
        && let Some(place) = text.windows(3).position(|three| three == b"://")
    {
        return Some(Separator::Scheme(place));
    }
    let strongest = SEPARATORS.into_iter().find(|mark| looks.has(*mark))?;
    let first =
        if strongest == b'=' { text.iter().copied().find(|b| matches!(b, b'=' | b':')) } else { None };
    Some(Separator::Mark(first.unwrap_or(strongest)))
}

/// A part of a word, and who hears of what is found in it.
struct Within<'w, F> {
    word: &'w [u8],
    span: Range<usize>,
    found: &'w mut F,
}

impl<'w, F: FnMut(Range<usize>, Kind)> Within<'w, F> {
    fn text(&self) -> &'w [u8] {
        &self.word[self.span.clone()]
    }

    fn place(&self, mark: u8) -> Option<usize> {
        self.text().iter().position(|b| *b == mark)
    }

    fn part(&self, from: usize, to: usize) -> Range<usize> {
        trimmed(self.word, self.span.start + from..self.span.start + to)
    }

    /// A token if it is one as a whole: it is not taken apart.
    fn look_at(&mut self, from: usize, to: usize) {
        let part = self.part(from, to);
        let text = &self.word[part.clone()];
        if part != self.span
            && let Some(kind) = shape::kind(text, Looks::of(text))
        {
            (self.found)(part, kind);
        }
    }

    /// What reaches over a separator.
    fn look_over(&mut self, separator: u8) {
        let text = self.text();
        match separator {
            // `db:5432` of `db:5432/orders`.
            b':' => {
                if let (Some(colon), Some(slash)) = (self.place(b':'), self.place(b'/'))
                    && colon < slash
                {
                    self.look_at(0, slash);
                }
            }
            // The directories above: `/srv/data` of `/srv/data/part-1`; and a name in front without its first label.
            b'/' => {
                let slashes = text.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(slash, _)| slash);
                for slash in slashes.filter(|slash| *slash > 0).skip(1).take(MOST_PARENTS) {
                    self.look_at(0, slash);
                }
                if let (Some(dot), Some(slash)) = (self.place(b'.'), self.place(b'/'))
                    && (1..slash).contains(&dot)
                {
                    self.look_at(dot + 1, text.len());
                }
            }
            // `app.Master$Handler` is a suffix of `org.app.Master$Handler`, dollar and all.
            b'$' => self.look_at_labels(),
            _ => {}
        }
    }

    /// Ends and beginnings of a name that are asked for alone.
    fn look_at_ends(&mut self, looks: Looks, kind: Option<Kind>) {
        let text = self.text();
        if text.len() > LONGEST_TOKEN || looks.letters() == 0 {
            return;
        }
        match kind {
            // The groups of a uuid are often written alone.
            Some(Kind::Uuid) => {
                self.look_at(0, 8);
                self.look_at(24, 36);
            }
            Some(Kind::IpAddress | Kind::MacAddress | Kind::Version | Kind::Quantity) => {}
            _ => {
                if looks.has(b'.') {
                    self.look_at_labels();
                } else if let (true, Some(first)) = (looks.has(b'_'), self.place(b'_')) {
                    // The number of `blk_-123`, `17_r_0`, `task_17_r` and `17_r` of `task_17_r_0`.
                    let last = text.iter().rposition(|b| *b == b'_').unwrap_or(first);
                    self.look_at(first + 1, text.len());
                    self.look_at(0, last);
                    if first < last {
                        self.look_at(first + 1, last);
                    }
                }
                if let (true, Some(dash)) = (looks.has(b'-') && looks.digits() > 0, self.place(b'-'))
                    && text[..dash].iter().all(u8::is_ascii_alphabetic)
                    && !text[dash..].iter().any(u8::is_ascii_alphabetic)
                {
                    // The number of `BP-134-10.1.1.1-144`.
                    self.look_at(dash + 1, text.len());
                }
            }
        }
    }

    /// `action.RUN` and `RUN` of `intent.action.RUN`.
    fn look_at_labels(&mut self) {
        let text = self.text();
        let dots = text.iter().enumerate().filter(|(_, b)| **b == b'.').map(|(dot, _)| dot);
        for dot in dots.take(MOST_PARENTS) {
            self.look_at(dot + 1, text.len());
        }
    }
}

/// Without the punctuation around it.
fn trimmed(word: &[u8], span: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = span;
    while end > start && (is_around(word[end - 1]) || matches!(word[end - 1], b'-' | b'$' | b'~')) {
        end -= 1;
    }
    let text = &word[start..end];
    // `./name`: a leading dot before a slash is part of a path; `:8080` is a port.
    if !(text.starts_with(b"./") || text.starts_with(b"../") || is_port(text)) {
        while start < end && is_around(word[start]) {
            start += 1;
        }
    }
    start..end
}

fn is_around(byte: u8) -> bool {
    matches!(byte, b'.' | b':' | b'*' | b'!' | b'?' | b'=' | b'#' | b'&' | b'%' | b'^' | b'+' | b'_' | b'@')
}

fn is_port(text: &[u8]) -> bool {
    text.first() == Some(&b':') && (3..=6).contains(&text.len()) && text[1..].iter().all(u8::is_ascii_digit)
}
