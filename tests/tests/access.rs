//! A role sees and writes its own projects, whatever it sets or passes.

use std::collections::BTreeMap;

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};
use postgres::{Client, SimpleQueryMessage};

/// A word that is only in the victim's project.
const SECRET: &str = "xyzzy-secret";

struct Scene {
    cluster: Cluster,
    database: String,
}

/// `victim` has a project with a memory, `other` has another one, `stranger` has none.
fn scene() -> Scene {
    let cluster = Cluster::start();
    let database = cluster.database();
    for role in ["victim", "other", "stranger"] {
        cluster.connect_as(role, &database);
    }
    let mut admin = cluster.connect(&database);
    admin
        .batch_execute(&format!(
            "select memento.create_project('{SECRET}', '{SECRET}');
             select memento.create_project('own');
             select memento.grant_access('victim', '{SECRET}', 'admin');
             select memento.grant_access('other', 'own', 'admin');"
        ))
        .unwrap();
    let mut victim = cluster.connect_as("victim", &database);
    victim
        .batch_execute(&format!(
            "select memento.use_project('{SECRET}');
             select memento.remember('{SECRET} lives here', title => '{SECRET}', kind => '{SECRET}', tags => '{{{SECRET}}}',
                                     source_system => '{SECRET}', source_id => '{SECRET}', metadata => '{{\"{SECRET}\": 1}}');"
        ))
        .unwrap();
    Scene { cluster, database }
}

