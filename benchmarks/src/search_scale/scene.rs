//! A filled database that is kept for the next run.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use memento_tests::Cluster;
use memento_tests::cluster::Settings;
use memento_tests::server::Server;
use postgres::Client;

/// Dimensions of all vectors.
pub const DIMS: usize = 384;

/// What is filled.
pub const DATABASE: &str = "bench";

/// Tags that filters ask for, and how many items have one that has it.
pub const TAGS: [(&str, usize); 5] =
    [("half", 2), ("tenth", 10), ("hundredth", 100), ("thousandth", 1000), ("rare", 10_000)];

/// A running server with a filled database.
pub struct Scene {
    pub cluster: Cluster,
    pub client: Client,
}

impl Scene {
    /// The scene of a name, filled by `fill` if it is not there yet; none where that lacks data.
    pub fn open(name: &str, fill: impl FnOnce(&mut Client) -> Option<()>) -> Option<Self> {
        let server = Server::from_environment();
        let home = PathBuf::from(std::env::var_os("MEMENTO_BENCH_HOME")?);
        let kept = home.join(format!("search-{}-{name}-{}", server.major(), schema_version(&server)));
        if !kept.exists() {
            let _ = std::fs::create_dir_all(&home);
            let started = Instant::now();
            let cluster = Cluster::start_with(server.clone(), settings());
            fill(&mut database(&cluster))?;
            forget_older(&home, &format!("search-{}-{name}-", server.major()));
            cluster.keep(&kept);
            println!(
                "{name}: filled and indexed in {:.0} s, kept in {}",
                started.elapsed().as_secs_f64(),
                kept.display()
            );
        }
        let cluster = Cluster::reopen(server, &kept, &["memento.worker = on".to_owned()]);
        let client = cluster.connect(DATABASE);
        Some(Self { cluster, client })
    }
}

fn settings() -> Settings {
    let lines = [
        "shared_buffers = '4GB'",
        "max_wal_size = '8GB'",
        "wal_level = minimal",
        "max_wal_senders = 0",
        "checkpoint_timeout = '30min'",
        "max_parallel_workers_per_gather = 0",
        "memento.allowed_hosts = '*'",
        "memento.allow_private_hosts = on",
        // Nobody else counts, embeds or builds indexes meanwhile.
        "memento.worker = off",
    ];
    Settings { lines: lines.map(str::to_owned).into(), ..Settings::default() }
}

fn database(cluster: &Cluster) -> Client {
    execute(&mut cluster.connect("postgres"), &format!("create database {DATABASE} template template0"));
    let mut client = cluster.connect(DATABASE);
    execute(&mut client, "create extension pg_memento cascade");
    client
}

/// What identifies the schema that is installed: its script without comments, which have line numbers.
fn schema_version(server: &Server) -> String {
    let directory = PathBuf::from(server.config("--sharedir")).join("extension");
    let script = directory.join(format!("pg_memento--{}.sql", env!("CARGO_PKG_VERSION")));
    let script =
        std::fs::read_to_string(&script).unwrap_or_else(|error| panic!("{}: {error}", script.display()));
    let mut hasher = DefaultHasher::new();
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("--") || line.starts_with("/*") || line.starts_with('*')
    };
    script.lines().filter(|line| !is_comment(line)).for_each(|line| line.hash(&mut hasher));
    format!("{:016x}", hasher.finish())
}

fn forget_older(home: &std::path::Path, prefix: &str) {
    for entry in std::fs::read_dir(home).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Runs statements that must succeed.
pub fn execute(client: &mut Client, statements: &str) {
    client.batch_execute(statements).unwrap_or_else(|error| panic!("{error:?}"));
}

/// Memories of one chunk each, given by their project's name and their text, past remember() and without triggers and foreign keys,
/// because that is not what is measured; what the triggers would have had counted is counted by `filling`.
pub fn fill<'a>(
    client: &mut Client,
    memories: impl Iterator<Item = (&'a str, String)>,
    vector: Option<&mut dyn FnMut() -> Vec<f32>>,
) {
    execute(
        client,
        "create unlogged table public.filling (n bigint generated always as identity, name text, content text);
         set session_replication_role = replica",
    );
    copy_texts(client, memories);
    let tags: String =
        TAGS.map(|(tag, each)| format!("case when f.n % {each} = 0 then '{tag}' end")).join(", ");
    execute(
        client,
        &format!(
            "analyze public.filling;
             insert into memento.commit (project_id, commit_id, created_by, operation)
               select p.project_id, p.project_id, 'bench', 'bench' from memento.project p;
             insert into memento.item (project_id, item_id, title, tags)
               select p.project_id, md5(f.n::text)::uuid, left(f.content, 40), array_remove(array[{tags}], null)
                 from public.filling f join memento.project p using (name);
             insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content, content_hash)
               select p.project_id, md5(f.n::text)::uuid, md5(f.n::text)::uuid, 1, p.project_id, f.content, sha256(convert_to(f.content, 'UTF8'))
                 from public.filling f join memento.project p using (name);
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind,
                                        chunk_text, tech_tokens, rules_version, terms_version)
               select p.project_id, md5(f.n::text)::uuid, 0, 0, length(f.content), 100, 'paragraph', f.content, memento.tech_tokens(f.content),
                      memento._rules_version(), p.terms_version
                 from (select * from public.filling order by n) f join memento.project p using (name);
             update memento.project set rules_version = memento._rules_version();
             drop table public.filling"
        ),
    );
    if let Some(vector) = vector {
        embed(client, vector);
    }
    execute(client, "reset session_replication_role");
}

