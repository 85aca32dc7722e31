//! Streamable HTTP: who may ask, and how many at once. The protocol itself is the SDK's.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::handler::{Handler, Shared};
use crate::journal::Journal;
use crate::settings::HttpSettings;

/// The path of the service.
pub const PATH: &str = "/mcp";

/// What the machine itself is called.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);

/// Room for the frame around the arguments of a call.
const FRAME: usize = 64 << 10;

/// A session may have a stream open beside its requests.
const CONNECTIONS_PER_SESSION: usize = 4;

type Answer = Response<BoxBody<Bytes, Infallible>>;

struct Gate {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    places: Arc<Semaphore>,
    token: Option<String>,
}

/// Serves until it is told to stop. `ready` is told the port, once it is open.
pub async fn serve(
    shared: Arc<Shared>,
    settings: HttpSettings,
    stop: CancellationToken,
    ready: impl FnOnce(SocketAddr),
) -> std::io::Result<()> {
    let listener = TcpListener::bind(settings.address).await?;
    let address = listener.local_addr()?;
    ready(address);
    let connections = Arc::new(Semaphore::new(settings.max_sessions.saturating_mul(CONNECTIONS_PER_SESSION)));
    let journal = Journal(shared.settings.detail);
    let gate = Arc::new(Gate::new(shared, settings, address, stop.clone()));
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(_) => {
                // No more files can be opened, for example: others must end first.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Ok(permit) = connections.clone().try_acquire_owned() else {
            journal.note("a connection was refused: there are too many");
            continue;
        };
        let gate = gate.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let gate = gate.clone();
                async move { Ok::<_, Infallible>(gate.answer(request).await) }
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD);
            // A client that goes away in the middle is no error of ours.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(permit);
        });
    }
}

impl Gate {
    fn new(
        shared: Arc<Shared>,
        settings: HttpSettings,
        address: SocketAddr,
        stop: CancellationToken,
    ) -> Self {
        let mut hosts = LOOPBACK.map(str::to_owned).to_vec();
        hosts.extend(settings.hosts);
        // Pages come from elsewhere, so there are none; but who names the server itself as the origin is no stranger.
        let mut origins = LOOPBACK.map(|name| format!("http://{name}:{}", address.port())).to_vec();
        origins.extend(settings.origins);
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            // What is larger than the arguments of a call may be is answered with a reason, up to a point.
            .with_max_request_body_bytes(shared.settings.max_bytes.saturating_mul(2).saturating_add(FRAME))
            .with_cancellation_token(stop);
        let places = Arc::new(Semaphore::new(settings.max_sessions));
        let free = places.clone();
        let sessions = move || {
            let place = free.clone().try_acquire_owned().map_err(std::io::Error::other)?;
            Ok(Handler::new(shared.clone(), Some(place)))
        };
        let service = StreamableHttpService::new(sessions, Arc::new(LocalSessionManager::default()), config);
        Self { service, places, token: settings.token }
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if request.uri().path() != PATH {
            return refusal(StatusCode::NOT_FOUND, "the path is /mcp");
        }
        if let Some(token) = &self.token
            && !carries(request.headers(), token)
        {
            let mut answer =
                refusal(StatusCode::UNAUTHORIZED, "Authorization: Bearer TOKEN is missing or wrong");
            answer.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
            return answer;
        }
        if !request.headers().contains_key("mcp-session-id") && self.places.available_permits() == 0 {
            return refusal(StatusCode::SERVICE_UNAVAILABLE, "there are too many sessions");
        }
        self.service.handle(request).await
    }
}

/// Whether a request has the token. Takes as long for a wrong one, wherever it begins to differ.
fn carries(headers: &HeaderMap, token: &str) -> bool {
    let Some(given) = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
    else {
        return false;
    };
    let differences = given.iter().zip(token.as_bytes()).fold(0, |seen, (a, b)| seen | (a ^ b));
    given.len() == token.len() && differences == 0
}

fn refusal(status: StatusCode, reason: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(reason.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_opens() {
        for (header, opens) in [
            ("Bearer 0123456789abcdef", true),
            ("Bearer 0123456789abcdeX", false),
            ("Bearer 0123456789abcde", false),
            ("Bearer 0123456789abcdef0", false),
            ("Basic 0123456789abcdef", false),
            ("Bearer ", false),
        ] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, header.parse().unwrap())]);
            assert_eq!(carries(&headers, "0123456789abcdef"), opens, "{header}");
        }
        assert!(!carries(&HeaderMap::new(), "0123456789abcdef"));
    }
}
