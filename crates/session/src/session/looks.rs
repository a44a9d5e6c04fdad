//! What each [`Look`] asks of which part.

use crate::command::listing::{BoardListing, Info, SameAs};
use crate::command::{Look, Observer, Reply, unobserved};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::look::leaves::Wanted;
use crate::look::{agents, code, compare, course, files, find, hits, outline, paths, state};
use crate::session::Session;
use crate::stage::universe_id;
use crate::suggest::ask;

impl Session {
    /// Looks. The view may go elsewhere for it, and comes back.
    pub(super) fn answer(
        &mut self,
        look: Look,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        match look {
            Look::Print { expression, frame } => {
                let (value, type_name) = self.stage.scene().print(&expression, frame)?;
                Ok(Reply::Value {
                    expression,
                    value,
                    type_name,
                })
            }
            Look::Agents => Ok(Reply::Agents {
                agents: agents::agents(self.here(), self.stage.ended()),
            }),
            Look::Variables { agent: _, frame } => {
                state::variables(&self.stage, &self.last_variables, frame)
            }
            Look::Expand {
                of,
                frame,
                path,
                from,
                count,
            } => state::expand(
                &self.stage,
                &of,
                frame,
                &path,
                from..from.saturating_add(count),
            ),
            Look::Stack { agent: _ } => Ok(Reply::Stack(self.stage.scene().stack())),
            Look::Memory {
                address,
                length,
                memory,
            } => state::memory(&self.stage, memory, &address, length),
            Look::Examine {
                layout,
                address,
                memory,
            } => state::examine(&self.stage, memory, &layout, &address),
            Look::List { place, around } => {
                let broken = self.motion.breakpoints().stops().code;
                code::source(&self.stage, &broken, place.as_ref(), around)
            }
            Look::Disassemble { place, around } => {
                let broken = self.motion.breakpoints().stops().code;
                code::disassemble(&self.stage, &broken, place.as_ref(), around)
            }
            Look::Functions { containing } => Ok(code::functions(&self.stage, &containing)),
            Look::Tree { lines } => {
                let same = self.same_as();
                Ok(paths::tree(&self.stage, self.runner.state(), &same, lines))
            }
            Look::Mocks => Ok(Reply::Mocks {
                mocks: self.runner.shown_mocks(&self.stage),
            }),
            Look::Breakpoints => {
                let breakpoints = self
                    .motion
                    .breakpoints()
                    .list()
                    .iter()
                    .map(|breakpoint| breakpoint.listing())
                    .collect();
                Ok(Reply::Breakpoints { breakpoints })
            }
            Look::Board => {
                let (board, state) = (self.stage.board(), &self.stage.history.twin().board);
                let view = state.view(board, 20);
                let data = serde_json::to_value(&view).unwrap_or_default();
                Ok(Reply::Board(BoardListing {
                    lines: view.lines(),
                    board: data,
                    clock_us: self.stage.history.twin().clock_us(),
                }))
            }
            Look::Console => {
                let text = self
                    .stage
                    .history
                    .twin()
                    .board
                    .console()
                    .map(|console| console.bytes())
                    .unwrap_or_default();
                Ok(Reply::Console {
                    text: String::from_utf8_lossy(&text).into_owned(),
                })
            }
            Look::Files { path, since } => {
                let since = since.map(|name| self.moment_named(&name, observer));
                match path {
                    Some(path) => files::contents(&self.stage, &path),
                    None => files::files(&mut self.stage, since.transpose()?, observer),
                }
            }
            Look::Descriptors => files::descriptors(&self.stage),
            Look::Streams => files::streams(&self.stage),
            Look::Info => Ok(Reply::Info(Box::new(self.facts()))),
            Look::Notes => Ok(Reply::Notes {
                notes: self.record.note_listings(&self.stage.history),
            }),
            Look::Moment => {
                let here = self.stage.history.here();
                let universe = universe_id(&self.stage.history, here);
                Ok(Reply::Moment {
                    moment: self.stage.moment_text(here),
                    universe,
                })
            }
            Look::Compare { left, right } => {
                let device = self.runner.state();
                let moments = (
                    self.moment_named(&left, observer)?,
                    self.moment_named(&right, observer)?,
                );
                compare::compare(&mut self.stage, moments, device, observer)
            }
            Look::Query { sql } => {
                self.save()?;
                self.record.query(&sql, observer)
            }
            Look::Multiverse => Ok(outline::multiverse(&self.stage)),
            Look::Entries {
                branch,
                from,
                count,
                calls,
            } => outline::entries(&mut self.stage, branch, from, count, calls, observer),
            Look::Find { text, most } => find::find(&mut self.stage, &text, most, observer),
            Look::Leaves {
                universes,
                expressions,
                paint,
                boards,
                from,
                most,
            } => {
                let wanted = Wanted {
                    expressions,
                    paint,
                    boards,
                };
                let (stage, leaves) = (&mut self.stage, &mut self.leaves);
                leaves.look(stage, wanted, &universes, (from, most), observer)
            }
            Look::Hits {
                place,
                expression,
                from,
                most,
            } => hits::hits(&mut self.stage, &place, &expression, (from, most), observer),
            Look::Density { stretches } => hits::density(&self.stage, stretches, observer),
            Look::Calls { universes } => outline::calls(&mut self.stage, &universes, observer),
            Look::Inputs => Ok(outline::inputs(
                &self.stage,
                &outline::Mocked {
                    list: self.runner.mocks(),
                    listings: self.runner.shown_mocks(&self.stage),
                },
            )),
            Look::Path { around } => paths::path(&mut self.stage, around, observer),
            Look::Series {
                expressions,
                samples,
            } => course::series(&mut self.stage, &expressions, samples, observer),
            Look::Suggest { question, within } => {
                ask::suggest(&mut self.stage, question, within, observer)
            }
            Look::Survey { survey } => ask::survey(&self.stage, &survey, observer),
        }
    }

