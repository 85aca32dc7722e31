//! What an installation consists of, as text that can be compared.

use postgres::Client;

/// Every object that belongs to the extension with its definition, privileges and comment.
pub fn listing(client: &mut Client) -> Vec<String> {
    client
        .query(include_str!("catalogue.sql"), &[])
        .expect("the catalogue can be read")
        .iter()
        .map(|row| row.get(0))
        .collect()
}

/// The tables of the extension that hold data, by name.
pub fn data_tables(client: &mut Client) -> Vec<String> {
    client
        .query(
            "select c.relname::text from pg_extension e join pg_class c on c.oid = any (e.extconfig)
              where e.extname = 'pg_memento' and c.relkind = 'r' order by 1",
            &[],
        )
        .expect("the catalogue can be read")
        .iter()
        .map(|row| row.get(0))
        .collect()
}

/// Lines of one listing that are not in the other, with the side they are on.
pub fn difference(left: &[String], right: &[String]) -> Vec<String> {
    let only = |these: &[String], those: &[String], sign: &str| {
        these
            .iter()
            .filter(|line| !those.contains(line))
            .map(|line| format!("{sign} {line}"))
            .collect::<Vec<_>>()
    };
    [only(left, right, "-"), only(right, left, "+")].concat()
}
