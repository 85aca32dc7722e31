//! Answers scrapes: one at a time, on a thread of its own, for this machine only unless somebody wants it otherwise.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Metrics;
use crate::caller::Spawn;

/// A scraper that is slower is not waited for.
const IO_TIME: Duration = Duration::from_secs(5);

/// The longest request that is read.
const MOST_REQUEST_BYTES: usize = 8 * 1024;

/// Listens until it is dropped.
pub struct MetricsServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl MetricsServer {
    /// Listens on an address of this machine. With port 0 the system chooses one.
    pub fn start(
        ip: IpAddr,
        port: u16,
        metrics: Arc<Metrics>,
        spawn: Spawn,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind((ip, port))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        spawn(Box::new(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(stream) = stream {
                    // A scraper that goes away is none of our business.
                    let _ = answer(stream, &metrics, &wake);
                }
            }
        }))?;
        Ok(Self { address, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(if own.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
        }
        drop(TcpStream::connect_timeout(&own, IO_TIME));
    }
}

fn answer(mut stream: TcpStream, metrics: &Metrics, wake: &dyn Fn()) -> std::io::Result<()> {
    stream.set_read_timeout(Some(IO_TIME))?;
    stream.set_write_timeout(Some(IO_TIME))?;
    let request = head_of(&mut stream)?;
    let (status, body) = match request.split_whitespace().collect::<Vec<_>>()[..] {
        ["GET", "/metrics", ..] => ("200 OK", metrics.scrape(wake)),
        ["GET", ..] => ("404 Not Found", "see /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", "see /metrics\n".to_owned()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    stream.shutdown(Shutdown::Write)
}

/// The first line of the request; the rest is read and ignored.
fn head_of(stream: &mut TcpStream) -> std::io::Result<String> {
    let (mut request, mut part) = (Vec::new(), [0; 1024]);
    while request.len() < MOST_REQUEST_BYTES && !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part)? {
            0 => break,
            read => request.extend_from_slice(&part[..read]),
        }
    }
    Ok(String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned())
}
