comment on function memento.version() is 'The version of the library.';
comment on function memento.capabilities() is
  'What this installation can do, as JSON: versions, whether the library is preloaded, which optional extensions are installed or available, which lanes of search run.';
comment on function memento.doctor() is
  'Checks the installation: each check with its status (ok, warn, fail), what was found, and a hint that can be pasted.';
comment on function memento.wait_until_running(interval) is
  'Waits until the background worker of this database takes work, for as long as is given; true if it does. An error where there can be none: on a standby, and where the library is not preloaded.';
comment on function memento.worker_slots() is 'The background worker of each database, as shared memory has it: none if the library is not preloaded.';
comment on function memento._wake_worker() is 'internal: wakes the background worker of this database when the transaction commits';
