//! What the lane of vectors misses when filters or projects take most of the index away, beside reading all vectors, and beside
//! pgvector's own relaxed iterative scan.
//!
//! Vectors are points of a space of 24 dimensions around 300 centres, turned into 384 dimensions with a little noise: as those of
//! models they have far fewer directions than numbers. In one index: a project of 60,000, ten of 2,000, 20,000 of two. Queries are
//! points of the same kind; their texts have no word that is anywhere, so that only this lane answers. A model over HTTP gives
//! their vectors, which is part of our time and not of pgvector's.

use std::time::Instant;

use postgres::Client;
use serde_json::json;

use super::latency::{percentile, use_project};
use super::random::{Random, unit};
use super::scene::{self, DIMS, Scene, execute};
use crate::fake_endpoint::{FakeEndpoint, Reply};

const LATENT: usize = 24;
const CENTRES: usize = 300;
const QUERIES: u64 = 60;
const K: usize = 10;

const LARGE: usize = 60_000;
const TENANTS: (usize, usize) = (10, 2_000);
const SMALL_TENANTS: (usize, usize) = (20_000, 2);

/// What pgvector's scan is tried with: its default, and more.
const EF_SEARCH: [i32; 5] = [40, 100, 200, 400, 1000];

/// A project and the tag that is asked for, if any.
const CASES: [(&str, Option<&str>); 7] = [
    ("large", None),
    ("large", Some("half")),
    ("large", Some("tenth")),
    ("large", Some("hundredth")),
    ("large", Some("thousandth")),
    ("tenant 7", None),
    ("small 12345", None),
];

/// Prints recall and times for each case.
pub fn run() {
    let space = std::sync::Arc::new(Space::new());
    let model = space.clone();
    let endpoint = FakeEndpoint::start(move |request| {
        let texts = request.body["input"].as_array().cloned().unwrap_or_default();
        let vector = |text: &str| model.point(&mut Random::new(number_of(text)));
        let data: Vec<_> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| json!({"index": index, "embedding": vector(text.as_str().unwrap_or_default())}))
            .collect();
        Reply::json(json!({"data": data, "usage": {"total_tokens": 1}}).to_string())
    });
    let Some(Scene { cluster: _cluster, mut client }) = open(&space) else { return };
    let url = endpoint.url();
    execute(
        &mut client,
        &format!(
            "update memento.embedding_profile set config = jsonb_build_object('base_url', '{url}') where name = 'points'"
        ),
    );
    for (project, tag) in CASES {
        use_project(&mut client, project);
        measure(&mut client, &space, project, tag);
    }
}

fn open(space: &Space) -> Option<Scene> {
    Scene::open("filtered", |client| {
        execute(
            client,
            &format!(
                "select memento.embedding_profiles_upsert('points', 'openai', 'points', {DIMS}, config => '{{\"base_url\": \"http://127.0.0.1:1\"}}');
                 insert into memento.project (workspace_id, name, active_profile_id)
                 select w.workspace_id, n.name, e.profile_id
                   from memento.workspace w, memento.embedding_profile e,
                        (select 'large' as name union all select 'tenant ' || n from generate_series(1, {}) n
                         union all select 'small ' || n from generate_series(1, {}) n) n
                  where w.name = 'default' and e.name = 'points'",
                TENANTS.0, SMALL_TENANTS.0
            ),
        );
        let mut random = Random::new(1);
        let named = |kind: &'static str, (count, each): (usize, usize)| {
            (1..=count).flat_map(move |n| std::iter::repeat_n(format!("{kind} {n}"), each))
        };
        let names: Vec<String> = std::iter::repeat_n("large".to_owned(), LARGE)
            .chain(named("tenant", TENANTS))
            .chain(named("small", SMALL_TENANTS))
            .collect();
        scene::filling(client, |client| {
            let memories = names.iter().map(|name| (name.as_str(), "a text of no concern".to_owned()));
            scene::fill(client, memories, Some(&mut || space.point(&mut random)));
        });
        Some(())
    })
}

/// Where the vectors are.
struct Space {
    centres: Vec<Vec<f32>>,
    axes: Vec<Vec<f32>>,
}

impl Space {
    fn new() -> Self {
        let mut random = Random::new(99);
        Self {
            centres: (0..CENTRES).map(|_| (0..LATENT).map(|_| random.normal()).collect()).collect(),
            axes: (0..LATENT).map(|_| random.unit_vector(DIMS)).collect(),
        }
    }

    /// A point near some centre.
    fn point(&self, random: &mut Random) -> Vec<f32> {
        let centre = &self.centres[random.below(CENTRES)];
        let mut point: Vec<f32> = (0..DIMS).map(|_| 0.02 * random.normal()).collect();
        for (axis, middle) in self.axes.iter().zip(centre) {
            let along = middle + 0.7 * random.normal();
            point.iter_mut().zip(axis).for_each(|(number, part)| *number += along * part);
        }
        unit(point)
    }
}

/// A query without a word that any text has.
fn text_of(number: u64) -> String {
    format!(
        "zqx {}",
        "abcdefghij"
            .chars()
            .cycle()
            .skip(number as usize % 10)
            .take(4 + number as usize / 10)
            .collect::<String>()
    )
}

