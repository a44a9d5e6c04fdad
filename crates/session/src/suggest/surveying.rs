//! A device program's states without their graph, for programs of which that does not fit into memory.
//!
//! A small graph comes first: it shows what counts for ever, what handlers touch, and what is written before it is read.
//! With these facts the states are surveyed. What comes to light only then makes the survey begin again: what it counted
//! before may be wrong.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use borges_concolic::{
    Budget, Comparing, Device, DeviceState, Facts, Flow as Goes, Noted, Spent, Watched,
    learn_states,
};
use borges_languages::model::{
    Checkpoints, DigestSize, KeptDigests, Progress, SurveyNote, keep_survey, survey_progress,
};
use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Counts, Limits, NoWay, Pause, Prefixes, Survey};
use serde::{Deserialize, Serialize};

use super::conditions::Conditions;
use super::evidence::{Evidence, Known, WayThere, reads_input};
use super::exploring::{StatesOptions, cut, many_steps, tidying, wrong};
use super::sighted::{Seen, Sighted};
use super::{Subject, cuts, words};
use crate::command::proof::{Demand, StatesReport};
use crate::program::{self, Board, OpenError, Opened};
use crate::record::kept::{Blocks, Keeping, SurveyError, Writer};

/// The first line of a file.
const MAGIC: &[u8] = b"borges device survey 1\n";

/// States of the graph that comes first.
const LEARNT_FROM: usize = 8192;

/// So many states of a level are held; of the others only the ways there: a state takes a kilobyte or more.
const HELD: usize = 1 << 15;

/// It is looked for news after so many states, and whenever there are twice as many: news comes in many parts.
const FIRST_LOOK: usize = 16;

/// Words are named as they are called in one of so many states.
const NAMED_IN: usize = 20;

/// What a survey of a device program is asked.
pub struct DeviceAsked {
    subject: Subject,
    /// The module, and the text of its board.
    module: Vec<u8>,
    board: String,
    /// How far the survey goes, and how states are told apart.
    pub options: StatesOptions,
    /// What stands for a state.
    pub told: DigestSize,
}

/// What came of a survey of a device program.
#[derive(Debug, Serialize)]
pub struct SurveyedStates {
    /// What is said of a graph too.
    #[serde(flatten)]
    pub report: StatesReport,
    /// What is said of surveys.
    pub survey: SurveyNote,
    /// Why it could not be kept at its end, if that was asked for.
    #[serde(skip)]
    pub unkept: Option<SurveyError>,
}

/// A survey that was kept.
pub struct DeviceSurveyFile {
    /// What it was asked.
    pub asked: DeviceAsked,
    file: PathBuf,
    facts: Facts,
    noted: Noted,
    seen: Seen,
    shares: Vec<(Counts, Prefixes)>,
}

/// What a file says first.
#[derive(Serialize, Deserialize)]
struct Head {
    program: String,
    module: Vec<u8>,
    board: String,
    entry: Option<String>,
    without_events: bool,
    solver: Option<String>,
    bits: u32,
    facts: Facts,
    noted: Noted,
    seen: Seen,
}

/// What to go on from.
struct Before<'f> {
    facts: Facts,
    noted: Noted,
    seen: Seen,
    shares: Vec<(Counts, Prefixes)>,
    digests: KeptDigests<'f>,
}

impl DeviceAsked {
    /// Opens a program.
    ///
    /// # Errors
    /// [`OpenError`]: it does not open, or something that is asked means nothing.
    pub fn open(
        path: &Path,
        board: Option<&Path>,
        options: StatesOptions,
        told: DigestSize,
    ) -> Result<Self, OpenError> {
        let module = program::read(path)?;
        let board = Board::find(path, board)?.kept();
        Self::of(path, (module, board), options, told)
    }

