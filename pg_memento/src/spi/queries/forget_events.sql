-- $1 project: all of its events; how many there were
with gone as (
  delete from memento.event_store e where e.project_id = $1 returning true
)
select count(*) from gone
