//! The Debian package, installed by dpkg into a server of its own, works; removed, it leaves nothing. Run by
//! `scripts/test --only package`, which makes the package.

use std::path::{Path, PathBuf};
use std::process::Command;

use memento_tests::cluster::run;
use memento_tests::{Cluster, Server, Settings, VERSION};

#[test]
fn the_package_installs_works_and_goes() {
    let package =
        PathBuf::from(std::env::var_os("MEMENTO_PACKAGE").expect("MEMENTO_PACKAGE: run scripts/test"));
    let Some(server) = Server::from_environment().private_copy("package") else {
        eprintln!("skipped: the server of PG_CONFIG cannot be copied");
        return;
    };
    let major = server.major();
    let copy = server.scratch.join(format!("package-{}", std::process::id()));
    for file in our_files(&server) {
        std::fs::remove_file(file).unwrap();
    }

    let root = Root::new(&server, &copy);
    root.dpkg().arg("--install").arg(&package).run();
    let status = root.dpkg().arg("--status").arg(format!("pg-memento-{major}")).run();
    assert!(status.contains("Status: install ok installed"), "{status}");
    assert!(status.contains(&format!("Version: {VERSION}")), "{status}");
    root.hand_over(&server);
    assert!(our_files(&server).len() >= 3, "library, control file and script");

    {
        let cluster = Cluster::start_with(server.clone(), Settings::default());
        let mut client = cluster.connect(&cluster.empty_database());
        client
            .batch_execute("create extension pg_memento cascade; select memento.remember('from the package')")
            .unwrap();
        assert_eq!(client.query("select from memento.recall('package')", &[]).unwrap().len(), 1);
        let failing: i64 = client
            .query_one(
                "select count(*) from memento.doctor() where status = 'fail' and check_name <> 'durability'",
                &[],
            )
            .unwrap()
            .get(0);
        assert_eq!(failing, 0);
    }

    root.dpkg().arg("--purge").arg(format!("pg-memento-{major}")).run();
    assert_eq!(files_below(&root.directory, "pg_memento"), Vec::<PathBuf>::new());
    std::fs::remove_dir_all(&copy).unwrap();
    let _ = std::fs::remove_dir_all(&root.admin);
    let _ = std::fs::remove_dir_all(&root.directory);
}

/// Where dpkg installs to: the server itself if it has Debian's layout, else a directory of its own.
struct Root {
    directory: PathBuf,
    admin: PathBuf,
    is_the_server: bool,
}

impl Root {
    fn new(server: &Server, copy: &Path) -> Self {
        let is_the_server =
            Path::new(&server.config("--sharedir")).starts_with(copy.join("usr/share/postgresql"));
        let directory = if is_the_server { copy.to_owned() } else { copy.with_extension("root") };
        let admin = copy.with_extension("dpkg");
        for part in ["info", "updates", "triggers"] {
            std::fs::create_dir_all(admin.join(part)).unwrap();
        }
        std::fs::create_dir_all(&directory).unwrap();
        for file in ["status", "available"] {
            std::fs::write(admin.join(file), "").unwrap();
        }
        Self { directory, admin, is_the_server }
    }

    fn dpkg(&self) -> Dpkg {
        let mut command = Command::new("dpkg");
        command
            .arg(format!("--instdir={}", self.directory.display()))
            .arg(format!("--admindir={}", self.admin.display()))
            .arg("--log=/dev/null")
            // The server is not registered in this data base, and an ordinary user may run the test.
            .args(["--force-depends", "--force-not-root", "--force-bad-path"]);
        Dpkg(command)
    }

    /// Gives the installed files to a server that has another layout than Debian's.
    fn hand_over(&self, server: &Server) {
        if self.is_the_server {
            return;
        }
        let major = server.major();
        let into = |from: String, target: String| {
            for file in files_below(&self.directory.join(from), "pg_memento") {
                std::fs::copy(&file, Path::new(&target).join(file.file_name().unwrap())).unwrap();
            }
        };
        into(format!("usr/lib/postgresql/{major}/lib"), server.config("--pkglibdir"));
        into(
            format!("usr/share/postgresql/{major}/extension"),
            format!("{}/extension", server.config("--sharedir")),
        );
    }
}

struct Dpkg(Command);

impl Dpkg {
    fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    fn run(mut self) -> String {
        run(&mut self.0)
    }
}

fn our_files(server: &Server) -> Vec<PathBuf> {
    let extension = Path::new(&server.config("--sharedir")).join("extension");
    [
        files_below(&extension, "pg_memento"),
        files_below(Path::new(&server.config("--pkglibdir")), "pg_memento"),
    ]
    .concat()
}

fn files_below(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path, prefix));
        } else if entry.file_name().to_string_lossy().starts_with(prefix) {
            found.push(path);
        }
    }
    found
}
