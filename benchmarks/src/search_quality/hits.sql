-- $1 query: where each lane has which chunk, at the depth of a search for ten
select h.item_id::text, h.chunk_id, l.lane, (l.place ->> 'rank')::int, (l.place ->> 'score')::float8
  from memento.search($1, 200) h, jsonb_each(h.lanes) l(lane, place)
