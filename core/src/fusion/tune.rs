//! Which factors of weights serve labelled queries best: a search over a few values, one weight after the other, which always
//! takes the same way. Whether what it finds is more than chance is told by queries that it has not seen.

/// What a weight may be multiplied by.
const STEPS: [f64; 6] = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0];

/// What a change must gain: less is noise, and a weight that does not matter stays as it is.
const LEAST_GAIN: f64 = 0.001;

/// After so many rounds over all weights nothing moves any more, as a rule in the second.
const MOST_ROUNDS: usize = 4;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuned<const N: usize> {
    /// The factors, 1 where nothing is gained by another.
    pub factors: [f64; N],
    /// The value at them.
    pub value: f64,
    /// How many combinations were tried.
    pub tried: usize,
}

/// Looks for the factors with the highest value, from 1 on.
pub fn search<const N: usize>(mut value: impl FnMut([f64; N]) -> f64) -> Tuned<N> {
    let mut best = Tuned { factors: [1.0; N], value: value([1.0; N]), tried: 1 };
    for _ in 0..MOST_ROUNDS {
        let before = best.factors;
        for place in 0..N {
            let from = best;
            for step in STEPS.into_iter().filter(|step| *step != from.factors[place]) {
                let mut factors = from.factors;
                factors[place] = step;
                let value = value(factors);
                best.tried += 1;
                let has_moved = best.factors != from.factors;
                if value > if has_moved { best.value } else { from.value + LEAST_GAIN } {
                    (best.factors, best.value) = (factors, value);
                }
            }
        }
        if best.factors == before {
            break;
        }
    }
    best
}

/// Whether a query is kept for the proof and not searched with: about half of them, always the same, whatever others there are.
pub fn is_held_out(query: &str) -> bool {
    // FNV-1a; a bit from the middle depends on all bytes.
    let hash = query.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash >> 33) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_best_of_weights_that_do_not_depend_on_each_other() {
        let tuned = search(|[a, b]: [f64; 2]| -(a - 2.0).abs() - (b - 0.25).abs());
        assert_eq!((tuned.factors, tuned.value), ([2.0, 0.25], 0.0));
        assert_eq!(tuned.tried, 1 + 2 * 10, "the second round moves nothing");
    }

    #[test]
    fn what_gains_nothing_worth_mentioning_stays() {
        assert_eq!(search(|_: [f64; 3]| 0.5).factors, [1.0; 3]);
        assert_eq!(search(|[a]: [f64; 1]| 0.5 + a * 0.0001).factors, [1.0]);
    }

    #[test]
    fn what_must_not_be_is_not_chosen() {
        let value = |[a, b]: [f64; 2]| if a + b == 0.0 { f64::NEG_INFINITY } else { -a - b };
        assert_eq!(search(value).value, -0.25);
    }

    #[test]
    fn about_half_of_the_queries_are_held_out() {
        let held = (0..1000).filter(|number| is_held_out(&format!("what about {number}?"))).count();
        assert!((400..600).contains(&held), "{held}");
        assert_eq!(is_held_out("which port?"), is_held_out("which port?"));
    }
}
