-- $1 project, $2 receipt: what is left of it, table by table; none if there is no such receipt. Where the whole project was erased, whatever
-- is older than the receipt is left of it.
select pg_catalog.jsonb_build_object(
         'receipt_id', e.erasure_id,
         'verified', not exists (select from pg_catalog.jsonb_each_text(l.counts) c where c.value <> '0'),
         'remaining', l.counts)
  from memento.erasure e
 cross join lateral (
   select memento._count_left($1, e.item_ids, e.version_ids) || pg_catalog.jsonb_build_object(
            'evidence_pack', (select count(*) from memento.evidence_pack p where p.project_id = $1 and p.item_ids && e.item_ids),
            'event_store', (select count(*) from memento.event_store n
                             where n.project_id = $1 and n.event_data @? '$.** ? (exists (@.item_id) || exists (@.item_ids))'
                               and memento.named_items(n.event_data) && e.item_ids),
            'commit_message', (select count(*) from memento.commit k
                                where k.project_id = $1 and k.commit_id = any (e.commit_ids) and k.message is not null),
            'history_turn', (select count(*) from memento.history_turn t
                              where t.project_id = $1 and t.created_at < e.erased_at
                                and pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(t.conversation_id, 'UTF8')), 'hex')
                                    = any (e.conversation_ids))) as counts
    where e.last_event_num is null
   union all
   select memento._count_left($1, e.item_ids, e.version_ids) || pg_catalog.jsonb_build_object(
            'item', (select count(*) from memento.item i where i.project_id = $1 and i.created_at < e.erased_at),
            'evidence_pack', (select count(*) from memento.evidence_pack p where p.project_id = $1 and p.created_at < e.erased_at),
            'eval_set', (select count(*) from memento.eval_set s where s.project_id = $1 and s.saved_at < e.erased_at),
            'event_store', (select count(*) from memento.event_store n where n.project_id = $1 and n.sequence_num <= e.last_event_num),
            'commit_message', (select count(*) from memento.commit k
                                where k.project_id = $1 and k.created_at < e.erased_at and k.message is not null),
            'session', (select count(*) from memento.session s
                         where s.project_id = $1 and coalesce(s.ended_at, s.started_at) < e.erased_at
                           and (s.title is not null or s.summary is not null or s.metadata <> '{}')),
            'history_turn', (select count(*) from memento.history_turn t where t.project_id = $1 and t.created_at < e.erased_at))
    where e.last_event_num is not null) l
 where e.project_id = $1 and e.erasure_id = $2
