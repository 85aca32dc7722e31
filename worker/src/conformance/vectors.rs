//! What is written back, and what guards it.

use std::time::Duration;

use super::{Case, DIMS, Failure, LEASE, Outcome, Scene, holds, same};
use crate::job::{Held, Input};
use crate::store::{Call, Profile, Vectors};

pub(super) const CASES: &[Case] = &[
    ("vectors are stored once, and the call is in the ledger", stored_once),
    ("a job is finished only when all of its chunks have vectors", finished_when_complete),
    ("vectors of another length are refused with their call", wrong_length),
    ("a version that was superseded meanwhile gets no vector", superseded),
    ("a version that was forgotten meanwhile gets no vector", forgotten),
    ("a profile that is no longer used gets no vector", not_used),
    ("a profile that is used again meanwhile is filled", used_again),
    ("a document that is cut anew while it is embedded is looked at again", cut_anew),
    ("who writes while the profiles change is not overlooked", overlooked),
    ("a job that was lost stores nothing", lost),
    ("a job stores vectors for its own version only", own_version_only),
    ("a call that failed is in the ledger", failed_calls),
];

/// Claimed embed jobs with what is to be embedded.
struct Claimed {
    profile: Profile,
    held: Vec<Held>,
    inputs: Vec<Input>,
}

fn claimed(scene: &mut Scene, texts: &[&str]) -> Result<Claimed, Failure> {
    for (place, text) in texts.iter().enumerate() {
        scene.remember(&place.to_string(), text)?;
    }
    let profile = scene.profile()?;
    let mut held: Vec<Held> = Vec::new();
    for job in scene.store().claim("a", &format!("embed:{}", profile.profile), 100, LEASE)? {
        held.push(job.held);
    }
    held.sort();
    same("jobs", held.len(), texts.len())?;
    let inputs = scene.store().inputs(profile.profile, &held, 100)?;
    same("chunks", inputs.len(), texts.len())?;
    Ok(Claimed { profile, held, inputs })
}

impl Claimed {
    fn call(&self) -> Call {
        Call {
            held: self.held[0],
            outcome: "ok".into(),
            items: self.inputs.len(),
            tokens: 7,
            sent: 11,
            received: 13,
            duration: Duration::from_millis(17),
        }
    }

    /// Stores a vector of ones for each chunk.
    fn store(&self, scene: &mut Scene) -> Outcome {
        let vectors = vec![vec![1.0; DIMS]; self.inputs.len()];
        let vectors = Vectors { inputs: &self.inputs, vectors: &vectors, model: None };
        Ok(scene.store().store_vectors(&self.profile, &vectors, &self.call())?)
    }

    fn finish(&self, scene: &mut Scene) -> Result<usize, Failure> {
        Ok(scene.store().finish_embedded(self.profile.profile, &self.held)?.len())
    }

    /// What became of the first job.
    fn result(&self, scene: &mut Scene) -> Result<String, Failure> {
        Ok(scene.column(self.held[0].job, "state || coalesce(result::text, '')")?)
    }
}

fn stored(scene: &mut Scene) -> Result<String, Failure> {
    Ok(scene.count("memento.chunk_embedding")?)
}

fn stored_once(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text", "the second text"])?;
    same("texts", claimed.inputs[1].text.as_str(), "the second text")?;
    claimed.store(scene)?;
    claimed.store(scene)?;
    same("vectors", stored(scene)?, "2".into())?;
    let ledger = scene.text(
        "select string_agg(concat_ws(' ', role, provider, model, endpoint, outcome, items, tokens, bytes_sent, bytes_received, duration_ms), ', ')
           from memento.usage_ledger",
    )?;
    same("the ledger", ledger, ["embed hash hash hash ok 2 7 11 13 17"; 2].join(", "))?;
    same("finished", claimed.finish(scene)?, 2)?;
    same("once", claimed.finish(scene)?, 0)?;
    same("the result", claimed.result(scene)?, "done{\"chunks\": 1}".into())
}

fn finished_when_complete(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text", "the second text"])?;
    let half = Claimed { inputs: claimed.inputs[..1].to_vec(), ..claimed };
    half.store(scene)?;
    same("finished", half.finish(scene)?, 1)?;
    let left = scene.store().inputs(half.profile.profile, &half.held, 100)?;
    same("what is left", left.iter().map(|input| input.held).collect(), vec![half.held[1]])?;
    same("is running", scene.state(half.held[1].job)?, "running".into())
}

fn wrong_length(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text"])?;
    let vectors = vec![vec![1.0; DIMS + 1]];
    let vectors = Vectors { inputs: &claimed.inputs, vectors: &vectors, model: None };
    let refused = scene.store().store_vectors(&claimed.profile, &vectors, &claimed.call());
    same("the SQLSTATE", refused.err().map(|error| error.sqlstate), Some("22000".into()))?;
    same("vectors", stored(scene)?, "0".into())?;
    same("calls", scene.count("memento.usage_ledger")?, "0".into())?;
    claimed.store(scene)?;
    same("the transaction before is over", stored(scene)?, "1".into())
}

