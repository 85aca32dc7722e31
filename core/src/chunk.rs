//! Cuts documents into chunks: contiguous runs of blocks under one heading, each an exact span of the text.

mod block;
mod cluster;
mod config;
mod item;
mod markdown;
mod nesting;
mod outline;
mod pack;
mod readable;
mod slug;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod unit;
mod window;

pub use block::{Block, BlockKind, Heading};
pub use config::{Budget, BudgetError, Measure};
pub use item::{Grouping, grouping_for};
pub use markdown::{CharOffsets, Chunk, chunk_grouped, chunk_markdown};
pub use outline::{Section, outline, outline_interruptibly};
pub(crate) use unit::units_worth;
pub use window::blocks;
