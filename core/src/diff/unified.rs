//! The format of `diff -u`, which patch and git apply can read.

use std::fmt::{self, Write};
use std::ops::Range;

use super::line::{count, lines};
use super::{Diff, Hunk, Position};

/// Writes the changes with so many lines around each.
pub fn write(diff: &Diff<'_>, old_name: &str, new_name: &str, context: usize) -> String {
    let hunks = diff.hunks();
    if hunks.is_empty() {
        return String::new();
    }
    let mut text = format!("--- {}\n+++ {}\n", one_line(old_name), one_line(new_name));
    let end = count(diff.old);
    let mut old = Position::of(diff.old);
    for group in hunks.chunk_by(|a, b| b.old_lines.start - a.old_lines.end <= context.saturating_mul(2)) {
        // Writing to a string cannot fail.
        let _ = write_group(&mut text, group, &mut old, context, end);
    }
    text
}

/// Changes that are near each other, and the lines around and between them.
fn write_group(
    text: &mut String,
    group: &[Hunk<'_>],
    old: &mut Position<'_>,
    context: usize,
    end: usize,
) -> fmt::Result {
    let [first, ..] = group else { return Ok(()) };
    let [.., last] = group else { return Ok(()) };
    let before = context.min(first.old_lines.start);
    let after = context.min(end - last.old_lines.end);
    let old_range = first.old_lines.start - before..last.old_lines.end + after;
    let new_range = first.new_lines.start - before..last.new_lines.end + after;
    writeln!(text, "@@ -{} +{} @@", Place(&old_range), Place(&new_range))?;
    old.skip(old_range.start - old.line);
    for hunk in group {
        write_lines(text, ' ', old.skip(hunk.old_lines.start - old.line));
        write_lines(text, '-', old.skip(hunk.old_lines.len()));
        write_lines(text, '+', hunk.new);
    }
    write_lines(text, ' ', old.skip(after));
    Ok(())
}

fn write_lines(text: &mut String, sign: char, block: &str) {
    for line in lines(block) {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// The first line, from 1, and how many, unless it is one; no lines are after the line before them.
struct Place<'r>(&'r Range<usize>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0 => write!(f, "{},0", self.0.start),
            1 => write!(f, "{}", self.0.start + 1),
            length => write!(f, "{},{length}", self.0.start + 1),
        }
    }
}

/// A name cannot add lines of its own.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
