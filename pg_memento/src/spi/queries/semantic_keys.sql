-- $1 project, $2 words, $3 category, $4 and $5 from when to when, $6 artifact uid, $7 an actor, $8 a subject; null for any. The keys of the words; those
-- of all else, of which an event has each; and those of the time, of which it has one, where these are few. No keys of a name without words.
select array(select memento._event_key($1, 'w', w) from pg_catalog.unnest($2::text[]) w),
       array(
         select memento._event_key($1, k.kind, k.word)
           from (select 'c' as kind, $3::text as word
                 union all select 'u', $6::text
                 union all select 'a', n.lexeme from pg_catalog.unnest(memento._names($7::text)) n
                 union all select 's', n.lexeme from pg_catalog.unnest(memento._names($8::text)) n) k
          where k.word is not null),
       case when memento._weeks($5::timestamptz) - memento._weeks($4::timestamptz) < 40
            then array(select memento._event_key($1, 't', w::text)
                                    from pg_catalog.generate_series(memento._weeks($4), memento._weeks($5)) w) end,
       ($7 is null or memento._names($7) <> ''::tsvector) and ($8 is null or memento._names($8) <> ''::tsvector)
