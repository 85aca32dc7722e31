//! Tests that need a backend. What a client can see is tested in `tests/` and by pg_regress.

#[pgrx::pg_schema]
mod tests {
    use pgrx::prelude::*;

    #[pg_test]
    fn version_is_the_one_of_the_workspace() {
        let version = Spi::get_one::<&str>("select memento.version()").unwrap();
        assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    }
}