/// How to call every function of the schema with the victim's project. A function that is not here fails the test.
fn calls(victim_project: &str, victim_item: &str) -> BTreeMap<&'static str, Vec<String>> {
    let references = [SECRET.to_owned(), format!("{SECRET}/{SECRET}"), victim_project.to_owned()];
    let each = |call: &dyn Fn(&str) -> String| references.iter().map(|r| call(r)).collect::<Vec<_>>();
    let items = |function: &str| vec![format!("select {function}('{victim_item}')")];
    BTreeMap::from([
        ("add_domain_terms", vec!["select memento.add_domain_terms(array['planted'])".into()]),
        ("analyze_query", vec!["select memento.analyze_query('who said what last week')".into()]),
        ("backfill_tech_tokens", vec!["select memento.backfill_tech_tokens()".into()]),
        ("canonical_get", vec![format!("select memento.canonical_get('{SECRET}')")]),
        (
            "canonical_get_section",
            vec![format!("select memento.canonical_get_section('{SECRET}', '{SECRET}')")],
        ),
        ("canonical_outline", vec![format!("select memento.canonical_outline('{SECRET}')")]),
        ("canonical_upsert", vec![format!("select memento.canonical_upsert('{SECRET}', 'planted')")]),
        ("canonical_context_pack", vec!["select memento.canonical_context_pack()".into()]),
        ("capabilities", vec!["select memento.capabilities()".into()]),
        ("check_citations", vec!["select memento.check_citations('It is so [Q-1].', '{Q-1}')".into()]),
        ("chunk_markdown", vec!["select memento.chunk_markdown('a text')".into()]),
        ("chunk_transcript", vec![r#"select memento.chunk_transcript('[{"text": "hello"}]')"#.into()]),
        ("count_tokens", vec!["select memento.count_tokens('a text')".into()]),
        ("create_project", vec![format!("select memento.create_project('mine', '{SECRET}')")]),
        ("current_project", vec!["select memento.current_project()".into()]),
        ("doctor", vec!["select * from memento.doctor()".into()]),
        ("domain_terms", vec!["select memento.domain_terms()".into()]),
        (
            "forget",
            vec![
                format!("select memento.forget(source_system => '{SECRET}', whole_source => true)"),
                "select memento.forget(whole_project => true)".into(),
            ],
        ),
        ("grant_access", each(&|r| format!("select memento.grant_access('other', '{r}', 'read')"))),
        ("locate_quote", vec!["select memento.locate_quote('a text', 'text')".into()]),
        ("memory_archive", items("memento.memory_archive")),
        ("memory_commit", vec![r#"select memento.memory_commit('[{"content": "planted"}]')"#.into()]),
        ("memory_diff", vec![format!("select memento.memory_diff('{victim_item}', 1)")]),
        ("memory_diff_lines", vec![format!("select memento.memory_diff_lines('{victim_item}', 1)")]),
        ("memory_get", items("memento.memory_get")),
        ("memory_history", items("memento.memory_history")),
        (
            "memory_list",
            vec![
                format!("select memento.memory_list('{{\"item_ids\": [\"{victim_item}\"]}}')"),
                "select memento.memory_list()".into(),
            ],
        ),
        (
            "memory_link",
            vec![format!("select memento.memory_link('{victim_item}', '{victim_project}', 'r')")],
        ),
        ("memory_pin", items("memento.memory_pin")),
        ("memory_restore", vec![format!("select memento.memory_restore('{victim_item}', 1)")]),
        ("memory_search", vec![format!("select memento.memory_search('{SECRET} lives here')")]),
        ("hybrid_search", vec![format!("select memento.hybrid_search('{SECRET} lives here')")]),
        ("artifact_search", vec![format!("select memento.artifact_search('{SECRET} lives here')")]),
        ("retrieve", vec!["select memento.retrieve('lives here', debug => true)".into()]),
        ("expand", vec!["select memento.expand('Q-1')".into(), "select memento.expand('A-1', 100)".into()]),
        (
            "explain_pack",
            vec!["select memento.explain_pack((select pack_id from memento.evidence_pack limit 1))".into()],
        ),
        ("eval", vec!["select memento.eval('[{\"query\": \"lives here\", \"relevant\": [1]}]')".into()]),
        ("memory_unpin", items("memento.memory_unpin")),
        ("outline", vec!["select memento.outline('# a heading')".into()]),
        ("readable_projects", vec!["select memento.readable_projects()".into()]),
        ("recall", vec![format!("select * from memento.recall('{SECRET} lives here')")]),
        ("remember", vec!["select memento.remember('planted')".into()]),
        ("remove_domain_terms", vec!["select memento.remove_domain_terms(array['vs'])".into()]),
        ("revoke_access", each(&|r| format!("select memento.revoke_access('victim', '{r}')"))),
        ("rrf_fuse", vec!["select memento.rrf_fuse('{\"a\": [1, 2]}')".into()]),
        ("rrf_score", vec!["select memento.rrf_score(1)".into()]),
        (
            "search",
            vec![
                format!("select * from memento.search('{SECRET} lives here')"),
                "select * from memento.search('lives here', 1000, '{}', now())".into(),
            ],
        ),
        ("sessions_end", items("memento.sessions_end")),
        ("sessions_start", vec!["select memento.sessions_start('planted')".into()]),
        ("set_secret_policy", vec!["select memento.set_secret_policy('ignore')".into()]),
        ("tech_token_spans", vec!["select memento.tech_token_spans('PAY-4012')".into()]),
        ("tech_tokens", vec!["select memento.tech_tokens('PAY-4012')".into()]),
        ("verify_forgotten", vec![format!("select memento.verify_forgotten('{victim_item}')")]),
        ("use_project", each(&|r| format!("select memento.use_project('{r}')"))),
        ("version", vec!["select memento.version()".into()]),
        ("wait_until_running", vec!["select memento.wait_until_running('0')".into()]),
        ("writable_projects", vec!["select memento.writable_projects()".into()]),
        ("_grant_use", vec!["select memento._grant_use('other')".into()]),
        ("_sweep_packs", vec!["select memento._sweep_packs('0', 10)".into()]),
        ("_held_roles", vec!["select memento._held_roles('victim'::regrole)".into()]),
        ("_check_version_hash", vec![]),
        ("_keep_default_project", vec![]),
        ("_keep_default_workspace", vec![]),
        ("_keep_version", vec![]),
        ("_load_library", vec![]),
        ("_refuse_default", vec![]),
        ("_wake_worker", vec!["select memento._wake_worker()".into()]),
        ("_worker_slots", vec!["select * from memento._worker_slots()".into()]),
        ("_revoke_use_from_stranger", vec!["select memento._revoke_use_from_stranger('victim')".into()]),
    ])
}

fn text_column(client: &mut Client, query: &str) -> Vec<String> {
    client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

/// Everything that a statement gives back: rows, or the error in full.
fn answer(client: &mut Client, statement: &str) -> String {
    match client.simple_query(statement) {
        Ok(messages) => messages
            .iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(
                    (0..row.len()).map(|i| row.get(i).unwrap_or("").to_owned()).collect::<Vec<_>>().join("|"),
                ),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Err(error) => match error.as_db_error() {
            Some(error) => {
                format!("{} {} {:?} {:?}", error.code().code(), error.message(), error.detail(), error.hint())
            }
            None => panic!("{statement}: {error}"),
        },
    }
}

#[test]
fn no_function_and_no_table_shows_another_project() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    let project: String = admin
        .query_one("select project_id::text from memento.project where name = $1", &[&SECRET])
        .unwrap()
        .get(0);
    let item: String = admin
        .query_one("select item_id::text from memento.item where project_id = $1::text::uuid", &[&project])
        .unwrap()
        .get(0);
    let calls = calls(&project, &item);
    let functions = text_column(
        &mut admin,
        "select distinct proname::text from pg_proc where pronamespace = 'memento'::regnamespace order by 1",
    );
    let tables = text_column(
        &mut admin,
        "select relname::text from pg_class where relnamespace = 'memento'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'S')",
    );

    for role in ["other", "stranger"] {
        let mut client = scene.cluster.connect_as(role, &scene.database);
        for setting in ["", SECRET, project.as_str()] {
            for function in &functions {
                let statements = calls
                    .get(function.as_str())
                    .unwrap_or_else(|| panic!("no call of {function} here: add one"));
                for statement in statements {
                    answer(&mut client, &format!("set memento.project = '{setting}'"));
                    let answer = answer(&mut client, statement);
                    // An error may repeat what the caller wrote, nothing else.
                    let answer = answer
                        .replace(&format!("\"{SECRET}\""), "")
                        .replace(&format!("\"{SECRET}/{SECRET}\""), "");
                    let hint_free = answer.replace(&format!("'{SECRET}'"), "");
                    assert!(!hint_free.contains(SECRET), "{role}, {statement}: {hint_free}");
                    assert!(!answer.contains("lives here"), "{role}, {statement}: {answer}");
                    assert!(!answer.contains("XX000"), "{role}, {statement}: {answer}");
                }
            }
            for table in &tables {
                let answer = answer(&mut client, &format!("select * from memento.{table}"));
                assert!(
                    !answer.contains(SECRET) && !answer.contains(&project),
                    "{role} reads {table}: {answer}"
                );
            }
        }
    }
    let planted: i64 = admin
        .query_one("select count(*) from memento.item i where i.project_id = $1::text::uuid", &[&project])
        .unwrap()
        .get(0);
    assert_eq!(planted, 1, "somebody wrote into the victim's project");
    let members = text_column(
        &mut admin,
        &format!("select role_name::text from memento.project_member where project_id = '{project}'"),
    );
    assert_eq!(members, ["victim"]);
}

#[test]
fn a_stranger_can_do_nothing_at_all() {
    let scene = scene();
    let mut stranger = scene.cluster.connect_as("stranger", &scene.database);
    for statement in [
        "select memento.version()",
        "select memento.remember('x')",
        "select * from memento.recall('x')",
        "select * from memento.project",
        "select 'read'::memento.access_level",
        "create table memento.mine (x int)",
    ] {
        assert_eq!(failure(stranger.batch_execute(statement)).code().code(), "42501", "{statement}");
    }
}

/// Whoever is given table privileges by hand is still held by the policies.
#[test]
fn policies_hold_when_an_administrator_grants_everything() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute("grant all on schema memento to other; grant all on all tables in schema memento to other; grant all on all sequences in schema memento to other")
        .unwrap();
    let project: String = admin
        .query_one("select project_id::text from memento.project where name = $1", &[&SECRET])
        .unwrap()
        .get(0);
    let mut other = scene.cluster.connect_as("other", &scene.database);
    for table in ["item", "version", "chunk", "project", "project_member", "workspace"] {
        let answer = answer(&mut other, &format!("select * from memento.{table}"));
        assert!(!answer.contains(SECRET), "{table}: {answer}");
    }
    assert_eq!(other.execute("delete from memento.version", &[]).unwrap(), 0);
    assert_eq!(other.execute("update memento.item set title = 'mine'", &[]).unwrap(), 0);
    assert_eq!(
        other.execute("delete from memento.project_member where role_name <> 'other'", &[]).unwrap(),
        0
    );
    for statement in [
        format!("insert into memento.item (project_id) values ('{project}')"),
        format!(
            "insert into memento.project_member (project_id, role_name, level) values ('{project}', 'other', 'admin')"
        ),
        "insert into memento.project (workspace_id, name) select workspace_id, 'x' from memento.project"
            .to_owned(),
    ] {
        assert_eq!(failure(other.batch_execute(&statement)).code().code(), "42501", "{statement}");
    }
    // A view or function of its own does not help either.
    other
        .batch_execute(
            "create temporary view peek as select * from memento.item; select memento.use_project('own')",
        )
        .unwrap();
    assert!(!answer(&mut other, "select * from peek").contains(SECRET));
}

#[test]
fn the_owner_of_the_tables_is_held_by_the_policies_too() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute("grant usage on schema memento to other; alter table memento.item owner to other")
        .unwrap();
    let mut other = scene.cluster.connect_as("other", &scene.database);
    let seen: i64 = other.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(seen, 0);
}

/// A function of somebody else that is SECURITY DEFINER acts with its owner's membership, not with the caller's:
/// else it could be used to borrow the rights of whoever calls it.
#[test]
fn a_security_definer_function_does_not_borrow_its_callers_rights() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin.batch_execute("grant create on schema public to other").unwrap();
    let mut other = scene.cluster.connect_as("other", &scene.database);
    other
        .batch_execute(&format!(
            "create function public.trick() returns void language sql security definer
               as $$ select memento.grant_access('other', '{SECRET}', 'admin') $$;
             grant execute on function public.trick() to public"
        ))
        .unwrap();
    let mut victim = scene.cluster.connect_as("victim", &scene.database);
    assert_failure(victim.batch_execute("select public.trick()"), "42501", "FORBIDDEN");
    assert_failure(admin.batch_execute("select public.trick()"), "42501", "FORBIDDEN");
}

