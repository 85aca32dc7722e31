-- $1 project, $2 version, $3 with evidence: in the order of time, then of the text
select memento._event_shown(e, false) || coalesce(n.shown, '{}')
  from memento.semantic_event e
  left join lateral memento._evidence_shown(e.project_id, e.event_id) n on $3::boolean
  join memento.event_evidence q on q.project_id = e.project_id and q.event_id = e.event_id and q.evidence_id = e.evidence_id
 where e.project_id = $1 and e.version_id = $2::uuid
 order by e.event_time desc nulls last, q.start_char, q.end_char, e.event_id
