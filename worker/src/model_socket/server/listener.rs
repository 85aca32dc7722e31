//! The file of the socket: made with its rights from the start, taken over from the dead, left alone when somebody lives there.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::not_started;
use crate::provider::ProviderError;

/// The file that this server made: device and inode, to tell it from one that another server has put in its place.
pub(super) struct OwnedSocket(u64, u64);

impl OwnedSocket {
    /// Listens under another name first and renames, so that the socket is never there with other rights than its owner's, and
    /// a stale one is replaced in one step.
    pub fn bind(path: &Path) -> Result<(UnixListener, Self), ProviderError> {
        refuse_occupied(path)?;
        let mut early = path.as_os_str().to_owned();
        early.push(format!(".{}", std::process::id()));
        let early = PathBuf::from(early);
        drop(fs::remove_file(&early));
        let ready = UnixListener::bind(&early).and_then(|listener| {
            fs::set_permissions(&early, fs::Permissions::from_mode(0o600))?;
            let facts = fs::symlink_metadata(&early)?;
            fs::rename(&early, path)?;
            Ok((listener, Self(facts.dev(), facts.ino())))
        });
        ready.map_err(|error| {
            drop(fs::remove_file(&early));
            not_started(&error.kind().to_string())
        })
    }

    /// Removes the file, unless another server has replaced it.
    pub fn remove(&self, path: &Path) {
        let is_ours =
            fs::symlink_metadata(path).is_ok_and(|facts| (facts.dev(), facts.ino()) == (self.0, self.1));
        if is_ours {
            drop(fs::remove_file(path));
        }
    }
}

fn refuse_occupied(path: &Path) -> Result<(), ProviderError> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(facts) if !facts.file_type().is_socket() => {
            Err(not_started("there is a file that is not a socket"))
        }
        Ok(_) if UnixStream::connect(path).is_ok() => Err(not_started("another server is listening there")),
        Ok(_) => Ok(()),
    }
}