#[test]
fn levels_allow_what_they_say() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin.batch_execute("select memento.grant_access('stranger', 'own', 'read')").unwrap();
    let mut client = scene.cluster.connect_as("stranger", &scene.database);
    client.batch_execute("select memento.use_project('own'); select * from memento.recall('x')").unwrap();
    assert_failure(client.batch_execute("select memento.remember('x')"), "42501", "FORBIDDEN");
    assert_failure(
        client.batch_execute("select memento.grant_access('stranger', 'own', 'admin')"),
        "42501",
        "FORBIDDEN",
    );

    admin.batch_execute("select memento.grant_access('stranger', 'own', 'write')").unwrap();
    client.batch_execute("select memento.remember('x')").unwrap();
    assert_failure(
        client.batch_execute("select memento.revoke_access('other', 'own')"),
        "42501",
        "FORBIDDEN",
    );
    assert_failure(client.batch_execute("select memento.create_project('new')"), "42501", "FORBIDDEN");

    // An admin who is no superuser can give access and make projects in the workspace.
    let mut other = scene.cluster.connect_as("other", &scene.database);
    other.batch_execute("select memento.grant_access('stranger', 'own', 'admin'); select memento.create_project('new'); select memento.use_project('new'); select memento.remember('y')").unwrap();
    client.batch_execute("select memento.revoke_access('stranger', 'own')").unwrap();
    assert_eq!(failure(client.batch_execute("select memento.version()")).code().code(), "42501");
}

