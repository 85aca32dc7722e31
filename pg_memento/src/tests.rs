//! Tests that run inside a backend, each in a transaction that is rolled back; `scripts/test --only server` calls every
//! function of schema `tests`. What a client can see is tested in `tests/` and by pg_regress.
#![allow(clippy::unwrap_used)]

#[pgrx::pg_schema]
mod tests {
    use pgrx::prelude::*;

    use crate::ffi::{identity, jsonb::Jsonb};
    use crate::service::access::as_owner;
    use crate::{gucs, init, spi};

    fn text(statement: &str) -> String {
        Spi::get_one::<String>(statement).unwrap().unwrap()
    }

    #[pg_extern]
    fn the_library_is_preloaded_and_knows_its_settings() {
        assert!(init::preloaded());
        assert!(!gucs::allow_drop());
        assert_eq!(gucs::max_content_bytes(), 32 * 1024 * 1024);
        assert_eq!(gucs::project(), None);
        Spi::run("set local memento.project = 'elsewhere'; set local memento.max_content_size = '1MB'")
            .unwrap();
        assert_eq!(gucs::project().as_deref(), Some("elsewhere"));
        assert_eq!(gucs::max_content_bytes(), 1024 * 1024);
    }

    #[pg_extern]
    fn work_as_the_owner_ends_with_the_work() {
        Spi::run("create role somebody; set local role somebody").unwrap();
        let somebody = identity::current_role();
        let inside = as_owner(|| Ok((identity::current_role(), spi::catalog::extension_owner()?))).unwrap();
        assert_eq!(inside.0, inside.1);
        assert_ne!(inside.0, somebody);
        assert_eq!(identity::current_role(), somebody);
    }

    #[pg_extern]
    fn work_as_the_owner_ends_with_an_error_too() {
        Spi::run("create role somebody; set local role somebody").unwrap();
        let somebody = identity::current_role();
        let caught = PgTryBuilder::new(|| {
            let _ = as_owner(|| -> spi::StatementResult<()> { panic!("in the middle") });
            false
        })
        .catch_others(|_| true)
        .execute();
        assert!(caught);
        assert_eq!(identity::current_role(), somebody);
        assert_eq!(text("select current_user::text"), "somebody");
    }

    #[pg_extern]
    fn set_role_is_refused_while_working_as_the_owner() {
        let refused = PgTryBuilder::new(|| {
            let _ = as_owner(|| {
                Spi::run("set role none").unwrap();
                Ok(())
            });
            false
        })
        .catch_when(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, |_| true)
        .execute();
        assert!(refused);
    }

    #[pg_extern]
    fn jsonb_keeps_what_serde_would_round() {
        let number = r#"{"n": 123456789012345678901234567890.000000001}"#;
        let value = Spi::get_one::<Jsonb>(&format!("select '{number}'::jsonb")).unwrap().unwrap();
        assert!(value.is_object());
        let same = Spi::get_one_with_args::<bool>(&format!("select $1 = '{number}'::jsonb"), &[value.into()]);
        assert_eq!(same, Ok(Some(true)));
    }

    #[pg_extern]
    fn jsonb_that_is_nested_deeply_is_an_error_and_no_panic() {
        let value =
            Spi::get_one::<Jsonb>("select (repeat('[', 2000) || repeat(']', 2000))::jsonb").unwrap().unwrap();
        assert!(!value.is_object());
        assert!(value.parse().is_err());
    }
}
