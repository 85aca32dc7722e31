//! One connection: a question is read, answered text by text, and the answer is written.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::super::frame::{self, HEADER_BYTES, Header, MAX_REQUEST};
use super::super::{Request, Response};
use super::Shared;
use crate::provider::{Code, EmbedRequest, ProviderError, Usage};

/// The longest that anybody can ask to be worked for.
const LONGEST: Duration = Duration::from_secs(600);

/// Serves a connection to its end. What goes wrong with it concerns the client alone.
pub(super) fn answer(mut stream: UnixStream, shared: &Shared) {
    let response = match read_request(&mut stream, shared) {
        Ok(Some((request, time))) => {
            let deadline = Instant::now() + time.min(LONGEST);
            let Some(response) = run(&mut stream, shared, &request, deadline) else { return };
            response
        }
        Ok(None) => return,
        Err(error) => Err(error),
    };
    let until = Instant::now() + shared.options.io_time;
    drop(write_all(&mut stream, &frame::write_response(&response), until));
}

/// None: the client has gone away, or was too slow.
fn read_request(
    stream: &mut UnixStream,
    shared: &Shared,
) -> Result<Option<(Request, Duration)>, ProviderError> {
    let until = Instant::now() + shared.options.io_time;
    let mut header = [0; HEADER_BYTES];
    if read_exact(stream, &mut header, until).is_err() {
        return Ok(None);
    }
    let header = Header::parse(header, MAX_REQUEST)?;
    let mut content = vec![0; header.length];
    match read_exact(stream, &mut content, until) {
        Ok(()) => frame::read_request(header.kind, &content).map(Some),
        Err(_) => Ok(None),
    }
}

/// Runs a model. None: nobody waits for the answer any more.
fn run(
    stream: &mut UnixStream,
    shared: &Shared,
    request: &Request,
    deadline: Instant,
) -> Option<Result<Response, ProviderError>> {
    match request {
        Request::Embed { spec, texts, purpose } => {
            let model = match shared.models.of(spec).get(deadline) {
                Ok(model) => model,
                Err(error) => return Some(Err(error)),
            };
            let embed = |text: &[String]| {
                let asked = EmbedRequest { texts: text, purpose: *purpose, contextual: false };
                model.embed(&asked).map(|embedded| (embedded.vectors, embedded.usage))
            };
            let answer = one_by_one(stream, shared, texts, deadline, embed)?;
            let fingerprint = model.fingerprint().unwrap_or_default();
            Some(answer.map(|(vectors, tokens)| Response::Vectors { vectors, tokens, fingerprint }))
        }
        Request::Rerank { query, texts } => {
            let model = match shared.reranker.get(deadline) {
                Ok(model) => model,
                Err(error) => return Some(Err(error)),
            };
            let rerank =
                |text: &[String]| model.rerank(query, text).map(|reranked| (reranked.scores, reranked.usage));
            let answer = one_by_one(stream, shared, texts, deadline, rerank)?;
            Some(answer.map(|(scores, tokens)| Response::Scores { scores, tokens }))
        }
    }
}

/// One text at a time: others get their turn in between, and nobody is worked for who has gone away. None in that case; else what
/// the model gave for each text, and how many tokens that took.
fn one_by_one<T>(
    stream: &mut UnixStream,
    shared: &Shared,
    texts: &[String],
    deadline: Instant,
    work: impl Fn(&[String]) -> Result<(Vec<T>, Usage), ProviderError>,
) -> Option<Result<(Vec<T>, u64), ProviderError>> {
    let mut given = Vec::with_capacity(texts.len());
    let mut tokens = 0;
    for text in texts.chunks(1) {
        if shared.stopping.load(Ordering::SeqCst) || has_left(stream) {
            return None;
        }
        if Instant::now() >= deadline {
            return Some(Err(ProviderError::new(
                Code::Timeout,
                "the local model had not enough time for all texts",
            )
            .with_hint("give it fewer texts at a time, or more time")));
        }
        match work(text) {
            Ok((one, usage)) => {
                tokens += usage.tokens.unwrap_or(0);
                given.extend(one);
            }
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok((given, tokens)))
}

/// A client says nothing after its question, so whatever can be read is the end of the connection.
fn has_left(stream: &mut UnixStream) -> bool {
    let looked = stream.set_nonblocking(true).and_then(|()| stream.read(&mut [0]));
    let is_open = looked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    stream.set_nonblocking(false).is_err() || !is_open
}

/// Like the standard library's, with a limit for the whole and not for each step.
fn read_exact(stream: &mut UnixStream, mut buffer: &mut [u8], until: Instant) -> std::io::Result<()> {
    while !buffer.is_empty() {
        stream.set_read_timeout(Some(remaining(until)?))?;
        match stream.read(buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => buffer = &mut buffer[read..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn write_all(stream: &mut UnixStream, mut buffer: &[u8], until: Instant) -> std::io::Result<()> {
    while !buffer.is_empty() {
        stream.set_write_timeout(Some(remaining(until)?))?;
        match stream.write(buffer) {
            Ok(written) => buffer = &buffer[written..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn remaining(until: Instant) -> std::io::Result<Duration> {
    match until.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(ErrorKind::TimedOut.into()),
        left => Ok(left),
    }
}
