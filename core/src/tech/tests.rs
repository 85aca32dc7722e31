use super::*;
use proptest::prelude::*;

fn kinds(text: &str) -> Vec<(String, &'static str)> {
    scan(text).map(|found| (found.normal_form(), found.kind.as_str())).collect()
}

#[track_caller]
fn is(text: &str, token: &str, kind: &str) {
    let found = kinds(text);
    assert!(found.iter().any(|(t, k)| t == token && *k == kind), "{text}: {found:?}");
}

#[test]
fn kinds_are_told_apart() {
    is("see JIRA-9381 please", "jira-9381", "ticket");
    is("failed with ECONNRESET.", "econnreset", "error_code");
    is("ORA-00001: unique constraint", "ora-00001", "error_code");
    is("SQLSTATE 23505", "23505", "error_code");
    is("exit code 137", "137", "error_code");
    is("HTTP 422", "422", "error_code");
    is("killed by SIGKILL", "sigkill", "error_code");
    is("upgrade to v1.2.3", "1.2.3", "version");
    is("release 2026.01", "2026.01", "version");
    is("commit a64f992", "a64f992", "hash");
    is("at 0x80000608", "0x80000608", "hash");
    is("10.0.0.1:5432", "10.0.0.1", "ip_address");
    is("10.0.0.0/8", "10.0.0.0/8", "ip_address");
    is("fe80::1", "fe80::1", "ip_address");
    is("de:ad:be:ef:00:01", "de:ad:be:ef:00:01", "mac_address");
    is("troi.bluesky-technologies.com", "troi.bluesky-technologies.com", "host_name");
    is("see https://example.com/a?b=c.", "https://example.com/a?b=c", "url");
    is("mail ana@example.com", "ana@example.com", "email");
    is("in /var/lib/payments/cache:", "var/lib/payments/cache", "path");
    is("in /var/lib/payments/cache:", "var/lib/payments", "path");
    is("98dbd0a6-8c5a-4f0e-9d55-91ba6e0f6675", "91ba6e0f6675", "hash");
    is("org.acme.app.Master$Handler", "app.master$handler", "identifier");
    is("java.home=/usr/lib", "java.home", "identifier");
    is(r"C:\Windows\System32", r"c:\windows\system32", "path");
    is("src/main.rs", "src/main.rs", "path");
    is("set ACQUIRER_KEEPALIVE_SECONDS", "acquirer_keepalive_seconds", "variable");
    is("std::vec::Vec", "std::vec::vec", "identifier");
    is("worker_processes", "worker_processes", "identifier");
    is("getParentChain()", "getparentchain", "identifier");
    is("java.lang.NullPointerException", "nullpointerexception", "identifier");
    is("use --dry-run", "dry-run", "flag");
    is("lodash@4.17.21", "lodash@4.17.21", "package");
    is("CVE-2024-3094", "cve-2024-3094", "cve");
    is("0b0f7b9e-8c5a-4f0e-9d55-3a1c1c1c1c1c", "0b0f7b9e-8c5a-4f0e-9d55-3a1c1c1c1c1c", "uuid");
    is("blk_-1608999687919862906", "1608999687919862906", "number");
    is("container_1445144423722_0020_01_000007", "1445144423722_0020_01_000007", "number");
}

#[test]
fn families_of_error_codes() {
    for name in [
        "E0308",
        "CS0103",
        "TS2322",
        "LNK2019",
        "42P01",
        "40P01",
        "23505",
        "57014",
        "ENOTSUP",
        "SIGUSR1",
        "TNS-12541",
    ] {
        is(&format!("failed: {name}."), &name.to_ascii_lowercase(), "error_code");
    }
    is("HRESULT 0x80070005", "0x80070005", "error_code");
    is("0xC0000005", "0xc0000005", "error_code");
    is("HTTP/1.1 503", "503", "error_code");
    is("a 404 error", "404", "error_code");
    is("status 503", "503", "error_code");
    is("status code: 429", "429", "error_code");
    is("error 1045", "1045", "error_code");
    assert_eq!(kinds("500 errors in 404 pages, status 7, round numbers like 53000"), []);
}

