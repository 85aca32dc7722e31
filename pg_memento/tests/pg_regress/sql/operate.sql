-- Looking at the installation. Versions differ from server to server.
select memento.version() = extversion as same_version from pg_extension where extname = 'pg_memento';
-- The worker is there a moment after CREATE EXTENSION.
select memento.wait_until_running();
select jsonb_object_keys(memento.capabilities()) as key order by 1;
select memento.capabilities() -> 'preloaded' as preloaded, memento.capabilities() -> 'lanes' as lanes;
select check_name, status from memento.doctor() where check_name not in ('durability');
set memento.allow_drop = on;
select status, detail, hint from memento.doctor() where check_name = 'allow_drop';
reset memento.allow_drop;
select name, context, boot_val, unit from pg_settings where name like 'memento.%' order by 1;
set memento.no_such_setting = 1;
