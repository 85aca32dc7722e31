-- $from and $to: documents, with 100 events each. Words are drawn so that the n-th is as rare as in prose: its rank is uniform in its logarithm.
insert into memento.commit (project_id, commit_id, created_by, operation)
values ('$project', md5('commit')::uuid, current_user, 'remember') on conflict do nothing;
insert into memento.item (project_id, item_id, title)
select '$project', md5(n::text)::uuid, 'document ' || n from generate_series($from, $to) n;
insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content, content_hash)
select '$project', md5(n::text)::uuid, md5(n::text)::uuid, 1, md5('commit')::uuid, c, sha256(convert_to(c, 'UTF8'))
  from generate_series($from, $to) n cross join lateral (select 'All of it is said here, in document ' || n || '.' as c) t;
create temporary table given as
select v.project_id, v.version_id, i.artifact_uid, memento._revision_id(v.content_hash) as revision_id, gen_random_uuid() as event_id, r.*
  from memento.version v join memento.item i using (project_id, item_id)
 cross join lateral (
   select e, random() as chance, random() as day, floor(exp(random() * ln(2000)))::int as actor, floor(exp(random() * ln(5000)))::int as subject,
          (select string_agg('w' || floor(exp(random() * ln(20000)))::int, ' ') from generate_series(1, 12) where e > 0 and v.version_num > 0) as narrative
     from generate_series(1, 100) e) r
 where v.version_id in (select md5(n::text)::uuid from generate_series($from, $to) n);
begin;
insert into memento.event_evidence (project_id, event_id, evidence_id, version_id, start_char, end_char, artifact_uid, revision_id, quote)
select project_id, event_id, event_id, version_id, 0, 23, artifact_uid, revision_id, 'All of it is said here,' from given;
insert into memento.semantic_event (project_id, event_id, version_id, evidence_id, extraction_run_id, event_time, confidence, category, artifact_uid,
                                    revision_id, extractor, narrative, subject_json, actors_json)
select project_id, event_id, version_id, event_id, version_id, case when chance < 0.8 then timestamptz '2024-01-01 00:00+00' + day * interval '1000 days' end,
       chance, (array['Commitment', 'Execution', 'Decision', 'Collaboration', 'QualityRisk', 'Feedback', 'Change', 'Stakeholder'])[1 + floor(day * 1e6)::int % 8],
       artifact_uid, revision_id, 'bench', narrative, jsonb_build_object('type', 'project', 'ref', 'subject' || subject),
       jsonb_build_array(jsonb_build_object('ref', 'Actor' || actor || ' Name' || actor % 97, 'role', 'owner'))
  from given;
commit;
drop table given;
