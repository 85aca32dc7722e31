//! What is wrong with an answer.

/// Problems of an answer, fit to be read by the model that gave it. They name fields and never their content.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Report {
    problems: Vec<String>,
    /// How many more there are than are told.
    more: usize,
}

/// So many problems are told; who has that many has not understood the question.
const MOST_PROBLEMS: usize = 20;

impl Report {
    /// With a single problem.
    pub(super) fn only(problem: &str) -> Self {
        Self { problems: vec![problem.to_owned()], more: 0 }
    }

    pub(super) fn add(&mut self, path: &str, problem: impl std::fmt::Display) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(format!("{path} {problem}"));
        } else {
            self.more += 1;
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problems that are told, a line for each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

/// A list with a line for each problem.
impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<String> = self.problems.iter().map(|problem| format!("- {problem}")).collect();
        f.write_str(&lines.join("\n"))?;
        if self.more > 0 {
            write!(f, "\n- and {} more of the kind", self.more)?;
        }
        Ok(())
    }
}
