-- Last: whatever was made above, nothing is open to PUBLIC. Access is given by memento.grant_access().
revoke all on all tables in schema memento from public;
revoke all on all sequences in schema memento from public;
revoke all on all routines in schema memento from public;
revoke all on type memento.access_level from public;
