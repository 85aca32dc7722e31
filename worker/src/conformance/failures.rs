//! Failures of calls with many texts: whose they are, and who else is to be left alone.

use std::sync::Arc;
use std::time::Duration;

use super::model::{Model, Only, STUMBLES, Script, answer, inline, later, waiting};
use super::rounds::{drive, runner};
use super::{Case, Outcome, Scene, holds, same};
use crate::provider::{Code, ProviderError};

pub(super) const CASES: &[Case] = &[
    ("a text that an endpoint stumbles over does not take others with it", stumbling),
    ("an endpoint that is down is not called for each job by itself", down),
    ("a pause holds for all lanes of the endpoint, also for what is in hand", pauses_reach_all_lanes),
];

fn remember(scene: &mut Scene, count: usize) -> Outcome {
    for number in 0..count {
        scene.remember(&number.to_string(), &format!("text number {number}"))?;
    }
    Ok(())
}

fn stumbling(scene: &mut Scene) -> Outcome {
    for (words, code) in STUMBLES {
        scene.clear()?;
        remember(scene, 30)?;
        scene.remember("bad", &format!("this is {words}"))?;
        let model = Model::of(64, []);
        for _ in 0..5 {
            scene.make_due()?;
            drive(&mut runner(Only(Ok(Arc::clone(&model))), inline), scene.database)?;
        }
        same("jobs", scene.states()?, "done 30, failed 1".into())?;
        let failed = scene.text("select code || ' ' || attempts from memento.failed_jobs")?;
        same("the one", failed, format!("{} 5", code.name()))?;
        same("vectors", scene.count("memento.chunk_embedding")?, "30".into())?;
    }
    Ok(())
}

fn down(scene: &mut Scene) -> Outcome {
    remember(scene, 30)?;
    // From the last attempt on they would go alone.
    scene.run("update memento.job set failures = 4 where kind = 'embed'")?;
    let failure = ProviderError::new(Code::Unavailable, "on purpose");
    let model = Model::of(64, vec![Script::Fails(failure); 100]);
    drive(&mut runner(Only(Ok(Arc::clone(&model))), inline), scene.database)?;
    holds(&format!("few calls, not {}", model.calls()), model.calls() <= 10)?;
    let left = scene.count(
        "memento.job where kind = 'embed' and state = 'pending' and failures = 4 and claimable_at > now()",
    )?;
    same("the others wait", left, (30 - model.calls()).to_string())?;
    let failed = model.calls();
    scene.make_due()?;
    drive(&mut runner(Only(Ok(Model::new([]))), inline), scene.database)?;
    same("jobs", scene.states()?, format!("done {}, failed {failed}", 30 - failed))
}

fn pauses_reach_all_lanes(scene: &mut Scene) -> Outcome {
    scene.run("select memento.embedding_profiles_fill('conformance-other')")?;
    remember(scene, 20)?;
    let limited = ProviderError {
        retry_after: Some(Duration::from_secs(77)),
        ..ProviderError::new(Code::RateLimited, "429")
    };
    let model = Model::new([Script::Fails(limited)]);
    let mut runner = runner(Only(Ok(Arc::clone(&model))), later);
    runner.round(scene.database)?;
    same("calls under way", waiting(), 2)?;
    answer();
    runner.round(scene.database)?;
    same("no further call", waiting(), 1)?;
    same("what is with the endpoint is held", runner.tally().in_flight, 4)?;
    answer();
    drive(&mut runner, scene.database)?;
    same("calls", model.calls(), 2)?;
    same("jobs", scene.states()?, "done 4, pending 36".into())
}
