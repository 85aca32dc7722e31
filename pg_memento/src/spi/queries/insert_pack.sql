-- $1 project, $2 role, $3 query, $4 settings, $5 lanes, $6 evidence, $7 items, $8 as_of, $9 what is shown
insert into memento.evidence_pack (project_id, created_by, query, settings, lanes, evidence, item_ids, digest)
values ($1, pg_catalog.pg_get_userbyid($2), $3, $4::jsonb || pg_catalog.jsonb_build_object('as_of', $8::timestamptz), $5, $6,
        array(select distinct i from pg_catalog.unnest($7::uuid[]) i order by i),
        pg_catalog.sha256(pg_catalog.convert_to(($9::jsonb)::text, 'UTF8')))
returning pack_id
