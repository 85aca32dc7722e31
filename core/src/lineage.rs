//! Events: their ids, what they name, and which of them fit in a context.

use std::collections::BTreeSet;

use serde_json::Value;
use uuid::Uuid;

/// A uuid of version 7: the time in milliseconds, a fraction of one in 12 bits, then random bits. Ids that are made one after
/// the other by one process are in that order as far as its clock can tell.
pub fn time_ordered_id(unix_micros: u64, random: [u8; 16]) -> Uuid {
    let (millis, micros) = (unix_micros / 1000, unix_micros % 1000);
    let fraction = micros * 4096 / 1000;
    let mut bytes = random;
    bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
    bytes[6] = 0x70 | (fraction >> 8) as u8;
    bytes[7] = (fraction & 0xff) as u8;
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    Uuid::from_bytes(bytes)
}

/// What the data of events names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Memories, in the order in which they are first named.
    pub items: Vec<Uuid>,
    /// Evidence packs.
    pub packs: Vec<Uuid>,
    seen: BTreeSet<(bool, Uuid)>,
}

impl Named {
    /// Adds what a value names at any depth, by the keys `item_id`, `item_ids`, `pack_id` and `pack_ids`.
    pub fn add(&mut self, data: &Value) {
        // A stack and not recursion: the depth is the user's.
        let mut left = vec![data];
        while let Some(value) = left.pop() {
            match value {
                Value::Array(values) => left.extend(values.iter().rev()),
                Value::Object(fields) => {
                    for (key, value) in fields {
                        match key.as_str() {
                            "item_id" | "item_ids" => self.add_ids(value, false),
                            "pack_id" | "pack_ids" => self.add_ids(value, true),
                            _ => {}
                        }
                    }
                    left.extend(fields.values().rev().filter(|value| value.is_object() || value.is_array()));
                }
                _ => {}
            }
        }
    }

    fn add_ids(&mut self, value: &Value, is_pack: bool) {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        for id in values.iter().filter_map(Value::as_str).filter_map(|text| Uuid::try_parse(text).ok()) {
            if self.seen.insert((is_pack, id)) {
                if is_pack { self.packs.push(id) } else { self.items.push(id) }
            }
        }
    }
}

/// A budget of tokens that is spent in the order of importance.
#[derive(Debug)]
pub struct Budget {
    left: usize,
    /// How many things did not fit.
    pub left_out: usize,
    /// How many tokens those have.
    pub left_out_tokens: usize,
}

impl Budget {
    /// With so many tokens.
    pub fn new(tokens: usize) -> Self {
        Self { left: tokens, left_out: 0, left_out_tokens: 0 }
    }

    /// Whether something fits; then it is paid for. A smaller thing after it may still fit.
    pub fn take(&mut self, tokens: usize) -> bool {
        let fits = tokens <= self.left;
        if fits {
            self.left -= tokens;
        } else {
            self.left_out += 1;
            self.left_out_tokens += tokens;
        }
        fits
    }

    /// How many tokens are left.
    pub fn left(&self) -> usize {
        self.left
    }
}

#[cfg(test)]
mod unit_tests {
    use serde_json::json;

    use super::*;

    const A: &str = "0b0f7b9e-8c5a-4f0e-9d55-3a1c1c1c1c1c";
    const B: &str = "1b0f7b9e-8c5a-4f0e-9d55-3a1c1c1c1c1c";

    #[test]
    fn ids_are_of_version_7_and_in_the_order_of_time() {
        let moments = [0, 1, 999, 1000, 1_700_000_000_000_000, 1_700_000_000_000_001, 1_700_000_000_001_000];
        let ids: Vec<Uuid> = moments.iter().map(|micros| time_ordered_id(*micros, [0xff; 16])).collect();
        assert!(ids.is_sorted());
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
        for id in ids {
            assert_eq!((id.get_version_num(), id.get_variant()), (7, uuid::Variant::RFC4122));
        }
        let id = time_ordered_id(1_700_000_000_123_456, [0; 16]);
        assert_eq!(id.get_timestamp().map(|time| time.to_unix()), Some((1_700_000_000, 123_000_000)));
    }

    #[test]
    fn names_are_found_at_any_depth_once_and_in_order() {
        let mut named = Named::default();
        named.add(
            &json!({"result": [{"item_ids": [B, A, "no uuid", 7, null]}, {"item_id": A}], "pack_id": A}),
        );
        named.add(&json!({"item_id": {"item_id": B}, "pack_ids": [[A], B]}));
        let ids = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Uuid>>();
        assert_eq!((named.items, named.packs), (ids(&[B, A]), ids(&[A, B])));
        let mut nothing = Named::default();
        for value in [json!(null), json!(A), json!([A]), json!({"item": A})] {
            nothing.add(&value);
        }
        assert_eq!(nothing, Named::default());
    }

    #[test]
    fn a_budget_skips_what_does_not_fit() {
        let mut budget = Budget::new(10);
        assert_eq!([4, 7, 6, 1, 0].map(|tokens| budget.take(tokens)), [true, false, true, false, true]);
        assert_eq!((budget.left(), budget.left_out, budget.left_out_tokens), (0, 2, 8));
    }
}