fn number_of(text: &str) -> u64 {
    (0..QUERIES).find(|number| text_of(*number) == text).map_or(7, |number| 1000 + number)
}

fn measure(client: &mut Client, space: &Space, project: &str, tag: Option<&str>) {
    let filters = tag.map_or("{}".to_owned(), |tag| json!({"tags_any": [tag]}).to_string());
    let vectors: Vec<Vec<f32>> =
        (0..QUERIES).map(|number| space.point(&mut Random::new(number_of(&text_of(number))))).collect();
    execute(client, "set hnsw.iterative_scan = off; set enable_indexscan = on");
    let exact: Vec<Vec<i64>> = vectors.iter().map(|vector| by_hand(client, vector, tag, false).0).collect();
    let (mut found, mut times, mut used) = (Vec::new(), Vec::new(), std::collections::BTreeSet::new());
    for number in 0..QUERIES {
        let statement = "select chunk_id from memento.search($1, 10, $2::text::jsonb)";
        let rows = client
            .query(statement, &[&text_of(number), &filters])
            .unwrap_or_else(|error| panic!("{error:?}"));
        found.push(rows.iter().map(|row| row.get(0)).collect());
        let statement = "select (d ->> 'milliseconds')::float8, d ->> 'used'
                           from (select memento.retrieve($1, filters => $2::text::jsonb, max_evidence_items => 3, store => false) #> '{notes,retrieval,lane_details,dense}' as d) n";
        let row = client
            .query_one(statement, &[&text_of(number), &filters])
            .unwrap_or_else(|error| panic!("{error:?}"));
        times.push(row.get::<_, Option<f64>>(0).unwrap_or(f64::NAN));
        used.insert(row.get::<_, Option<String>>(1).unwrap_or_else(|| "nothing".into()));
    }
    println!(
        "{project}, {}: ours {} ({})",
        tag.unwrap_or("all"),
        said(&exact, &found, &mut times),
        used.into_iter().collect::<Vec<_>>().join(", ")
    );
    for ef_search in EF_SEARCH {
        execute(
            client,
            &format!(
                "set hnsw.ef_search = {ef_search}; set hnsw.iterative_scan = relaxed_order; set hnsw.max_scan_tuples = 1000000"
            ),
        );
        let (mut found, mut times) = (Vec::new(), Vec::new());
        for vector in &vectors {
            let (chunks, took) = by_hand(client, vector, tag, true);
            found.push(chunks);
            times.push(took);
        }
        println!("  pgvector's relaxed scan, ef_search {ef_search}: {}", said(&exact, &found, &mut times));
    }
    execute(client, "reset hnsw.ef_search; reset hnsw.iterative_scan; reset hnsw.max_scan_tuples");
}

/// The nearest, written as an application would: with the index of vectors, or by comparing all; and how long the statement took.
fn by_hand(client: &mut Client, vector: &[f32], tag: Option<&str>, by_index: bool) -> (Vec<i64>, f64) {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    let point = format!("'[{}]'::vector({DIMS})", numbers.join(","));
    let distance = format!("e.embedding::vector({DIMS}) <=> {point}");
    // Plus zero is an order that no index has.
    let order = if by_index { distance } else { format!("({distance}) + 0") };
    let tag = tag.map_or(String::new(), |tag| format!("and i.tags && array['{tag}']"));
    let profile: uuid::Uuid = client
        .query_one("select profile_id from memento.embedding_profile where name = 'points'", &[])
        .unwrap_or_else(|error| panic!("{error:?}"))
        .get(0);
    // By its value: of a subselect the planner knows nothing, and joins thousands of rows as if they were six.
    let project: uuid::Uuid = client
        .query_one("select memento.current_project()", &[])
        .unwrap_or_else(|error| panic!("{error:?}"))
        .get(0);
    let statement = format!(
        "select e.chunk_id from memento.chunk_embedding e
           join memento.chunk c on c.project_id = e.project_id and c.chunk_id = e.chunk_id
           join memento.version v on v.project_id = c.project_id and v.version_id = c.version_id
           join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
          where e.project_id = '{project}' and e.profile_id = '{profile}' and v.is_latest and not i.archived {tag}
          order by {order} limit {K}"
    );
    let setting = if by_index { "off" } else { "on" };
    execute(client, &format!("set enable_seqscan = {setting}; set enable_sort = {setting}"));
    let started = Instant::now();
    let rows = client.query(&statement, &[]).unwrap_or_else(|error| panic!("{error:?}"));
    let took = started.elapsed().as_secs_f64() * 1e3;
    execute(client, "reset enable_seqscan; reset enable_sort");
    (rows.iter().map(|row| row.get(0)).collect(), took)
}

/// Recall, how many were short, and times.
fn said(exact: &[Vec<i64>], found: &[Vec<i64>], times: &mut [f64]) -> String {
    let pairs = exact.iter().zip(found);
    let same: usize = pairs.clone().map(|(a, b)| a.iter().filter(|chunk| b.contains(chunk)).count()).sum();
    let all: usize = exact.iter().map(Vec::len).sum();
    let short = pairs.filter(|(a, b)| b.len() < a.len()).count();
    format!(
        "recall@10 {:.4}, {short} short, p50 {:.2} ms, p95 {:.2} ms",
        same as f64 / all.max(1) as f64,
        percentile(times, 50),
        percentile(times, 95)
    )
}
