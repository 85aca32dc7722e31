//! Names of months, and numbers that are days, years or neither.

use super::word::Word;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

pub fn month_of(word: &str) -> Option<u8> {
    let word = if word == "sept" { "sep" } else { word };
    let position =
        MONTHS.iter().position(|name| word == *name || (word.len() == 3 && name.starts_with(word)))?;
    u8::try_from(position + 1).ok()
}

/// Whether a word is a month with a full stop behind it.
pub fn is_short_month(word: &str) -> bool {
    word != "may" && word.len() <= 4 && month_of(word).is_some()
}

/// `may` and `march` are verbs without a capital.
pub fn is_verb(word: &Word) -> bool {
    matches!(word.plain.as_str(), "may" | "march" | "mar") && !word.is_capitalized()
}

/// Whether a month with no number beside it is one. Some are names of people (`what did April say`), and short ones are
/// other words too, so those need a preposition and a capital. `March` inside of a sentence needs the capital only.
pub fn is_clearly_a_month(word: &Word, inside_sentence: bool, introduced: bool) -> bool {
    let name = word.plain.as_str();
    let ambiguous = name.len() <= 4 && name != "july" || matches!(name, "march" | "april" | "august");
    !ambiguous || (word.is_capitalized() && (introduced || (name == "march" && inside_sentence)))
}

/// What has a number that is not a year: `SQL Server 2019`, `error 2013`.
pub const NUMBERED: &str = "error|errno|code|status|exit|http|sqlstate|signal|line|lines|port|page|room|issue|ticket|\
    pr|version|build|edition|server|studio|office|windows|exchange|sharepoint|excel|sql|rfc|\
    iso|es|ecmascript|rust|limit|number";

/// What is counted: `2000 rows`.
pub const COUNTED: &str = "rows|users|bytes|requests|items|tokens|ms|mb|kb|gb|errors|times|lines|records|files|\
    chunks|messages|characters|words|people|connections|seconds|minutes|hours";

pub fn year_of(word: &str) -> Option<i32> {
    let year = if is_digits(word, 4) { word.parse().ok()? } else { return None };
    (1900..2200).contains(&year).then_some(year)
}

pub fn quarter_of(word: &str) -> Option<u8> {
    let digit = word.strip_prefix('q').filter(|digit| is_digits(digit, 1))?;
    digit.parse().ok().filter(|quarter| (1..=4).contains(quarter))
}

pub fn two_digits(word: &str) -> Option<u8> {
    if is_digits(word, 2) { word.parse().ok() } else { None }
}

fn is_digits(word: &str, length: usize) -> bool {
    word.len() == length && word.bytes().all(|b| b.is_ascii_digit())
}

/// A day of a month, `5` or `5th`.
pub fn day_of(word: &str) -> Option<u8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let day = if is_digits(digits, 1) || is_digits(digits, 2) { digits.parse().ok()? } else { return None };
    (1..=31).contains(&day).then_some(day)
}

pub fn count_of(word: &str) -> Option<i32> {
    const NUMBERS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if matches!(word, "a" | "an") {
        return Some(1);
    }
    if let Some(position) = NUMBERS.iter().position(|number| *number == word) {
        return i32::try_from(position + 1).ok();
    }
    let count = if (1..=3).any(|length| is_digits(word, length)) { word.parse().ok()? } else { return None };
    (count > 0).then_some(count)
}
