//! What becomes of a fused ranking before it is shown: no group fills it alone, and what must be in it is.

use std::collections::{BTreeMap, BTreeSet};

/// Puts what is beyond the first `most` of its group behind everything else, in its order. Nothing is lost: where there is
/// nothing else to show, it is shown.
pub fn spread<T, G: Ord>(ranked: Vec<T>, most: usize, group: impl Fn(&T) -> G) -> Vec<T> {
    let mut seen: BTreeMap<G, usize> = BTreeMap::new();
    let (mut first, mut rest) = (Vec::with_capacity(ranked.len()), Vec::new());
    for thing in ranked {
        let count = seen.entry(group(&thing)).or_default();
        *count += 1;
        if *count <= most { first.push(thing) } else { rest.push(thing) }
    }
    first.append(&mut rest);
    first
}

/// The first `k` of a ranking, such that each of `wants` has one of its holders among them, as far as there is room: the wants
/// count in their order. What has to be brought in takes the last places of those that no want needs. Also gives what was
/// brought in.
pub fn guarantee<I: Ord + Copy>(ranked: &[I], k: usize, wants: &[Vec<I>]) -> (Vec<I>, BTreeSet<I>) {
    let place: BTreeMap<I, usize> = ranked.iter().copied().zip(0..).collect();
    let mut needed: BTreeSet<I> = BTreeSet::new();
    let mut brought: BTreeSet<I> = BTreeSet::new();
    for holders in wants {
        if needed.len() == k || holders.iter().any(|holder| needed.contains(holder)) {
            continue;
        }
        let Some(best) =
            holders.iter().min_by_key(|id| (place.get(*id).copied().unwrap_or(usize::MAX), **id))
        else {
            continue;
        };
        needed.insert(*best);
        if place.get(best).is_none_or(|place| *place >= k) {
            brought.insert(*best);
        }
    }
    let mut room = k - needed.len();
    let mut first: Vec<I> = Vec::with_capacity(k);
    for id in ranked.iter().take(k) {
        if needed.contains(id) {
            first.push(*id);
        } else if room > 0 {
            room -= 1;
            first.push(*id);
        }
    }
    let mut last: Vec<I> = brought.iter().copied().collect();
    last.sort_by_key(|id| (place.get(id).copied().unwrap_or(usize::MAX), *id));
    first.append(&mut last);
    (first, brought)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_group_does_not_fill_the_ranking() {
        let ranked = vec![("a", 1), ("a", 2), ("a", 3), ("b", 4), ("a", 5), ("c", 6)];
        let spread: Vec<i32> = spread(ranked, 2, |(group, _)| *group).into_iter().map(|(_, id)| id).collect();
        assert_eq!(spread, [1, 2, 4, 6, 3, 5]);
    }

    #[test]
    fn what_is_wanted_takes_the_last_places_that_nobody_needs() {
        let (first, brought) = guarantee(&[1, 2, 3, 4, 5, 6], 3, &[vec![3], vec![6, 5], vec![]]);
        assert_eq!(first, [1, 3, 5], "3 stays because it is wanted, 5 is the better of the two");
        assert_eq!(brought, BTreeSet::from([5]));
        let (first, brought) = guarantee(&[1, 2, 3], 2, &[vec![9]]);
        assert_eq!((first, brought.len()), (vec![1, 9], 1), "also from outside of the ranking");
    }

    #[test]
    fn without_wants_nothing_changes() {
        assert_eq!(guarantee(&[3, 1, 2], 2, &[]).0, [3, 1]);
        assert_eq!(guarantee(&[3, 1, 2], 9, &[vec![1]]).0, [3, 1, 2]);
        assert!(guarantee(&[1], 0, &[vec![1]]).0.is_empty());
    }

    proptest! {
        #[test]
        fn wants_are_kept_as_far_as_there_is_room(
            ranked in proptest::sample::subsequence((0..20_u8).collect::<Vec<_>>(), 0..20).prop_shuffle(),
            wants in proptest::collection::vec(proptest::collection::vec(0..25_u8, 0..4), 0..6),
            k in 0..8_usize,
        ) {
            let (first, _) = guarantee(&ranked, k, &wants);
            prop_assert!(first.len() <= k);
            prop_assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len());
            let held = wants.iter().filter(|want| !want.is_empty());
            let kept = held.clone().filter(|want| want.iter().any(|id| first.contains(id))).count();
            prop_assert!(kept >= held.count().min(k));
            prop_assert!(first.len() >= ranked.len().min(k));
        }
    }
}
