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
select * from memento.chunk_markdown('x', 100, 200, 60);
