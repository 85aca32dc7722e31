//! Lists, page by page.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// The page of a list that is here in full. A cursor is where it begins.
pub fn page<T>(
    items: Vec<T>,
    cursor: Option<&str>,
    size: usize,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start: usize = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .ok()
            .filter(|start| *start < items.len())
            .ok_or_else(|| ErrorData::invalid_params("the cursor is not where a page ended", None))?,
    };
    let end = start.saturating_add(size);
    let next = (end < items.len()).then(|| end.to_string());
    Ok((items.into_iter().skip(start).take(size).collect(), next))
}

/// What a request asks to go on from.
pub fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let items = || vec![1, 2, 3, 4, 5];
        let (first, next) = page(items(), None, 2).unwrap();
        assert_eq!((first, next.as_deref()), (vec![1, 2], Some("2")));
        let (last, next) = page(items(), Some("4"), 2).unwrap();
        assert_eq!((last, next), (vec![5], None));
    }

    #[test]
    fn other_cursors_are_refused() {
        for cursor in ["", "x", "-1", "5", "99999999999999999999"] {
            assert!(page(vec![1, 2, 3, 4, 5], Some(cursor), 2).is_err(), "{cursor}");
        }
    }
}
