//! What words are, from `lexicon.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A set of lists that a word is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tags(u64);

impl Tags {
    /// Whether they have one in common.
    pub fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Those of both.
    pub fn union(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

struct Lexicon {
    /// In the order of their bits.
    lists: Vec<&'static str>,
    words: HashMap<&'static str, Tags>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| read(include_str!("lexicon.txt")));

fn read(text: &'static str) -> Lexicon {
    let mut lexicon = Lexicon { lists: Vec::new(), words: HashMap::new() };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((list, words)) = line.split_once(':') else { continue };
        let bit = Tags(1 << lexicon.lists.len());
        lexicon.lists.push(list);
        for word in words.split_whitespace() {
            let tags = lexicon.words.entry(word).or_default();
            *tags = tags.union(bit);
        }
    }
    lexicon
}

/// The lists that a word in lower case is in.
pub fn tags_of(word: &str) -> Tags {
    LEXICON.words.get(word).copied().unwrap_or_default()
}

/// The list of a name; none if there is no such list.
pub fn tag(list: &str) -> Option<Tags> {
    let bit = LEXICON.lists.iter().position(|known| *known == list)?;
    Some(Tags(1 << bit))
}

/// The lists that the code itself asks for.
pub struct Lists {
    pub pronoun: Tags,
    pub det: Tags,
    pub team: Tags,
    pub orgnoun: Tags,
    pub rolenoun: Tags,
    pub title: Tags,
    pub common: Tags,
    pub filler: Tags,
    pub adv: Tags,
    pub neg: Tags,
    pub hypo: Tags,
    pub sub: Tags,
    pub wh: Tags,
    pub have: Tags,
    pub be: Tags,
    pub calendar: Tags,
    pub idle: Tags,
    pub human: Tags,
    pub onstage: Tags,
    pub role: Tags,
    /// Words that an event can hang on.
    pub verbal: Tags,
}

/// Looked up once.
pub static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let all = |names: &str| names.split(' ').filter_map(tag).fold(Tags::default(), Tags::union);
    Lists {
        pronoun: all("pronoun"),
        det: all("det"),
        team: all("team"),
        orgnoun: all("orgnoun"),
        rolenoun: all("rolenoun"),
        title: all("title"),
        common: all("common"),
        filler: all("filler"),
        adv: all("adv"),
        neg: all("neg"),
        hypo: all("hypo"),
        sub: all("sub"),
        wh: all("wh"),
        have: all("have"),
        be: all("bepast bepres"),
        calendar: all("month weekday"),
        idle: all("idle"),
        human: all("human"),
        onstage: all("onstage"),
        role: all("role"),
        verbal: all("bepast bepres have decided chose said done didweak changed promised talked"),
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_a_bit_and_words() {
        assert!(LEXICON.lists.len() <= 64);
        for line in include_str!("lexicon.txt").lines().filter(|line| !line.starts_with('#')) {
            let (list, words) = line.split_once(':').unwrap();
            assert!(tag(list).is_some() && words.split_whitespace().count() > 1, "{list}");
            assert_eq!(words.to_lowercase(), words, "{list}");
        }
    }
}
