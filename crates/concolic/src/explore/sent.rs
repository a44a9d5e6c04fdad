//! Findings as they travel from one process to another: what arrives is not believed before it makes sense.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::findings::Findings;
use super::prefix::Prefix;
use crate::coverage::Coverage;
use crate::dag::{Dag, Expr, SentDag};
use crate::decide::Effort;
use crate::path::{End, Path, Unexplored, Way};

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
type Arrived = Sent<SentDag, Vec<(u128, Path)>, Vec<Unexplored>, Coverage, Vec<Prefix>>;

impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sent = Sent {
            dag: self.dag.sent(),
            paths: &self.paths,
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
            mut paths,
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
        for (_, path) in &mut paths {
            arrive(path, &dag, &made).ok_or_else(|| D::Error::custom("a path makes no sense"))?;
        }
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

/// Makes a path one of ours: its constraints are about `made` instead of the numbers that were sent. Nothing if it is none.
fn arrive(path: &mut Path, dag: &Dag, made: &[Expr]) -> Option<()> {
    if path.ways.is_empty() && matches!(path.end, End::Cut(_)) {
        return None;
    }
    for Way {
        reads,
        constraints,
        model,
    } in &mut path.ways
    {
        let mut answers = reads.iter().zip(model.iter());
        let is_one =
            reads.len() == model.len() && answers.all(|(read, cell)| read.domain.contains(*cell));
        is_one.then_some(())?;
        for constraint in constraints {
            constraint.expr = *made.get(constraint.expr.index())?;
            let read = |place: &u32| reads.get(*place as usize);
            let inputs = dag.inputs(constraint.expr);
            inputs
                .iter()
                .all(|place| read(place).is_some())
                .then_some(())?;
        }
    }
    Some(())
}
