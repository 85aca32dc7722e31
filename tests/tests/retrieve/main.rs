//! Packs of evidence, and the searches that give items: what must be in them, what they may cost, and how they are made again.

mod budget;
mod identifier;
mod packs;
mod preference;
mod provenance;
mod read_only;
mod scene;
mod settings;
