//! Answering: a thread that accepts, and one for each connection. An idle server uses no time at all.

mod connection;
mod listener;
mod shelf;
mod slot;

use std::collections::HashMap;
use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::SockRef;

use self::listener::OwnedSocket;
pub use self::shelf::Loader;
use self::shelf::Shelf;
use self::slot::{LoaderOf, ModelSlot};
use super::frame;
use crate::provider::{Code, ProviderError, Reranker};

/// Loads the reranker.
pub type RerankerLoader = LoaderOf<dyn Reranker>;

/// Limits of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// Connections at the same time; more are told to come again.
    pub max_connections: usize,
    /// How long a client may take to send its question or to take its answer.
    pub io_time: Duration,
    /// How soon after a failure the model is loaded again, if somebody asks.
    pub reload_after: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { max_connections: 128, io_time: Duration::from_secs(10), reload_after: Duration::from_secs(5) }
    }
}

/// What all threads of a server share.
struct Shared {
    models: Shelf,
    reranker: ModelSlot<dyn Reranker>,
    options: ServerOptions,
    stopping: AtomicBool,
    /// The open connections by number, so that stopping can end their waits.
    connections: Mutex<HashMap<u64, UnixStream>>,
    all_closed: Condvar,
}

/// A running server. It ends when it is stopped or dropped.
///
/// Its threads take over the signal mask of the thread that starts it: inside a process of Postgres, all signals must be
/// blocked while this is called, or the server's signals would land in them.
pub struct Server {
    path: PathBuf,
    shared: Arc<Shared>,
    socket: OwnedSocket,
    listener: Arc<UnixListener>,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens at `path`, for the same user only. A socket that nobody listens at is replaced. A model is loaded by the first
    /// request for it.
    pub fn start(
        path: &Path,
        loader: Loader,
        reranker: RerankerLoader,
        options: ServerOptions,
    ) -> Result<Self, ProviderError> {
        let (listener, socket) = OwnedSocket::bind(path)?;
        let listener = Arc::new(listener);
        let shared = Arc::new(Shared {
            models: Shelf::new(loader, options.reload_after),
            reranker: ModelSlot::new(reranker, options.reload_after),
            options,
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            all_closed: Condvar::new(),
        });
        let (state, accepting) = (shared.clone(), listener.clone());
        let acceptor = thread::Builder::new()
            .name("memento model".into())
            .spawn(move || accept_all(&accepting, &state))
            .map_err(|error| not_started(&format!("no thread: {}", error.kind())))?;
        Ok(Self { path: path.to_path_buf(), shared, socket, listener, acceptor: Some(acceptor) })
    }

    /// Ends all connections and waits for their threads: as long as the model needs for one text, or to be loaded.
    pub fn stop(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.models.stop();
        self.shared.reranker.stop();
        // Wakes the thread that accepts.
        drop(SockRef::from(&*self.listener).shutdown(Shutdown::Both));
        drop(acceptor.join());
        self.socket.remove(&self.path);
        let mut connections = lock(&self.shared.connections);
        connections.values().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
        while !connections.is_empty() {
            connections = self.shared.all_closed.wait(connections).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept_all(listener: &UnixListener, shared: &Arc<Shared>) {
    for number in 0.. {
        let accepted = listener.accept();
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        match accepted {
            Ok((stream, _)) => serve(stream, number, shared),
            // Out of descriptors or memory: trying again at once would only burn time.
            Err(_) => thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Hands a connection to a thread of its own, or turns it away.
fn serve(stream: UnixStream, number: u64, shared: &Arc<Shared>) {
    let Ok(copy) = stream.try_clone() else { return };
    {
        let mut connections = lock(&shared.connections);
        if connections.len() >= shared.options.max_connections {
            drop(connections);
            return turn_away(stream);
        }
        connections.insert(number, copy);
    }
    let guard = Registered { number, shared: shared.clone() };
    let thread = thread::Builder::new().name("memento call".into());
    // If there is no thread to be had, the guard is dropped with the closure, and the client sees the connection close.
    drop(thread.spawn(move || connection::answer(stream, &guard.shared)));
}

/// Takes a connection off the list when its thread ends, however it ends.
struct Registered {
    number: u64,
    shared: Arc<Shared>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut connections = lock(&self.shared.connections);
        connections.remove(&self.number);
        if connections.is_empty() {
            self.shared.all_closed.notify_all();
        }
    }
}

/// A few bytes fit into the buffer of a new connection, so this does not wait.
fn turn_away(mut stream: UnixStream) {
    drop(stream.set_nonblocking(true));
    drop(stream.write(&frame::write_response(&Err(busy()))));
}

pub(super) fn busy() -> ProviderError {
    ProviderError::new(Code::ModelBusy, "too many ask the local model at the same time")
        .with_hint("try again; a provider over HTTP serves more callers")
}

fn not_started(why: &str) -> ProviderError {
    ProviderError::new(Code::ModelBroken, format!("the socket of the local model cannot be opened: {why}"))
        .with_hint("its directory must be writable and its path shorter than 100 bytes")
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
