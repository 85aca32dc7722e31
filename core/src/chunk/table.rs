//! Tables right after a line of text. GitHub sees them all, the parser only those whose rows begin with a pipe.

/// Where in a paragraph a table begins: at the line before the first delimiter row that has as many cells.
pub fn table_in(paragraph: &str) -> Option<usize> {
    if !paragraph.contains('|') {
        return None;
    }
    let mut at = 0;
    let mut before: Option<(usize, &str)> = None;
    for line in paragraph.split_inclusive(['\n', '\r']) {
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if let (Some((start, header)), Some(cells)) = (before, delimiter_cells(line))
            && cells == header_cells(header)
            && !is_indented
            && start > 0
        {
            return Some(start);
        }
        if !line.trim().is_empty() {
            before = Some((at, line));
        }
        at += line.len();
    }
    None
}

/// How many cells a delimiter row has, like three of `|---|:--|--:|`; none if it is no such row.
pub fn delimiter_cells(line: &str) -> Option<usize> {
    let row = line.trim();
    let is_rule = |cell: &str| {
        let cell = cell.trim();
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.bytes().all(|b| b == b'-')
    };
    let inside = row.strip_prefix('|').unwrap_or(row);
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    (row.contains('|') && inside.split('|').all(is_rule)).then(|| inside.split('|').count())
}

fn header_cells(line: &str) -> usize {
    let row = line.trim();
    let mut pipes = 0;
    let mut is_escaped = false;
    let mut ends_with_pipe = false;
    for b in row.strip_prefix('|').unwrap_or(row).bytes() {
        ends_with_pipe = b == b'|' && !is_escaped;
        pipes += usize::from(ends_with_pipe);
        is_escaped = b == b'\\' && !is_escaped;
    }
    pipes + usize::from(!ends_with_pipe)
}

#[cfg(test)]
mod tests {
    use crate::chunk::{BlockKind, Grouping, blocks};

    fn seen(text: &str) -> Vec<(BlockKind, &str)> {
        blocks(text, Grouping::Packed).map(|block| (block.kind, &text[block.span])).collect()
    }

    #[test]
    fn a_table_may_follow_a_line_of_text() {
        let table = "a | b \\| c\n---|:-:\n1 | 2\n3";
        let text = format!("Text before it.\nMore.\n{table}\n\nafter");
        assert_eq!(
            seen(&text),
            [
                (BlockKind::Paragraph, "Text before it.\nMore."),
                (BlockKind::Table, table),
                (BlockKind::Paragraph, "after")
            ]
        );
        assert_eq!(seen("text\r\n| a |\r\n|---|\r\n| 1 |")[1].0, BlockKind::Table);
    }

    #[test]
    fn rows_that_do_not_match_are_no_table() {
        for text in
            ["text\na | b\n---|---|---", "text\na | b\n---|x", "text\na\n| b |", "text\na | b\n    ---|---"]
        {
            assert_eq!(seen(text), [(BlockKind::Paragraph, text)]);
        }
    }
}