    fn of(
        path: &Path,
        (module, board): (Vec<u8>, String),
        options: StatesOptions,
        told: DigestSize,
    ) -> Result<Self, OpenError> {
        options.known_solver(path)?;
        let parsed = Board::parse(board.clone(), path)?;
        let opened = Opened::on(parsed, path, &module, options.entry.as_deref())?;
        let subject = Subject::of(path, opened);
        options.comparing(&subject, &Comparing::default())?;
        let limits = Conditions::new(&subject, &[]).and_then(Conditions::with_limits);
        if let Err(message) = limits {
            return Err(wrong(path, message));
        }
        Ok(Self {
            subject,
            module,
            board,
            options,
            told,
        })
    }

    fn head(&self, facts: Facts, noted: Noted, seen: Seen) -> Head {
        Head {
            program: self.subject.path.display().to_string(),
            module: self.module.clone(),
            board: self.board.clone(),
            entry: self.options.entry.clone(),
            without_events: self.options.without_events,
            solver: self.options.solver.clone(),
            bits: self.told.bits(),
            facts,
            noted,
            seen,
        }
    }
}

impl DeviceSurveyFile {
    /// Reads what a survey was asked and how far it had come. Whether its digests are whole is seen when they are read,
    /// before anything is explored.
    ///
    /// # Errors
    /// [`SurveyError`].
    pub fn open(file: &Path) -> Result<Self, SurveyError> {
        let mut blocks = Blocks::open(file, MAGIC)?;
        let head: Head = blocks.read()?;
        let shares = blocks.read()?;
        let unread = |why: String| SurveyError::Program(file.to_owned(), why);
        let told = DigestSize::of_bits(head.bits);
        let told = told
            .ok_or_else(|| unread("it tells states apart in a way that there is not".to_owned()))?;
        let options = StatesOptions {
            entry: head.entry,
            without_events: head.without_events,
            solver: head.solver,
            ..StatesOptions::default()
        };
        let asked = DeviceAsked::of(
            Path::new(&head.program),
            (head.module, head.board),
            options,
            told,
        );
        Ok(Self {
            asked: asked.map_err(|error| unread(error.to_string()))?,
            file: file.to_owned(),
            facts: head.facts,
            noted: head.noted,
            seen: head.seen,
            shares,
        })
    }

