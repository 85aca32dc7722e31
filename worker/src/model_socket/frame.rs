//! Frames and what is in them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Request, Response, Status};
use crate::provider::{Code, ProviderError, Purpose};

const VERSION: u8 = 1;
pub(super) const HEADER_BYTES: usize = 6;
/// The largest content of a request: more than a thousand long chunks.
pub(super) const MAX_REQUEST: usize = 8 * 1024 * 1024;
/// The largest content of a response.
pub(super) const MAX_RESPONSE: usize = 64 * 1024 * 1024;

const EMBED: u8 = 1;
const ASK_STATUS: u8 = 2;
const RERANK: u8 = 3;
const VECTORS: u8 = 1;
const STATUS: u8 = 2;
const ERROR: u8 = 3;
const SCORES: u8 = 4;

/// A request for vectors, with the time that the caller has.
#[derive(Serialize, Deserialize)]
struct EmbedBody {
    texts: Vec<String>,
    is_query: bool,
    deadline_ms: u64,
}

/// A request for scores, with the time that the caller has.
#[derive(Serialize, Deserialize)]
struct RerankBody {
    query: String,
    texts: Vec<String>,
    deadline_ms: u64,
}

#[derive(Serialize, Deserialize)]
struct ErrorBody {
    code: String,
    message: String,
    hint: Option<String>,
}

/// What a header says about the content behind it.
pub(super) struct Header {
    pub kind: u8,
    pub length: usize,
}

impl Header {
    /// Reads a header, given what content may at most follow it.
    pub fn parse(bytes: [u8; HEADER_BYTES], max: usize) -> Result<Self, ProviderError> {
        let [version, kind, a, b, c, d] = bytes;
        if version != VERSION {
            return Err(garbled("another version of the protocol is spoken")
                .with_hint("restart the server after an upgrade of pg_memento"));
        }
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        match length <= max {
            true => Ok(Self { kind, length }),
            false => Err(garbled("a message over the model's socket is too large")),
        }
    }
}

fn framed(kind: u8, content: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER_BYTES + content.len());
    frame.extend([VERSION, kind]);
    frame.extend((content.len() as u32).to_le_bytes());
    frame.extend(content);
    frame
}

pub(super) fn write_request(request: &Request, time: Duration) -> Result<Vec<u8>, ProviderError> {
    let deadline_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let (kind, content) = match request {
        Request::Status => (ASK_STATUS, Ok(Vec::new())),
        Request::Embed { texts, purpose } => {
            let is_query = *purpose == Purpose::Query;
            (EMBED, serde_json::to_vec(&EmbedBody { texts: texts.clone(), is_query, deadline_ms }))
        }
        Request::Rerank { query, texts } => {
            let body = RerankBody { query: query.clone(), texts: texts.clone(), deadline_ms };
            (RERANK, serde_json::to_vec(&body))
        }
    };
    let content = content.map_err(|_| garbled("the request cannot be written"))?;
    if content.len() > MAX_REQUEST {
        return Err(ProviderError::new(
            Code::InputRefused,
            format!("the texts have more than {MAX_REQUEST} bytes"),
        )
        .with_hint("ask for fewer texts at a time"));
    }
    Ok(framed(kind, &content))
}

/// A request, and the time that the caller has.
pub(super) fn read_request(kind: u8, content: &[u8]) -> Result<(Request, Duration), ProviderError> {
    match kind {
        ASK_STATUS if content.is_empty() => Ok((Request::Status, Duration::ZERO)),
        EMBED => {
            let body: EmbedBody =
                serde_json::from_slice(content).map_err(|_| garbled("the request cannot be understood"))?;
            let purpose = if body.is_query { Purpose::Query } else { Purpose::Document };
            Ok((Request::Embed { texts: body.texts, purpose }, Duration::from_millis(body.deadline_ms)))
        }
        RERANK => {
            let body: RerankBody =
                serde_json::from_slice(content).map_err(|_| garbled("the request cannot be understood"))?;
            let RerankBody { query, texts, deadline_ms } = body;
            Ok((Request::Rerank { query, texts }, Duration::from_millis(deadline_ms)))
        }
        _ => Err(garbled("the request cannot be understood")),
    }
}

pub(super) fn write_response(response: &Result<Response, ProviderError>) -> Vec<u8> {
    match response {
        Ok(Response::Vectors { vectors, tokens }) => framed(VECTORS, &vector_bytes(vectors, *tokens)),
        Ok(Response::Scores { scores, tokens }) => {
            let rows: Vec<Vec<f32>> = scores.iter().map(|score| vec![*score]).collect();
            framed(SCORES, &vector_bytes(&rows, *tokens))
        }
        Ok(Response::Status(status)) => framed(STATUS, &serde_json::to_vec(status).unwrap_or_default()),
        Err(error) => {
            let ProviderError { code, message, hint, .. } = error.clone();
            let body = ErrorBody { code: code.name().into(), message, hint };
            framed(ERROR, &serde_json::to_vec(&body).unwrap_or_default())
        }
    }
}

/// Tokens, count, length of each, then the numbers.
fn vector_bytes(vectors: &[Vec<f32>], tokens: u64) -> Vec<u8> {
    let dims = vectors.first().map_or(0, Vec::len);
    let mut content = Vec::with_capacity(16 + vectors.len() * dims * 4);
    content.extend(tokens.to_le_bytes());
    content.extend((vectors.len() as u32).to_le_bytes());
    content.extend((dims as u32).to_le_bytes());
    content.extend(vectors.iter().flatten().flat_map(|number| number.to_le_bytes()));
    content
}

