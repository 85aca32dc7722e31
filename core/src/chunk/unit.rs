//! What chunks are packed from.

use std::ops::Range;
use std::rc::Rc;

use super::block::{Block, BlockKind};
use super::markdown::HeadingPath;

/// What is packed: a whole block or a part of one.
#[derive(Clone)]
pub struct Unit {
    pub span: Range<usize>,
    pub kind: BlockKind,
    /// Whether it may not follow the body of another chunk: a heading, or an item where each has its own chunk.
    pub opens: bool,
    /// With the white space before it.
    pub size: usize,
    /// Of that, the white space: not counted for the first unit of a chunk.
    pub lead: usize,
    pub heading: Rc<HeadingPath>,
    /// Kept to divide it further, if it must share a chunk with its heading and does not fit.
    pub block: Option<Rc<Block>>,
    /// Where the long line ends that it begins, in a paragraph that is being divided.
    pub long_line: Option<usize>,
}

/// How many units make up an excess. (To leave out one after the other, counting each time, would take quadratic time
/// where the sizes of many units do not add up.)
pub fn units_worth(excess: usize, sizes: impl Iterator<Item = usize>) -> usize {
    let mut sum = 0;
    let mut units = 0;
    for size in sizes {
        if sum >= excess {
            break;
        }
        sum += size;
        units += 1;
    }
    units
}
