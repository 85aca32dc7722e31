//! What a technical token is.

/// Kinds of technical tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `https://...`
    Url,
    /// `a@b.org`
    Email,
    /// `name@1.2.3`
    Package,
    /// 8-4-4-4-12
    Uuid,
    /// IPv4 or IPv6, also with a port or prefix length.
    IpAddress,
    /// Six pairs of hexadecimal digits.
    MacAddress,
    /// `db-1.example.com`
    HostName,
    /// Of Unix or Windows.
    Path,
    /// `--dry-run`
    Flag,
    /// `PGDATA_DIR`
    Variable,
    /// `a::b`, `a.b.c`, `snake_case`, `camelCase`, `node-12`
    Identifier,
    /// `ABC-123`
    Ticket,
    /// `CVE-2024-3094`
    Cve,
    /// `ECONNRESET`, `ORA-00001`, `SIGKILL`, the number after SQLSTATE, HTTP or exit code
    ErrorCode,
    /// `v1.2.3`, `2026.01`
    Version,
    /// Hexadecimal: commits, digests, addresses.
    Hash,
    /// A number too long to be a quantity.
    Number,
    /// A number with a unit of computing: `126MB`, `80x25`, `1s0ms`.
    Quantity,
    /// `:8080`, and the number after port.
    Port,
    /// `user.name=zookeeper`
    Setting,
    /// `main.rs:42`
    Frame,
    /// Several joined without a blank: `10.0.0.1,10.0.0.2`.
    Group,
}

impl Kind {
    /// The word in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Email => "email",
            Self::Package => "package",
            Self::Uuid => "uuid",
            Self::IpAddress => "ip_address",
            Self::MacAddress => "mac_address",
            Self::HostName => "host_name",
            Self::Path => "path",
            Self::Flag => "flag",
            Self::Variable => "variable",
            Self::Identifier => "identifier",
            Self::Ticket => "ticket",
            Self::Cve => "cve",
            Self::ErrorCode => "error_code",
            Self::Version => "version",
            Self::Hash => "hash",
            Self::Number => "number",
            Self::Quantity => "quantity",
            Self::Port => "port",
            Self::Setting => "setting",
            Self::Frame => "frame",
            Self::Group => "group",
        }
    }
}
