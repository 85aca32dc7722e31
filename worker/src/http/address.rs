//! Which addresses are the public internet. Everything else (this machine, private networks, link-local addresses such as
//! the metadata services of clouds) must be allowed explicitly.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one of the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => match embedded_v4(v6) {
            Some(v4) => is_public_v4(v4),
            None => is_public_v6(v6),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = match (a, b, c) {
        (0 | 10 | 127, ..) => true,
        (100, 64..=127, _) => true, // carrier-grade NAT
        (169, 254, _) => true,      // link-local, and metadata services
        (172, 16..=31, _) => true,
        (192, 0, 0 | 2) => true, // protocol assignments, documentation
        (192, 88, 99) => true,   // relays of 6to4
        (192, 168, _) => true,
        (198, 18 | 19, _) => true, // benchmarks
        (198, 51, 100) | (203, 0, 113) => true,
        (224..=255, ..) => true, // multicast, reserved, broadcast
        _ => false,
    };
    !special
}

/// The IPv4 address that an IPv6 address leads to, so that none can be reached in disguise.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let words = address.segments();
    let low = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match words {
        [0, 0, 0, 0, 0, 0xffff, ..] => Some(low(words[6], words[7])), // mapped
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(low(words[6], words[7])), // NAT64
        [0x2002, ..] => Some(low(words[1], words[2])),                // 6to4
        _ => None,
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let words = address.segments();
    // Global unicast is 2000::/3; of it, 2001::/23 (Teredo and other protocols) and documentation are not hosts.
    (words[0] & 0xe000) == 0x2000
        && !(words[0] == 0x2001 && words[1] < 0x0200)
        && !(words[0] == 0x2001 && words[1] == 0x0db8)
        && (words[0] & 0xfff0) != 0x3ff0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "127.0.0.1",
            "127.255.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "::127.0.0.1",
            "64:ff9b:1::1",
            "3fff::1",
            "5f00::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn ordinary_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "169.253.1.1",
            "192.1.1.1",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
