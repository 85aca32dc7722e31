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

/// One holder for each of `wants` that is to be among `k` places: the best by the ranking, and no more than `most` of a group. The
/// wants count in their order, as far as there is room.
pub fn needed<I: Ord + Copy, G: Ord>(
    ranked: &[I],
    k: usize,
    wants: &[Vec<I>],
    most: usize,
    group: impl Fn(&I) -> G,
) -> BTreeSet<I> {
    let place: BTreeMap<I, usize> = ranked.iter().copied().zip(0..).collect();
    let mut needed: BTreeSet<I> = BTreeSet::new();
    let mut of_group: BTreeMap<G, usize> = BTreeMap::new();
    for holders in wants {
        if needed.len() == k || holders.iter().any(|holder| needed.contains(holder)) {
            continue;
        }
        let has_room = |id: &&I| of_group.get(&group(id)).is_none_or(|count| *count < most);
        let best = holders.iter().filter(has_room).min_by_key(|id| (place_in(&place, id), **id));
        if let Some(best) = best {
            *of_group.entry(group(best)).or_default() += 1;
            needed.insert(*best);
        }
    }
    needed
}

/// The first `k` of a ranking with all of `needed`, of which there are at most `k`. What has to be brought in takes the last places
/// of those that are not needed. Also gives what was brought in.
pub fn bring_in<I: Ord + Copy>(ranked: &[I], k: usize, needed: &BTreeSet<I>) -> (Vec<I>, BTreeSet<I>) {
    let place: BTreeMap<I, usize> = ranked.iter().copied().zip(0..).collect();
    let brought: BTreeSet<I> = needed.iter().copied().filter(|id| place_in(&place, id) >= k).collect();
    let mut room = k.saturating_sub(needed.len());
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
    last.sort_by_key(|id| (place_in(&place, id), *id));
    first.append(&mut last);
    (first, brought)
}

fn place_in<I: Ord>(places: &BTreeMap<I, usize>, id: &I) -> usize {
    places.get(id).copied().unwrap_or(usize::MAX)
}

/// The first `k` of a ranking, such that each of `wants` has one of its holders among them, as far as there is room. Also gives what
/// had to be brought in.
pub fn guarantee<I: Ord + Copy>(ranked: &[I], k: usize, wants: &[Vec<I>]) -> (Vec<I>, BTreeSet<I>) {
    bring_in(ranked, k, &needed(ranked, k, wants, usize::MAX, |_| ()))
}

/// Among the first `k`, lets those of `due` whose group is not shown take the places of those whose group is shown before them, the
/// last of these first. What gives way comes right behind. Also gives what was brought in.
pub fn show_groups<I: Ord + Copy, G: Ord>(
    ranked: &[I],
    k: usize,
    due: &BTreeSet<I>,
    group: impl Fn(&I) -> G,
) -> (Vec<I>, BTreeSet<I>) {
    let (first, rest) = ranked.split_at(k.min(ranked.len()));
    let mut shown = BTreeSet::new();
    let repeats: Vec<I> = first.iter().copied().filter(|id| !shown.insert(group(id))).collect();
    let is_missing = |id: &I| due.contains(id) && shown.insert(group(id));
    let brought: Vec<I> = rest.iter().copied().filter(is_missing).take(repeats.len()).collect();
    let given_way: BTreeSet<I> = repeats.iter().rev().copied().take(brought.len()).collect();
    let is_brought: BTreeSet<I> = brought.iter().copied().collect();
    let mut order: Vec<I> = first.iter().copied().filter(|id| !given_way.contains(id)).collect();
    order.extend(brought);
    order.extend(first.iter().copied().filter(|id| given_way.contains(id)));
    order.extend(rest.iter().copied().filter(|id| !is_brought.contains(id)));
    (order, is_brought)
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
    fn no_group_gives_more_holders_than_it_may() {
        let group = |id: &i32| id / 10;
        let wants = [vec![11], vec![12, 31], vec![13]];
        assert_eq!(needed(&[11, 12, 13, 20, 31], 3, &wants, 1, group), BTreeSet::from([11, 31]));
        assert_eq!(needed(&[11, 12, 13, 20, 31], 2, &wants, 9, group), BTreeSet::from([11, 12]));
    }

    #[test]
    fn without_wants_nothing_changes() {
        assert_eq!(guarantee(&[3, 1, 2], 2, &[]).0, [3, 1]);
        assert_eq!(guarantee(&[3, 1, 2], 9, &[vec![1]]).0, [3, 1, 2]);
        assert!(guarantee(&[1], 0, &[vec![1]]).0.is_empty());
    }

    #[test]
    fn groups_that_are_due_take_the_places_of_repeats() {
        let group = |id: &i32| id / 10;
        let due = BTreeSet::from([30, 31, 40, 50]);
        let (order, brought) = show_groups(&[10, 11, 20, 12, 60, 30, 31, 40, 50], 4, &due, group);
        assert_eq!(
            order,
            [10, 20, 30, 40, 11, 12, 60, 31, 50],
            "60 is not due, 31 is of the same group as 30"
        );
        assert_eq!(brought, BTreeSet::from([30, 40]));
        let (order, brought) = show_groups(&[10, 20, 30], 2, &due, group);
        assert_eq!((order, brought.len()), (vec![10, 20, 30], 0), "nothing is shown twice");
        assert!(show_groups(&[], 3, &due, group).0.is_empty());
    }

    proptest! {
        #[test]
        fn showing_groups_loses_nothing(
            ranked in proptest::sample::subsequence((0..40_u8).collect::<Vec<_>>(), 0..40).prop_shuffle(),
            due in proptest::collection::btree_set(0..40_u8, 0..20),
            k in 0..12_usize,
        ) {
            let groups = |ids: &[u8]| ids.iter().map(|id| id % 7).collect::<BTreeSet<_>>();
            let (order, _) = show_groups(&ranked, k, &due, |id| id % 7);
            let sorted = |ids: &[u8]| ids.iter().copied().collect::<BTreeSet<_>>();
            prop_assert_eq!(sorted(&order), sorted(&ranked));
            prop_assert_eq!(order.len(), ranked.len());
            let first = k.min(ranked.len());
            prop_assert!(groups(&order[..first]).is_superset(&groups(&ranked[..first])));
        }

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
