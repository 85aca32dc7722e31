//! Standard input and output as a transport. The SDK drops a line that is no JSON without a word; here its sender is told.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A transport over a reader and a writer.
pub struct Lines<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Readable<R>, W>,
    unreadable: UnboundedReceiver<()>,
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    /// Lines beyond `longest` bytes are dropped.
    pub fn new(input: R, output: W, longest: usize) -> Self {
        let (sender, unreadable) = unbounded_channel();
        let input = Readable {
            input: BufReader::new(input),
            line: Vec::new(),
            passed: 0,
            is_whole: false,
            is_too_long: false,
            longest,
            unreadable: sender,
        };
        let inner = AsyncRwTransport::new_server(input, output).with_max_line_length(longest);
        Self { inner, unreadable }
    }
}

/// Without an id, because none could be read: so MCP has it, where JSON-RPC writes null.
fn unreadable() -> TxJsonRpcMessage<RoleServer> {
    JsonRpcMessage::error(ErrorData::parse_error("the line is not JSON", None), None)
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = tokio::select! {
                biased;
                Some(()) = self.unreadable.recv() => {
                    // By itself, because the service stops waiting for a message whenever it has something else to do.
                    tokio::spawn(self.inner.send(unreadable()));
                    continue;
                }
                message = self.inner.receive() => message,
            };
            // At the end nobody will ask again.
            while message.is_none() && self.unreadable.try_recv().is_ok() {
                self.inner.send(unreadable()).await.ok()?;
            }
            return message;
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// The input without the lines that are no JSON; those are counted.
struct Readable<R> {
    input: BufReader<R>,
    /// What was read of a line.
    line: Vec<u8>,
    /// How much of it was handed on.
    passed: usize,
    /// Whether it may be handed on: it was looked at, or is too long for that.
    is_whole: bool,
    /// Whether what comes up to the next end of a line belongs to one that is too long.
    is_too_long: bool,
    longest: usize,
    unreadable: UnboundedSender<()>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Readable<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = &mut *self;
        while !this.is_whole {
            let available = ready!(Pin::new(&mut this.input).poll_fill_buf(context))?;
            if available.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            this.line.extend_from_slice(&available[..taken]);
            Pin::new(&mut this.input).consume(taken);
            if this.is_too_long || this.line.len() > this.longest {
                // The SDK drops all of it.
                (this.is_whole, this.is_too_long) = (true, end.is_none());
            } else if end.is_some() {
                this.is_whole = is_json(&this.line);
                if !this.is_whole {
                    this.line.clear();
                    // Nobody listens any more when the transport ends.
                    let _ = this.unreadable.send(());
                    // Without another line nobody would look.
                    context.waker().wake_by_ref();
                }
            }
        }
        let taken = into.remaining().min(this.line.len() - this.passed);
        into.put_slice(&this.line[this.passed..this.passed + taken]);
        this.passed += taken;
        if this.passed == this.line.len() {
            this.line.clear();
            (this.passed, this.is_whole) = (0, false);
        }
        Poll::Ready(Ok(()))
    }
}

/// Also an empty line, which is nothing at all.
fn is_json(line: &[u8]) -> bool {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    line.trim_ascii().is_empty() || serde_json::from_slice::<Value>(line).is_ok()
}
