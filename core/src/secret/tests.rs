use super::*;
use proptest::prelude::*;
use std::fmt::Write;

/// Letters and digits in no order. Secrets are put together here, so that no scanner takes this file for a leak.
fn random(length: usize) -> String {
    const LETTERS: &[u8] = b"q7Zk2WmX9bTf4RvLc8NhJ5dGsY3pKe6";
    (0..length).map(|at| char::from(LETTERS[at * 17 % 31])).collect()
}

fn capitals(length: usize) -> String {
    random(length).to_ascii_uppercase().replace(['8', '9'], "5")
}

/// What is found in a text, as words: kind and secret.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    scan(text).into_iter().map(|secret| (secret.kind.as_str(), &text[secret.span])).collect()
}

#[test]
fn tokens_are_known_by_their_form() {
    for (kind, token) in [
        ("aws_access_key", format!("AKIA{}", capitals(16))),
        ("aws_access_key", format!("ASIA{}", capitals(16))),
        ("github_token", format!("ghp_{}", random(36))),
        ("github_token", format!("github_pat_{}_{}", random(22), random(59))),
        ("gitlab_token", format!("glpat-{}", random(20))),
        ("slack_token", format!("xoxb-123456789012-{}", random(24))),
        ("slack_token", format!("hooks.slack.com/services/T{}/B{}/{}", random(9), random(9), random(24))),
        ("stripe_key", format!("sk_live_{}", random(24))),
        ("anthropic_key", format!("sk-ant-api03-{}-{}AA", random(40), random(46))),
        ("openai_key", format!("sk-proj-{}", random(48))),
        ("openai_key", format!("sk-{}", random(48))),
        ("google_key", format!("AIza{}", random(35))),
        ("hugging_face_token", format!("hf_{}", random(34))),
        ("jwt", format!("eyJ{}.eyJ{}.{}", random(20), random(40), random(43))),
    ] {
        for text in
            [token.clone(), format!("use {token}, please"), format!("({token})"), format!("ä\"{token}\"")]
        {
            assert_eq!(found(&text), [(kind, token.as_str())], "{text}");
        }
        let name = format!("API_KEY={token}\n");
        assert_eq!(found(&name)[0].0, kind, "the better name");
        assert_eq!(redact(&format!("a {token} b")), format!("a [REDACTED:{kind}] b"));
        assert_eq!(found(&format!("{}{token}", random(9))), [], "part of something longer");
    }
}

#[test]
fn private_keys_are_found_from_begin_to_end() {
    let line = random(64);
    for label in ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let key = format!("-----BEGIN {label}-----\n{line}\n{line}\nabc=\n-----END {label}-----");
        assert_eq!(found(&format!("key:\n{key}\nend")), [("private_key", key.as_str())]);
        let json = key.replace('\n', "\\n");
        assert_eq!(found(&format!("{{\"k\": \"{json}\"}}")), [("private_key", json.as_str())]);
    }
    let cut = format!("-----BEGIN PRIVATE KEY-----\n{line}");
    assert_eq!(found(&format!("{cut}\n\nand then prose")), [("private_key", cut.as_str())]);
    for other in [
        format!("-----BEGIN CERTIFICATE-----\n{line}\n-----END CERTIFICATE-----"),
        format!("-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----"),
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".into(),
        "The line -----BEGIN RSA PRIVATE KEY----- comes first, and then a number of other lines".into(),
    ] {
        assert_eq!(found(&other), [], "{other}");
    }
}

