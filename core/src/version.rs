//! Comparing the version numbers of extensions.

/// Whether a dotted version is at least `minimum`. Parts are compared as numbers; what is not a number counts as 0.
pub fn is_at_least(version: &str, minimum: (u32, u32)) -> bool {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= minimum
}

#[cfg(test)]
mod tests {
    use super::is_at_least;

    #[test]
    fn parts_are_compared_as_numbers() {
        for (version, expected) in [
            ("0.7.4", false),
            ("0.8.0", true),
            ("0.10.1", true),
            ("1.0", true),
            ("1", true),
            ("garbage", false),
            ("", false),
        ] {
            assert_eq!(is_at_least(version, (0, 8)), expected, "{version}");
        }
    }
}
