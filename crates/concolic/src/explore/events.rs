//! Events: at which moments their arrival makes a difference, and paths on which they arrive.
//!
//! An event may come between any two instructions. Where what the program does commutes with what the handler does,
//! it makes no difference when: so the moments are the first one after a subscription, after an earlier handler, and
//! after each instruction that touches what the handler touches too.

use std::rc::Rc;

use borges_board::{Event, EventSource};
use borges_vm::binary::Instr;
use borges_vm::{FuncIdx, Module, Value};
use hashbrown::HashSet;

use super::{Explorer, SearchOrder, State, Waiting};
use crate::path::Delivered;
use crate::shadow::Touching;
use crate::touch::Touch;

/// Why something is left out: nobody asked for events.
pub(super) const UNTOLD: &str = "interrupts are subscribed to here: paths on which they arrive are explored if a bound on events is given";

/// What functions may touch, with all that they call.
#[derive(Clone, Debug, Default, PartialEq)]
struct Footprint {
    reads_globals: HashSet<u32>,
    writes_globals: HashSet<u32>,
    /// One by one, at addresses that are seen when they run.
    loads: bool,
    stores: bool,
    /// In any other way.
    reads_memory: bool,
    writes_memory: bool,
    reads_tables: bool,
    writes_tables: bool,
    calls_primitives: bool,
}

impl Footprint {
    fn of(module: &Module, roots: &[u32], touches_memory: &dyn Fn(u32) -> bool) -> Self {
        let imported = module.imported_funcs();
        let mut footprint = Footprint::default();
        let past = module.funcs().count() as u32;
        let mut seen: HashSet<u32> = roots.iter().copied().collect();
        let mut stack = roots.to_vec();
        while let Some(func) = stack.pop() {
            for (_, instr) in module.instrs(FuncIdx(func)) {
                footprint.add(&instr, imported, touches_memory);
                let called = match instr {
                    Instr::Call(func) | Instr::ReturnCall(func) if func >= imported => {
                        func..func + 1
                    }
                    // Whatever a table may come to hold.
                    Instr::CallIndirect { .. } | Instr::ReturnCallIndirect { .. } => imported..past,
                    _ => continue,
                };
                stack.extend(called.filter(|func| seen.insert(*func)));
            }
        }
        footprint
    }

    /// Adds an instruction; `touches_memory` says whether an imported function reads or writes what its arguments point to.
    fn add(&mut self, instr: &Instr<'_>, imported: u32, touches_memory: &dyn Fn(u32) -> bool) {
        let mut calls = |mut called: std::ops::Range<u32>| {
            self.calls_primitives = true;
            let touches = called.any(touches_memory);
            (self.reads_memory, self.writes_memory) =
                (self.reads_memory | touches, self.writes_memory | touches);
        };
        match *instr {
            Instr::GlobalGet(global) => {
                self.reads_globals.insert(global);
            }
            Instr::GlobalSet(global) => {
                self.writes_globals.insert(global);
            }
            Instr::Wide(op, _) if op.width() != 0 => {
                (self.reads_memory, self.writes_memory) =
                    (true, self.writes_memory | op.is_store());
            }
            Instr::Load(..) => self.loads = true,
            Instr::Store(..) => self.stores = true,
            Instr::MemorySize => self.reads_memory = true,
            Instr::MemoryGrow | Instr::MemoryInit(_) | Instr::MemoryFill => {
                self.writes_memory = true;
            }
            Instr::MemoryCopy | Instr::Elsewhere(_) => {
                (self.reads_memory, self.writes_memory) = (true, true)
            }
            Instr::TableGet(_) | Instr::TableSize(_) => self.reads_tables = true,
            Instr::TableSet(_)
            | Instr::TableInit { .. }
            | Instr::TableCopy { .. }
            | Instr::TableGrow(_)
            | Instr::TableFill(_)
            | Instr::ElemDrop(_) => (self.reads_tables, self.writes_tables) = (true, true),
            Instr::DataDrop(_) => self.writes_memory = true,
            Instr::CallIndirect { .. } | Instr::ReturnCallIndirect { .. } => {
                calls(0..imported);
                self.reads_tables = true;
            }
            Instr::Call(func) | Instr::ReturnCall(func) if func < imported => {
                calls(func..func + 1);
            }
            _ => {}
        }
    }

