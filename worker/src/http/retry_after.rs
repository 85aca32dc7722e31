//! How long an endpoint asks to be left alone.

use std::time::{Duration, SystemTime};

use ureq::http::HeaderMap;

/// The longest pause that is believed: an endpoint must not be able to stop all work for a year.
const LONGEST: Duration = Duration::from_secs(3600);

/// The pause that the headers ask for: `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let exact =
        text("retry-after-ms").and_then(|value| value.parse().ok()).and_then(|ms: f64| seconds(ms / 1000.0));
    exact.or_else(|| text("retry-after").and_then(|value| pause(value, now))).map(|pause| pause.min(LONGEST))
}

fn pause(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(number) = value.parse::<f64>() {
        return seconds(number);
    }
    let until = httpdate::parse_http_date(value).ok()?;
    // A date that has passed means: now.
    Some(until.duration_since(now).unwrap_or_default())
}

/// Fractions are not in the standard, but some servers send them.
fn seconds(number: f64) -> Option<Duration> {
    (number >= 0.0).then(|| Duration::try_from_secs_f64(number).unwrap_or(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        // 2015-10-21 07:28:00 UTC
        retry_after(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_480))
    }

    #[test]
    fn seconds_and_dates() {
        assert_eq!(of("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(of("retry-after", " 0 "), Some(Duration::ZERO));
        assert_eq!(of("retry-after", "1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(of("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(of("retry-after", "Wednesday, 21-Oct-15 07:28:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(of("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(of("retry-after-ms", "250"), Some(Duration::from_millis(250)));
    }

    proptest::proptest! {
        #[test]
        fn no_pause_is_longer_than_the_longest(value in "[ -~]{0,40}|-?[0-9.e]{0,30}") {
            proptest::prop_assert!(of("retry-after", &value).is_none_or(|pause| pause <= LONGEST));
            proptest::prop_assert!(of("retry-after-ms", &value).is_none_or(|pause| pause <= LONGEST));
        }
    }

    #[test]
    fn nonsense_is_ignored_and_years_are_cut() {
        for nonsense in ["", "soon", "-5", "NaN", "Wed, 99 Oct 2015 07:28:30 GMT"] {
            assert_eq!(of("retry-after", nonsense), None, "{nonsense}");
        }
        for long in ["999999999999", "inf", "1e300", "Wed, 21 Oct 2099 07:28:30 GMT"] {
            assert_eq!(of("retry-after", long), Some(LONGEST), "{long}");
        }
    }
}
