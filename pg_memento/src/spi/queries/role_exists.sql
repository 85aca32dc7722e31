select exists (select from pg_catalog.pg_roles where rolname = $1::name)