#[test]
fn access_is_inherited_as_privileges_are() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute(
            "create role team; select memento.grant_access('team', 'own', 'write');
             grant team to stranger; create role outer_team; grant outer_team to stranger",
        )
        .unwrap();
    let mut client = scene.cluster.connect_as("stranger", &scene.database);
    client
        .batch_execute("select memento.use_project('own'); select memento.remember('from a team member')")
        .unwrap();
    admin.batch_execute("revoke team from stranger").unwrap();
    assert_eq!(failure(client.batch_execute("select memento.remember('x')")).code().code(), "42501");
}

#[test]
fn a_role_with_access_cannot_be_dropped_and_its_name_not_be_taken_over() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin.batch_execute("create role leaver; select memento.grant_access('leaver', 'own', 'write')").unwrap();
    assert_eq!(failure(admin.batch_execute("drop role leaver")).code().code(), "2BP01");
    admin.batch_execute("select memento.revoke_access('leaver', 'own'); drop role leaver").unwrap();

    // By force: the membership outlives the role, and the doctor says so.
    admin.batch_execute("create role leaver; select memento.grant_access('leaver', 'own', 'write'); drop owned by leaver; drop role leaver").unwrap();
    let row = admin
        .query_one("select status, detail from memento.doctor() where check_name = 'members'", &[])
        .unwrap();
    assert_eq!((row.get(0), row.get(1)), ("warn", "members whose role does not exist: leaver"));
    admin.batch_execute("select memento.revoke_access('leaver', 'own')").unwrap();
}

#[test]
fn what_an_administrator_adds_to_the_schema_is_not_given_away() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute(
            "create function memento.helper() returns int language sql as 'select 1';
             revoke all on function memento.helper() from public;
             create table memento.notes (x int);
             select memento.grant_access('stranger', 'own', 'admin')",
        )
        .unwrap();
    let mut client = scene.cluster.connect_as("stranger", &scene.database);
    for statement in ["select memento.helper()", "select * from memento.notes"] {
        assert_eq!(failure(client.batch_execute(statement)).code().code(), "42501", "{statement}");
    }
}

/// Role names that need quoting, in every statement that is made from them.
#[test]
fn strange_role_names_are_quoted() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    for name in ["Mixed Case", "semi;colon", "quo\"te", "o'brien", "select"] {
        let identifier = name.replace('"', "\"\"");
        let literal = name.replace('\'', "''");
        admin.batch_execute(&format!("create role \"{identifier}\"")).unwrap();
        admin.batch_execute(&format!("select memento.grant_access('{literal}', 'own', 'write')")).unwrap();
        admin.batch_execute(&format!("set role \"{identifier}\"; select memento.use_project('own'); select memento.remember('x'); reset role")).unwrap();
        admin
            .batch_execute(&format!(
                "select memento.revoke_access('{literal}', 'own'); drop role \"{identifier}\""
            ))
            .unwrap();
    }
}