#[test]
fn passwords_in_urls_are_found_without_the_url() {
    for text in [
        "postgres://app:s3cr!tPw@db.example.com:5432/app",
        "DATABASE_URL=mysql://root:s3cr!tPw@10.0.0.1/x",
        "amqp://u:s3cr!tPw@[::1]:5672",
        "https://bot:s3cr!tPw@git.example.com/a.git",
    ] {
        assert_eq!(found(text), [("url_password", "s3cr!tPw")], "{text}");
    }
    for text in [
        "postgres://user:password@localhost/db",
        "postgres://user:pass@localhost/db",
        "postgres://app:app@db/x",
        "postgres://user:${PASSWORD}@host",
        "postgres://user:<password>@host",
        "https://example.com:8080/a@b",
        "https://example.com/x?mail=a:bcde@host",
        "git@github.com:acme/x.git",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn assigned_values_are_found_by_the_name_before_them() {
    let value = random(20);
    for text in [
        format!("password={value}"),
        format!("DB_PASSWORD = \"{value}\""),
        format!("{{\"apiKey\": \"{value}\"}}"),
        format!("api_key: {value}\nnext: 1"),
        format!("client_secret := '{value}';"),
        format!("?user=a&access_token={value}&x=1"),
        format!("aws_secret_access_key={value}"),
        format!("host=db password={value} dbname=x"),
    ] {
        assert_eq!(found(&text), [("assignment", value.as_str())], "{text}");
    }
    assert_eq!(found("pwd: Tr0ub4dor&3"), [("assignment", "Tr0ub4dor&3")]);
    let header = format!("Authorization: Bearer {value}");
    assert_eq!(found(&header), [("authorization_header", value.as_str())]);
    assert_eq!(
        found("authorization: Basic YWxhZGRpbjpvcGVu4w=="),
        [("authorization_header", "YWxhZGRpbjpvcGVu4w==")]
    );
}

#[test]
fn what_only_looks_like_a_secret_is_left_alone() {
    let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    for text in [
        format!("sha256 {hash}"),
        format!("commit {}", &hash[..40]),
        "id 0b0f7b9e-8c5a-4f0e-9d55-3a1c1c1c1c1c".into(),
        format!("![x](data:image/png;base64,iVBORw0KGgo{}AKIA{})", random(300), capitals(16)),
        "password: <your-password-1234>, token=${TOKEN_2024}, secret: {{ .Values.s3cret99 }}".into(),
        "token: 014fbff9a07c..., password=changeme123, api_key: YOUR_API_KEY_12, secret=xxxxxxxx12ab".into(),
        "secretName: my-app-tls-2024, tokenExpirationSeconds: 36001234".into(),
        "token = parser.next_token(12, ab34)".into(),
        "let token: Vec<u8> = tokens[12];".into(),
        "wtoken = WindowToken{9f4ef63 token=os.Proxy@2bd79ce}".into(),
        "secret: projects/p-12/secrets/db34".into(),
        "password_file=/run/secrets/db1-passw0rd".into(),
        "password: https://vault.example.com/v1/abc123".into(),
        format!("token: sha256:{hash}"),
        "the secret: 3 eggs and 200 g of sugar; a bearer of good news2024ab".into(),
        format!("AKIA{}EXAMPLE", &capitals(16)[..9]),
        format!("ghp_{}", "x".repeat(36)),
        "task-force risk-assessment-2024-with-a-very-long-name-indeed".into(),
        "sk-proj-".into(),
        "eyJhbGci.eyJz".into(),
    ] {
        assert_eq!(found(&text), [], "{text}");
    }
}

#[test]
fn secrets_do_not_overlap() {
    let token = format!("ghp_{}", random(36));
    let text = format!("token: {token}\nurl: https://x:{token}@github.com/a\nAuthorization: Bearer {token}");
    assert_eq!(found(&text), [("github_token", token.as_str()); 3]);
}

#[test]
fn hostile_text_takes_linear_time() {
    for part in [
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "eyJ",
        "eyJ.",
        "://",
        "a://b:c",
        "token=",
        "token:\t ",
        "password=\"",
        "bearer ",
        "sk-",
        "ghp_a",
        "ya29.",
        "AKIA",
        "a",
        " ",
        "é",
        "://a:b@",
    ] {
        let text = part.repeat(2_000_000 / part.len());
        assert!(redact(&text).len() <= text.len() * 8, "{part}");
    }
}

/// How many secrets public documentation and logs seem to have: it was read, and is what may be found there.
#[test]
fn documentation_and_logs_have_few_secrets() {
    let Some(root) = std::env::var_os("MEMENTO_DATA") else {
        println!("skipped: MEMENTO_DATA is not set");
        return;
    };
    for (place, most) in
        [("chunking/k8s_docs", 44), ("tokens/loghub", 0), ("chunking/chroma_chunking_eval", 0)]
    {
        let mut report = String::new();
        let mut count = 0;
        let mut bytes = 0;
        let mut places = vec![std::path::Path::new(&root).join(place)];
        while let Some(path) = places.pop() {
            if path.is_dir() {
                places.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                bytes += text.len();
                for (kind, secret) in found(&text) {
                    count += 1;
                    writeln!(report, "{kind} {secret:.60} in {}", path.display()).unwrap();
                }
            }
        }
        println!("{place}: {count} in {bytes} bytes\n{report}");
        assert!(bytes > 0 && count <= most, "{place}: {count}\n{report}");
    }
}

proptest! {
    #[test]
    fn what_is_redacted_has_no_secrets(text in "(\\PC|password=|token: |://a:|@b|ghp_|[a-zA-Z0-9]{36}|\"|\n){0,12}") {
        let secrets = scan(&text);
        prop_assert!(secrets.is_sorted_by(|a, b| a.span.end <= b.span.start));
        for secret in &secrets {
            prop_assert!(text.get(secret.span.clone()).is_some_and(|secret| !secret.is_empty()));
        }
        let redacted = redact(&text);
        prop_assert_eq!(scan(&redacted), [], "{} became {}", text, redacted);
    }
}
