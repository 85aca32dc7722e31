use super::*;
use crate::chunk::{Budget, Measure};
use proptest::prelude::*;

fn turn(speaker: &str, text: &str, start: i64, end: i64) -> Turn {
    Turn::try_new(speaker, text, Some(start), Some(end)).unwrap()
}

fn budget(target: i64, max: i64, overlap: i64) -> Budget {
    Budget::try_new(Measure::Tokens, target, max, overlap).unwrap()
}

/// The parts of turns are what lies between, and together they are the chunk but for line ends.
#[test]
fn every_turn_has_its_span() {
    let long = "A sentence that is long enough. ".repeat(80);
    let turns: Vec<Turn> = ["Hä? One.", " ", &long, "Two."]
        .iter()
        .enumerate()
        .map(|(i, text)| Turn::try_new("Ana", text, Some(i as i64), None).unwrap())
        .collect();
    let rendered = render(&turns);
    let slice = |from: usize, to: usize| rendered.text.chars().skip(from).take(to - from).collect::<String>();
    let chunks: Vec<_> =
        chunk_transcript(&turns, &rendered, Budget::try_new(Measure::Tokens, 50, 80, 0).unwrap()).collect();
    assert!(chunks.len() > 3);
    for chunk in &chunks {
        let parts: Vec<String> =
            chunk.turns.iter().map(|part| slice(part.start_char, part.end_char)).collect();
        assert_eq!(parts.join("\n"), chunk.text);
        assert!(chunk.turns.iter().all(|part| part.turn != 1), "a turn that says nothing has no part");
    }
    let first = &chunks[0].turns[0];
    assert_eq!((first.turn, slice(first.start_char, first.end_char)), (0, "Ana: Hä? One.".to_owned()));
}

#[test]
fn turns_are_rendered_as_paragraphs_with_their_spans() {
    let turns = [turn("Ana", "hello\n", 0, 1), turn("", "  ", 1, 2), turn(" ", "bye", 2, 3)];
    let rendered = render(&turns);
    assert_eq!(rendered.text, "Ana: hello\nUNKNOWN: bye");
    assert_eq!(rendered.spans, [0..10, 10..10, 11..23]);
}

#[test]
fn whole_turns_are_packed_with_their_speaker_and_time() {
    let turns = [
        turn("Ana", "We will keep the export until the end of April, as we said last week.", 0, 4000),
        turn("Tom", "Good.", 4100, 4300),
        turn(
            "Mei",
            "Refunds are shown a day late, because the report reads the replica too early.",
            3900,
            9000,
        ),
        turn("Jonas", "I look into it.", 9000, 9900),
    ];
    let rendered = render(&turns);
    let chunks: Vec<_> = chunk_transcript(&turns, &rendered, budget(31, 36, 0)).collect();
    let seen: Vec<_> =
        chunks.iter().map(|c| (c.first_turn, c.last_turn, c.speaker, c.start_ms, c.end_ms)).collect();
    assert_eq!(seen, [(0, 1, "Ana", Some(0), Some(4300)), (2, 3, "Mei", Some(3900), Some(9900))]);
    assert_eq!(
        chunks[1].text,
        "Mei: Refunds are shown a day late, because the report reads the replica too early.\nJonas: I look into it."
    );
}

#[test]
fn a_chunk_of_equals_is_said_by_several() {
    let turns = [turn("Ana", "aaaa", 0, 1), turn("Tom", "bbbb", 1, 2)];
    assert_eq!(chunk_transcript(&turns, &render(&turns), Budget::default()).next().unwrap().speaker, "MULTI");
}

#[test]
fn overlap_repeats_whole_turns() {
    let turns: Vec<Turn> =
        (0..6).map(|n| turn("A", &format!("this is what was said in turn {n}"), n, n + 1)).collect();
    let rendered = render(&turns);
    let spans: Vec<_> = chunk_transcript(&turns, &rendered, budget(42, 48, 14))
        .map(|c| (c.first_turn, c.last_turn))
        .collect();
    assert_eq!(spans, [(0, 2), (2, 4), (4, 5)]);
}