    /// The first moment of each branch at which it has come to a state that an earlier branch had; and the one shown.
    fn same_as(&mut self) -> Vec<SameAs> {
        let here = universe_id(&self.stage.history, self.stage.history.here());
        let mut last = None;
        let mut same = self.reconverged.of(&mut self.stage).to_vec();
        same.retain(|same| {
            let is_first = last != Some(same.at.branch);
            last = Some(same.at.branch);
            is_first || same.at == here
        });
        same
    }

    fn facts(&mut self) -> Info {
        let here = self.here();
        let at = self.runner.state().unwrap_or(Moment::START);
        let device_at = match self.stage.history.here() {
            now if now == at => here.clone(),
            _ => {
                // A device stands where the twin has been: the way there and back cannot diverge.
                let device = self.runner.state();
                let there = self.stage.elsewhere(|stage| {
                    stage.history.seek(at, &mut unobserved)?;
                    Ok(stage.view(at, device))
                });
                there.unwrap_or_else(|_| here.clone())
            }
        };
        let (sent_bytes, received_bytes, retransmissions) = self.runner.traffic();
        let (snapshots, snapshot_bytes) = self.stage.history.snapshots();
        Info {
            program: self.options.program.display().to_string(),
            program_hash: format!("{:016x}", self.stage.program().module.hash()),
            version: self.stage.loaded.version(),
            board: self.stage.board().name.clone(),
            device: self.runner.name().unwrap_or("not connected yet").to_owned(),
            file: self.session_file().map(|path| path.display().to_string()),
            here,
            device_at,
            follows: self.runner.follows(),
            branches: self.stage.history.tree().branches().count() as u32,
            entries: self.stage.history.tree().entry_count(),
            snapshots: snapshots as u32,
            snapshot_bytes: snapshot_bytes as u64,
            sent_bytes,
            received_bytes,
            retransmissions,
            same: self.same_as(),
            limits: outline::limits(self.stage.board()),
            memories: self.memories(),
        }
    }

    /// The program's memories, if it has several.
    fn memories(&self) -> Vec<Option<String>> {
        let count = self.stage.program().module.memory_types().count();
        let name = |index| self.stage.info().memory_name(index).map(str::to_owned);
        let all = (0..count as u32).map(name);
        all.filter(|_| count > 1).collect()
    }
}