    /// Goes on with it.
    ///
    /// # Errors
    /// [`SurveyError`].
    pub fn go_on(
        self,
        keeping: Option<&Keeping>,
        keep_going: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<SurveyedStates, SurveyError> {
        let mut blocks = Blocks::open(&self.file, MAGIC)?;
        let (_head, _shares) = (blocks.next()?, blocks.next()?);
        let unread = Cell::new(None);
        let from = Before {
            facts: self.facts,
            noted: self.noted,
            seen: self.seen,
            shares: self.shares,
            digests: blocks.all_digests(&unread),
        };
        let done = run(&self.asked, keeping, Some(from), keep_going);
        match unread.into_inner() {
            Some(error) => Err(error),
            None => done?.map_err(|NoWay| SurveyError::Foreign(self.file)),
        }
    }
}

/// Surveys the states of a device program on one core, and keeps the survey if that is asked for. `keep_going` hears how
/// far it has come, and may end it: what was found by then is reported.
///
/// # Errors
/// [`SurveyError::Io`] if there is no room for it where it is to be kept, before anything is explored.
pub fn survey_states(
    asked: &DeviceAsked,
    keeping: Option<&Keeping>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<SurveyedStates, SurveyError> {
    let done = run(asked, keeping, None, keep_going)?;
    Ok(done.unwrap_or_else(|NoWay| unreachable!("nothing was kept of it")))
}

/// Surveys; an error of its own if what was kept has no such states.
fn run(
    asked: &DeviceAsked,
    keeping: Option<&Keeping>,
    from: Option<Before<'_>>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Result<SurveyedStates, NoWay>, SurveyError> {
    keeping.map_or(Ok(()), Keeping::try_room)?;
    Ok(match asked.told {
        DigestSize::By64 => surveyed::<Fingerprint>(asked, keeping, from, keep_going),
        DigestSize::By128 => surveyed::<WideFingerprint>(asked, keeping, from, keep_going),
    })
}

fn surveyed<F: Digest>(
    asked: &DeviceAsked,
    keeping: Option<&Keeping>,
    from: Option<Before<'_>>,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Result<SurveyedStates, NoWay> {
    let began = Instant::now();
    let clock = || began.elapsed();
    let come = RefCell::new(Progress::default());
    let keep_going = RefCell::new(keep_going);
    let heard = |_| match (keep_going.borrow_mut())(&come.borrow()) {
        true => Goes::Continue,
        false => Goes::Stop,
    };
    let time = asked.options.time.unwrap_or(Duration::MAX);
    let budget = Budget::new(time, &clock, &heard);
    let looking = budget.part(90);
    let subject = &asked.subject;
    // Whoever asked has looked at them.
    let none = Conditions::new(subject, &[]).and_then(Conditions::with_limits);
    let conditions = none.expect("limits of the board were looked at when it was opened");
    let about = Comparing {
        watched: (conditions.count() > 0).then_some(&conditions as &dyn Watched),
        ..Comparing::default()
    };
    let mut run = Run {
        asked,
        about: &about,
        looking: &looking,
        come: &come,
        facts: Facts::default(),
    };
    let facts = Rc::new(RefCell::new((
        Facts::default(),
        Noted::default(),
        Seen::default(),
    )));
    let mut unkept = None;
    let found = {
        let head = |_| {
            let (facts, noted, seen) = facts.borrow().clone();
            asked.head(facts, noted, seen)
        };
        let mut keeper = keeping.map(|keeping| Keeper {
            to: Writer::new((MAGIC, keeping), head, &mut unkept),
            head: Rc::clone(&facts),
        });
        run.survey::<F>(keeper.as_mut(), from, &conditions)?
    };
    let evidence = Evidence {
        subject,
        device: &found.device,
        tidying: tidying(&budget),
    };
    let mut report = found.report(asked, (&evidence, &conditions), looking.spent());
    report.seconds = clock().as_secs_f64();
    let (states, counts) = (found.survey.states() as u64, found.survey.counts());
    Ok(SurveyedStates {
        report,
        survey: SurveyNote {
            bits: F::BITS,
            collision_risk: F::risk(states),
            depth: counts.depth,
            workers: 1,
            asks: 0,
            sent_bytes: 0,
        },
        unkept,
    })
}

/// Writes checkpoints.
struct Keeper<'k> {
    to: Writer<'k>,
    /// What the next one says first.
    head: Rc<RefCell<(Facts, Noted, Seen)>>,
}

/// What a survey is made with.
struct Run<'r> {
    asked: &'r DeviceAsked,
    about: &'r Comparing<'r>,
    looking: &'r Budget<'r>,
    /// How far it has come: what is told while a state takes long.
    come: &'r RefCell<Progress>,
    facts: Facts,
}

/// What a survey came to.
struct Surveyed<'f, F> {
    survey: Survey<Rc<Device<'f>>, F>,
    device: Rc<Device<'f>>,
    sighted: Sighted<'f>,
    pause: Pause,
}

