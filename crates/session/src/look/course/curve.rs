//! The points of a curve: gaps are points too, and of many points the telling ones are kept.

use std::cmp::Ordering;

use crate::command::listing::Curve;

impl Curve {
    /// The value is this from a step on.
    pub(super) fn push(&mut self, step: u64, value: Option<f64>) {
        // Of two writes at one step, the last counts.
        if self.steps.last() == Some(&step) {
            self.steps.pop();
            self.values.pop();
        }
        if value.is_none() && !matches!(self.values.last(), Some(Some(_))) {
            return;
        }
        self.steps.push(step);
        self.values.push(value);
    }

    /// There is no value from a step on.
    pub(super) fn end(&mut self, step: u64) {
        self.push(step, None);
    }

    /// At most so many points: of each stretch the least, the greatest, and a gap if there is one.
    pub(super) fn thinned(&self, most: usize) -> Curve {
        if self.steps.len() <= most {
            return self.clone();
        }
        let stretch = (3 * self.steps.len()).div_ceil(most).max(3);
        let mut thin = Curve::default();
        for from in (0..self.values.len()).step_by(stretch) {
            let to = (from + stretch).min(self.values.len());
            let known = || (from..to).filter(|at| self.values[*at].is_some());
            let order = |a: &usize, b: &usize| {
                self.values[*a]
                    .partial_cmp(&self.values[*b])
                    .unwrap_or(Ordering::Equal)
            };
            let gap = (from..to).rfind(|at| self.values[*at].is_none());
            let mut kept: Vec<usize> = [known().min_by(order), known().max_by(order), gap]
                .into_iter()
                .flatten()
                .collect();
            kept.sort_unstable();
            kept.dedup();
            for at in kept {
                thin.steps.push(self.steps[at]);
                thin.values.push(self.values[at]);
            }
        }
        thin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: &[Option<f64>]) -> Curve {
        Curve {
            steps: (0..values.len() as u64).collect(),
            values: values.to_vec(),
            why: None,
        }
    }

    #[test]
    fn few_points_stay_and_many_keep_their_extremes_and_gaps() {
        let few = curve(&[Some(1.0), None, Some(2.0)]);
        assert_eq!(few.thinned(3), few);
        let mut values: Vec<Option<f64>> = (0..1_000).map(|n| Some(f64::from(n % 7))).collect();
        values[500] = Some(-3.0);
        values[501] = Some(99.0);
        values[700] = None;
        let thin = curve(&values).thinned(60);
        assert!(thin.steps.len() <= 60, "{}", thin.steps.len());
        assert!(thin.steps.is_sorted());
        for (step, value) in [(500, Some(-3.0)), (501, Some(99.0)), (700, None)] {
            let at = thin.steps.iter().position(|known| *known == step).unwrap();
            assert_eq!(thin.values[at], value);
        }
    }

    #[test]
    fn gaps_are_noted_once_and_not_before_the_first_value() {
        let mut curve = Curve::default();
        curve.end(1);
        curve.push(2, Some(5.0));
        curve.end(3);
        curve.end(4);
        curve.push(4, Some(6.0));
        assert_eq!(curve.steps, [2, 3, 4]);
        assert_eq!(curve.values, [Some(5.0), None, Some(6.0)]);
    }
}
