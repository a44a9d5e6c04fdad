//! Findings as they travel from one process to another: what arrives is not believed before it makes sense.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::findings::Findings;
use super::prefix::Prefix;
use super::sent_path::{ArrivedPath, arrive, leaving};
use crate::coverage::Coverage;
use crate::dag::SentDag;
use crate::decide::Effort;
use crate::path::Unexplored;

/// The same fields in the same order, before they are looked at.
#[derive(Serialize, Deserialize)]
struct Sent<D, P, U, C, L> {
    dag: D,
    paths: P,
    unexplored: U,
    coverage: C,
    steps: u64,
    effort: Effort,
    open: Option<usize>,
    left: L,
}

/// All of it, to be read.
type Arrived = Sent<SentDag, Vec<ArrivedPath>, Vec<Unexplored>, Coverage, Vec<Prefix>>;

impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sent = Sent {
            dag: self.dag.sent(),
            paths: leaving(&self.paths),
            unexplored: &self.unexplored,
            coverage: &self.coverage,
            steps: self.steps,
            effort: self.effort,
            open: self.open,
            left: &self.left,
        };
        sent.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Findings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Sent {
            dag,
            paths,
            unexplored,
            coverage,
            steps,
            effort,
            open,
            left,
        } = Arrived::deserialize(deserializer)?;
        let (dag, made) = dag
            .arrive()
            .ok_or_else(|| D::Error::custom("an expression is made of what there is not"))?;
        let paths =
            arrive(paths, &dag, &made).ok_or_else(|| D::Error::custom("a path makes no sense"))?;
        Ok(Findings {
            dag,
            paths,
            unexplored,
            coverage,
            steps,
            effort,
            open,
            left,
        })
    }
}
