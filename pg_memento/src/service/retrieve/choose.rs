//! Which passages and events go into a pack: the best that fit, and what must be in it.

use std::collections::{BTreeMap, BTreeSet};

use memento_core::query::Intent;
use memento_core::{placing, snippet, token};
use pgrx::Uuid;
use serde_json::{Value, json};

use super::Request;
use super::pack::{Evidence, is_artifact};
use crate::ffi::server::check_for_interrupts;
use crate::service::search::gather::{Gathered, Ranked, TECH_TOKEN, looked_at};
use crate::spi::event::Quoted;
use crate::spi::search::Passage;
use crate::spi::{self, StatementResult};

/// A snippet that is shorter says nothing.
const SHORTEST_SNIPPET: usize = 40;

/// One in four pieces of evidence is an artifact, if there are others, and one in four an event, if the others prove some.
const ITEMS_PER_ARTIFACT: usize = 4;
const ITEMS_PER_EVENT: usize = 4;

/// What a pack may hold.
pub struct Budget {
    pub items: usize,
    pub chars: usize,
    pub tokens: Option<usize>,
    pub per_item: usize,
}

/// What is in a pack.
pub struct Chosen {
    pub evidence: Vec<Evidence>,
    pub events: Vec<Value>,
}

/// What is left of the characters and tokens.
#[derive(Clone, Copy)]
struct Room {
    chars: usize,
    tokens: Option<usize>,
}

impl Room {
    fn has(self, chars: usize, tokens: usize) -> bool {
        chars <= self.chars && self.tokens.is_none_or(|left| tokens <= left)
    }

    fn take(&mut self, chars: usize, tokens: usize) {
        self.chars = self.chars.saturating_sub(chars);
        self.tokens = self.tokens.map(|left| left.saturating_sub(tokens));
    }

    fn part(self, of: usize) -> Self {
        Self { chars: self.chars / of, tokens: self.tokens.map(|tokens| tokens / of) }
    }

    fn at_most(self, chars: usize) -> Self {
        Self { chars: self.chars.min(chars), ..self }
    }
}

/// A passage that may be in a pack.
struct Candidate<'a> {
    ranked: &'a Ranked,
    passage: Passage,
    call: Option<Uuid>,
}

impl Candidate<'_> {
    /// What there may be only so much of: passages of an item, or of all items of a conversation. What was made from a conversation
    /// counts for itself.
    fn group(&self) -> ([u8; 16], bool) {
        (*self.call.unwrap_or(self.passage.item_id).as_bytes(), is_artifact(&self.passage.kind))
    }
}

type Candidates<'a> = BTreeMap<i64, Candidate<'a>>;

/// Chooses what a pack holds: passages, and in some of their places events that they prove.
pub fn choose(project: Uuid, request: &Request, found: &Gathered) -> StatementResult<Chosen> {
    let candidates = candidates(project, found)?;
    let wants = found.wants();
    let items = request.budget().items;
    let (evidence, room) = fill(request, found, &candidates, &wants, items);
    let proven = proven(project, &evidence, items)?;
    let free = items - evidence.len();
    // No identifier gives way to an event.
    let share = (items / ITEMS_PER_EVENT).min(items.saturating_sub(wants.len())).min(proven.len());
    if free < share {
        let (fewer, room) = fill(request, found, &candidates, &wants, items - share);
        let proven = self::proven(project, &fewer, items)?;
        let events = fitting(proven, &fewer, room, items - fewer.len());
        if !events.is_empty() {
            return Ok(Chosen { evidence: fewer, events });
        }
    }
    let events = fitting(proven, &evidence, room, free);
    Ok(Chosen { evidence, events })
}

