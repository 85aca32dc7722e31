//! One table in shared memory: a header and a fixed number of slots behind one lightweight lock, and a condition
//! variable for those who wait for a change. It exists only where the library is preloaded.

use std::ffi::CStr;
use std::mem::offset_of;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pgrx::pg_sys;
use pgrx::prelude::*;

/// What the server allocates. The slots follow the header.
#[repr(C)]
struct Area<H, S> {
    lock: *mut pg_sys::LWLock,
    changed: pg_sys::ConditionVariable,
    header: H,
    slots: [S; 0],
}

/// A table of which each process sees the same copy. `H` and `S` are plain data without references.
pub struct SharedTable<H: Copy + 'static, S: Copy + 'static> {
    name: &'static CStr,
    empty: (H, S),
    count: AtomicUsize,
    area: AtomicPtr<Area<H, S>>,
}

// SAFETY: the data is reached only through the lock; what is beside it is atomic or never changes.
unsafe impl<H: Copy, S: Copy> Sync for SharedTable<H, S> {}

impl<H: Copy + 'static, S: Copy + 'static> SharedTable<H, S> {
    /// A table that is not there yet, and what its header and slots are at first.
    pub const fn new(name: &'static CStr, header: H, slot: S) -> Self {
        Self {
            name,
            empty: (header, slot),
            count: AtomicUsize::new(0),
            area: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Asks the server for the memory; to be called while the library is preloaded.
    pub fn install(&'static self, slots: usize) {
        self.count.store(slots, Ordering::Relaxed);
        if TABLE.set(self).is_err() {
            return;
        }
        // SAFETY: called once, from _PG_init, in the only thread; the hooks found here are kept and called first.
        unsafe {
            let _ = PREVIOUS.set((pg_sys::shmem_request_hook, pg_sys::shmem_startup_hook));
            pg_sys::shmem_request_hook = Some(on_request);
            pg_sys::shmem_startup_hook = Some(on_startup);
        }
    }

    /// The table, locked: to be held for a few instructions. None where the library is not preloaded.
    pub fn lock(&self) -> Option<Locked<'_, H, S>> {
        let area = self.area.load(Ordering::Relaxed);
        if area.is_null() {
            return None;
        }
        // SAFETY: the area was made by `create` and stays; the lock makes the references exclusive until it is released.
        unsafe {
            pg_sys::LWLockAcquire((*area).lock, pg_sys::LWLockMode::LW_EXCLUSIVE);
            let first = area.cast::<u8>().add(offset_of!(Area<H, S>, slots)).cast::<S>();
            Some(Locked {
                lock: (*area).lock,
                header: &mut (*area).header,
                slots: std::slice::from_raw_parts_mut(first, self.count.load(Ordering::Relaxed)),
            })
        }
    }

    /// Wakes everybody in `wait_until`. To be called after a change, without the lock.
    pub fn announce_change(&self) {
        let area = self.area.load(Ordering::Relaxed);
        if !area.is_null() {
            // SAFETY: the condition variable was initialised by `create`.
            unsafe { pg_sys::ConditionVariableBroadcast(&raw mut (*area).changed) }
        }
    }

    /// Waits until a condition holds, or for so long; says whether it holds. Can be cancelled by the user.
    pub fn wait_until(&self, timeout: Duration, condition: impl Fn(&Locked<'_, H, S>) -> bool) -> bool {
        let area = self.area.load(Ordering::Relaxed);
        let deadline = Instant::now() + timeout;
        let holds = || self.lock().is_some_and(|locked| condition(&locked));
        if area.is_null() || holds() {
            return !area.is_null();
        }
        // SAFETY: the condition variable was initialised by `create`; an error while sleeping takes us off its
        // list when the transaction is aborted.
        unsafe {
            let changed = &raw mut (*area).changed;
            pg_sys::ConditionVariablePrepareToSleep(changed);
            let mut held = holds();
            while !held {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                // Rounded up, so that a rest of less than a millisecond is not a busy loop.
                let milliseconds = left.as_millis().min(i32::MAX as u128 - 1) as i64 + 1;
                pg_sys::ConditionVariableTimedSleep(changed, milliseconds, pg_sys::PG_WAIT_EXTENSION);
                held = holds();
            }
            pg_sys::ConditionVariableCancelSleep();
            held
        }
    }
}

/// What the hooks need to know of a table, whatever is in it.
trait Allocated: Sync {
    fn request(&self);
    fn create(&self);
}

impl<H: Copy + 'static, S: Copy + 'static> Allocated for SharedTable<H, S> {
    fn request(&self) {
        // SAFETY: called by the hook that the server has for this.
        unsafe {
            pg_sys::RequestAddinShmemSpace(self.bytes());
            pg_sys::RequestNamedLWLockTranche(self.name.as_ptr(), 1);
        }
    }

    /// Runs again after a crash, when the server makes its memory anew.
    fn create(&self) {
        let mut found = false;
        // SAFETY: the postmaster alone runs this; the memory has the size that was asked for and is aligned for
        // any type, and everything in it is written before anybody reads it.
        unsafe {
            let area =
                pg_sys::ShmemInitStruct(self.name.as_ptr(), self.bytes(), &mut found).cast::<Area<H, S>>();
            if !found {
                (&raw mut (*area).lock)
                    .write(&raw mut (*pg_sys::GetNamedLWLockTranche(self.name.as_ptr())).lock);
                pg_sys::ConditionVariableInit(&raw mut (*area).changed);
                (&raw mut (*area).header).write(self.empty.0);
                let first = area.cast::<u8>().add(offset_of!(Area<H, S>, slots)).cast::<S>();
                for index in 0..self.count.load(Ordering::Relaxed) {
                    first.add(index).write(self.empty.1);
                }
            }
            self.area.store(area, Ordering::Relaxed);
        }
    }
}

impl<H: Copy + 'static, S: Copy + 'static> SharedTable<H, S> {
    fn bytes(&self) -> usize {
        size_of::<Area<H, S>>() + self.count.load(Ordering::Relaxed) * size_of::<S>()
    }
}

static TABLE: OnceLock<&'static dyn Allocated> = OnceLock::new();
static PREVIOUS: OnceLock<(pg_sys::shmem_request_hook_type, pg_sys::shmem_startup_hook_type)> =
    OnceLock::new();

#[pg_guard]
unsafe extern "C-unwind" fn on_request() {
    if let Some((Some(previous), _)) = PREVIOUS.get() {
        // SAFETY: the hook that was there before us.
        unsafe { previous() }
    }
    if let Some(table) = TABLE.get() {
        table.request();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_startup() {
    if let Some((_, Some(previous))) = PREVIOUS.get() {
        // SAFETY: the hook that was there before us.
        unsafe { previous() }
    }
    if let Some(table) = TABLE.get() {
        table.create();
    }
}

/// The table while it is locked.
pub struct Locked<'a, H, S> {
    lock: *mut pg_sys::LWLock,
    /// What there is once.
    pub header: &'a mut H,
    slots: &'a mut [S],
}

impl<H, S> Deref for Locked<'_, H, S> {
    type Target = [S];

    fn deref(&self) -> &[S] {
        self.slots
    }
}

impl<H, S> DerefMut for Locked<'_, H, S> {
    fn deref_mut(&mut self) -> &mut [S] {
        self.slots
    }
}

impl<H, S> Drop for Locked<'_, H, S> {
    fn drop(&mut self) {
        // SAFETY: we hold the lock. After an error of the server its abort releases all locks; the count of held-off
        // interrupts is zero then, and releasing here would be wrong.
        unsafe {
            if pg_sys::InterruptHoldoffCount > 0 {
                pg_sys::LWLockRelease(self.lock);
            }
        }
    }
}