#[test]
fn networks_files_and_resources() {
    is("on port 5432", "5432", "port");
    is("listens on :8080", "8080", "port");
    is("http://localhost:8080/health", "localhost:8080", "host_name");
    is("db-1.example.com:5432/orders", "db-1.example.com:5432", "host_name");
    is("at acme.pay.Client.send(Client.java:42)", "client.java:42", "frame");
    is("at acme.pay.Client.send(Client.java:42)", "client.send", "identifier");
    is("src/main.rs:10:5", "src/main.rs", "path");
    is("a.sql and Makefile", "makefile", "path");
    is("kubectl logs deployment/payments-api", "payments-api", "identifier");
    is("the kube-scheduler", "kube-scheduler", "identifier");
    is("0000:00:1f.0", "0000:00:1f.0", "identifier");
    is("nginx:1.25.3", "nginx:1.25.3", "identifier");
    is("java -Xmx4g", "xmx4g", "flag");
    is("echo $HOME", "$home", "variable");
    is("Python 2.7", "2.7", "version");
    is("environment:user.name=zookeeper", "user.name=zookeeper", "setting");
    is("126MB of 1540k, 80x25", "80x25", "quantity");
    assert_eq!(kinds("self-service, Tel. No.7, 18.10.2015, 10:30:45, $5m, 3.5 times"), []);
}

#[test]
fn words_joined_without_a_blank_are_a_token_too() {
    is("from 10.11.21.122,10.11.10.1 to", "10.11.21.122,10.11.10.1", "group");
    is("hosts=10.0.0.1,10.0.0.2", "10.0.0.1,10.0.0.2", "group");
    is("key=0|com.acme.mm|4097|null", "0|com.acme.mm|4097|null", "group");
    is("ws=WorkSource{10020}", "worksource{10020", "group");
    let list = vec!["a_1"; 1000].join(",");
    assert!(kinds(&list).iter().all(|(_, kind)| *kind == "identifier"), "a long list is data");
    assert!(kinds("|10.0.0.1|web-1|").iter().all(|(_, kind)| *kind != "group"), "a row of a table");
}

#[test]
fn prose_is_not_technical() {
    let prose = "It's a well-known, state-of-the-art idea; in the 1990s (e.g. the U.S.A.) some 20-year-old people and/or \
                 their parents paid $3.50, i.e. 12,500 per year. McCain's iPhone? The 3rd of May 2024 at 5pm: 3.14! \
                 Mr. Smith vs. PostgreSQL -- COVID was 50% worse...";
    assert_eq!(kinds(prose), []);
}

#[test]
fn spans_are_exact() {
    let text = "ä (ABC-123), see \"a64f992\".";
    let spans: Vec<&str> = scan(text).map(|found| &text[found.span]).collect();
    assert_eq!(spans, ["ABC-123", "a64f992"]);
}

#[test]
fn hostile_text_takes_linear_time() {
    for text in [
        "a".repeat(3_000_000),
        "a.".repeat(500_000),
        "[".repeat(1_000_000),
        "a_".repeat(500_000),
        "/".repeat(1_000_000),
        "=a".repeat(500_000),
        "1".repeat(2_000_000),
    ] {
        assert!(tokens(&text).len() <= 200);
    }
}

proptest! {
    /// Words are remembered with their tokens: what is known of one must never be told of another, and many of these differ
    /// only where their places in the memory do not.
    #[test]
    fn a_word_has_the_same_tokens_after_others(
        words in proptest::collection::vec("x_1234567[a-c.:/=_$-]{0,3}[0-2]1234567_x|[a-c1:/._-]{1,6}|[a-c/._]{60,70}", 1..60),
    ) {
        let spans = |text: &str, start: usize| -> Vec<_> {
            scan(text).map(|found| (start + found.span.start..start + found.span.end, found.kind)).collect()
        };
        let (mut text, mut expected) = (String::new(), Vec::new());
        for word in words.iter().chain(&words) {
            expected.extend(spans(word, text.len()));
            text.push_str(word);
            text.push(' ');
        }
        prop_assert_eq!(spans(&text, 0), expected);
    }

    #[test]
    fn every_span_is_inside_the_text(text in "(\\PC|[a-z0-9._/:=@$-]){0,60}") {
        for found in scan(&text) {
            prop_assert!(text.get(found.span.clone()).is_some_and(|slice| !slice.is_empty()));
            prop_assert!(!found.normal_form().is_empty());
            prop_assert_eq!(&text[found.span.clone()], found.text);
        }
    }

    /// The same code reads documents and queries: what is a token in a text is one when it is asked for alone.
    #[test]
    fn a_token_asked_for_alone_is_the_same_token(text in "[a-zA-Z0-9._/:=@$ -]{0,40}") {
        for found in scan(&text).filter(|found| found.kind != Kind::ErrorCode) {
            let alone = tokens(&text[found.span.clone()]);
            prop_assert!(alone.contains(&found.normal_form()), "{:?} gives {:?}", found, alone);
        }
    }
}
