//! Secrets in JSON: strings are looked at one by one, so that what is left is JSON again, however deep it is nested.

use std::ops::Range;

use super::{Kind, Secret, scan, without};

/// What was found in a JSON text, and the text without it.
#[derive(Debug, PartialEq, Eq)]
pub struct ScreenedJson {
    /// The secrets, in order.
    pub kinds: Vec<Kind>,
    /// The text with `[REDACTED:kind]` in the place of each.
    pub redacted: String,
}

/// Looks through the strings of a JSON text, each together with the name that it is the value of.
pub fn screen_json(json: &str) -> ScreenedJson {
    let mut screened = ScreenedJson { kinds: Vec::new(), redacted: String::with_capacity(json.len()) };
    let (mut copied, mut at, mut name) = (0, 0, None);
    while let Some(literal) = next_literal(json, at) {
        at = literal.end;
        let text: String = serde_json::from_str(&json[literal.clone()]).unwrap_or_default();
        let is_name = json[at..].trim_start().starts_with(':');
        let secrets = if is_name { scan(&text) } else { in_value(name.as_deref(), &text) };
        if !secrets.is_empty() {
            screened.redacted.push_str(&json[copied..literal.start]);
            screened.redacted.push_str(&as_literal(&without(&text, &secrets)));
            screened.kinds.extend(secrets.iter().map(|secret| secret.kind));
            copied = literal.end;
        }
        name = is_name.then_some(text);
    }
    screened.redacted.push_str(&json[copied..]);
    screened
}

/// The next string, with its quotes.
fn next_literal(json: &str, from: usize) -> Option<Range<usize>> {
    let bytes = json.as_bytes();
    let start = from + memchr::memchr(b'"', &bytes[from..])?;
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
        if bytes[at] == b'"' {
            return Some(start..at + 1);
        }
        at += 2;
        if at > bytes.len() {
            return None;
        }
    }
}

/// What the value of a name has in it: `{"password": "..."}` is found by the name.
fn in_value(name: Option<&str>, value: &str) -> Vec<Secret> {
    let Some(name) = name else { return scan(value) };
    let quote = ["\"", "'", "`"].into_iter().find(|quote| !value.contains(quote)).unwrap_or("");
    let before = format!("{name}: {quote}");
    let text = format!("{before}{value}{quote}");
    let end = before.len() + value.len();
    scan(&text)
        .into_iter()
        .filter(|secret| secret.span.end > before.len())
        .map(|Secret { kind, span }| {
            let span = span.start.max(before.len()) - before.len()..span.end.min(end) - before.len();
            Secret { kind, span }
        })
        .collect()
}

fn as_literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Put together here, so that no scanner takes this file for a leak.
    fn token() -> String {
        format!("ghp_{}", "q7Zk2WmX9bTf4RvLc8NhJ5dGsY3pKe6a1B2c")
    }

    fn redacted(json: &str) -> String {
        screen_json(json).redacted
    }

    #[test]
    fn strings_are_found_as_values_names_and_elements() {
        let token = token();
        for (json, left) in [
            (format!(r#"{{"a": "use {token}."}}"#), r#"{"a": "use [REDACTED:github_token]."}"#),
            (format!(r#"["{token}", 1]"#), r#"["[REDACTED:github_token]", 1]"#),
            (format!(r#"{{"{token}": null}}"#), r#"{"[REDACTED:github_token]": null}"#),
        ] {
            assert_eq!(redacted(&json), left);
        }
    }

    #[test]
    fn a_name_gives_its_value_away_and_quotes_stay_escaped() {
        let password = ["x9!kQ", "2\\\"v#Lp7"].concat();
        let json = format!(r#"{{"db": {{"password": "{password}", "port": 5432}}}}"#);
        assert_eq!(redacted(&json), r#"{"db": {"password": "[REDACTED:assignment]", "port": 5432}}"#);
        assert_eq!(screen_json(&json).kinds, [Kind::Assignment]);
    }

    #[test]
    fn other_json_stays_as_it_is() {
        let deep = format!("{}\"x\"{}", "[".repeat(5000), "]".repeat(5000));
        for json in
            [r#"{"n": 1e400, "password": null, "k": "\u00e4\\"}"#, "[]", "1", "\"", "\"\\", deep.as_str()]
        {
            assert_eq!(screen_json(json), ScreenedJson { kinds: vec![], redacted: json.into() });
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_json(name in "\\PC{0,12}|password|api_key", value in "\\PC{0,40}", secret in any::<bool>()) {
            let value = if secret { format!("{value} {} {value}", token()) } else { value };
            let json = serde_json::json!({name: [value.clone()], "password": value}).to_string();
            let left = redacted(&json);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&left).is_ok(), "{}", left);
            prop_assert!(!left.contains(&token()));
        }
    }
}