impl<'r> Run<'r> {
    /// The program with these facts, remembering no states.
    fn device(&self, noted: &Noted) -> Rc<Device<'r>> {
        let (subject, options) = (&self.asked.subject, &self.asked.options);
        let about = self.facts.clone().told(self.about);
        let (start, bounds) = (subject.start.clone(), options.bounds());
        let device = Device::new(start, bounds, options.solver(), about, self.looking);
        // It was opened, so there is a program.
        let device = device.expect("a program stands at its start");
        Rc::new(device.forgetful().with_noted(noted))
    }

    /// Learns from a small graph what there is to learn.
    fn learn(&self) -> Facts {
        let (subject, options) = (&self.asked.subject, &self.asked.options);
        let about = options.comparing(subject, self.about);
        // What is to be taken for anything was looked at when the program was opened.
        let about = about.unwrap_or_else(|_| self.about.clone());
        let states = options.states.unwrap_or(LEARNT_FROM).min(LEARNT_FROM);
        let (bounds, solver) = (options.bounds(), || options.solver());
        let learnt = learn_states(
            &subject.start,
            &bounds,
            &solver,
            &about,
            states,
            self.looking,
        );
        learnt.unwrap_or_default()
    }

    /// Surveys, and again from the start whenever something is learnt.
    fn survey<F: Digest>(
        &mut self,
        mut keeper: Option<&mut Keeper<'_>>,
        from: Option<Before<'_>>,
        conditions: &Conditions<'_>,
    ) -> Result<Surveyed<'r, F>, NoWay> {
        let limits = conditions.limits();
        let (mut device, mut survey, mut sighted);
        match from {
            Some(from) => {
                self.facts = from.facts;
                device = self.device(&from.noted);
                let digests = from.digests.map_while(|digest| digest.map(F::of_bits));
                survey = Survey::resume(Rc::clone(&device), &from.shares, digests, 1)?;
                device.remember(survey.held());
                sighted = Sighted::of(from.seen, limits.clone(), self.looking);
            }
            None => {
                self.facts = self.learn();
                device = self.device(&Noted::default());
                survey = Survey::begin(Rc::clone(&device));
                sighted = Sighted::of(Seen::default(), limits.clone(), self.looking);
            }
        }
        let pause = loop {
            survey.hold(HELD);
            let pause = self.stint(&mut survey, &mut sighted, &device, keeper.as_deref_mut());
            let is_over = self.looking.is_spent();
            let Some(news) = device.news() else {
                let seen = sighted.seen(&self.asked.subject, &device);
                self.keep(keeper.as_deref_mut(), &survey, &device, seen);
                if is_over || pause != Pause::Cancelled {
                    break pause;
                }
                continue;
            };
            if is_over && keeper.is_none() {
                break pause;
            }
            self.facts = news;
            let anew = self.device(&Noted::default());
            let begun = Survey::begin(Rc::clone(&anew));
            if is_over {
                // Whoever goes on begins again, with what was learnt.
                self.keep(keeper.as_deref_mut(), &begun, &anew, Seen::default());
                break pause;
            }
            (device, survey) = (anew, begun);
            sighted = Sighted::of(Seen::default(), limits.clone(), self.looking);
        };
        Ok(Surveyed {
            survey,
            device,
            sighted,
            pause,
        })
    }

    /// Surveys until it is over, there is news, or it is time to keep it.
    fn stint<F: Digest>(
        &self,
        survey: &mut Survey<Rc<Device<'r>>, F>,
        sighted: &mut Sighted<'r>,
        device: &Device<'r>,
        mut keeper: Option<&mut Keeper<'_>>,
    ) -> Pause {
        let limits = self.asked.limits();
        let mut look = FIRST_LOOK.max(survey.states());
        survey.look_alone(&limits, sighted, |survey| {
            let kept = keeper
                .as_deref()
                .map(|keeper| &keeper.to as &dyn Checkpoints);
            self.come.replace(survey_progress(survey, kept));
            let is_due = keeper.as_mut().is_some_and(|keeper| keeper.to.is_due());
            let is_time = survey.states() >= look;
            look = if is_time { 2 * look } else { look };
            !(self.looking.is_spent() || is_due || is_time && device.news().is_some())
        })
    }

    fn keep<F: Digest>(
        &self,
        keeper: Option<&mut Keeper<'_>>,
        survey: &Survey<Rc<Device<'r>>, F>,
        device: &Device<'r>,
        seen: Seen,
    ) {
        if let Some(keeper) = keeper {
            keeper.head.replace((device.facts(), device.noted(), seen));
            keep_survey(&mut keeper.to, survey, Vec::new());
        }
    }
}

