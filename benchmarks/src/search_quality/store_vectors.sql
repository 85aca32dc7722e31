-- $1 chunks, $2 the numbers of their vectors, one after the other, $3 how many each has
insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
select c.project_id, c.chunk_id, '00000000-0000-0000-0000-000000000001', ($2::real[])[(h.place - 1) * $3::bigint + 1 : h.place * $3::bigint]::vector
  from unnest($1::bigint[]) with ordinality h(chunk_id, place)
  join memento.chunk c on c.chunk_id = h.chunk_id
