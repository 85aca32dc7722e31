-- Functions of text, without state.
\set document '---\ntitle: Sample\n---\n\n# Title\n\nIntro.\n\n## List\n\n- one\n- two\n\n## Code\n\n~~~sql\nselect 1;\n\nselect 2;\n~~~\n\n## Table\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Quote\n\n> so it goes\n\nSetext\n======\n\nEnd.'
select ordinal, start_char, end_char, chunk_text, heading_path, section_anchor, block_kind, token_count
  from memento.chunk_markdown(:'document');
select bool_and(substr(d, start_char + 1, end_char - start_char) = chunk_text) as exact,
       bool_and(memento.count_tokens(chunk_text) = token_count) as counted
  from (select :'document') as document(d), memento.chunk_markdown(d, 10, 15, 5);
select * from memento.outline(:'document');

-- Sizes are kept, and overlap repeats whole sentences.
select ordinal, start_char, end_char, token_count, chunk_text
  from memento.chunk_markdown('One sentence is here. Another sentence is there. A third one follows. And a fourth ends it.', 12, 14, 6);

-- Nothing gives nothing, null gives null; a null size is the default.
select count(*) from memento.chunk_markdown('');
select count(*) from memento.chunk_markdown(E' \n\t ');
select count(*) from memento.chunk_markdown(null);
select count(*) from memento.chunk_markdown('x', null, null, null);
select count(*) from memento.outline('no heading');
select count(*) from memento.outline(null);
select memento.count_tokens('') as nothing, memento.count_tokens('hello world') as two, memento.count_tokens(null) as unknown;

-- Refused.
select * from memento.chunk_markdown('x', 0);
select * from memento.chunk_markdown('x', -5);
select * from memento.chunk_markdown('x', 100, 50);
select * from memento.chunk_markdown('x', 100, 200, -1);

-- Conversations.
select * from memento.chunk_transcript('[
  {"speaker": "Ana", "text": "We keep the export until the end of April.", "start_ts_ms": 0, "end_ts_ms": 4000},
  {"speaker": "Tom", "text": "Good.", "start_ts_ms": 4100, "end_ts_ms": 4300},
  {"speaker": null, "text": "Refunds are shown a day late, and nobody knows why.", "start_ts_ms": 3900},
  {"text": " "},
  {"speaker": "Mei", "text": "I look into it this week.", "confidence": 0.9}]', 20, 30, 8);
select count(*) from memento.chunk_transcript('[]');
select count(*) from memento.chunk_transcript(null);
select memento.chunk_transcript('{}');
select memento.chunk_transcript('["x"]');
select memento.chunk_transcript('[{"speaker": "Ana"}]');
select memento.chunk_transcript('[{"text": "x", "start_ts_ms": -1}]');
select memento.chunk_transcript('[{"text": "x", "start_ts_ms": 2, "end_ts_ms": 1}]');
select memento.chunk_transcript('[{"text": "x", "start_ts_ms": "soon"}]');

-- Technical tokens.
select memento.tech_tokens('Deploy v2.8.1 of payments_api failed with ECONNRESET at acquirer-gw-3.internal (PAY-4012), see /var/log/pay/app.log');
select * from memento.tech_token_spans('ä ORA-00001 in org.acme.Server$Handler, SQLSTATE 23505');
select memento.tech_tokens('We met on Monday and talked about the well-known plan, e.g. the budget of $3.50.') as prose;
select memento.tech_tokens('') as nothing, memento.tech_tokens(null) as unknown;
