//! Tells us of commands that concern whole databases before they run.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

use pgrx::pg_sys;
use pgrx::prelude::*;

/// A command that a background process must know about.
pub enum Command {
    /// Needs a database that nobody is connected to, and changes the list of databases.
    NeedsNobodyIn(String),
    /// Changes the list of databases, or which of them take connections.
    ChangesDatabases,
    /// Makes the work of a prepared transaction visible.
    CommitsPrepared,
    /// Drops an extension of that name, perhaps among others.
    DropsExtension(Vec<String>),
}

static CALLBACK: OnceLock<fn(Command)> = OnceLock::new();
static PREVIOUS: OnceLock<pg_sys::ProcessUtility_hook_type> = OnceLock::new();

/// Installs the hook. `callback` may wait and may raise an error.
pub fn install(callback: fn(Command)) {
    if CALLBACK.set(callback).is_err() {
        return;
    }
    // SAFETY: called once, from _PG_init, in the only thread; the hook found here is kept and called.
    unsafe {
        let _ = PREVIOUS.set(pg_sys::ProcessUtility_hook);
        pg_sys::ProcessUtility_hook = Some(on_utility);
    }
}

// Not through pgrx's guard, which would make a new error of each one and lose its table, constraint and position.
unsafe extern "C-unwind" {
    #[link_name = "standard_ProcessUtility"]
    fn server_process_utility(
        statement: *mut pg_sys::PlannedStmt,
        text: *const c_char,
        read_only_tree: bool,
        context: pg_sys::ProcessUtilityContext::Type,
        parameters: pg_sys::ParamListInfo,
        environment: *mut pg_sys::QueryEnvironment,
        receiver: *mut pg_sys::DestReceiver,
        completion: *mut pg_sys::QueryCompletion,
    );
}

unsafe extern "C-unwind" fn on_utility(
    statement: *mut pg_sys::PlannedStmt,
    text: *const c_char,
    read_only_tree: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: pg_sys::ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    receiver: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    // SAFETY: the statement is the server's. Nothing with a destructor is left when the second call, which may leave by
    // longjmp, is made.
    unsafe {
        before(statement);
        match PREVIOUS.get() {
            Some(Some(previous)) => previous(
                statement,
                text,
                read_only_tree,
                context,
                parameters,
                environment,
                receiver,
                completion,
            ),
            _ => server_process_utility(
                statement,
                text,
                read_only_tree,
                context,
                parameters,
                environment,
                receiver,
                completion,
            ),
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn before(statement: *mut pg_sys::PlannedStmt) {
    // SAFETY: a statement that is about to run.
    let command = unsafe { command((*statement).utilityStmt) };
    if let (Some(command), Some(callback)) = (command, CALLBACK.get()) {
        callback(command);
    }
}

/// # Safety
/// `node` must be a utility statement.
unsafe fn command(node: *mut pg_sys::Node) -> Option<Command> {
    // SAFETY: each node is cast to the type that its tag names.
    unsafe {
        match (*node).type_ {
            pg_sys::NodeTag::T_DropdbStmt => {
                Some(Command::NeedsNobodyIn(text((*node.cast::<pg_sys::DropdbStmt>()).dbname)?))
            }
            pg_sys::NodeTag::T_RenameStmt => {
                let rename = &*node.cast::<pg_sys::RenameStmt>();
                if rename.renameType != pg_sys::ObjectType::OBJECT_DATABASE {
                    return None;
                }
                Some(Command::NeedsNobodyIn(text(rename.subname)?))
            }
            pg_sys::NodeTag::T_CreatedbStmt => {
                let create = &*node.cast::<pg_sys::CreatedbStmt>();
                Some(match option(create.options, c"template") {
                    Some(template) => Command::NeedsNobodyIn(text(pg_sys::defGetString(template))?),
                    None => Command::ChangesDatabases,
                })
            }
            pg_sys::NodeTag::T_AlterDatabaseStmt => {
                let alter = &*node.cast::<pg_sys::AlterDatabaseStmt>();
                Some(match option(alter.options, c"tablespace") {
                    Some(_) => Command::NeedsNobodyIn(text(alter.dbname)?),
                    None => Command::ChangesDatabases,
                })
            }
            pg_sys::NodeTag::T_DropStmt => {
                let drop = &*node.cast::<pg_sys::DropStmt>();
                if drop.removeType != pg_sys::ObjectType::OBJECT_EXTENSION {
                    return None;
                }
                Some(Command::DropsExtension(names(drop.objects)))
            }
            pg_sys::NodeTag::T_TransactionStmt => {
                let kind = (*node.cast::<pg_sys::TransactionStmt>()).kind;
                let commits = kind == pg_sys::TransactionStmtKind::TRANS_STMT_COMMIT_PREPARED;
                commits.then_some(Command::CommitsPrepared)
            }
            _ => None,
        }
    }
}

/// The option of that name, if it was given with a value.
///
/// # Safety
/// `options` must be a list of DefElem.
unsafe fn option(options: *mut pg_sys::List, name: &CStr) -> Option<*mut pg_sys::DefElem> {
    if options.is_null() {
        return None;
    }
    // SAFETY: the list has that many cells, each a pointer to a DefElem.
    unsafe {
        let cells = std::slice::from_raw_parts((*options).elements, (*options).length as usize);
        cells
            .iter()
            .map(|cell| cell.ptr_value.cast::<pg_sys::DefElem>())
            .find(|&element| !(*element).arg.is_null() && CStr::from_ptr((*element).defname) == name)
    }
}

/// The texts of a list of names.
///
/// # Safety
/// `list` must be null or a list of String nodes.
unsafe fn names(list: *mut pg_sys::List) -> Vec<String> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: the list has that many cells, each a pointer to a String node, as its tag must say, too.
    unsafe {
        let cells = std::slice::from_raw_parts((*list).elements, (*list).length as usize);
        cells
            .iter()
            .filter(|cell| (*cell.ptr_value.cast::<pg_sys::Node>()).type_ == pg_sys::NodeTag::T_String)
            .filter_map(|cell| text((*cell.ptr_value.cast::<pg_sys::String>()).sval))
            .collect()
    }
}

/// # Safety
/// `text` must be null or a C string.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: as the caller promises.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
