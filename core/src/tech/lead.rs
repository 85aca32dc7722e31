//! What a word means by the words before it.

use super::Kind;
use super::looks::Looks;
use super::number::is_version;

/// What the words before say about a number.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Lead {
    #[default]
    None,
    /// `exit`, `error`: a code may follow, or the word code.
    Announced,
    /// A code follows.
    Code,
    /// `status`: a code of HTTP may follow.
    Status,
    /// A port follows.
    Port,
    /// A version follows: `Python 2.7`.
    Version,
}

impl Lead {
    /// What this word is by the words before it: `SQLSTATE 23505`, `HTTP 422`, `exit code 137`, `port 5432`.
    pub fn meaning_of(&mut self, word: &[u8], looks: Looks) -> Option<(usize, Kind)> {
        if looks.digits() == 0 {
            *self = self.after(without_stop(word));
            return None;
        }
        let next = if word.starts_with(b"HTTP/") { Self::Code } else { Self::None };
        let lead = std::mem::replace(self, next);
        if lead == Self::None {
            return None;
        }
        let bare = without_stop(word);
        let numeric = looks.letters() == 0 && bare.iter().all(u8::is_ascii_digit);
        let code = (1..=5).contains(&bare.len())
            && bare.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        let kind = match lead {
            Self::Code if code => Kind::ErrorCode,
            Self::Announced if numeric && (3..=5).contains(&bare.len()) => Kind::ErrorCode,
            Self::Status if numeric && bare.len() == 3 && matches!(bare[0], b'1'..=b'5') => Kind::ErrorCode,
            Self::Version if looks.letters() == 0 && is_version(bare, true) && bare.contains(&b'.') => {
                Kind::Version
            }
            Self::Port if numeric && (2..=5).contains(&bare.len()) => Kind::Port,
            _ => return None,
        };
        Some((bare.len(), kind))
    }

    fn after(self, word: &[u8]) -> Self {
        if matches!(self, Self::Announced | Self::Status | Self::Code)
            && matches!(word, b"code" | b"status" | b"with" | b"=" | b"is" | b"number")
        {
            return Self::Code;
        }
        match word {
            // `.NET`
            [b'.', name @ ..] => Some(Self::said_by(name)).filter(|lead| *lead == Self::Version),
            _ => Some(Self::said_by(word)),
        }
        .unwrap_or_default()
    }

    /// What a word says alone. Versions: what is often named with one of two numbers, which alone would be a decimal number.
    fn said_by(word: &[u8]) -> Self {
        match word {
            b"SQLSTATE" | b"sqlstate" | b"HTTP" | b"signal" | b"errno" => Self::Code,
            b"exit" | b"exited" | b"error" | b"Error" | b"ERROR" => Self::Announced,
            b"status" | b"Status" => Self::Status,
            b"port" | b"Port" => Self::Port,
            b"version" | b"Version" | b"release" | b"Release" | b"Python" | b"python" | b"Java" | b"PHP"
            | b"Ruby" | b"Rails" | b"iOS" | b"Android" | b"Postgres" | b"PostgreSQL" | b"postgres"
            | b"MySQL" | b"Django" | b"jQuery" | b"Angular" | b"NET" | b"Ubuntu" | b"Node" | b"Go"
            | b"Rust" | b"Kubernetes" | b"Swift" | b"Scala" | b"macOS" | b"Windows" | b"OpenGL" => {
                Self::Version
            }
            _ => Self::None,
        }
    }
}

/// Without the punctuation of a sentence behind it.
fn without_stop(word: &[u8]) -> &[u8] {
    let stops = word.iter().rev().take_while(|b| matches!(b, b'.' | b':' | b'!' | b'?')).count();
    &word[..word.len() - stops]
}
