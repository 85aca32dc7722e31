//! One connection: a question is read, answered text by text, and the answer is written.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::super::frame::{self, HEADER_BYTES, Header, MAX_REQUEST};
use super::super::{Request, Response};
use super::Shared;
use crate::provider::{Code, EmbedRequest, ProviderError, Purpose};

/// The longest that anybody can ask to be worked for.
const LONGEST: Duration = Duration::from_secs(600);

/// Serves a connection to its end. What goes wrong with it concerns the client alone.
pub(super) fn answer(mut stream: UnixStream, shared: &Shared) {
    let response = match read_request(&mut stream, shared) {
        Ok(Some((Request::Status, _))) => Ok(Response::Status(shared.model.status())),
        Ok(Some((Request::Embed { texts, purpose }, time))) => {
            let Some(response) =
                embed(&mut stream, shared, &texts, purpose, Instant::now() + time.min(LONGEST))
            else {
                return;
            };
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

/// One text at a time: others get their turn in between, and nobody is worked for who has gone away. None in that case.
fn embed(
    stream: &mut UnixStream,
    shared: &Shared,
    texts: &[String],
    purpose: Purpose,
    deadline: Instant,
) -> Option<Result<Response, ProviderError>> {
    let model = match shared.model.get(deadline) {
        Ok(model) => model,
        Err(error) => return Some(Err(error)),
    };
    let mut vectors = Vec::with_capacity(texts.len());
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
            .with_hint("embed fewer texts at a time, or give it more time")));
        }
        match model.embed(&EmbedRequest { texts: text, purpose, contextual: false }) {
            Ok(embedded) => {
                tokens += embedded.usage.tokens.unwrap_or(0);
                vectors.extend(embedded.vectors);
            }
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(Response::Vectors { vectors, tokens }))
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
