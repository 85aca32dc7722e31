//! Finds the JSON in an answer.

use serde_json::Value;

/// Longer answers are not read.
pub const LONGEST_REPLY: usize = 4 << 20;

/// What is asked for is five deep.
const DEEPEST: usize = 32;

/// How many brackets are tried: an answer may have some in its prose.
const MOST_TRIES: usize = 32;

/// The first object with one of the keys, or else the first list of objects. Text around it is skipped, and a comma before
/// a closing bracket is forgiven.
pub fn find_value(reply: &str, keys: &[&str]) -> Result<Value, &'static str> {
    if reply.len() > LONGEST_REPLY {
        return Err("the answer is longer than 4 MB");
    }
    let mut problem = None;
    let mut list = None;
    let mut at = 0;
    for _ in 0..MOST_TRIES {
        let Some(start) = reply[at..].find(['{', '[']).map(|found| at + found) else { break };
        let parsed = balanced(&reply[start..]).and_then(|(text, length)| {
            let value = serde_json::from_str(&text).map_err(|_| "the JSON of the answer is malformed")?;
            Ok((value, length))
        });
        match parsed {
            Ok((Value::Object(object), _)) if keys.iter().any(|key| object.contains_key(*key)) => {
                return Ok(Value::Object(object));
            }
            Ok((value, length)) => {
                let is_list = value.as_array().is_some_and(|list| list.iter().all(Value::is_object));
                // `[]` is also what prose has: a link, a check box.
                if is_list && list.is_none() && length > 2 {
                    list = Some(value);
                }
                problem
                    .get_or_insert("the JSON object of the answer has none of the keys that were asked for");
                at = start + length;
            }
            Err(reason) => {
                problem.get_or_insert(reason);
                at = start + 1;
            }
        }
    }
    list.ok_or(problem.unwrap_or("there is no JSON object in the answer"))
}

/// The value that begins with a bracket, without commas before a closing one, and how long it is in the answer.
fn balanced(text: &str) -> Result<(String, usize), &'static str> {
    let mut kept = String::with_capacity(text.len());
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            kept.push(c);
            continue;
        }
        match c {
            '"' => in_string = true,
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                let end = kept.trim_end().len();
                if kept[..end].ends_with(',') {
                    kept.truncate(end - 1);
                }
            }
            _ => {}
        }
        kept.push(c);
        if depth > DEEPEST {
            return Err("the JSON of the answer is nested too deep");
        }
        if depth == 0 {
            return Ok((kept, at + c.len_utf8()));
        }
    }
    Err("the JSON of the answer ends before it is complete")
}
