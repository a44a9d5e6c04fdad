//! What a recording changes in the file that it is merged into.

use rusqlite::Connection;
use rusqlite::types::ToSql;

use super::Unmerged;
use super::course::{Course, Failed};
use super::lines::Lines;
use super::recording::{Call, Piece, Rows, Source, agree};
use crate::branches::BranchRow;
use crate::runs::{self, KeptRuns, RUN, SOURCE};
use crate::seal::{ENTRY, SETTING};
use crate::{Damage, Fork, KeptEnd, Store, StoreError, Upload};

/// A file while a recording is merged into it.
pub(super) struct Writing<'m> {
    pub(super) store: &'m Store,
    pub(super) db: &'m Connection,
    pub(super) upload: Upload,
    pub(super) said_of_end: fn(Upload, u32) -> String,
    pub(super) lines: &'m mut Lines,
}

impl Writing<'_> {
    pub(super) fn pieces<E: From<StoreError>>(
        &mut self,
        course: &mut Course,
        pieces: &mut dyn Iterator<Item = Result<Piece, E>>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(), Unmerged<E>> {
        let mut ends = Vec::new();
        for piece in pieces {
            if !keep_going() {
                return Err(Unmerged::Stopped);
            }
            let piece = piece.map_err(Unmerged::Refused)?;
            let taken = match piece {
                Piece::Branch(branch) => course.begin(branch),
                Piece::Rows(rows) => self.rows(course, rows),
                Piece::End(said) => self.end(course, said).map(|end| ends.extend(end)),
                Piece::Counted => {
                    course.counted = true;
                    Ok(())
                }
                Piece::Runs(runs) => self.counted(course, &runs),
                Piece::Source(source) => self.source(course, source),
            };
            taken.map_err(|failed| course.unmerged(failed))?;
        }
        if !course.counted {
            let counted = self.count(course, &ends);
            counted.map_err(|failed| course.unmerged(failed))?;
        }
        self.write_changed().map_err(Unmerged::Unwritten)
    }

    /// Follows or adds entries of the recording's last branch.
    fn rows(&mut self, course: &mut Course, mut rows: Rows) -> Result<(), Failed> {
        course.mock(rows.mocked);
        let mut next = 0;
        while let Some(left) = rows.choices.get(next..).filter(|left| !left.is_empty()) {
            let followed = self.lines.follow(self.db, course.at, left)?;
            if followed > 0 {
                course.take(followed as u32)?;
                next += followed;
                continue;
            }
            let choice = left.first().copied().unwrap_or_default();
            let fresh = match self.lines.way(course.at, choice) {
                Some(line) => {
                    course.turn(line);
                    course.take(1)?;
                    next += 1;
                    continue;
                }
                None => self.part(course, choice, rows.call(next))?,
            };
            // Nothing comes after what is new: all that is left is new as well.
            course.turn(fresh);
            self.append(course, &mut rows, next)?;
            return Ok(());
        }
        Ok(())
    }

    /// The branch that goes on with an entry that nothing goes on with yet.
    fn part(&mut self, course: &Course, choice: u64, call: Option<Call>) -> Result<u32, Failed> {
        let at = course.at;
        let call = call.ok_or(Failed::no_value("entry"))?;
        let row = self.lines.row(at.line)?;
        let is_tip = at.position == row.fork + row.length;
        if is_tip && !call.goes_beside(row.reached, &row.end) {
            return Err(Failed::Contradicts);
        }
        let onward = self.lines.onward(at)?;
        let before = at.position.checked_sub(1).map(|before| row.row(before));
        if let Some(before) = before
            && self.call(before)?.steps > call.steps
        {
            return Err(Failed::Contradicts);
        }
        for other in onward.iter().flatten() {
            if !self.call(*other)?.is_beside(&call) {
                return Err(Failed::Contradicts);
            }
        }
        // As in a session: a branch that has run past the entry is another one.
        let grows = onward == [None, None] && row.end == KeptEnd::Open && row.reached <= call.steps;
        if grows {
            // What was said of its end is not said of the new one, which may be at the same step.
            let key = (self.said_of_end)(self.upload, at.line);
            SETTING.remove(self.db, &self.store.seals, &[&key])?;
            return Ok(at.line);
        }
        let number = self.lines.rows.len();
        let number = u32::try_from(number).map_err(|_| StoreError::TooLarge("multiverse"))?;
        let from = Fork {
            parent: at.line,
            position: at.position,
        };
        let seals = &self.store.seals;
        let row = BranchRow::add(self.db, seals, self.upload, number, Some(from))?;
        self.lines.rows.push(row);
        self.lines.add_way(at, choice, number, call.is_event);
        Ok(number)
    }

    /// What is known of a call or an event of the merged multiverse.
    fn call(&self, row: i64) -> Result<Call, Failed> {
        let mut statement = self.db.prepare_cached(&ENTRY.select("WHERE id = ?1"))?;
        let mut rows = statement.query([row])?;
        let found = rows
            .next()?
            .and_then(|row| Call::of(|index| row.get_ref(index).ok()));
        Ok(found.ok_or(StoreError::from(Damage::Value("entry")))?)
    }

    /// Adds entries to the end of the branch that the recording is on.
    fn append(&mut self, course: &mut Course, rows: &mut Rows, from: usize) -> Result<(), Failed> {
        let line = course.at.line;
        let count = (rows.choices.len() - from) as u32;
        let key = self.lines.row(line)?.row(course.at.position);
        course.take(count)?;
        let (start, whole) = (rows.start(from), rows.spelled.len());
        let ends: Vec<usize> = rows.ends.iter().skip(from).map(|end| end - start).collect();
        let spelled = rows.spelled.get_mut(start..whole).unwrap_or_default();
        ENTRY.insert_spelled(self.db, spelled, &ends, key)?;
        let choices = rows.choices.get(from..).unwrap_or_default();
        self.lines.grow(line, choices)?;
        let last = rows.choices.len().checked_sub(1);
        let last = last.and_then(|last| rows.call(last));
        let last = last.ok_or(Failed::no_value("entry"))?.steps;
        let row = self.lines.change(line)?;
        row.reached = row.reached.max(last);
        course.merged.new += u64::from(count);
        Ok(())
    }

    /// The recording's last branch ends; where, if no mock has answered on the way.
    fn end(&mut self, course: &Course, said: Option<String>) -> Result<Option<KeptRuns>, Failed> {
        let at = course.at;
        let last = course.branches.last().ok_or(Failed::no_value("branch"))?;
        let (reached, end) = (last.branch.reached, &last.branch.end);
        let row = self.lines.row(at.line)?;
        if at.position == row.fork + row.length {
            if !agree((row.reached, &row.end), (reached, end)) {
                return Err(Failed::Contradicts);
            }
            let key = (self.said_of_end)(self.upload, at.line);
            let known = row.reached;
            let end = (row.end == KeptEnd::Open).then(|| end.clone());
            let row = self.lines.change(at.line)?;
            row.reached = known.max(reached);
            row.end = end.unwrap_or(std::mem::take(&mut row.end));
            if let Some(said) = said.filter(|_| reached >= known) {
                let before = self.store.setting(&key)?;
                if reached == known && before.as_ref().is_some_and(|before| *before != said) {
                    return Err(Failed::Contradicts);
                }
                self.store.set_setting(&key, &said)?;
            }
        } else if let Some(next) = self.lines.next(at)?
            && !self.call(next)?.goes_beside(reached, end)
        {
            return Err(Failed::Contradicts);
        }
        let runs = KeptRuns {
            branch: at.line,
            position: at.position,
            end: end.clone(),
            reached,
            count: 1,
        };
        Ok(last.mocked.is_none().then_some(runs))
    }

    /// Counts a recording that was not counted before: every end of its own.
    fn count(&mut self, course: &mut Course, ends: &[KeptRuns]) -> Result<(), Failed> {
        for end in ends {
            self.add_runs(end)?;
            course.merged.runs += 1;
            let source = Source {
                name: course.name.clone(),
                branch: end.branch,
                position: end.position,
                ending: end.end.columns().0,
                runs: 1,
            };
            self.add_source(&source)?;
        }
        Ok(())
    }

    /// Counts what the recording has counted.
    fn counted(&mut self, course: &mut Course, runs: &KeptRuns) -> Result<(), Failed> {
        let at = course.place(runs.branch, runs.position);
        let at = at.ok_or(Failed::no_value("fleet_run"))?;
        let (branch, position) = (at.line, at.position);
        let total = course.merged.runs.checked_add(runs.count);
        course.merged.runs = total.ok_or(Failed::no_value("fleet_run"))?;
        self.add_runs(&KeptRuns {
            branch,
            position,
            ..runs.clone()
        })
    }

    fn add_runs(&mut self, runs: &KeptRuns) -> Result<(), Failed> {
        let (ending, outcome) = runs.end.columns();
        let key = (self.upload.0, runs.branch, runs.position);
        let rest = "WHERE upload = ?1 AND branch = ?2 AND position = ?3 AND ending = ?4";
        let known = runs::read_where(self.db, rest, &[&key.0, &key.1, &key.2, &ending])?;
        let (mut reached, mut count) = (runs.reached, runs.count);
        if let Some(known) = known.first() {
            if !agree((known.reached, &known.end), (reached, &runs.end)) {
                return Err(Failed::Contradicts);
            }
            reached = reached.max(known.reached);
            let sum = count.checked_add(known.count);
            let sum = sum.filter(|sum| i64::try_from(*sum).is_ok());
            count = sum.ok_or(Failed::no_value("fleet_run"))?;
        }
        let seals = &self.store.seals;
        let values: [&dyn ToSql; 7] = [&key.0, &key.1, &key.2, &ending, &reached, &outcome, &count];
        Ok(RUN.put(self.db, seals, &values)?)
    }

    fn source(&mut self, course: &Course, source: Source) -> Result<(), Failed> {
        let at = course.place(source.branch, source.position);
        let at = at.ok_or(Failed::no_value("fleet_source"))?;
        let (branch, position) = (at.line, at.position);
        self.add_source(&Source {
            branch,
            position,
            ..source
        })
    }

    fn add_source(&mut self, source: &Source) -> Result<(), Failed> {
        let next = "SELECT coalesce(max(id), 0) + 1 FROM fleet_source";
        let mut next = self.db.prepare_cached(next)?;
        let id: i64 = next.query_row([], |row| row.get(0))?;
        let values: [&dyn ToSql; 7] = [
            &id,
            &source.name,
            &self.upload.0,
            &source.branch,
            &source.position,
            &source.ending,
            &source.runs,
        ];
        Ok(SOURCE.insert(self.db, &self.store.seals, &values)?)
    }

    /// Writes the rows of branches that are not as they were.
    fn write_changed(&mut self) -> Result<(), StoreError> {
        while let Some(line) = self.lines.changed.pop_first() {
            let row = self.lines.row(line)?;
            row.put(self.db, &self.store.seals)?;
        }
        Ok(())
    }
}