fn copy_texts<'a>(client: &mut Client, memories: impl Iterator<Item = (&'a str, String)>) {
    let mut writer = client
        .copy_in("copy public.filling (name, content) from stdin (format text)")
        .unwrap_or_else(|error| panic!("{error:?}"));
    for (project, text) in memories {
        let escaped = text.replace('\\', "\\\\").replace(['\t', '\r', '\n'], " ");
        writeln!(writer, "{project}\t{escaped}").unwrap_or_else(|error| panic!("{error}"));
    }
    writer.finish().unwrap_or_else(|error| panic!("{error:?}"));
}

/// Gives each chunk a vector by its project's profile, in the order of the chunks.
fn embed(client: &mut Client, vector: &mut dyn FnMut() -> Vec<f32>) {
    let statement = "select c.project_id, p.active_profile_id, c.chunk_id
                       from memento.chunk c join memento.project p using (project_id) order by c.chunk_id";
    let chunks = client.query(statement, &[]).unwrap_or_else(|error| panic!("{error:?}"));
    let mut writer = client
        .copy_in("copy memento.chunk_embedding (project_id, chunk_id, profile_id, embedding) from stdin (format binary)")
        .unwrap_or_else(|error| panic!("{error:?}"));
    let mut write = |bytes: &[u8]| writer.write_all(bytes).unwrap_or_else(|error| panic!("{error}"));
    write(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
    let mut row = Vec::new();
    for chunk in chunks {
        let (project, profile, chunk): (uuid::Uuid, uuid::Uuid, i64) =
            (chunk.get(0), chunk.get(1), chunk.get(2));
        row.clear();
        row.extend(4_i16.to_be_bytes());
        field(&mut row, project.as_bytes());
        field(&mut row, &chunk.to_be_bytes());
        field(&mut row, profile.as_bytes());
        let vector = vector();
        // As pgvector has it: how many numbers, two bytes that it does not use, the numbers.
        row.extend((4 + 4 * vector.len() as i32).to_be_bytes());
        row.extend((vector.len() as i16).to_be_bytes());
        row.extend([0, 0]);
        vector.iter().for_each(|number| row.extend(number.to_be_bytes()));
        write(&row);
    }
    write(&(-1_i16).to_be_bytes());
    writer.finish().unwrap_or_else(|error| panic!("{error:?}"));
}

fn field(row: &mut Vec<u8>, bytes: &[u8]) {
    row.extend((bytes.len() as i32).to_be_bytes());
    row.extend(bytes);
}

/// Runs `fill` without the inverted indexes of chunks, which are built afterwards, and counts, indexes and analyses what it did.
pub fn filling(client: &mut Client, fill: impl FnOnce(&mut Client)) {
    execute(
        client,
        "set maintenance_work_mem = '3GB'; set max_parallel_maintenance_workers = 2;
         create table public.inverted as
           select c.oid::regclass::text as name, pg_get_indexdef(c.oid) as definition
             from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
            where i.indrelid = 'memento.chunk'::regclass and a.amname = 'gin';
         do $$ declare x record; begin for x in table public.inverted loop execute 'drop index ' || x.name; end loop; end $$",
    );
    fill(client);
    execute(
        client,
        "do $$ declare x record; begin for x in table public.inverted loop execute x.definition; end loop; end $$;
         drop table public.inverted;
         insert into memento.lexical_stat (project_id, chunk_count, word_count)
           select c.project_id, count(*), sum(memento._word_count(c.tsv)) from memento.chunk c group by 1;
         insert into memento.lexical_counted (project_id, version_id) select c.project_id, c.version_id from memento.chunk c;
         insert into memento.lexeme_stat (project_id, lexeme, chunk_count)
           select c.project_id, w.lexeme, count(*) from memento.chunk c, unnest(c.tsv) w group by 1, 2;
         do $$
         declare command text;
         begin
           for command in select memento._index_commands(e.profile_id, false) from memento.embedding_profile e
                           where exists (select from memento.project p where p.active_profile_id = e.profile_id) loop
             execute command;
           end loop;
         end $$",
    );
    execute(client, "vacuum analyze");
}
