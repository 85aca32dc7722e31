//! SQL in documents, with the output that the reader is promised.

/// A fenced `sql` block and the `text` block that follows it, if any.
pub struct Snippet {
    /// Line of the block in the document, from 1.
    pub line: usize,
    /// Line after the opening fence of the output, from 1.
    pub output_line: Option<usize>,
    /// The statements.
    pub sql: String,
    /// What the document says psql prints.
    pub output: Option<String>,
}

/// The snippets of a Markdown document, in order.
pub fn snippets(markdown: &str) -> Vec<Snippet> {
    let mut found: Vec<Snippet> = Vec::new();
    let mut lines = markdown.lines().enumerate();
    let mut follows_sql = false;
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            follows_sql &= line.trim().is_empty();
            continue;
        };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let body = body.join("\n");
        match (language, found.last_mut()) {
            ("sql", _) => {
                found.push(Snippet { line: number + 1, sql: body, output: None, output_line: None })
            }
            ("text", Some(snippet)) if follows_sql => {
                snippet.output = Some(body);
                snippet.output_line = Some(number + 2);
            }
            _ => {}
        }
        follows_sql = language == "sql";
    }
    found
}

/// Output as it is compared: ids, times and trailing blanks differ from run to run.
pub fn normalised(output: &str) -> String {
    let lines: Vec<String> = output.lines().map(|line| mask_ids(line.trim_end())).collect();
    lines.join("\n").trim().to_owned()
}

/// Replaces what looks like a random uuid; the default project's is not random.
fn mask_ids(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        match rest.get(..36) {
            Some(head) if is_uuid(head) && !head.starts_with("00000000-0000") => {
                masked.push_str("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
                rest = &rest[36..];
            }
            _ => {
                masked.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    masked
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(i, b)| match i {
        8 | 13 | 18 | 23 => b == b'-',
        _ => b.is_ascii_hexdigit(),
    })
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn output_belongs_to_the_block_before_it() {
        let document =
            "a\n```sql\nselect 1;\n```\n\n```text\n1\n```\n```sql\nselect 2;\n```\nprose\n```text\nno\n```\n";
        let found = snippets(document);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].line, found[0].sql.as_str()), (2, "select 1;"));
        assert_eq!(found[0].output.as_deref(), Some("1"));
        assert_eq!(found[1].output, None);
    }

    #[test]
    fn only_random_ids_are_masked() {
        let id = "0b0f7b9e-8c5a-4f0e-9d55-3a1c1c1c1c1c";
        assert_eq!(normalised(&format!(" {id} ä \n")), "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx ä");
        assert_eq!(
            normalised("00000000-0000-0000-0000-000000000001"),
            "00000000-0000-0000-0000-000000000001"
        );
    }
}
