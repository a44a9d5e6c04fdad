//! Some runs of a program, where all are too many.

use std::str::FromStr;

use borges_multiverse::walk::{Order, Sampler};

/// Which runs are looked at, where not all are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Those in which agents, by their names, make room for others: in each state only the foremost of those who can act
    /// do, the held ones where no other can.
    Order(Order<String>),
    /// All in which an agent that could go on makes room for another at most so many times.
    Preemptions(u32),
    /// Some.
    Sampled {
        /// How the agents of each are chosen.
        by: Sampler,
        /// How many.
        runs: u64,
        /// The same seed gives the same runs.
        seed: u64,
    },
}

/// How runs are chosen, as users say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedules {
    /// `order:A,-B`
    Order(Order<String>),
    /// `preemptions:N`
    Preemptions(u32),
    /// `random`, `pct`, `pct:DEPTH`
    Sampled(Sampler),
}

impl FromStr for Schedules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(order) = text.strip_prefix("order:") {
            return order.parse().map(Self::Order);
        }
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let number = number.map(str::parse).transpose();
        let number = number.map_err(|_| "a number must stand after the colon".to_owned())?;
        match (name, number) {
            ("random", None) => Ok(Self::Sampled(Sampler::Random)),
            ("pct", depth) => {
                let depth = depth.unwrap_or(DEPTH);
                Ok(Self::Sampled(Sampler::Pct { depth }))
            }
            ("preemptions", Some(most)) => Ok(Self::Preemptions(most)),
            _ => {
                Err("it is random, pct, pct:DEPTH, preemptions:N or order:AGENT,-AGENT".to_owned())
            }
        }
    }
}

/// Most bugs need fewer orders of two steps.
const DEPTH: u32 = 3;
