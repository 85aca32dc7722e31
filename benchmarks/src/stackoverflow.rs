//! Technical tokens beside what people have labelled in questions and answers about programs.

use std::collections::BTreeMap;
use std::ops::Range;

use memento_core::tech;

use crate::data;

/// The classes that the rules are meant for. The others are names of languages, applications and data types: words of
/// prose by their look.
const MEANT_FOR: [&str; 9] = [
    "Class_Name",
    "Error_Name",
    "File_Name",
    "Function_Name",
    "Library_Class",
    "Library_Function",
    "Variable_Name",
    "Version",
    "Website",
];

struct Labelled {
    text: String,
    entities: Vec<(String, Range<usize>)>,
}

/// Prints recall for each class and the precision of all tokens, on the train and the dev set.
pub fn run() {
    for part in ["train", "dev"] {
        if let Some(file) = data::file(&format!("tokens/stackoverflow_ner/so_{part}.txt")) {
            report(part, &read(&file));
        }
    }
}

/// Words with their labels, a line each and an empty line between sentences, to a text in which a blank stands between
/// words. Code blocks, for which the set has only placeholders, and the lines about the question's number and address are
/// left out.
fn read(file: &str) -> Labelled {
    let mut labelled = Labelled { text: String::new(), entities: Vec::new() };
    let mut about = false;
    for line in file.lines() {
        let mut fields = line.split('\t');
        let (Some(word), Some(label)) = (fields.next(), fields.next()) else { continue };
        about = (about && !word.is_empty())
            || matches!(word, "Question_ID" | "Question_URL" | "Answer_to_Question_ID");
        if word.is_empty() || about || label.ends_with("Code_Block") || label.ends_with("Output_Block") {
            labelled.text.push('\n');
            continue;
        }
        let start = labelled.text.len();
        labelled.text.push_str(word);
        let end = labelled.text.len();
        labelled.text.push(' ');
        match label.split_once('-') {
            Some(("B", class)) => labelled.entities.push((class.to_owned(), start..end)),
            Some(("I", _)) => {
                if let Some((_, span)) = labelled.entities.last_mut() {
                    span.end = end;
                }
            }
            _ => {}
        }
    }
    labelled
}

fn report(part: &str, labelled: &Labelled) {
    let tokens: Vec<Range<usize>> = tech::scan(&labelled.text).map(|token| token.span).collect();
    let mut classes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (class, span) in &labelled.entities {
        let entry = classes.entry(class).or_default();
        let hit = overlaps(&tokens, span);
        entry.0 += usize::from(hit);
        entry.1 += 1;
        if !hit && MEANT_FOR.contains(&class.as_str()) {
            data::tell(|| format!("  missed {class}: {}", &labelled.text[span.clone()]));
        }
    }
    println!("stackoverflow_ner {part}:");
    for (class, (hit, all)) in &classes {
        if MEANT_FOR.contains(class) {
            println!("  recall of {class}: {:.2} ({hit} of {all})", *hit as f64 / *all as f64);
        }
    }
    precision(labelled, &tokens);
}

/// Links are left out: the set has no label for them.
fn precision(labelled: &Labelled, tokens: &[Range<usize>]) {
    let links: Vec<Range<usize>> = tech::scan(&labelled.text)
        .filter(|token| token.kind == tech::Kind::Url || token.text.starts_with("www."))
        .map(|token| token.span)
        .collect();
    let tokens: Vec<&Range<usize>> = tokens.iter().filter(|span| !overlaps(&links, span)).collect();
    let entities: Vec<Range<usize>> = labelled.entities.iter().map(|(_, span)| span.clone()).collect();
    let wrong: Vec<&&Range<usize>> = tokens.iter().filter(|span| !overlaps(&entities, span)).collect();
    for span in &wrong {
        data::tell(|| format!("  not labelled: {}", &labelled.text[(**span).clone()]));
    }
    println!(
        "  precision: {:.2} ({} of {} tokens are in something labelled)",
        (tokens.len() - wrong.len()) as f64 / tokens.len() as f64,
        tokens.len() - wrong.len(),
        tokens.len()
    );
}

/// Whether one of the spans, which are sorted by their start or nearly so, shares a byte with this one.
fn overlaps(spans: &[Range<usize>], span: &Range<usize>) -> bool {
    let first = spans.partition_point(|other| other.start + 1000 < span.start);
    spans[first..]
        .iter()
        .take_while(|other| other.start < span.end + 1000)
        .any(|other| other.start < span.end && span.start < other.end)
}
