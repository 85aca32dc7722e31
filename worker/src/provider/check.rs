//! No answer is believed: not its count, not its order, not its numbers.

use super::{Code, ProviderError};

/// The vectors of an answer in the order of the texts, each of the right length, finite and not zero. (The cosine of a zero
/// vector is not a number, and an index would lose it.)
pub fn vectors(
    numbered: impl IntoIterator<Item = (usize, Vec<f32>)>,
    count: usize,
    dims: usize,
) -> Result<Vec<Vec<f32>>, ProviderError> {
    let vectors = in_order(numbered, count, "vectors")?;
    for vector in &vectors {
        if vector.len() != dims {
            return Err(wrong_dims(vector.len(), dims));
        }
        if !vector.iter().all(|number| number.is_finite()) {
            return Err(ProviderError::bad_answer("a vector has a number that is not finite"));
        }
        if vector.iter().all(|number| *number == 0.0) {
            return Err(ProviderError::bad_answer("a vector is zero"));
        }
    }
    Ok(vectors)
}

/// The scores of an answer in the order of the texts.
pub(super) fn scores(
    numbered: impl IntoIterator<Item = (usize, f32)>,
    count: usize,
) -> Result<Vec<f32>, ProviderError> {
    let scores = in_order(numbered, count, "scores")?;
    match scores.iter().all(|score| score.is_finite()) {
        true => Ok(scores),
        false => Err(ProviderError::bad_answer("a score is not finite")),
    }
}

/// The model makes other vectors than the profile says.
pub(super) fn wrong_dims(got: usize, wanted: usize) -> ProviderError {
    ProviderError::new(
        Code::Dims,
        format!("the model gave vectors of {got} dimensions, the profile says {wanted}"),
    )
    .with_hint(
        "correct dims or model of the profile, or let the provider shorten them (\"dimensions\": true)",
    )
}

fn in_order<T>(
    numbered: impl IntoIterator<Item = (usize, T)>,
    count: usize,
    what: &str,
) -> Result<Vec<T>, ProviderError> {
    let mut slots: Vec<Option<T>> = std::iter::repeat_with(|| None).take(count).collect();
    for (index, value) in numbered {
        match slots.get_mut(index) {
            Some(slot @ None) => *slot = Some(value),
            Some(Some(_)) => return Err(ProviderError::bad_answer(format!("two {what} for the same text"))),
            None => return Err(ProviderError::bad_answer(format!("more {what} than the {count} asked for"))),
        }
    }
    let kept: Vec<T> = slots.into_iter().flatten().collect();
    match kept.len() == count {
        true => Ok(kept),
        false => Err(ProviderError::bad_answer(format!("{} {what} instead of {count}", kept.len()))),
    }
}
