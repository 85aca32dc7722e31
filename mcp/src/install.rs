//! Setting up clients: the database is checked, then the client's settings are printed or written.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::database::Database;
use crate::handler::Shared;
use crate::settings::Settings;
use crate::statement;

/// A program that can use the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Codex,
}

impl Client {
    fn from_name(name: &str) -> Result<Self, String> {
        match name {
            "claude-code" => Ok(Self::ClaudeCode),
            "claude-desktop" => Ok(Self::ClaudeDesktop),
            "cursor" => Ok(Self::Cursor),
            "vscode" => Ok(Self::VsCode),
            "codex" => Ok(Self::Codex),
            _ => Err("known clients: claude-code, claude-desktop, cursor, vscode, codex".into()),
        }
    }

    /// Where it looks for its servers: in the directory of the project, or in the user's own.
    fn file(self, home: &Path) -> PathBuf {
        match self {
            Self::ClaudeCode => PathBuf::from(".mcp.json"),
            Self::VsCode => PathBuf::from(".vscode/mcp.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::Codex => home.join(".codex/config.toml"),
            Self::ClaudeDesktop if cfg!(target_os = "macos") => {
                home.join("Library/Application Support/Claude/claude_desktop_config.json")
            }
            Self::ClaudeDesktop => home.join(".config/Claude/claude_desktop_config.json"),
        }
    }

    /// The settings with the server added to those that are there; none if there is none of them yet.
    fn settings(self, existing: Option<&str>, name: &str, server: &Server) -> Result<String, String> {
        match self {
            Self::Codex => with_table(existing.unwrap_or_default(), name, server),
            Self::VsCode => with_member(existing, "servers", name, server.json(true)),
            _ => with_member(existing, "mcpServers", name, server.json(false)),
        }
    }
}

/// How the client starts it.
struct Server {
    command: String,
    arguments: Vec<String>,
    url: String,
}

impl Server {
    fn new(command: String, settings: &Settings) -> Self {
        // All clients take names without dots, some only those.
        let mut arguments = vec!["--tool-names".to_owned(), "plain".to_owned()];
        let given = [
            ("--role", settings.role.clone()),
            ("--project", settings.project.clone()),
            ("--toolset", Some(settings.toolset.clone()).filter(|toolset| toolset != "core")),
        ];
        for (option, value) in given {
            arguments.extend(value.into_iter().flat_map(|value| [option.to_owned(), value]));
        }
        if settings.read_only {
            arguments.push("--read-only".into());
        }
        Self { command, arguments, url: settings.url.clone() }
    }

