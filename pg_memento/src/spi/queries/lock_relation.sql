-- $1 project, $2 relation: those who add such links wait for each other, so that two of them do not make a circle together
select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('memento.link ' || $1::text || ' ' || $2::text, 0))
