//! Asking. Nothing here waits for longer than it was told to, so that a backend can look for interrupts in between.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use socket2::{Domain, SockAddr, Socket, Type};

use super::frame::{self, HEADER_BYTES, Header, MAX_RESPONSE};
use super::{Request, Response};
use crate::provider::{
    BatchLimits, Code, EmbedRequest, Embedded, Embedder, ProfileSpec, ProviderError, Usage, check_vectors,
};

/// One question and, in the end, one answer.
pub struct Call {
    stream: UnixStream,
    outgoing: Vec<u8>,
    sent: usize,
    incoming: Vec<u8>,
    deadline: Instant,
}

impl Call {
    /// Connects, without waiting. `time` is how long the answer may take.
    pub fn start(path: &Path, request: &Request, time: Duration) -> Result<Self, ProviderError> {
        let outgoing = frame::write_request(request, time)?;
        let stream = connect(path).map_err(|error| no_connection(error.kind()))?;
        let now = Instant::now();
        let deadline = now.checked_add(time).unwrap_or(now + Duration::from_secs(86_400));
        Ok(Self { stream, outgoing, sent: 0, incoming: Vec::new(), deadline })
    }

    /// Waits for the answer, no longer than `timeout`, or until a signal arrives. None: not yet, call again.
    pub fn poll(&mut self, timeout: Duration) -> Result<Option<Response>, ProviderError> {
        let until = (Instant::now() + timeout.min(Duration::from_secs(3600))).min(self.deadline);
        loop {
            let progress = match self.sent < self.outgoing.len() {
                true => self.send(until),
                false => self.receive(until),
            };
            match progress {
                Ok(()) => {}
                Err(error) if is_not_yet(error.kind()) => return self.check_deadline(),
                Err(_) => return Err(gone()),
            }
            if let Some(response) = self.whole_response()? {
                return Ok(Some(response));
            }
        }
    }

    /// Waits for the answer.
    pub fn wait(mut self) -> Result<Response, ProviderError> {
        loop {
            if let Some(response) = self.poll(Duration::from_secs(3600))? {
                return Ok(response);
            }
        }
    }

    fn send(&mut self, until: Instant) -> std::io::Result<()> {
        self.stream.set_write_timeout(Some(remaining(until)))?;
        match self.stream.write(&self.outgoing[self.sent..]) {
            Ok(written) => self.sent += written,
            // The server may have refused without reading to the end; it has said why.
            Err(error) if is_refusal(error.kind()) => self.sent = self.outgoing.len(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn receive(&mut self, until: Instant) -> std::io::Result<()> {
        self.stream.set_read_timeout(Some(remaining(until)))?;
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            read => {
                self.incoming.extend(&buffer[..read]);
                Ok(())
            }
        }
    }

    fn whole_response(&self) -> Result<Option<Response>, ProviderError> {
        let Some((header, content)) = self.incoming.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let header = Header::parse(*header, MAX_RESPONSE)?;
        match content.get(..header.length) {
            Some(content) => frame::read_response(header.kind, content).map(Some),
            None => Ok(None),
        }
    }

    fn check_deadline(&self) -> Result<Option<Response>, ProviderError> {
        match Instant::now() < self.deadline {
            true => Ok(None),
            false => Err(ProviderError::new(Code::Timeout, "the local model did not answer in time")
                .with_hint("give it fewer texts at a time, or more time")),
        }
    }
}

/// A blocking connection would wait without end where the server's process is stopped and its queue is full.
fn connect(path: &Path) -> std::io::Result<UnixStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    socket.set_nonblocking(false)?;
    Ok(std::os::fd::OwnedFd::from(socket).into())
}

fn no_connection(kind: ErrorKind) -> ProviderError {
    match kind {
        ErrorKind::WouldBlock => super::server::busy(),
        _ => ProviderError::new(
            Code::ModelNotReady,
            format!("the process of the local model cannot be reached: {kind}"),
        )
        .with_hint(
            "the background worker holds the model: check that pg_memento is in shared_preload_libraries",
        ),
    }
}

fn gone() -> ProviderError {
    ProviderError::new(Code::Unavailable, "the process of the local model went away")
        .with_hint("it is started again by itself; look at the server's log if that happens often")
}

/// The other side has closed the connection.
fn is_refusal(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

/// Nothing to read or write within the time, or a signal.
fn is_not_yet(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// A time-out of zero would mean none at all.
fn remaining(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

/// How long a call with so many texts may take: the time of one, and a quarter of it for each further text.
pub fn time_for(texts: usize, one: Duration) -> Duration {
    let further = u32::try_from(texts.saturating_sub(1)).unwrap_or(u32::MAX);
    one.saturating_add((one / 4).saturating_mul(further))
}

/// The model of another process as an embedder, for workers that do not hold it themselves.
pub struct SocketEmbedder {
    path: PathBuf,
    spec: ProfileSpec,
    time: Duration,
    /// Of the model that made the last vectors.
    fingerprint: Mutex<Option<String>>,
}

impl SocketEmbedder {
    /// Asks the server at `path` for vectors by the model of a profile; see [`time_for`].
    pub fn new(path: PathBuf, spec: ProfileSpec, time: Duration) -> Self {
        Self { path, spec, time, fingerprint: Mutex::default() }
    }
}

impl Embedder for SocketEmbedder {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        let started = Instant::now();
        let (spec, texts) = (self.spec.clone(), request.texts.to_vec());
        let question = Request::Embed { spec, texts, purpose: request.purpose };
        let time = time_for(request.texts.len(), self.time);
        match Call::start(&self.path, &question, time)?.wait()? {
            Response::Vectors { vectors, tokens, fingerprint } => {
                let numbered = vectors.into_iter().enumerate();
                let vectors = check_vectors(numbered, request.texts.len(), self.spec.dims)?;
                *self.fingerprint.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(fingerprint).filter(|known| !known.is_empty());
                let usage = Usage { tokens: Some(tokens), duration: started.elapsed(), ..Usage::default() };
                Ok(Embedded { vectors, usage })
            }
            _ => Err(ProviderError::bad_answer("the local model answered something else")),
        }
    }

    fn limits(&self) -> BatchLimits {
        BatchLimits { texts: 16, tokens: 1_000_000, concurrency: 1, context_tokens: None }
    }

    fn fingerprint(&self) -> Option<String> {
        self.fingerprint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_texts_have_more_time() {
        let one = Duration::from_secs(60);
        for (texts, seconds) in [(0, 60), (1, 60), (2, 75), (16, 285)] {
            assert_eq!(time_for(texts, one), Duration::from_secs(seconds), "{texts}");
        }
        assert!(time_for(usize::MAX, one) > one);
    }
}