    fn json(&self, with_type: bool) -> Value {
        let mut server =
            json!({"command": self.command, "args": self.arguments, "env": {"DATABASE_URL": self.url}});
        if with_type {
            server["type"] = json!("stdio");
        }
        server
    }
}

/// JSON settings with one more server.
fn with_member(existing: Option<&str>, key: &str, name: &str, server: Value) -> Result<String, String> {
    let mut settings: Value = match existing.map(str::trim) {
        None | Some("") => json!({}),
        Some(text) => {
            serde_json::from_str(text).map_err(|_| "the settings that are there are no plain JSON")?
        }
    };
    let servers = settings
        .as_object_mut()
        .ok_or("the settings that are there are no object")?
        .entry(key)
        .or_insert_with(|| Value::Object(Map::new()));
    servers
        .as_object_mut()
        .ok_or("the servers that are there are no object")?
        .insert(name.to_owned(), server);
    Ok(format!("{settings:#}\n"))
}

/// TOML settings with one more server. Strings of JSON are strings of TOML.
fn with_table(existing: &str, name: &str, server: &Server) -> Result<String, String> {
    let table = format!("[mcp_servers.{}]", json!(name));
    if existing.contains(&table) || existing.contains(&format!("[mcp_servers.{name}]")) {
        return Err(format!("{table} is there already"));
    }
    let separator = if existing.is_empty() || existing.ends_with("\n\n") { "" } else { "\n" };
    Ok(format!(
        "{existing}{separator}{table}\ncommand = {}\nargs = {}\nenv = {{ DATABASE_URL = {} }}\n",
        json!(server.command),
        json!(server.arguments),
        json!(server.url)
    ))
}

/// Checks the database and prints what is not well; an error if it does not work at all.
pub async fn doctor(database: &Database) -> Result<(), String> {
    let rows = database
        .query(statement::DOCTOR, &[], &CancellationToken::new())
        .await
        .map_err(|failure| format!("{} ({})", failure.message, failure.hint.unwrap_or_default()))?;
    let mut failed = 0;
    for row in rows {
        let texts: Vec<Option<String>> = (0..4).map(|place| row.try_get(place).unwrap_or_default()).collect();
        let text = |place: usize| texts[place].as_deref().unwrap_or_default();
        match text(1) {
            "ok" => continue,
            "fail" => failed += 1,
            _ => {}
        }
        eprintln!("{}: {}: {}\n  {}", text(1), text(0), text(2), text(3));
    }
    match failed {
        0 => {
            eprintln!("the database is ready");
            Ok(())
        }
        some => Err(format!("{some} checks failed; see above")),
    }
}

/// Checks the database, then prints the settings of a client, or writes them.
pub async fn install(shared: &Shared, client: &str, name: &str, write: bool) -> Result<(), String> {
    let client = Client::from_name(client)?;
    doctor(&shared.database).await?;
    let command = std::env::current_exe().map_err(|error| error.to_string())?;
    let server = Server::new(command.to_string_lossy().into_owned(), &shared.settings);
    let home = std::env::var_os("HOME").map(PathBuf::from).ok_or("HOME is not set")?;
    let file = client.file(&home);
    if !write {
        eprintln!("for {} (--write puts it there):", file.display());
        print!("{}", client.settings(None, name, &server)?);
        return Ok(());
    }
    let existing = match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{} cannot be read: {error}", file.display())),
    };
    let settings = client
        .settings(existing.as_deref(), name, &server)
        .map_err(|reason| format!("{}: {reason}", file.display()))?;
    replace(&file, &settings).map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    eprintln!("{} is written; it has the address of the database with its password", file.display());
    Ok(())
}

/// Writes a file as a whole or not at all, for nobody else to read.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let beside = directory.join(format!(".memento-mcp-{}", std::process::id()));
    let mut written =
        std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()?;
    std::fs::rename(beside, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Server {
        Server {
            command: "/bin/x".into(),
            arguments: vec!["--project".into(), "a \"b\"".into()],
            url: "u".into(),
        }
    }

    #[test]
    fn other_servers_and_settings_are_kept() {
        let existing =
            r#"{"theme": "dark", "mcpServers": {"other": {"command": "y"}, "memento": {"command": "old"}}}"#;
        let written = Client::Cursor.settings(Some(existing), "memento", &server()).unwrap();
        let written: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(written["theme"], "dark");
        assert_eq!(written["mcpServers"]["other"]["command"], "y");
        assert_eq!(written["mcpServers"]["memento"]["command"], "/bin/x");
        assert_eq!(written["mcpServers"]["memento"]["env"]["DATABASE_URL"], "u");
    }

    #[test]
    fn clients_have_their_own_forms() {
        let code: Value =
            serde_json::from_str(&Client::VsCode.settings(None, "m", &server()).unwrap()).unwrap();
        assert_eq!(code["servers"]["m"]["type"], "stdio");
        let codex = Client::Codex.settings(Some("model = \"x\"\n"), "m", &server()).unwrap();
        assert!(codex.starts_with("model = \"x\"\n\n[mcp_servers.\"m\"]\ncommand = \"/bin/x\"\n"), "{codex}");
        assert!(codex.contains(r#"args = ["--project","a \"b\""]"#), "{codex}");
        assert!(Client::Codex.settings(Some(&codex), "m", &server()).is_err());
        assert!(Client::from_name("emacs").is_err());
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for existing in ["{ // a comment\n}", "[]", r#"{"mcpServers": 1}"#, "{"] {
            assert!(Client::Cursor.settings(Some(existing), "m", &server()).is_err(), "{existing}");
        }
    }

    #[test]
    fn files_are_replaced_as_a_whole() {
        let directory = std::env::temp_dir().join(format!("memento-mcp-test-{}", std::process::id()));
        let file = directory.join("deep/settings.json");
        replace(&file, "one").unwrap();
        replace(&file, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(std::fs::read_dir(directory.join("deep")).unwrap().count(), 1);
        std::fs::remove_dir_all(directory).unwrap();
    }
}
