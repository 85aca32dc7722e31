comment on function memento.version() is 'The version of the library.';
comment on function memento.capabilities() is
  'What this installation can do, as JSON: versions, whether the library is preloaded, which optional extensions are installed or available, which lanes of search run.';
comment on function memento.doctor() is
  'Checks the installation: each check with its status (ok, warn, fail), what was found, and a hint that can be pasted.';
