//! Frames and what is in them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Request, Response};
use crate::provider::{Code, ProfileSpec, ProviderError, Purpose};

const VERSION: u8 = 1;
pub(super) const HEADER_BYTES: usize = 6;
/// The largest content of a request: more than a thousand long chunks.
pub(super) const MAX_REQUEST: usize = 8 * 1024 * 1024;
/// The largest content of a response.
pub(super) const MAX_RESPONSE: usize = 64 * 1024 * 1024;

const EMBED: u8 = 1;
const RERANK: u8 = 2;
const VECTORS: u8 = 1;
const SCORES: u8 = 2;
const ERROR: u8 = 3;

/// A request for vectors, with the time that the caller has.
#[derive(Serialize, Deserialize)]
struct EmbedBody {
    spec: ProfileSpec,
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
        Request::Embed { spec, texts, purpose } => {
            let is_query = *purpose == Purpose::Query;
            let (spec, texts) = (spec.clone(), texts.clone());
            (EMBED, serde_json::to_vec(&EmbedBody { spec, texts, is_query, deadline_ms }))
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
        EMBED => {
            let body: EmbedBody =
                serde_json::from_slice(content).map_err(|_| garbled("the request cannot be understood"))?;
            let purpose = if body.is_query { Purpose::Query } else { Purpose::Document };
            let EmbedBody { spec, texts, deadline_ms, .. } = body;
            Ok((Request::Embed { spec, texts, purpose }, Duration::from_millis(deadline_ms)))
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
        Ok(Response::Vectors { vectors, tokens, fingerprint }) => {
            let (length, name) = (fingerprint.len() as u16, fingerprint.as_bytes());
            framed(VECTORS, &[&length.to_le_bytes(), name, &vector_bytes(vectors, *tokens)].concat())
        }
        Ok(Response::Scores { scores, tokens }) => {
            let rows: Vec<Vec<f32>> = scores.iter().map(|score| vec![*score]).collect();
            framed(SCORES, &vector_bytes(&rows, *tokens))
        }
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
            let (fingerprint, content) = read_name(content).ok_or_else(garbled)?;
            let (vectors, tokens) = read_vectors(content).ok_or_else(garbled)?;
            Ok(Response::Vectors { vectors, tokens, fingerprint })
        }
        // Rows of one number.
        SCORES => match read_vectors(content) {
            Some((rows, tokens)) if rows.iter().all(|row| row.len() == 1) => {
                Ok(Response::Scores { scores: rows.concat(), tokens })
            }
            _ => Err(garbled()),
        },
        ERROR => {
            let body: ErrorBody = serde_json::from_slice(content).map_err(|_| garbled())?;
            let code = Code::from_name(&body.code).ok_or_else(garbled)?;
            Err(ProviderError { hint: body.hint, ..ProviderError::new(code, body.message) })
        }
        _ => Err(garbled()),
    }
}

/// A length and so many bytes of text; gives the rest, too.
fn read_name(content: &[u8]) -> Option<(String, &[u8])> {
    let (length, rest) = content.split_first_chunk::<2>()?;
    let (name, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    Some((std::str::from_utf8(name).ok()?.to_owned(), rest))
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

    fn vectors(vectors: Vec<Vec<f32>>, tokens: u64, fingerprint: &str) -> Response {
        Response::Vectors { vectors, tokens, fingerprint: fingerprint.into() }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let spec = ProfileSpec {
            provider: "local".into(),
            model: "m".into(),
            dims: 2,
            config: serde_json::json!({"max_tokens": 8}),
        };
        let embed = Request::Embed { spec, texts: vec!["ä".into(), String::new()], purpose: Purpose::Query };
        let rerank = Request::Rerank { query: "ö?".into(), texts: vec!["ü".into()] };
        for request in [embed, rerank] {
            let frame = write_request(&request, Duration::from_secs(3)).unwrap();
            let (kind, content) = parts(&frame);
            assert_eq!(read_request(kind, content).unwrap().0, request);
        }
        let failed = ProviderError::new(Code::ModelBroken, "no such file").with_hint("look");
        for response in [
            Ok(vectors(vec![vec![1.5, -2.0], vec![0.0, 3.0]], 9, "abc")),
            Ok(vectors(vec![], 0, "")),
            Ok(Response::Scores { scores: vec![0.5, 0.25], tokens: 4 }),
            Ok(Response::Scores { scores: vec![], tokens: 0 }),
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
            if let Ok(Response::Vectors { vectors, fingerprint, .. }) = read_response(VECTORS, &content) {
                proptest::prop_assert_eq!(vectors.concat().len() * 4 + 18 + fingerprint.len(), content.len());
            }
        }
    }

    #[test]
    fn no_bytes_can_do_harm() {
        let frame = write_response(&Ok(vectors(vec![vec![1.0, 2.0]], 3, "")));
        let (kind, content) = parts(&frame);
        for end in 0..content.len() {
            assert!(read_response(kind, &content[..end]).is_err());
        }
        let mut huge = content.to_vec();
        huge[10..18].fill(0xff);
        assert!(read_response(kind, &huge).is_err());
        // Rows of no numbers take no bytes: their count must not be believed.
        huge[14..18].fill(0);
        assert!(read_response(kind, &huge[..18]).is_err());
        // Nor that of the name.
        huge[..2].fill(0xff);
        assert!(read_response(kind, &huge).is_err());
        for kind in 0..=255 {
            assert!(read_response(kind, b"[]").is_err());
            assert!(read_request(kind, b"[]").is_err());
        }
        assert!(Header::parse([VERSION, 1, 0xff, 0xff, 0xff, 0xff], MAX_REQUEST).is_err());
        assert!(Header::parse([VERSION + 1, 1, 0, 0, 0, 0], MAX_REQUEST).is_err());
    }
}