    /// Whether it makes a difference which of the two goes first.
    fn conflicts(&self, other: &Footprint) -> bool {
        let one_way = |a: &Footprint, b: &Footprint| {
            let global = |global: &u32| {
                b.reads_globals.contains(global) || b.writes_globals.contains(global)
            };
            a.writes_globals.iter().any(global)
                || (a.writes_memory || a.stores)
                    && (b.reads_memory || b.loads || b.writes_memory || b.stores)
                || a.writes_tables && (b.reads_tables || b.writes_tables)
        };
        one_way(self, other)
            || one_way(other, self)
            || self.calls_primitives && other.calls_primitives
    }
}

/// What the handlers of some events have in common with the rest of the program.
#[derive(Debug)]
pub(super) struct Listening {
    /// For every instruction by number: whether a moment comes after it.
    pub(super) touching: Vec<Touching>,
    /// A moment comes after every call of a primitive.
    calls: bool,
}

impl Explorer<'_, '_> {
    /// The events that may arrive in a state.
    pub(super) fn events(state: &State) -> impl Iterator<Item = Event> + '_ {
        let outside = &state.outside.state;
        let pins = outside.subscriptions().map(|(pin, subscription)| Event {
            source: EventSource::Pin(*pin),
            handler: subscription.handler,
        });
        let timer = outside.timer().map(|timer| Event {
            source: EventSource::Timer,
            handler: timer.handler,
        });
        pins.chain(timer)
    }

    /// What to look out for; nothing if no event may arrive any more, or a handler runs.
    pub(super) fn listening(&mut self, state: &State) -> Option<Rc<Listening>> {
        let most = self.bounds.events.unwrap_or(0) as usize;
        if state.events.len() >= most || self.machine.in_handler() {
            return None;
        }
        Self::events(state).next()?;
        let handler = |event: Event| match self.machine.table_element(0, event.handler) {
            Some(Value::FuncRef(Some(function))) => Some(function),
            _ => None,
        };
        let mut handlers: Vec<u32> = Self::events(state).filter_map(handler).collect();
        handlers.sort_unstable();
        handlers.dedup();
        if let Some(known) = self.listened.get(&handlers) {
            return Some(known.clone());
        }
        let module = self.machine.module()?;
        let imported = module.imported_funcs();
        let touches_memory = |func: u32| {
            let id = self.start.primitives.get(func as usize);
            let primitive = id.and_then(|id| self.start.board.primitive(*id));
            primitive.is_none_or(borges_board::Primitive::touches_memory)
        };
        let all = Footprint {
            // Which function the handler is: one that was removed is a trap.
            reads_tables: true,
            ..Footprint::of(module, &handlers, &touches_memory)
        };
        // Of what handlers do otherwise than by single loads and stores, the bytes are not known.
        let are_bytes = !(all.reads_memory || all.writes_memory || self.touched.assumed.is_none());
        let mut touching = vec![Touching::Never; self.code.offsets().len()];
        for func in module.funcs() {
            for (offset, instr) in module.instrs(func) {
                let is_call = matches!(
                    instr,
                    Instr::Call(_)
                        | Instr::CallIndirect { .. }
                        | Instr::ReturnCall(_)
                        | Instr::ReturnCallIndirect { .. }
                );
                let mut own = Footprint::default();
                own.add(&instr, imported, &touches_memory);
                // Of calls, those of primitives count, when they have happened.
                if let Some(number) = self.code.number(offset)
                    && !is_call
                {
                    let is_access = matches!(instr, Instr::Load(..) | Instr::Store(..));
                    touching[number] = match all.conflicts(&own) {
                        true if are_bytes && is_access => Touching::ByAddress,
                        true => Touching::Always,
                        false => Touching::Never,
                    };
                }
            }
        }
        let touches = (0..imported).any(touches_memory);
        let primitive = Footprint {
            calls_primitives: true,
            reads_memory: touches,
            writes_memory: touches,
            ..Footprint::default()
        };
        let listening = Rc::new(Listening {
            touching,
            calls: all.conflicts(&primitive),
        });
        self.listened.insert(handlers, listening.clone());
        Some(listening)
    }

    /// A primitive was called; `before` are the events that could arrive until then.
    pub(super) fn after_call(&mut self, state: &mut State, before: &[Event]) {
        let is_other = !Self::events(state).eq(before.iter().copied());
        // Of a run that is followed nothing is told: the search after it comes here again.
        let tells = self.followed.is_none() && !self.told_of_events;
        if is_other && self.bounds.events.is_none() && tells {
            self.told_of_events = true;
            self.leave_out(state, UNTOLD);
        }
        let calls = self
            .listening(state)
            .is_some_and(|listening| listening.calls);
        state.is_moment |= is_other || calls;
    }

    /// The events that may arrive, to compare them after a call.
    pub(super) fn events_now(&self, state: &State) -> Vec<Event> {
        Self::events(state).collect()
    }

    /// A moment at which events may arrive; whether the path on which none does waits as well.
    pub(super) fn waits_at_moment(&mut self, state: &mut State) -> bool {
        if self.followed.is_some() {
            return self.passes_moment(state);
        }
        if self.is_round {
            self.stop_at_moment(state);
            return true;
        }
        self.moment(state);
        let waits = self.strategy != SearchOrder::DepthFirst;
        if waits {
            self.wait_quietly(state);
        }
        waits
    }

    /// Whether a round ends here, with the handler that it was about.
    pub(super) fn ends_with_handler(&mut self, state: &mut State) -> bool {
        let ends = self.is_of_handler && !self.machine.in_handler();
        if ends {
            self.stop_at_moment(state);
        }
        ends
    }

    /// Paths on which events arrive here wait.
    fn moment(&mut self, state: &mut State) {
        state.is_moment = false;
        state.turns += 1;
        if state.moments == self.bounds.moments {
            let most = self.bounds.moments;
            self.leave_out(
                state,
                &format!("the bound on moments: on a path, events arrive at the first {most} moments that differ"),
            );
        }
        state.moments = state.moments.saturating_add(1);
        if state.moments > self.bounds.moments {
            return;
        }
        let snapshot = self.machine.snapshot(self.last_snapshot.as_ref());
        self.last_snapshot = Some(snapshot.clone());
        let table = self.machine.table(0);
        for event in self.events_now(state) {
            let handler = match table.get(event.handler as usize) {
                Some(Value::FuncRef(Some(function))) => Some(FuncIdx(*function)),
                _ => None,
            };
            let module = self.machine.module();
            let first = handler.and_then(|func| module?.instr_starts(func).next());
            self.waiting.push_back(Waiting {
                snapshot: snapshot.clone(),
                state: state.clone(),
                decided: None,
                next: first,
                event: Some(event),
                is_at_call: false,
            });
        }
    }

    /// Lets the path on which nothing arrives wait as well.
    fn wait_quietly(&mut self, state: &State) {
        let snapshot = self.machine.snapshot(self.last_snapshot.as_ref());
        self.last_snapshot = Some(snapshot.clone());
        self.waiting.push_back(Waiting {
            snapshot,
            state: state.clone(),
            decided: None,
            next: self.machine.location().map(|location| location.offset),
            event: None,
            is_at_call: false,
        });
    }

    /// A moment at which a round ends: whether something arrives, and what, is a way on from there.
    fn stop_at_moment(&mut self, state: &mut State) {
        state.is_moment = false;
        let snapshot = self.machine.snapshot(self.last_snapshot.as_ref());
        self.last_snapshot = Some(snapshot.clone());
        let waiting = Waiting::at(snapshot, state.clone(), false);
        self.levels.frontier.push(waiting);
    }

    /// Lets an event arrive; false if its handler cannot be entered.
    pub(super) fn arrive(&mut self, state: &mut State, event: Event) -> bool {
        let (step, from) = (self.machine.steps(), self.machine.cells().len());
        if !event.enter(&mut self.machine) {
            return false;
        }
        state.shadow.forget_cells(from, self.machine.cells().len());
        if let Some(marks) = state.marks.as_deref_mut() {
            marks.read(Touch::Subscription(event.source));
            marks.read(Touch::Tables);
        }
        state.events.push(Delivered {
            event,
            step,
            place: state.reads.len() as u32,
        });
        true
    }
}
