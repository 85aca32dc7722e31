//! The shortest edit, after E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986).

use super::Budget;

/// Edits that are looked ahead. If so many do not lead to the end, the way that got farthest is taken, and the search goes on
/// from there. It bounds the memory for the ways to 16 MB.
const MOST_EDITS: usize = 2000;

/// Adds the pairs that an edit of the sequences keeps, from a place to their ends.
pub fn pairs(
    old: &[u32],
    new: &[u32],
    mut from: (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
    budget: &mut Budget,
) {
    while from.0 < old.len() && from.1 < new.len() {
        let search = Search { old: &old[from.0..], new: &new[from.1..] };
        let Some((ways, diagonal)) = search.run(budget) else { return };
        let (way, reached) = search.way_back(&ways, diagonal);
        pairs.extend(way.into_iter().rev().map(|(a, b)| (from.0 + a, from.1 + b)));
        from = (from.0 + reached.0, from.1 + reached.1);
    }
}

/// For each number of edits how much of the old sequence is passed on each diagonal, from the lowest one; after so many edits
/// only every second diagonal can be reached.
type Ways = Vec<Vec<Option<u32>>>;

/// A place is how much of the old sequence is passed and on which diagonal; the diagonal is by how much more than of the new.
struct Search<'s> {
    old: &'s [u32],
    new: &'s [u32],
}

impl Search<'_> {
    /// The ways by number of edits, and the diagonal on which the last got farthest; None if the budget is spent.
    fn run(&self, budget: &mut Budget) -> Option<(Ways, isize)> {
        let mut ways: Ways = Vec::new();
        loop {
            let edits = ways.len() as isize;
            let mut farthest = (0, 0);
            let mut reached = Vec::with_capacity(ways.len() + 1);
            for diagonal in (-edits..=edits).step_by(2) {
                let start = self.start(&ways, ways.len(), diagonal).map(|(start, _)| start);
                let end = start.map(|start| self.slide(start, diagonal));
                let steps = end.zip(start).map_or(0, |(end, start)| end - start);
                if !budget.spend(1 + steps) {
                    return None;
                }
                reached.push(end.map(|end| end as u32));
                let passed = end.map(|end| 2 * end as isize - diagonal);
                farthest = passed.map_or(farthest, |passed| farthest.max((passed, diagonal)));
            }
            ways.push(reached);
            let is_end = farthest.0 == (self.old.len() + self.new.len()) as isize;
            if is_end || ways.len() > MOST_EDITS {
                return Some((ways, farthest.1));
            }
        }
    }

    /// Where a diagonal is entered with so many edits, and from which diagonal: by a deletion or an insertion, whichever gets
    /// farther.
    fn start(&self, ways: &Ways, edits: usize, diagonal: isize) -> Option<(usize, isize)> {
        let Some(less) = edits.checked_sub(1) else { return Some((0, diagonal)) };
        let delete = end_of(ways, less, diagonal - 1)
            .filter(|end| *end < self.old.len())
            .map(|end| (end + 1, diagonal - 1));
        let insert = end_of(ways, less, diagonal + 1)
            .filter(|end| passed_of_new(*end, diagonal + 1) < self.new.len())
            .map(|end| (end, diagonal + 1));
        delete.max(insert)
    }

    /// Goes on over what is the same in both.
    fn slide(&self, start: usize, diagonal: isize) -> usize {
        let old = &self.old[start..];
        let new = &self.new[passed_of_new(start, diagonal)..];
        start + old.iter().zip(new).take_while(|(a, b)| a == b).count()
    }

    /// The pairs on the way to a diagonal, last first, and what of both is passed there.
    fn way_back(&self, ways: &Ways, mut diagonal: isize) -> (Vec<(usize, usize)>, (usize, usize)) {
        let mut pairs = Vec::new();
        let end = end_of(ways, ways.len() - 1, diagonal).unwrap_or(0);
        let reached = (end, passed_of_new(end, diagonal));
        for edits in (0..ways.len()).rev() {
            let end = end_of(ways, edits, diagonal).unwrap_or(0);
            let (start, before) = self.start(ways, edits, diagonal).unwrap_or((0, diagonal));
            pairs.extend((start..end).rev().map(|passed| (passed, passed_of_new(passed, diagonal))));
            diagonal = before;
        }
        (pairs, reached)
    }
}

fn passed_of_new(passed_of_old: usize, diagonal: isize) -> usize {
    passed_of_old.wrapping_add_signed(-diagonal)
}

/// How far a diagonal was followed with so many edits.
fn end_of(ways: &Ways, edits: usize, diagonal: isize) -> Option<usize> {
    let place = usize::try_from(diagonal + edits as isize).ok()? / 2;
    ways[edits].get(place).copied().flatten().map(|end| end as usize)
}
