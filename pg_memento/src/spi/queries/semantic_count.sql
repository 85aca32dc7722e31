-- After semantic_wanted.sql: $10 how far to count
select count(*) from (select from wanted limit $10::bigint) counted