impl DeviceAsked {
    /// Without a limit of states, unless one is given.
    fn limits(&self) -> Limits {
        Limits {
            states: self.options.states.unwrap_or(usize::MAX),
            depth: self.options.depth.unwrap_or(u32::MAX),
        }
    }
}

impl<F: Digest> Surveyed<'_, F> {
    /// What is said of it.
    fn report(
        &self,
        asked: &DeviceAsked,
        (evidence, conditions): (&Evidence<'_>, &Conditions<'_>),
        spent: Option<Spent>,
    ) -> StatesReport {
        let subject = evidence.subject;
        let limits = asked.limits();
        let time = asked.options.time.unwrap_or_default();
        let cut = cut(self.pause, (&limits, time), spent);
        let mut unexplored: Vec<_> = cut
            .map(|(bound, words)| cuts::bound_report(bound, words))
            .into_iter()
            .collect();
        unexplored.extend(self.sighted.has_many_steps().then(many_steps));
        unexplored.extend(self.sighted.left_out(subject, &self.device));
        let is_all = self.pause == Pause::Complete && unexplored.is_empty();
        let maybe = self.device.maybe();
        let ways = |ways: &[Vec<u32>]| {
            let ways = ways.iter().filter_map(|way| self.gone(way));
            let mut ways: Vec<WayThere> = ways.collect();
            ways.sort_by_key(|(inputs, _)| *inputs);
            ways.into_iter()
        };
        let (traps, _) = evidence.traps(ways(&self.sighted.traps()));
        if maybe.is_empty() && traps.iter().any(|trap| !trap.certain) {
            unexplored.extend(cuts::for_want_of_time(
                1,
                "which leads to a trap and was not run",
                spent,
            ));
        }
        let demands = conditions.limits().map(|number| {
            let known = Known {
                demand: Demand::Limit,
                number,
                there: ways(self.sighted.there(number)),
                is_unclear: self.sighted.is_unclear(number),
                is_all,
            };
            evidence.demanded(conditions, known).0
        });
        let demands = demands.collect();
        let named = self.some_states();
        let names = |of: &[_]| {
            let name = |word: &_| words::named(subject, named.iter(), *word);
            of.iter().map(name).collect::<Vec<String>>()
        };
        let counts = self.survey.counts();
        StatesReport {
            about: subject.named(),
            states: self.survey.states().saturating_sub(self.sighted.ended()),
            edges: counts.edges as usize,
            partial: self.device.partial() as usize,
            depth: counts.depth,
            complete: is_all && unexplored.is_empty() && maybe.is_empty(),
            demands,
            maybe: names(&maybe),
            anything: names(self.device.anything()),
            traps,
            returns: self.sighted.returns(),
            unexplored,
            seconds: 0.0,
            steps: self.device.steps(),
        }
    }

    /// The states on a way, and how many inputs are read on it.
    fn gone(&self, way: &[u32]) -> Option<WayThere> {
        use borges_multiverse::language::Language as _;
        let mut states = vec![self.device.initial()];
        let mut inputs = 0;
        for number in way {
            let from = states.last()?;
            let (way, to) = self.device.ways(from).into_iter().nth(*number as usize)?;
            inputs += u32::from(reads_input(from, &way, &to));
            states.push(to);
        }
        Some((inputs, states))
    }

    /// The states nearest to the start.
    fn some_states(&self) -> Vec<DeviceState> {
        use borges_multiverse::language::Language as _;
        let mut states = vec![self.device.initial()];
        for at in 0..NAMED_IN {
            let Some(state) = states.get(at).cloned() else {
                break;
            };
            for (_, to) in self.device.ways(&state) {
                if !states.contains(&to) {
                    states.push(to);
                }
            }
        }
        states
    }
}
