//! The APIs as their providers serve them: right answers, and wrong ones in the same form.

use serde_json::{Value, json};

use super::{Reply, Request};

/// The length of the vectors that all fake models give.
pub const DIMS: usize = 8;

/// What is wrong with the content of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    OneLess,
    OneMore,
    SameIndexTwice,
    WrongDims,
    NotANumber,
    TooBigANumber,
    Null,
    Zero,
    NotJson,
    OtherJson,
}

/// The APIs that give vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    OpenAi,
    Voyage,
    VoyageContext,
    Jina,
    Tei,
}

/// The vector that a fake model gives for a text: something that depends on every character.
pub fn vector_of(text: &str) -> Vec<f32> {
    let mut vector = vec![1.0_f32; DIMS];
    for (at, byte) in text.bytes().enumerate() {
        vector[at % DIMS] += f32::from(byte) / 16.0;
    }
    vector
}

/// The score that a fake model gives for a text.
pub fn score_of(text: &str) -> f32 {
    1.0 / (1.0 + text.len() as f32)
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The answer of an API to a request for vectors.
pub fn vectors(api: Api, request: &Request, fault: Fault) -> Reply {
    let grouped = api == Api::VoyageContext;
    let groups: Vec<Vec<String>> = match api {
        Api::OpenAi | Api::Voyage | Api::Jina => vec![strings(&request.body["input"])],
        Api::Tei => vec![strings(&request.body["inputs"])],
        Api::VoyageContext => request.body["inputs"].as_array().unwrap().iter().map(strings).collect(),
    };
    let lists: Vec<Value> =
        groups.iter().map(|texts| list_of_vectors(texts, fault, api != Api::Tei)).collect();
    let body = match grouped {
        true => {
            let mut documents: Vec<_> = lists
                .into_iter()
                .enumerate()
                .map(|(index, list)| json!({"object": "list", "data": list, "index": index}))
                .collect();
            documents.reverse();
            json!({"object": "list", "data": documents, "usage": {"total_tokens": 7}})
        }
        false if api == Api::Tei => lists[0].clone(),
        false => json!({"object": "list", "data": lists[0], "usage": {"total_tokens": 7}}),
    };
    finish(body, fault)
}

/// Numbered vectors in reverse order, to see whether anybody looks at the numbers; or bare ones in order.
fn list_of_vectors(texts: &[String], fault: Fault, numbered: bool) -> Value {
    let mut vectors: Vec<Value> = texts.iter().map(|text| json!(vector_of(text))).collect();
    match fault {
        Fault::WrongDims => vectors[0] = json!(vec![0.5; DIMS + 1]),
        Fault::NotANumber => vectors[0][0] = json!("@"),
        Fault::TooBigANumber => vectors[0][0] = json!(1e39),
        Fault::Null => vectors[0][0] = Value::Null,
        Fault::Zero => vectors[0] = json!(vec![0.0; DIMS]),
        _ => {}
    }
    let mut indexes: Vec<usize> = (0..texts.len()).collect();
    change_count(&mut vectors, &mut indexes, fault);
    if !numbered {
        return vectors.into();
    }
    let item = |(embedding, index)| json!({"object": "embedding", "embedding": embedding, "index": index});
    vectors.into_iter().zip(indexes).map(item).rev().collect()
}

fn change_count(items: &mut Vec<Value>, indexes: &mut Vec<usize>, fault: Fault) {
    match fault {
        Fault::OneLess => drop((items.pop(), indexes.pop())),
        Fault::OneMore => {
            items.push(items[0].clone());
            indexes.push(indexes.len());
        }
        Fault::SameIndexTwice => {
            items.push(items[0].clone());
            indexes.push(0);
        }
        _ => {}
    }
}

/// The APIs that give scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RerankApi {
    Jina,
    Voyage,
    Tei,
}

/// The answer of an API to a request for scores.
pub fn scores(api: RerankApi, request: &Request, fault: Fault) -> Reply {
    let texts = strings(&request.body[if api == RerankApi::Tei { "texts" } else { "documents" }]);
    let mut scores: Vec<Value> = texts.iter().map(|text| json!(score_of(text))).collect();
    match fault {
        Fault::NotANumber => scores[0] = json!("@"),
        Fault::TooBigANumber => scores[0] = json!(1e39),
        Fault::Null => scores[0] = Value::Null,
        _ => {}
    }
    let mut indexes: Vec<usize> = (0..texts.len()).collect();
    change_count(&mut scores, &mut indexes, fault);
    let name = if api == RerankApi::Tei { "score" } else { "relevance_score" };
    let list: Value =
        scores.into_iter().zip(indexes).map(|(score, at)| json!({"index": at, name: score})).rev().collect();
    let body = match api {
        RerankApi::Tei => list,
        RerankApi::Jina => json!({"model": "m", "results": list, "usage": {"total_tokens": 7}}),
        RerankApi::Voyage => json!({"object": "list", "data": list, "usage": {"total_tokens": 7}}),
    };
    finish(body, fault)
}

/// What JSON cannot say is put in afterwards.
fn finish(body: Value, fault: Fault) -> Reply {
    Reply::json(match fault {
        Fault::NotJson => format!("{body}]"),
        Fault::OtherJson => json!({"error": "none"}).to_string(),
        Fault::NotANumber => body.to_string().replace("\"@\"", "NaN"),
        _ => body.to_string(),
    })
}
