-- DROP EXTENSION while memories exist is refused by a hook in the library. Where the library is not preloaded,
-- this makes the commands that could drop it load it first.
comment on function memento._load_library() is 'internal: loads the library, and with it the hook that protects memories';
create event trigger pg_memento_protect on ddl_command_start
  when tag in ('DROP EXTENSION', 'DROP SCHEMA', 'DROP OWNED', 'DROP TABLE')
  execute function memento._load_library();
comment on event trigger pg_memento_protect is 'Makes sure that memories are protected from being dropped by accident.';
