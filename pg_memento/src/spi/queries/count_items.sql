-- After wanted_items.sql.
select count(*) from wanted
