//! The words of a text as full-text search stores them, read in place: which ones, and how often.

use std::cmp::Ordering;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;

/// Each word has an entry of four bytes: where it stands, how long it is, and whether its positions are known.
const ENTRY: usize = size_of::<u32>();

/// A tsvector, detoasted.
pub struct Tsvector<'a> {
    entries: &'a [u8],
    /// The words, each followed by the number of its positions and these, both in two bytes at an even place.
    texts: &'a [u8],
}

#[derive(Clone, Copy)]
struct Entry {
    has_positions: bool,
    start: usize,
    end: usize,
}

impl<'a> Tsvector<'a> {
    /// From what follows the header of the value. What does not fit together has no words.
    fn new(body: &'a [u8]) -> Self {
        let parts = body.split_first_chunk().and_then(|(size, rest)| {
            let words = usize::try_from(i32::from_ne_bytes(*size)).ok()?;
            rest.split_at_checked(words.checked_mul(ENTRY)?)
        });
        let (entries, texts) = parts.unwrap_or_default();
        Self { entries, texts }
    }

    /// How many words there are, each as often as it stands in the text.
    pub fn length(&self) -> u32 {
        (0..self.entries.len() / ENTRY).map(|index| self.times(self.entry(index))).sum()
    }

    /// How often a word stands in the text. The server keeps at most 255 places of each.
    pub fn count(&self, word: &[u8]) -> u32 {
        let (mut low, mut high) = (0, self.entries.len() / ENTRY);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = self.entry(middle);
            match self.texts.get(entry.start..entry.end).unwrap_or_default().cmp(word) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.times(entry),
            }
        }
        0
    }

    fn entry(&self, index: usize) -> Entry {
        let bytes =
            self.entries.get(index * ENTRY..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        let packed = u32::from_ne_bytes(bytes);
        // A bit field of C: the compiler begins at the end that the machine begins at.
        let (flag, length, start) = if cfg!(target_endian = "little") {
            (packed & 1, (packed >> 1) & 0x7ff, packed >> 12)
        } else {
            (packed >> 31, (packed >> 20) & 0x7ff, packed & 0xf_ffff)
        };
        let start = start as usize;
        Entry { has_positions: flag == 1, start, end: start + length as usize }
    }

    fn times(&self, entry: Entry) -> u32 {
        if !entry.has_positions {
            return 1;
        }
        let place = entry.end.next_multiple_of(2);
        let bytes = self.texts.get(place..).and_then(<[u8]>::first_chunk).copied();
        bytes.map_or(1, |bytes| u32::from(u16::from_ne_bytes(bytes)))
    }
}

impl FromDatum for Tsvector<'_> {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the caller vouches for a tsvector that outlives the value; detoasting answers it or a copy in the current
        // memory context, whose length is in its header. Its alignment does not matter: it is read by bytes.
        unsafe {
            let value = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            let length = pgrx::varsize_any_exhdr(value);
            Some(Self::new(std::slice::from_raw_parts(pgrx::vardata_any(value).cast(), length)))
        }
    }
}

// SAFETY: the type is passed as the tsvector that SQL declares, and never returned.
unsafe impl SqlTranslatable for Tsvector<'_> {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Tsvector);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("tsvector"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("tsvector")));
}

// SAFETY: goes through FromDatum above; functions that take it are strict.
unsafe impl<'fcx> ArgAbi<'fcx> for Tsvector<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: SQL declares the argument as tsvector.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_else(|| Self::new(&[]))
    }
}
