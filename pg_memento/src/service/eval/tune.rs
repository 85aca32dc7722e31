//! Which factors of the lanes' weights serve a project's own labelled queries best, and what they do to queries that were not
//! looked at.

use std::collections::BTreeMap;

use memento_core::access::AccessLevel;
use memento_core::fusion::tune::{self, Tuned};
use memento_core::metric;
use memento_core::query::LaneWeights;
use serde_json::{Value, json};

use super::{EvalError, Labelled, everything, ranking, read, stored};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::service::access::{as_owner, authorize_current};
use crate::service::search::gather::{Collected, collect};
use crate::service::search::manner::Manner;
use crate::service::search::weights;
use crate::spi::StatementResult;
use crate::spi::search::Scope;

/// What lanes have found is held for all queries at once.
const MOST_QUERIES: usize = 2000;

/// Fewer prove nothing, on either side.
const LEAST_QUERIES: usize = 5;

/// A query with all that lanes have found for it.
struct Prepared<'a> {
    labelled: &'a Labelled,
    collected: Collected,
    items: BTreeMap<i64, [u8; 16]>,
}

/// The quality of a part of the queries: means.
#[derive(Default)]
struct Means {
    recall: f64,
    mrr: f64,
    ndcg: f64,
    /// Of each query.
    each: Vec<f64>,
}

/// Searches on one half of the queries and proves on the other. Changes nothing.
pub fn tune(queryset: Option<&Jsonb>, eval_set: Option<&str>, k: i32) -> Result<Value, EvalError> {
    let labelled = match (queryset, eval_set) {
        (Some(queryset), None) => read(queryset)?,
        (None, Some(name)) => stored::load(authorize_current(AccessLevel::Read)?, name)?,
        _ => return Err(EvalError::BadChoice),
    };
    let (held_out, train): (Vec<&Labelled>, Vec<&Labelled>) =
        labelled.iter().partition(|one| tune::is_held_out(&one.query));
    if labelled.len() > MOST_QUERIES {
        return Err(EvalError::TooManyToTune);
    }
    if train.len().min(held_out.len()) < LEAST_QUERIES {
        return Err(EvalError::TooFewToTune { train: train.len(), held_out: held_out.len() });
    }
    let Some(scope) = everything(k)? else { return Err(EvalError::BadChoice) };
    Ok(as_owner(|| {
        let manner = Manner { rerank: false, ..Manner::of(scope.project)? };
        let mut train = prepared(&scope, &train, k, &manner)?;
        let mut held_out = prepared(&scope, &held_out, k, &manner)?;
        let tuned = tune::search(|factors| {
            check_for_interrupts();
            let factors = LaneWeights::of(factors);
            if weights::may_be(factors) {
                means(&mut train, factors, &manner, k).ndcg
            } else {
                f64::NEG_INFINITY
            }
        });
        Ok(report(&tuned, &mut train, &mut held_out, &manner, k))
    })?)
}

fn prepared<'a>(
    scope: &Scope,
    queries: &[&'a Labelled],
    k: i32,
    manner: &Manner,
) -> StatementResult<Vec<Prepared<'a>>> {
    let prepare = |labelled: &&'a Labelled| {
        check_for_interrupts();
        let collected = collect(scope, &labelled.query, k, manner)?;
        let items =
            collected.candidates.iter().map(|(chunk, one)| (*chunk, *one.item_id.as_bytes())).collect();
        Ok(Prepared { labelled, collected, items })
    };
    queries.iter().map(prepare).collect()
}

fn means(queries: &mut [Prepared], factors: LaneWeights, manner: &Manner, k: i32) -> Means {
    let depth = usize::try_from(k).unwrap_or(0);
    let of = queries.len() as f64;
    let mut means = Means::default();
    for query in queries {
        let chunks = query.collected.with_factors(factors, manner.max_per_item, depth);
        let relevant = &query.labelled.relevant;
        let ranked = ranking(&chunks, &query.items, relevant);
        means.recall += metric::recall(&ranked, relevant, depth);
        means.mrr += metric::reciprocal_rank(&ranked, relevant, depth);
        means.each.push(metric::ndcg(&ranked, relevant, depth));
    }
    let ndcg = means.each.iter().sum::<f64>() / of;
    Means { recall: means.recall / of, mrr: means.mrr / of, ndcg, ..means }
}

fn report(
    tuned: &Tuned<{ LaneWeights::COUNT }>,
    train: &mut [Prepared],
    held_out: &mut [Prepared],
    manner: &Manner,
    k: i32,
) -> Value {
    let found = LaneWeights::of(tuned.factors);
    let part = |queries: &mut [Prepared]| {
        let [even, now, then] =
            [LaneWeights::EVEN, manner.weights, found].map(|factors| means(queries, factors, manner, k));
        let shown = |means: &Means| json!({"recall": means.recall, "mrr": means.mrr, "ndcg": means.ndcg});
        let count = |is: fn(&f64, &f64) -> bool| {
            then.each.iter().zip(&now.each).filter(|(then, now)| is(then, now)).count()
        };
        json!({
            "queries": queries.len(),
            "default": shown(&even),
            "current": shown(&now),
            "tuned": shown(&then),
            "better": count(|then, now| then > now),
            "worse": count(|then, now| then < now),
        })
    };
    let (train, held_out) = (part(train), part(held_out));
    let ndcg = |which: &str| held_out[which]["ndcg"].as_f64().unwrap_or(0.0);
    json!({
        "k": k,
        "weights": weights::shown(found),
        "current_weights": weights::shown(manner.weights),
        "tried": tuned.tried,
        // Only what also helps where nobody looked is worth having.
        "recommended": ndcg("tuned") > ndcg("current"),
        "train": train,
        "held_out": held_out,
    })
}
