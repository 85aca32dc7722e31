//! The memory of a database for agents, over MCP.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use memento_mcp::database::Database;
use memento_mcp::handler::{Handler, Shared};
use memento_mcp::settings::{Command, HttpSettings, Settings, USAGE};
use memento_mcp::stdio::Lines;
use memento_mcp::{http, install, settings};
use rmcp::transport::io::stdio_pipes;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Lines that are too long are answered with a reason up to this many times the limit; what is longer is dropped unread.
const LINE_FACTOR: usize = 8;

fn main() -> ExitCode {
    let (settings, command) = match settings::read(std::env::args().skip(1), |name| std::env::var(name).ok())
    {
        Ok(Some(read)) => read,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(mistake) => {
            eprintln!("memento-mcp: {mistake}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
        .and_then(|runtime| {
            let outcome = runtime.block_on(run(settings, command));
            // A thread may wait for a line of input that never comes.
            runtime.shutdown_background();
            outcome
        });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("memento-mcp: {reason}");
            ExitCode::FAILURE
        }
    }
}

async fn run(settings: Settings, command: Command) -> Result<(), String> {
    let shared = Arc::new(Shared { database: Database::new(&settings), settings });
    match command {
        Command::Stdio => stdio(shared).await,
        Command::Http(http) => serve_http(shared, http).await,
        Command::Doctor => install::doctor(&shared.database).await,
        Command::Install { client, write, name } => install::install(&shared, &client, &name, write).await,
    }
}

async fn stdio(shared: Arc<Shared>) -> Result<(), String> {
    let stop = stopped_by_signal()?;
    let (input, output) = stdio_pipes();
    let longest = shared.settings.max_bytes.saturating_mul(LINE_FACTOR);
    let transport = Lines::new(input, output, longest);
    let handler = Handler::new(shared, None);
    let running = tokio::select! {
        started = rmcp::service::serve_server_with_ct(handler, transport, stop.clone()) => started,
        () = stop.cancelled() => return Ok(()),
    };
    // A client that leaves before it has said hello has nothing to be told.
    let Ok(running) = running else { return Ok(()) };
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

async fn serve_http(shared: Arc<Shared>, settings: HttpSettings) -> Result<(), String> {
    let stop = stopped_by_signal()?;
    let told = |address| eprintln!("memento-mcp: listening on http://{address}{}", http::PATH);
    http::serve(shared, settings, stop, told).await.map_err(|error| format!("cannot listen: {error}"))
}

/// Cancelled by SIGTERM and SIGINT.
fn stopped_by_signal() -> Result<CancellationToken, String> {
    let stop = CancellationToken::new();
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut arriving = signal(kind).map_err(|error| format!("signals cannot be taken: {error}"))?;
        let stop = stop.clone();
        tokio::spawn(async move {
            arriving.recv().await;
            stop.cancel();
        });
    }
    Ok(stop)
}
