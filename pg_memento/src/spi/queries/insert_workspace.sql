insert into memento.workspace (name) values ($1::text) on conflict (name) do nothing
