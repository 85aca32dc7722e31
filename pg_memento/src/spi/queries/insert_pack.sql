-- $1 project, $2 role, $3 query, $4 settings, $5 lanes, $6 evidence, $7 items, $8 as_of
insert into memento.evidence_pack (project_id, created_by, query, settings, lanes, evidence, item_ids)
values ($1, pg_catalog.pg_get_userbyid($2), $3, $4::jsonb || pg_catalog.jsonb_build_object('as_of', $8::timestamptz), $5, $6,
        array(select distinct i from pg_catalog.unnest($7::uuid[]) i order by i))
returning pack_id
