-- After wanted_items.sql: $17 how far to count
select count(*) from (select from wanted limit $17::bigint) counted
