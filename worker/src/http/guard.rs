//! The check of addresses. It looks at what a name resolved to, immediately before the connection to exactly that address,
//! so a name that is allowed cannot be pointed at a private network.

use std::fmt;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::address::is_public;
use crate::provider::{Code, ProviderError};

/// Why an address was not connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is not on the public internet.
    Private,
    /// It is, and the connection would not be encrypted.
    PlainText,
}

impl Refused {
    pub fn explain(self, host: &str) -> ProviderError {
        match self {
            Refused::Private => ProviderError::new(
                Code::HostRefused,
                format!("{host} has a private, loopback or link-local address"),
            )
            .with_hint("if that is meant, a superuser can allow private addresses in the server's settings"),
            Refused::PlainText => ProviderError::new(
                Code::HostRefused,
                format!("{host} is on the internet and base_url is not encrypted"),
            )
            .with_hint("use https in base_url; plain http is for private networks"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("address refused")
    }
}

impl std::error::Error for Refused {}

#[derive(Debug)]
pub(super) struct GuardedResolver {
    allow_private: bool,
    system: DefaultResolver,
}

impl GuardedResolver {
    pub fn new(allow_private: bool) -> Self {
        Self { allow_private, system: DefaultResolver::default() }
    }

    fn check(&self, uri: &Uri, public: bool) -> Result<(), Refused> {
        match public {
            true if uri.scheme_str() == Some("http") => Err(Refused::PlainText),
            false if !self.allow_private => Err(Refused::Private),
            _ => Ok(()),
        }
    }
}

impl Resolver for GuardedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut kept = self.empty();
        let mut refused = None;
        for address in &self.system.resolve(uri, config, timeout)? {
            match self.check(uri, is_public(address.ip())) {
                Ok(()) => kept.push(*address),
                Err(reason) => refused = Some(reason),
            }
        }
        match refused {
            Some(reason) if kept.is_empty() => Err(ureq::Error::Other(Box::new(reason))),
            _ => Ok(kept),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(allow_private: bool, url: &str, public: bool) -> Result<(), Refused> {
        GuardedResolver::new(allow_private).check(&url.parse().unwrap(), public)
    }

    #[test]
    fn plain_http_is_for_private_addresses_only() {
        assert_eq!(check(true, "http://a/", true), Err(Refused::PlainText));
        assert_eq!(check(true, "http://a/", false), Ok(()));
        assert_eq!(check(false, "http://a/", false), Err(Refused::Private));
        assert_eq!(check(false, "https://a/", false), Err(Refused::Private));
        assert_eq!(check(false, "https://a/", true), Ok(()));
    }
}