fn candidates(project: Uuid, found: &Gathered) -> StatementResult<Candidates<'_>> {
    let chunks = found.ranked.iter().map(|ranked| ranked.chunk_id).collect();
    let mut passages: BTreeMap<i64, Passage> =
        spi::search::passages(project, chunks)?.into_iter().map(|one| (one.chunk_id, one)).collect();
    let items = passages.values().map(|passage| passage.item_id).collect();
    let calls: BTreeMap<[u8; 16], Uuid> = spi::retrieve::calls(project, items)?
        .into_iter()
        .map(|(item, call)| (*item.as_bytes(), call))
        .collect();
    let mut candidates = Candidates::new();
    for ranked in &found.ranked {
        if let Some(passage) = passages.remove(&ranked.chunk_id) {
            let call = calls.get(passage.item_id.as_bytes()).copied();
            candidates.insert(ranked.chunk_id, Candidate { ranked, passage, call });
        }
    }
    Ok(candidates)
}

/// Takes passages in their order as long as there is room; what does not fit is shortened to what matched, or left out. Identifiers of
/// the query come first: nothing else takes their room.
fn fill(
    request: &Request,
    found: &Gathered,
    candidates: &Candidates,
    wants: &[Vec<i64>],
    items: usize,
) -> (Vec<Evidence>, Room) {
    let budget = request.budget();
    let group = |id: &i64| candidates.get(id).map(Candidate::group);
    let mut order = in_turn(&budget, found, candidates);
    let known: Vec<Vec<i64>> = wants
        .iter()
        .map(|holders| holders.iter().copied().filter(|id| candidates.contains_key(id)).collect())
        .collect();
    let needed = placing::needed(&order, items, &known, budget.per_item, group);
    let mut of_group: BTreeMap<_, usize> = BTreeMap::new();
    for id in &needed {
        *of_group.entry(group(id)).or_default() += 1;
    }
    order.retain(|id| {
        let count = of_group.entry(group(id)).or_default();
        let is_taken = !needed.contains(id) && *count < budget.per_item;
        *count += usize::from(is_taken);
        is_taken || needed.contains(id)
    });
    let (first, _) = placing::bring_in(&order, items, &needed);
    let is_first: BTreeSet<i64> = first.iter().copied().collect();
    let order: Vec<i64> =
        first.into_iter().chain(order.into_iter().filter(|id| !is_first.contains(id))).collect();

    let mut basket = Basket::new(request, candidates, items);
    let must: Vec<i64> = order.iter().copied().filter(|id| needed.contains(id)).collect();
    for (number, id) in must.iter().enumerate() {
        basket.take(*id, must.len() - number);
    }
    for id in order.iter().filter(|id| !needed.contains(id)) {
        basket.take(*id, 1);
    }
    basket.in_order(&order)
}

/// What has been taken so far.
struct Basket<'a> {
    query: &'a str,
    candidates: &'a Candidates<'a>,
    items: usize,
    /// Of a snippet: twice a fair share, so that a long passage does not take it all; and enough to say something when halves of
    /// words are cut off.
    most: usize,
    room: Room,
    taken: BTreeMap<i64, Evidence>,
}

impl<'a> Basket<'a> {
    fn new(request: &Request<'a>, candidates: &'a Candidates<'a>, items: usize) -> Self {
        let budget = request.budget();
        Self {
            query: looked_at(request.query),
            candidates,
            items,
            most: (budget.chars * 2 / budget.items).max(2 * SHORTEST_SNIPPET),
            room: Room { chars: budget.chars, tokens: budget.tokens },
            taken: BTreeMap::new(),
        }
    }

    /// Takes one if it fits: in its part of the room, or if that is too little to say anything, in all of it.
    fn take(&mut self, id: i64, one_of: usize) {
        check_for_interrupts();
        let Some(candidate) = self.candidates.get(&id) else { return };
        if self.taken.len() == self.items || self.room.chars == 0 {
            return;
        }
        let fit = |room: Room| cut_to_fit(candidate, self.query, room.at_most(self.most));
        if let Some(evidence) = fit(self.room.part(one_of)).or_else(|| fit(self.room)) {
            self.room.take(evidence.snippet.chars().count(), token::count(&evidence.snippet));
            self.taken.insert(id, evidence);
        }
    }