#[test]
fn a_long_turn_is_cut_by_sentence_and_code_stays_whole() {
    let log = "```\nERROR one\nERROR two\nERROR three\n```";
    let text = format!(
        "{}\n\n{log}\n\n{}",
        "This is a sentence of speech. ".repeat(12),
        "And it goes on for a while. ".repeat(12)
    );
    let turns = [turn("Ana", &text, 0, 100)];
    let rendered = render(&turns);
    let chunks: Vec<_> = chunk_transcript(&turns, &rendered, budget(40, 60, 0)).collect();
    assert!(chunks.len() > 3);
    assert!(chunks.iter().any(|chunk| chunk.text.contains(log)));
    assert!(chunks.iter().all(|chunk| chunk.text.ends_with(['.', '`'])), "{chunks:#?}");
}

/// One token that is three with the line end after it: sizes of turns do not add up to that of the chunk.
#[test]
fn a_chunk_of_many_turns_is_within_the_limit() {
    let turns: Vec<Turn> = (0..500).map(|n| turn("A", "x\"=>", n, n + 1)).collect();
    let rendered = render(&turns);
    for overlap in [0, 100] {
        let chunks: Vec<_> = chunk_transcript(&turns, &rendered, budget(600, 600, overlap)).collect();
        assert!(chunks.iter().all(|chunk| chunk.size <= 600));
        assert!(chunks[0].size > 500);
        assert_eq!(chunks.last().unwrap().last_turn, 499);
    }
}

#[test]
fn a_long_turn_after_many_short_ones_takes_linear_time() {
    let mut turns: Vec<Turn> = (0..100_000).map(|n| turn("A", "b", n, n + 1)).collect();
    turns.push(turn("A", &"word ".repeat(900_000), 0, 1));
    let rendered = render(&turns);
    let chunks: Vec<_> = chunk_transcript(&turns, &rendered, budget(1_000_000, 1_000_000, 500_000)).collect();
    assert_eq!(chunks.len(), 2);
}

#[test]
fn impossible_times_are_refused() {
    assert_eq!(Turn::try_new("a", "b", Some(-1), None), Err(TurnError::NegativeTime(-1)));
    assert_eq!(
        Turn::try_new("a", "b", Some(2), Some(1)),
        Err(TurnError::EndsBeforeStart { start: 2, end: 1 })
    );
}

#[test]
fn nothing_said_is_no_chunk() {
    assert!(chunk_transcript(&[], &render(&[]), Budget::default()).next().is_none());
    let silent = [turn("a", " ", 0, 1)];
    assert!(chunk_transcript(&silent, &render(&silent), Budget::default()).next().is_none());
}

proptest! {
    #[test]
    fn chunks_are_exact_ordered_bounded_and_complete(
        said in proptest::collection::vec(("[AB]{0,1}", "([a-zä.]{0,8} ?){0,30}"), 0..30),
        target in 1i64..60, extra in 0i64..40, overlap in 0i64..30,
    ) {
        let turns: Vec<Turn> = said.iter().map(|(speaker, text)| Turn::try_new(speaker, text, None, None).unwrap()).collect();
        let budget = budget(target, target + extra, overlap.min(target / 2));
        let rendered = render(&turns);
        let chars: Vec<char> = rendered.text.chars().collect();
        let mut covered = 0;
        let mut previous = (0, 0);
        for chunk in chunk_transcript(&turns, &rendered, budget) {
            let slice: String = chars[chunk.start_char..chunk.end_char].iter().collect();
            prop_assert_eq!(&slice, chunk.text);
            prop_assert!(chunk.start_char >= previous.0 && chunk.end_char > previous.1);
            prop_assert!(chars[covered.min(chunk.start_char)..chunk.start_char].iter().all(|c| c.is_whitespace()));
            prop_assert_eq!(chunk.size, crate::token::count(chunk.text));
            prop_assert!(chunk.size <= budget.max || chunk.text.chars().count() == 1, "{} > {}: {:?}", chunk.size, budget.max, chunk.text);
            prop_assert!(chunk.first_turn <= chunk.last_turn && chunk.last_turn < turns.len());
            previous = (chunk.start_char, chunk.end_char);
            covered = chunk.end_char;
        }
        prop_assert!(chars[covered..].iter().all(|c| c.is_whitespace()));
    }
}