fn superseded(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text"])?;
    scene.remember("0", "another text")?;
    claimed.store(scene)?;
    same("vectors", stored(scene)?, "0".into())?;
    same("calls", scene.count("memento.usage_ledger")?, "1".into())?;
    same("finished", claimed.finish(scene)?, 1)?;
    same("the result", claimed.result(scene)?, "done{\"dropped\": \"superseded\"}".into())
}

fn forgotten(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text", "the second text"])?;
    scene.run("select memento.forget(source_system => 'conformance', source_id => '0')")?;
    claimed.store(scene)?;
    same("only the other", stored(scene)?, "1".into())?;
    same("finished", claimed.finish(scene)?, 1)?;
    same("jobs", scene.states()?, "done 1".into())
}

fn not_used(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text"])?;
    scene.run("update memento.project set active_profile_id = null, candidate_profile_id = null")?;
    claimed.store(scene)?;
    same("vectors", stored(scene)?, "0".into())?;
    same("nothing to read", scene.store().inputs(claimed.profile.profile, &claimed.held, 9)?, vec![])?;
    same("finished", claimed.finish(scene)?, 1)?;
    same("the result", claimed.result(scene)?, "done{\"dropped\": \"profile not in use\"}".into())
}

fn used_again(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text"])?;
    scene.run("update memento.project set active_profile_id = null, candidate_profile_id = null")?;
    claimed.store(scene)?;
    scene.run("select memento.embedding_profiles_activate('conformance', force => true)")?;
    claimed.store(scene)?;
    same("vectors", stored(scene)?, "1".into())?;
    scene.run("delete from memento.chunk_embedding")?;
    same("not finished", claimed.finish(scene)?, 0)
}

fn cut_anew(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text"])?;
    scene.run("select memento.admin_reingest_version((select version_id from memento.version))")?;
    let ingest = scene.claim_one("a", "ingest")?;
    same("it is cut", scene.store().run(ingest)?.as_deref(), Some("done"))?;
    same("it looks again", scene.column(claimed.held[0].job, "run_again")?, "true".into())
}

/// As it is where what was asked for was decided before the change was committed.
fn overlooked(scene: &mut Scene) -> Outcome {
    scene.remember("one", "the first text")?;
    scene.run("select memento.embedding_profiles_fill('conformance-other')")?;
    scene.run("delete from memento.job")?;
    // Once to see who is writing, and again until they are done: the server may be writing for itself.
    for _ in 0..1000 {
        scene.run("select memento._maintain(1)")?;
        if scene.count("memento.profile_change")? == "0" {
            break;
        }
    }
    let asked = scene.text(
        "select string_agg(p.name, ', ' order by p.name) from memento.job j join memento.embedding_profile p using (profile_id)
          where j.kind = 'embed'",
    )?;
    same("asked for", asked, "conformance, conformance-other".into())?;
    scene.run("delete from memento.job")?;
    scene.run("select memento._maintain(1)")?;
    same("once", scene.count("memento.job where kind = 'embed'")?, "0".into())
}

fn lost(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text"])?;
    scene.end_leases()?;
    let lane = format!("embed:{}", claimed.profile.profile);
    let again = scene.claim_one("b", &lane)?;
    claimed.store(scene)?;
    same("vectors", stored(scene)?, "0".into())?;
    same("nothing to read", scene.store().inputs(claimed.profile.profile, &claimed.held, 9)?, vec![])?;
    same("not finished", claimed.finish(scene)?, 0)?;
    holds("by the other", scene.store().finish(again, serde_json::json!({}))?)
}

fn own_version_only(scene: &mut Scene) -> Outcome {
    let mut claimed = claimed(scene, &["the first text", "the second text"])?;
    let chunks: Vec<i64> = claimed.inputs.iter().map(|input| input.chunk).collect();
    claimed.inputs[0].chunk = chunks[1];
    claimed.inputs[1].chunk = chunks[0];
    claimed.store(scene)?;
    same("vectors", stored(scene)?, "0".into())
}

fn failed_calls(scene: &mut Scene) -> Outcome {
    let claimed = claimed(scene, &["the first text"])?;
    let call = Call { outcome: "PROVIDER_TIMEOUT".into(), tokens: 0, ..claimed.call() };
    scene.store().record_call(&(&claimed.profile).into(), &call)?;
    let day = scene.text("select calls || ' ' || failed_calls || ' ' || tokens from memento.usage_by_day")?;
    same("the day", day, "1 1 0".into())
}
