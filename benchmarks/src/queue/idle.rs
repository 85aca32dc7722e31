//! How often the processes run when there is nothing to do: the kernel counts it.

use std::time::Duration;

use super::{cluster, execute};

const SECONDS: u64 = 30;

/// Prints what it measures.
pub fn run() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    execute(&mut client, "select memento.remember('something'); select memento.wait_until_running('60 s')");
    execute(&mut client, "select memento.wait_until_idle('60 s')");
    let processes: Vec<(i32, String)> = client
        .query("select pid, backend_type from pg_stat_activity where backend_type like 'pg_memento %'", &[])
        .unwrap_or_else(|error| panic!("{error:?}"))
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    // What starting has left to be done.
    std::thread::sleep(Duration::from_secs(3));
    let before: Vec<u64> = processes.iter().map(|(pid, _)| switches(*pid)).collect();
    std::thread::sleep(Duration::from_secs(SECONDS));
    for ((pid, name), before) in processes.iter().zip(before) {
        println!("{name}: woken {} times in {SECONDS} s", switches(*pid) - before);
    }
}

fn switches(pid: i32) -> u64 {
    std::fs::read_to_string(format!("/proc/{pid}/status"))
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok())
        .unwrap_or(0)
}
