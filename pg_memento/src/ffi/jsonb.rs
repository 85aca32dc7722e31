//! jsonb as its text. pgrx's own type goes through `serde_json::Value`, which rounds large numbers and panics on
//! deep nesting; what a user gives us to keep must come back as it was.

use std::ffi::{CStr, CString};

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::nullable::Nullable;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;
use pgrx::{direct_function_call, direct_function_call_as_datum};

/// A jsonb value in the text form that the server gives it.
#[derive(Clone, Debug)]
pub struct Jsonb(String);

impl Jsonb {
    /// Whether it is an object, not an array or a scalar.
    pub fn is_object(&self) -> bool {
        self.0.starts_with('{')
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A JSON text; the server refuses it where it is used if it is none.
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    /// The size of its text in bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// An array of values as they are.
    pub fn array(values: &[Self]) -> Self {
        let texts: Vec<&str> = values.iter().map(Self::as_str).collect();
        Self(format!("[{}]", texts.join(", ")))
    }

    /// An object of values as they are.
    pub fn object(fields: &[(&str, Self)]) -> Self {
        let texts: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name:?}: {}", value.0)).collect();
        Self(format!("{{{}}}", texts.join(", ")))
    }

    /// Decodes it, for arguments that we look into. Fails on nesting beyond 128 levels.
    pub fn parse(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl From<serde_json::Value> for Jsonb {
    fn from(value: serde_json::Value) -> Self {
        Self(value.to_string())
    }
}

impl FromDatum for Jsonb {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the caller vouches that the datum is a jsonb; jsonb_out detoasts it and answers a C string in
        // the current memory context, copied here.
        let text: &CStr = unsafe { direct_function_call(pg_sys::jsonb_out, &[Some(datum)])? };
        Some(Self(text.to_string_lossy().into_owned()))
    }
}

impl IntoDatum for Jsonb {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        let text = CString::new(self.0).ok()?;
        // SAFETY: jsonb_in reads the C string, which lives until the end of the call.
        unsafe { direct_function_call_as_datum(pg_sys::jsonb_in, &[Some(text.as_ptr().into())]) }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

// SAFETY: the type is passed and returned as the jsonb that SQL declares.
unsafe impl SqlTranslatable for Jsonb {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Jsonb);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("jsonb"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal("jsonb")));
}

// SAFETY: goes through FromDatum above; a null argument is answered by `unbox_nullable_arg`.
unsafe impl<'fcx> ArgAbi<'fcx> for Jsonb {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: SQL declares the argument as jsonb.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_else(|| Self("null".into()))
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: SQL declares the argument as jsonb.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}

// SAFETY: returns the jsonb datum made by IntoDatum.
unsafe impl BoxRet for Jsonb {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> pgrx::datum::Datum<'fcx> {
        match self.into_datum() {
            // SAFETY: allocated in the memory context of the call.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}