pub(super) fn read_response(kind: u8, content: &[u8]) -> Result<Response, ProviderError> {
    let garbled = || garbled("the response of the local model cannot be understood");
    match kind {
        VECTORS => {
            let (vectors, tokens) = read_vectors(content).ok_or_else(garbled)?;
            Ok(Response::Vectors { vectors, tokens })
        }
        // Rows of one number.
        SCORES => match read_vectors(content) {
            Some((rows, tokens)) if rows.iter().all(|row| row.len() == 1) => {
                Ok(Response::Scores { scores: rows.concat(), tokens })
            }
            _ => Err(garbled()),
        },
        STATUS => {
            let status: Status = serde_json::from_slice(content).map_err(|_| garbled())?;
            Ok(Response::Status(status))
        }
        ERROR => {
            let body: ErrorBody = serde_json::from_slice(content).map_err(|_| garbled())?;
            let code = Code::from_name(&body.code).ok_or_else(garbled)?;
            Err(ProviderError { code, message: body.message, hint: body.hint, retry_after: None })
        }
        _ => Err(garbled()),
    }
}

fn read_vectors(content: &[u8]) -> Option<(Vec<Vec<f32>>, u64)> {
    let (tokens, rest) = content.split_first_chunk::<8>()?;
    let (count, rest) = rest.split_first_chunk::<4>()?;
    let (dims, rest) = rest.split_first_chunk::<4>()?;
    let (count, dims) = (u32::from_le_bytes(*count) as usize, u32::from_le_bytes(*dims) as usize);
    let is_whole = count.checked_mul(dims)?.checked_mul(4)? == rest.len() && (dims > 0 || count == 0);
    let number = |bytes: &[u8]| Some(f32::from_le_bytes(bytes.try_into().ok()?));
    let row = |row: &[u8]| row.chunks_exact(4).map(number).collect::<Option<Vec<f32>>>();
    let vectors = match is_whole {
        true => rest.chunks_exact((dims * 4).max(1)).map(row).collect::<Option<Vec<_>>>()?,
        false => return None,
    };
    Some((vectors, u64::from_le_bytes(*tokens)))
}

fn garbled(message: &str) -> ProviderError {
    ProviderError::new(Code::BadAnswer, message)
        .with_hint("this is a bug in pg_memento, or another program uses its socket")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(frame: &[u8]) -> (u8, &[u8]) {
        let (header, content) = frame.split_first_chunk().unwrap();
        let header = Header::parse(*header, MAX_RESPONSE).unwrap();
        assert_eq!(header.length, content.len());
        (header.kind, content)
    }

    #[test]
    fn what_is_written_can_be_read() {
        let embed = Request::Embed { texts: vec!["ä".into(), String::new()], purpose: Purpose::Query };
        let rerank = Request::Rerank { query: "ö?".into(), texts: vec!["ü".into()] };
        for request in [embed, rerank, Request::Status] {
            let frame = write_request(&request, Duration::from_secs(3)).unwrap();
            let (kind, content) = parts(&frame);
            assert_eq!(read_request(kind, content).unwrap().0, request);
        }
        let failed = ProviderError::new(Code::ModelBroken, "no such file").with_hint("look");
        for response in [
            Ok(Response::Vectors { vectors: vec![vec![1.5, -2.0], vec![0.0, 3.0]], tokens: 9 }),
            Ok(Response::Vectors { vectors: vec![], tokens: 0 }),
            Ok(Response::Scores { scores: vec![0.5, 0.25], tokens: 4 }),
            Ok(Response::Scores { scores: vec![], tokens: 0 }),
            Ok(Response::Status(Status::failed(&failed))),
            Err(failed),
        ] {
            let frame = write_response(&response);
            let (kind, content) = parts(&frame);
            assert_eq!(read_response(kind, content), response);
        }
    }

    proptest::proptest! {
        #[test]
        fn random_bytes_are_refused_or_read(header: [u8; HEADER_BYTES], kind: u8, content: Vec<u8>) {
            let _ = Header::parse(header, MAX_REQUEST);
            let _ = read_request(kind, &content);
            if let Ok(Response::Vectors { vectors, .. }) = read_response(VECTORS, &content) {
                proptest::prop_assert_eq!(vectors.concat().len() * 4 + 16, content.len());
            }
        }
    }

    #[test]
    fn no_bytes_can_do_harm() {
        let vectors = Ok(Response::Vectors { vectors: vec![vec![1.0, 2.0]], tokens: 3 });
        let frame = write_response(&vectors);
        let (kind, content) = parts(&frame);
        for end in 0..content.len() {
            assert!(read_response(kind, &content[..end]).is_err());
        }
        let mut huge = content.to_vec();
        huge[8..16].fill(0xff);
        assert!(read_response(kind, &huge).is_err());
        // Rows of no numbers take no bytes: their count must not be believed.
        huge[12..16].fill(0);
        assert!(read_response(kind, &huge[..16]).is_err());
        for kind in 0..=255 {
            assert!(read_response(kind, b"[]").is_err());
            assert!(read_request(kind, b"[]").is_err());
        }
        assert!(Header::parse([VERSION, 1, 0xff, 0xff, 0xff, 0xff], MAX_REQUEST).is_err());
        assert!(Header::parse([VERSION + 1, 1, 0, 0, 0, 0], MAX_REQUEST).is_err());
    }
}
