//! How people name a project: by id, by name, or by workspace and name.

/// A project as written by a user, not yet looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectRef {
    /// A uuid in its usual form.
    Id(String),
    /// A name that must be unique among the projects the caller can see.
    Name(String),
    /// `workspace/name`.
    Qualified {
        /// The workspace's name.
        workspace: String,
        /// The project's name in it.
        name: String,
    },
}

/// The longest name that a project or workspace may have, in characters: fits a line of a terminal.
pub const MAX_NAME_CHARS: usize = 200;

/// Why a name cannot be a project's or a workspace's.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NameError {
    /// Nothing, or only blanks.
    #[error("the name is empty")]
    Empty,
    /// Longer than [`MAX_NAME_CHARS`].
    #[error("the name is longer than {MAX_NAME_CHARS} characters")]
    TooLong,
    /// `/` separates workspace and project, and control characters cannot be typed.
    #[error("the name contains a character that cannot be used: {0:?}")]
    BadCharacter(char),
    /// A name that reads as a uuid could never be told from an id.
    #[error("the name has the form of a uuid")]
    LooksLikeId,
}

/// Checks a name given to a new project or workspace.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if name.trim().is_empty() {
        return Err(NameError::Empty);
    }
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(NameError::TooLong);
    }
    if let Some(bad) = name.chars().find(|c| *c == '/' || c.is_control()) {
        return Err(NameError::BadCharacter(bad));
    }
    if is_uuid(name) {
        return Err(NameError::LooksLikeId);
    }
    Ok(())
}

impl ProjectRef {
    /// Reads what a user wrote. Whether such a project exists is for the caller to find out.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if is_uuid(text) {
            return Ok(Self::Id(text.to_ascii_lowercase()));
        }
        if let Some((workspace, name)) = text.split_once('/') {
            check_name(workspace)?;
            check_name(name)?;
            return Ok(Self::Qualified { workspace: workspace.to_owned(), name: name.to_owned() });
        }
        check_name(text)?;
        Ok(Self::Name(text.to_owned()))
    }
}

/// What a repository is known by, however its URL is written: host and path, without user, password and `.git`. None if it is
/// no URL.
pub fn repository_key(url: &str) -> Option<String> {
    let url = url.trim();
    let (rest, is_url) = match url.split_once("://") {
        Some((_, rest)) => (rest, true),
        None => (url, false),
    };
    let (authority, path) = match rest.split_once('/') {
        // git@host:path has its colon before the first slash, and no port.
        Some((before, path)) => match before.split_once(':') {
            Some((host, first)) if !is_url => (host, format!("{first}/{path}")),
            _ => (before, path.to_owned()),
        },
        None if !is_url => rest.split_once(':').map(|(host, path)| (host, path.to_owned()))?,
        None => return None,
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let is_plain =
        |text: &str| !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || c.is_control());
    (is_plain(&host) && is_plain(path)).then(|| format!("{host}/{path}"))
}

/// A directory without slashes at its end; none if it is not absolute.
pub fn directory_key(directory: &str) -> Option<String> {
    let directory = directory.trim();
    let is_windows = directory.get(1..3).is_some_and(|sign| sign == ":\\" || sign == ":/");
    let key = directory.trim_end_matches(['/', '\\']);
    let is_plain = !key.is_empty() && !key.chars().any(char::is_control);
    ((directory.starts_with('/') || is_windows) && is_plain).then(|| key.to_owned())
}

/// The name of a project that is known by a key: its last part.
pub fn name_of_key(key: &str) -> &str {
    key.rsplit(['/', '\\']).next().unwrap_or(key)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_three_forms_are_told_apart() {
        let id = "0B0F7B9E-8C5A-4F0E-9D55-3A1C1C1C1C1C";
        assert_eq!(ProjectRef::parse(id), Ok(ProjectRef::Id(id.to_ascii_lowercase())));
        assert_eq!(ProjectRef::parse("acme"), Ok(ProjectRef::Name("acme".into())));
        assert_eq!(
            ProjectRef::parse("sales/acme"),
            Ok(ProjectRef::Qualified { workspace: "sales".into(), name: "acme".into() })
        );
    }

    #[test]
    fn names_that_cannot_be_written_back_are_refused() {
        assert_eq!(check_name("  "), Err(NameError::Empty));
        assert_eq!(check_name("a/b"), Err(NameError::BadCharacter('/')));
        assert_eq!(check_name("a\nb"), Err(NameError::BadCharacter('\n')));
        assert_eq!(check_name(&"x".repeat(201)), Err(NameError::TooLong));
        assert_eq!(check_name("00000000-0000-0000-0000-000000000001"), Err(NameError::LooksLikeId));
        assert_eq!(ProjectRef::parse("a/b/c"), Err(NameError::BadCharacter('/')));
    }

    #[test]
    fn a_repository_has_one_key_however_it_is_written() {
        for url in [
            "https://example.com/acme/shop",
            "https://ana:word@Example.com/acme/shop.git/",
            "git@example.com:acme/shop.git",
            "ssh://git@example.com/acme/shop",
        ] {
            assert_eq!(repository_key(url).as_deref(), Some("example.com/acme/shop"), "{url}");
        }
        assert_eq!(repository_key("http://git.local:8080/shop").as_deref(), Some("git.local:8080/shop"));
        for nothing in ["", "shop", "https://", "https://example.com", "https://example.com/", "a b/c", ":"] {
            assert_eq!(repository_key(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn directories_are_absolute() {
        assert_eq!(directory_key("/home/ana/shop/").as_deref(), Some("/home/ana/shop"));
        assert_eq!(directory_key("C:\\work\\shop").as_deref(), Some("C:\\work\\shop"));
        for nothing in ["", "shop", "/", "./shop", "//"] {
            assert_eq!(directory_key(nothing), None, "{nothing:?}");
        }
        assert_eq!(name_of_key("C:\\work\\shop"), "shop");
        assert_eq!(name_of_key("example.com/acme/shop"), "shop");
    }

    proptest! {
        #[test]
        fn every_accepted_name_parses_back_to_itself(name in "\\PC{0,40}") {
            if check_name(&name).is_ok() {
                prop_assert_eq!(ProjectRef::parse(&name), Ok(ProjectRef::Name(name)));
            }
        }
    }
}
