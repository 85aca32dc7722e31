//! TLS: a certificate that the machine does not trust is refused before anything is sent, one that it trusts is not.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Also in functions that only tests call.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use memento_worker::provider::{
    self, Code, EmbedRequest, Embedded, Policy, ProfileSpec, ProviderError, Purpose,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

/// Where a child of this test finds the server and where its own certificate is.
const PORT: &str = "MEMENTO_TEST_TLS_PORT";

/// What was received, decrypted.
type Received = Arc<Mutex<Vec<u8>>>;

/// A server for `localhost` with a certificate of its own; its port, the certificate and what it receives.
fn start() -> (u16, String, Received) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let received = Received::default();
    let (config, log) = (Arc::new(config), received.clone());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // A client that does not trust the certificate ends the connection: no concern of the server's.
            let _ = answer(stream.unwrap(), config.clone(), &log);
        }
    });
    (port, made.cert.pem(), received)
}

fn answer(stream: TcpStream, config: Arc<ServerConfig>, log: &Received) -> std::io::Result<()> {
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    let mut buffer = [0; 4096];
    // The whole request is there when its JSON has ended.
    while !log.lock().unwrap().ends_with(b"}") {
        let read = stream.read(&mut buffer)?;
        log.lock().unwrap().extend(&buffer[..read]);
    }
    let body = json!({"data": [{"index": 0, "embedding": [0.6, 0.8]}]}).to_string();
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
    stream.flush()
}

fn embed(port: u16) -> Result<Embedded, ProviderError> {
    let policy = Policy { allowed_hosts: vec!["localhost".into()], allow_private: true, ..Policy::default() };
    let config = json!({"base_url": format!("https://localhost:{port}"), "max_batch_texts": 1});
    let spec = ProfileSpec { provider: "openai".into(), model: "m".into(), dims: 2, config };
    let texts = [String::from("a memory")];
    let request = EmbedRequest { texts: &texts, purpose: Purpose::Document, contextual: false };
    provider::embedder(&spec, &policy)?.embed(&request)
}

#[test]
fn an_unknown_certificate_is_refused() {
    let (port, _, received) = start();
    let error = embed(port).unwrap_err();
    assert_eq!((error.code, error.hint.is_some()), (Code::Certificate, true), "{error:?}");
    assert_eq!(received.lock().unwrap().len(), 0);
}

/// In a process of its own, because what is trusted is read from the environment once, and so are proxies.
#[test]
fn what_the_machine_trusts_is_trusted_and_proxies_are_not_used() {
    let (port, certificate, received) = start();
    let file =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("certificate-{}.pem", std::process::id()));
    std::fs::write(&file, certificate).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_embeds_a_text", "--ignored", "--nocapture"])
        .env(PORT, port.to_string())
        .env("SSL_CERT_FILE", &file)
        .envs([("https_proxy", "http://127.0.0.1:1"), ("ALL_PROXY", "http://127.0.0.1:1")])
        .output()
        .unwrap();
    std::fs::remove_file(file).unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    assert!(String::from_utf8_lossy(&received.lock().unwrap()).contains("a memory"));
}

#[test]
#[ignore = "run by the test above, with its environment"]
fn child_embeds_a_text() {
    let port = std::env::var(PORT).unwrap().parse().unwrap();
    assert_eq!(embed(port).unwrap().vectors, [[0.6, 0.8]]);
}
