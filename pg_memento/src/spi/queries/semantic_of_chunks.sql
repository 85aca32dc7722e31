-- $1 project, $2 chunks in their order, $3 how many: the events that are quoted from them, in the order of the chunks, then of the text. Each
-- once, by the first of its quotes that is in one of them.
select n.chunk_id, n.chars, n.shown
  from (select distinct on (e.event_id) c.place, q.start_char, q.end_char, e.event_id, q.chunk_id,
               pg_catalog.char_length(e.narrative) + pg_catalog.char_length(q.quote) as chars,
               pg_catalog.jsonb_build_object(
                 'evidence_id', 'E-' || e.event_id, 'event_id', e.event_id, 'category', e.category, 'event_time', memento._utc(e.event_time),
                 'narrative', e.narrative, 'subject', e.subject_json, 'actors', e.actors_json, 'confidence', e.confidence, 'chunk_id', q.chunk_id,
                 'artifact_uid', e.artifact_uid, 'revision_id', e.revision_id, 'quote', q.quote, 'start_char', q.start_char, 'end_char', q.end_char) as shown
          from pg_catalog.unnest($2::bigint[]) with ordinality c(chunk_id, place)
          join memento.event_evidence q on q.project_id = $1 and q.chunk_id = c.chunk_id
          join memento.semantic_event e on e.project_id = $1 and e.event_id = q.event_id
         order by e.event_id, c.place, q.start_char, q.end_char, q.evidence_id) n
 order by n.place, n.start_char, n.end_char, n.event_id
 limit $3::int
