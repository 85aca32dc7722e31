//! The literals that give secrets away, and what to do at each.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::token::{self, Alphabet, Form};
use super::{Kind, assignment, url};

/// How a literal is followed up.
#[derive(Clone, Copy)]
pub enum Rule {
    /// A token of a certain form begins with it.
    Token(Kind, Form),
    /// A block of PEM begins with it.
    Pem,
    /// The three parts of a JSON web token may begin here.
    Jwt,
    /// A URL has it before its authority.
    Url,
    /// A header has a token behind it.
    Header,
    /// A value may be assigned to a name that ends with it.
    Name,
}

const fn form(alphabet: Alphabet, shortest: usize, longest: usize) -> Form {
    Form { alphabet, shortest, longest }
}

/// The forms are those that the issuers document, lengths counted behind the prefix.
const RULES: &[(&str, Rule)] = &[
    ("AKIA", Rule::Token(Kind::AwsAccessKey, form(Alphabet::Base32, 16, 16))),
    ("ASIA", Rule::Token(Kind::AwsAccessKey, form(Alphabet::Base32, 16, 16))),
    ("ghp_", Rule::Token(Kind::GithubToken, form(Alphabet::Alphanumeric, 36, 251))),
    ("gho_", Rule::Token(Kind::GithubToken, form(Alphabet::Alphanumeric, 36, 251))),
    ("ghu_", Rule::Token(Kind::GithubToken, form(Alphabet::Alphanumeric, 36, 251))),
    ("ghs_", Rule::Token(Kind::GithubToken, form(Alphabet::Alphanumeric, 36, 251))),
    ("ghr_", Rule::Token(Kind::GithubToken, form(Alphabet::Alphanumeric, 36, 251))),
    ("github_pat_", Rule::Token(Kind::GithubToken, form(Alphabet::Base64Url, 60, 251))),
    ("glpat-", Rule::Token(Kind::GitlabToken, form(Alphabet::Base64Url, 20, 300))),
    ("gldt-", Rule::Token(Kind::GitlabToken, form(Alphabet::Base64Url, 20, 300))),
    ("glrt-", Rule::Token(Kind::GitlabToken, form(Alphabet::Base64Url, 20, 300))),
    ("glptt-", Rule::Token(Kind::GitlabToken, form(Alphabet::Base64Url, 20, 300))),
    ("xoxa-", Rule::Token(Kind::SlackToken, form(Alphabet::Base64Url, 20, 300))),
    ("xoxb-", Rule::Token(Kind::SlackToken, form(Alphabet::Base64Url, 20, 300))),
    ("xoxe-", Rule::Token(Kind::SlackToken, form(Alphabet::Base64Url, 20, 300))),
    ("xoxp-", Rule::Token(Kind::SlackToken, form(Alphabet::Base64Url, 20, 300))),
    ("xoxr-", Rule::Token(Kind::SlackToken, form(Alphabet::Base64Url, 20, 300))),
    ("xoxs-", Rule::Token(Kind::SlackToken, form(Alphabet::Base64Url, 20, 300))),
    ("xapp-", Rule::Token(Kind::SlackToken, form(Alphabet::Base64Url, 20, 300))),
    ("hooks.slack.com/services/", Rule::Token(Kind::SlackToken, form(Alphabet::Path, 40, 120))),
    ("sk_live_", Rule::Token(Kind::StripeKey, form(Alphabet::Alphanumeric, 24, 300))),
    ("sk_test_", Rule::Token(Kind::StripeKey, form(Alphabet::Alphanumeric, 24, 300))),
    ("rk_live_", Rule::Token(Kind::StripeKey, form(Alphabet::Alphanumeric, 24, 300))),
    ("rk_test_", Rule::Token(Kind::StripeKey, form(Alphabet::Alphanumeric, 24, 300))),
    ("whsec_", Rule::Token(Kind::StripeKey, form(Alphabet::Alphanumeric, 32, 300))),
    ("sk-ant-", Rule::Token(Kind::AnthropicKey, form(Alphabet::Base64Url, 32, 300))),
    ("sk-proj-", Rule::Token(Kind::OpenaiKey, form(Alphabet::Base64Url, 32, 300))),
    ("sk-svcacct-", Rule::Token(Kind::OpenaiKey, form(Alphabet::Base64Url, 32, 300))),
    ("sk-admin-", Rule::Token(Kind::OpenaiKey, form(Alphabet::Base64Url, 32, 300))),
    ("sk-", Rule::Token(Kind::OpenaiKey, form(Alphabet::Alphanumeric, 32, 300))),
    ("AIza", Rule::Token(Kind::GoogleKey, form(Alphabet::Base64Url, 35, 35))),
    ("GOCSPX-", Rule::Token(Kind::GoogleKey, form(Alphabet::Base64Url, 28, 28))),
    ("ya29.", Rule::Token(Kind::GoogleKey, form(Alphabet::Base64Url, 40, 2048))),
    ("hf_", Rule::Token(Kind::HuggingFaceToken, form(Alphabet::Alphanumeric, 34, 40))),
    ("-----BEGIN ", Rule::Pem),
    ("eyJ", Rule::Jwt),
    ("://", Rule::Url),
    ("bearer ", Rule::Header),
    ("authorization: basic ", Rule::Header),
    ("password", Rule::Name),
    ("passwd", Rule::Name),
    ("passphrase", Rule::Name),
    ("pwd", Rule::Name),
    ("secret", Rule::Name),
    ("token", Rule::Name),
    ("api_key", Rule::Name),
    ("api-key", Rule::Name),
    ("apikey", Rule::Name),
    ("access_key", Rule::Name),
    ("access-key", Rule::Name),
    ("accesskey", Rule::Name),
    ("private_key", Rule::Name),
    ("privatekey", Rule::Name),
    ("secret_key", Rule::Name),
    ("secretkey", Rule::Name),
    ("account_key", Rule::Name),
    ("accountkey", Rule::Name),
];

/// Longest first, so that `sk-ant-` is not taken for `sk-`; case is checked afterwards where it matters.
static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(RULES.iter().map(|(literal, _)| literal))
        .ok()
});

/// Where the literals are, with what to do there.
pub fn hits(text: &str) -> impl Iterator<Item = (Rule, Range<usize>)> + '_ {
    AUTOMATON.iter().flat_map(move |automaton| automaton.find_iter(text)).filter_map(move |found| {
        let (literal, rule) = RULES[found.pattern()];
        let any_case = matches!(rule, Rule::Header | Rule::Name);
        (any_case || &text[found.range()] == literal).then(|| (rule, found.range()))
    })
}

impl Rule {
    /// The secret that a literal leads to.
    pub fn secret(self, text: &[u8], literal: Range<usize>) -> Option<(Kind, Range<usize>)> {
        match self {
            Self::Token(kind, form) => token::token(text, literal, form).map(|span| (kind, span)),
            Self::Pem => token::pem(text, literal).map(|span| (Kind::PrivateKey, span)),
            Self::Jwt => token::jwt(text, literal).map(|span| (Kind::Jwt, span)),
            Self::Url => url::password(text, literal).map(|span| (Kind::UrlPassword, span)),
            Self::Header => assignment::header(text, literal).map(|span| (Kind::AuthorizationHeader, span)),
            Self::Name => assignment::assigned(text, literal).map(|span| (Kind::Assignment, span)),
        }
    }
}
