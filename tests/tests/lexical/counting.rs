//! Counts are those of the latest versions, whenever they are made, whoever writes meanwhile.

use memento_tests::Cluster;
use memento_tests::cluster::run;

use super::scene::{DEFAULT_PROJECT, count_all, miscounted, remember, search, without_worker};

const WORDS: [&str; 8] =
    ["harbour", "storage", "invoice", "turbine", "ledger", "compass", "quorum", "lantern"];

/// A text whose words depend on a number.
fn text(number: usize) -> String {
    (0..WORDS.len()).filter(|bit| number >> bit & 1 == 1).map(|bit| WORDS[bit]).collect::<Vec<_>>().join(" ")
        + " of the note"
}

#[test]
fn counting_changes_no_result() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    for number in 1..120 {
        remember(&mut client, &number.to_string(), &text(number));
    }
    for number in 1..40 {
        remember(&mut client, &number.to_string(), &text(number * 3));
    }
    let results =
        |client: &mut _| WORDS.map(|word| search(client, &format!("{word} or the storage note"), 20));
    let before = results(&mut client);
    assert!(before.iter().all(|hits| hits.len() == 20));
    assert_ne!(miscounted(&mut client), Vec::<String>::new(), "nothing was counted yet");
    count_all(&mut client);
    assert_eq!(miscounted(&mut client), Vec::<String>::new());
    assert_eq!(results(&mut client), before);
    assert_eq!(results(&mut client), before, "and again");
}

#[test]
fn writers_count_when_there_is_no_worker() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    for number in 0..600 {
        remember(&mut client, &number.to_string(), &text(number));
    }
    let left: i64 = client.query_one("select count(*) from memento.lexical_pending", &[]).unwrap().get(0);
    assert!(left < 64, "{left} versions are not counted");
}

#[test]
fn what_is_forgotten_is_in_no_count() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    for (source, content) in [("1", "harbour xyzzy"), ("2", "harbour"), ("3", "plugh harbour")] {
        remember(&mut client, source, content);
    }
    count_all(&mut client);
    remember(&mut client, "1", "nothing of it");
    for source in ["1", "3"] {
        client
            .execute("select memento.forget(source_system => 'test', source_id => $1)", &[&source])
            .unwrap();
    }
    let words: Vec<String> = client
        .query("select lexeme from memento.lexeme_stat order by 1", &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(words, ["harbour"]);
    count_all(&mut client);
    assert_eq!(miscounted(&mut client), Vec::<String>::new());
}

#[test]
fn writers_at_the_same_time_are_all_counted() {
    const WRITERS: usize = 6;
    let cluster = Cluster::start();
    let database = cluster.database();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (cluster, database) = (&cluster, &database);
            scope.spawn(move || {
                let mut client = cluster.connect(database);
                for round in 0..120 {
                    // Some sources are everybody's, so versions are superseded while others count.
                    let source = if round % 3 == 0 { round.to_string() } else { format!("{writer} {round}") };
                    remember(&mut client, &source, &text(writer * 120 + round));
                    if round % 10 == 9 {
                        let gone = format!("{writer} {}", round - 1);
                        client
                            .execute(
                                "select memento.forget(source_system => 'test', source_id => $1)",
                                &[&gone],
                            )
                            .unwrap();
                    }
                    search(&mut client, "storage ledger", 5);
                }
            });
        }
    });
    let mut client = cluster.connect(&database);
    count_all(&mut client);
    assert_eq!(miscounted(&mut client), Vec::<String>::new());
    let uncounted: i64 =
        client.query_one("select count(*) from memento.lexical_pending", &[]).unwrap().get(0);
    assert_eq!(uncounted, 0);
}

#[test]
fn what_is_rolled_back_is_not_counted() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    remember(&mut client, "1", "harbour");
    let mut transaction = client.transaction().unwrap();
    for number in 0..300 {
        transaction.execute("select memento.remember($1)", &[&text(number)]).unwrap();
    }
    transaction.rollback().unwrap();
    count_all(&mut client);
    assert_eq!(miscounted(&mut client), Vec::<String>::new());
}

#[test]
fn tenants_have_counts_of_their_own() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.create_project('second')").unwrap();
    let mut scores = Vec::new();
    for (project, others) in [(DEFAULT_PROJECT, "harbour"), ("second", "lantern")] {
        client.execute("select memento.use_project($1)", &[&project]).unwrap();
        remember(&mut client, "0", "harbour lantern");
        for number in 1..50 {
            remember(&mut client, &number.to_string(), &format!("{others} and more words"));
        }
        count_all(&mut client);
        scores.push(["harbour", "lantern"].map(|word| search(&mut client, word, 1)[0].1));
    }
    assert!(scores[0][0] < scores[0][1], "harbour is frequent in the first: {scores:?}");
    assert!(scores[1][0] > scores[1][1], "lantern in the second: {scores:?}");
}

/// Counts are not dumped. A restore whose triggers are off says nothing of what it writes.
#[test]
fn a_restore_is_counted_anew() {
    let cluster = without_worker();
    let source = cluster.database();
    let mut client = cluster.connect(&source);
    for number in 1..300 {
        remember(&mut client, &(number % 200).to_string(), &text(number));
    }
    count_all(&mut client);
    let results = |client: &mut _| WORDS.map(|word| search(client, word, 10));
    let before = results(&mut client);
    let file = cluster.server.scratch.join(format!("lexical-{}.dump", std::process::id()));
    run(cluster.client("pg_dump").args(["--format=custom", "--file"]).arg(&file).arg(&source));
    for triggers in [true, false] {
        let target = cluster.empty_database();
        run(cluster.client("pg_restore").args(["--exit-on-error", "--dbname", &target]).arg(&file));
        let mut restored = cluster.connect(&target);
        if !triggers {
            restored
                .batch_execute(
                    "truncate memento.lexical_stat, memento.lexeme_stat, memento.lexical_counted, memento.lexical_pending",
                )
                .unwrap();
        }
        assert!(results(&mut restored).iter().all(|hits| hits.len() == 10), "found before it is counted");
        count_all(&mut restored);
        assert_eq!(miscounted(&mut restored), Vec::<String>::new(), "triggers: {triggers}");
        assert_eq!(results(&mut restored), before, "triggers: {triggers}");
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn counts_survive_a_crash() {
    let cluster = without_worker();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    for number in 0..400 {
        remember(&mut client, &(number % 300).to_string(), &text(number));
    }
    let before = search(&mut client, "quorum lantern", 10);
    cluster.stop("immediate");
    cluster.boot();
    let mut client = cluster.connect(&database);
    assert_eq!(search(&mut client, "quorum lantern", 10), before);
    count_all(&mut client);
    assert_eq!(miscounted(&mut client), Vec::<String>::new());
}