    fn in_order(mut self, order: &[i64]) -> (Vec<Evidence>, Room) {
        (order.iter().filter_map(|id| self.taken.remove(id)).collect(), self.room)
    }
}

/// The passages in the order in which they get their places. As seed 002 has it, one in four is an artifact at most as long as there
/// is something else, unless the query asks for what artifacts hold.
fn in_turn(budget: &Budget, found: &Gathered, candidates: &Candidates) -> Vec<i64> {
    let asks_for_artifacts = [Intent::Decision, Intent::ActionItems].contains(&found.analysis.intent);
    let share = budget.items.div_ceil(ITEMS_PER_ARTIFACT);
    let most = if asks_for_artifacts { usize::MAX } else { share };
    let mut artifacts = 0;
    let there = found.ranked.iter().filter_map(|ranked| candidates.get(&ranked.chunk_id));
    let (first, rest): (Vec<&Candidate>, Vec<&Candidate>) = there.partition(|candidate| {
        let is_artifact = is_artifact(&candidate.passage.kind);
        artifacts += usize::from(is_artifact);
        !is_artifact || artifacts <= most
    });
    first.into_iter().chain(rest).map(|candidate| candidate.ranked.chunk_id).collect()
}

/// What of a passage fits; none if that says nothing. Tokens are counted, not guessed: it is cut until they are few enough.
fn cut_to_fit(candidate: &Candidate, query: &str, room: Room) -> Option<Evidence> {
    let whole = candidate.passage.excerpt.chars().count();
    let mut most = room.chars;
    loop {
        let evidence = cut(candidate, query, most);
        let length = evidence.snippet.chars().count();
        if length < SHORTEST_SNIPPET && length < whole {
            return None;
        }
        let cost = token::count(&evidence.snippet);
        match room.tokens {
            Some(left) if cost > left => most = (length * left / cost).min(length - 1),
            _ => return Some(evidence),
        }
    }
}

/// A span around what matched, and around the identifiers of the query first.
fn cut(candidate: &Candidate, query: &str, most: usize) -> Evidence {
    let Candidate { ranked, passage, call } = candidate;
    let tokens = ranked.lanes[TECH_TOKEN]["tokens"].as_array();
    let identifiers: Vec<&str> = tokens.into_iter().flatten().filter_map(Value::as_str).collect();
    let span = snippet::span(&passage.excerpt, query, &identifiers, most);
    let snippet = passage.excerpt.chars().skip(span.start).take(span.len()).collect();
    let offset = |chars: usize| passage.start_char + i32::try_from(chars).unwrap_or(0);
    Evidence {
        snippet,
        start_char: offset(span.start),
        end_char: offset(span.end),
        score: ranked.score,
        lanes: ranked.lanes.clone(),
        passage: passage.clone(),
        call: *call,
    }
}

/// The events that passages prove, each with its quote, in the order of the passages.
fn proven(project: Uuid, evidence: &[Evidence], most: usize) -> StatementResult<Vec<Quoted>> {
    let chunks = evidence.iter().map(|one| one.passage.chunk_id).collect();
    spi::event::of_chunks(project, chunks, i32::try_from(most).unwrap_or(i32::MAX))
}

/// As many of them as fit.
fn fitting(proven: Vec<Quoted>, evidence: &[Evidence], mut room: Room, most: usize) -> Vec<Value> {
    let mut fitting = Vec::new();
    for quoted in proven {
        let Ok(mut seen) = quoted.seen.parse() else { continue };
        let tokens = |name: &str| seen[name].as_str().map_or(0, token::count);
        let cost =
            (usize::try_from(quoted.chars).unwrap_or(usize::MAX), tokens("narrative") + tokens("quote"));
        if fitting.len() == most || !room.has(cost.0, cost.1) {
            continue;
        }
        room.take(cost.0, cost.1);
        let source = evidence.iter().find(|one| one.passage.chunk_id == quoted.chunk);
        seen["why_relevant"] = json!(source.map(|one| format!("is said in {}", one.evidence_id())));
        fitting.push(seen);
    }
    fitting
}
