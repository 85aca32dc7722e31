//! The name of a table as an argument. pgrx's own type opens the table, with a lock and whoever asks.

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;

/// The oid of a table, or of none.
#[derive(Clone, Copy, Debug)]
pub struct Regclass(pub pg_sys::Oid);

// SAFETY: the type is passed as the regclass that SQL declares, which is an oid.
unsafe impl SqlTranslatable for Regclass {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Regclass);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("regclass"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("regclass")));
}

impl FromDatum for Regclass {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, oid: pg_sys::Oid) -> Option<Self> {
        // SAFETY: the caller vouches that the datum is a regclass, whose form is that of an oid.
        unsafe { pg_sys::Oid::from_polymorphic_datum(datum, is_null, oid) }.map(Self)
    }
}

// SAFETY: goes through FromDatum above; a null argument is answered by `unbox_nullable_arg`.
unsafe impl<'fcx> ArgAbi<'fcx> for Regclass {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: SQL declares the argument as regclass.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or(Self(pg_sys::Oid::INVALID))
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: SQL declares the argument as regclass.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}
