//! The address of an endpoint, as a profile gives it.

use ureq::http::Uri;

use crate::provider::ProviderError;

/// A checked base URL: scheme, host, perhaps a port and a path, and nothing that could hide a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    base: String,
    host: String,
    host_and_port: String,
    is_plain: bool,
}

impl Url {
    /// Reads `base_url`.
    pub fn parse(text: &str) -> Result<Self, ProviderError> {
        let bad = |what: &str| {
            ProviderError::config(
                format!("base_url {what}"),
                "write it as https://host[:port][/path]; keys go into api_key, by reference",
            )
        };
        if text.len() > 500 || text.contains(['?', '#', '@', '\\']) {
            return Err(bad("has a part that it must not have"));
        }
        let uri: Uri = text.trim_end_matches('/').parse().map_err(|_| bad("is not a URL"))?;
        let is_plain = match uri.scheme_str() {
            Some("http") => true,
            Some("https") => false,
            _ => return Err(bad("is neither http nor https")),
        };
        let host = uri
            .host()
            .filter(|host| !host.is_empty())
            .ok_or_else(|| bad("has no host"))?
            .to_ascii_lowercase();
        let default_port = if is_plain { 80 } else { 443 };
        let host_and_port = match uri.port_u16() {
            Some(port) if port != default_port => format!("{host}:{port}"),
            _ => host.clone(),
        };
        Ok(Self { base: uri.to_string().trim_end_matches('/').into(), host, host_and_port, is_plain })
    }

    /// The address of one operation. Many people write base URLs with the version in them.
    pub fn join(&self, path: &str) -> String {
        match path.strip_prefix("/v1") {
            Some(rest) if self.base.ends_with("/v1") => format!("{}{rest}", self.base),
            _ => format!("{}{path}", self.base),
        }
    }

    /// The name that is checked against the allow-list, with the port unless it is the usual one. No path, no key.
    pub fn host_and_port(&self) -> &str {
        &self.host_and_port
    }

    /// Whether it would go over the wire for all to read.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether an entry of the allow-list covers it: `host`, `host:port`, `*.domain` or `*`.
    pub fn is_allowed_by(&self, entry: &str) -> bool {
        let entry = entry.trim().to_ascii_lowercase();
        match entry.strip_prefix("*.") {
            Some(domain) => {
                !domain.is_empty()
                    && self.host.strip_suffix(domain).is_some_and(|sub| sub.len() > 1 && sub.ends_with('.'))
            }
            None => entry == "*" || entry == self.host || entry == self.host_and_port,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_not_doubled() {
        for (base, wanted) in [
            ("https://api.example.com", "https://api.example.com/v1/embeddings"),
            ("https://api.example.com/", "https://api.example.com/v1/embeddings"),
            ("http://10.0.0.1:8000/v1", "http://10.0.0.1:8000/v1/embeddings"),
            ("http://10.0.0.1:8000/v1/", "http://10.0.0.1:8000/v1/embeddings"),
            ("https://host/openai", "https://host/openai/v1/embeddings"),
        ] {
            assert_eq!(Url::parse(base).unwrap().join("/v1/embeddings"), wanted);
        }
    }

    #[test]
    fn what_could_hide_a_key_is_refused() {
        for text in [
            "",
            "api.example.com",
            "ftp://example.com",
            "https://",
            "https://user:sk-1@example.com",
            "file:///etc/passwd",
            "https://example.com/?api_key=sk-1",
            "https://example.com/#x",
            "https://example.com\\@evil",
            "https:///v1",
        ] {
            let error = Url::parse(text).unwrap_err();
            assert!(!format!("{error:?}").contains("sk-1"), "{error:?}");
        }
    }

    proptest::proptest! {
        /// Whatever is taken for a URL has a host of its own, and nothing before it.
        #[test]
        fn no_text_is_taken_for_more_than_it_is(text in "(https?://)?[a-z0-9.:@/?#\\[\\]%-]{0,40}|\\PC{0,40}") {
            if let Ok(url) = Url::parse(&text) {
                let rest = text.split_once("://").unwrap().1.to_ascii_lowercase();
                proptest::prop_assert!(rest.starts_with(&url.host));
                proptest::prop_assert!(!url.join("/embed").contains(['@', '?', '#']));
            }
        }
    }

    #[test]
    fn hosts_are_compared_whole() {
        let url = Url::parse("https://API.example.com:8443/x").unwrap();
        for entry in ["api.example.com", "api.example.com:8443", "*.example.com", "*", " API.EXAMPLE.COM "] {
            assert!(url.is_allowed_by(entry), "{entry}");
        }
        for entry in [
            "",
            "example.com",
            "*.api.example.com",
            "pi.example.com",
            "api.example.com:443",
            "*.",
            "*.om",
            "*.ple.com",
        ] {
            assert!(!url.is_allowed_by(entry), "{entry}");
        }
        assert_eq!(Url::parse("https://a.b:443").unwrap().host_and_port(), "a.b");
        assert_eq!(Url::parse("http://[::1]:80/").unwrap().host_and_port(), "[::1]");
    }
}
