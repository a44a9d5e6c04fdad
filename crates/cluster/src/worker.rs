//! A process that waits for surveys.

use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use borges_link::{Door, GateError, Key, Knock, Pipe};
use borges_session::suggest::DeviceAsked;
use borges_session::survey::SurveyAsked;

use crate::frame::{Asked, Frame, Hello, Job, MOST_HELLO};
use crate::gather::{introduce, unreached};
use crate::line::Heard;
use crate::office::Office;

/// How many may knock at a time.
const KNOCKING: usize = 32;

/// How long the others of a survey may take to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it is looked whether the leader is still there.
const LOOK: Duration = Duration::from_millis(50);

/// Waits for surveys, and helps with one after the other.
pub struct Worker {
    door: Door,
    key: Option<Key>,
    cores: u32,
}

/// What happens at a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEvent {
    /// Somebody was not let in.
    TurnedAway {
        /// From where.
        from: SocketAddr,
        /// Why.
        why: String,
    },
    /// A survey begins.
    Begins {
        /// Who wants it.
        from: SocketAddr,
        /// What the program is called.
        program: String,
        /// Which member this is, of how many.
        place: (u32, u32),
    },
    /// It is done.
    Done,
    /// It is over before its time.
    Over {
        /// Why.
        why: String,
    },
}

/// Who has come, and proved to be one of us.
struct Visitor {
    pipe: Pipe,
    from: SocketAddr,
    /// For which survey.
    run: u64,
    place: u32,
}

/// What those who let visitors in know.
struct Hall {
    /// Which survey is worked for.
    run: Mutex<Option<u64>>,
    visitors: Sender<Visitor>,
    knocking: AtomicUsize,
    is_over: AtomicBool,
    cores: u32,
}

/// What is to be surveyed, as it was read.
enum Read {
    Model(Box<SurveyAsked>),
    Device(Box<DeviceAsked>),
}

impl Read {
    fn name(&self) -> String {
        match self {
            Read::Model(asked) => asked.name.clone(),
            Read::Device(asked) => asked.name(),
        }
    }

    /// Helps with it, as the member that the job says.
    fn help(&self, job: &Job, office: Office) -> Result<(), String> {
        let (place, post) = (job.place as usize, Box::new(office));
        let helped = match self {
            Read::Model(asked) => asked.help(place, job.cores.clone(), post),
            Read::Device(asked) => asked.help(job.cores[place], post),
        };
        helped.map_err(|apart| apart.to_string())
    }
}

impl Worker {
    /// Waits at an address, such as `127.0.0.1:7070`; port 0 is any that is free. It works on so many cores.
    ///
    /// # Errors
    /// [`GateError`] if it cannot be listened there, or strangers could come and there is no key.
    pub fn open(address: &str, key: Option<Key>, cores: u32) -> Result<Self, GateError> {
        Ok(Self {
            door: Door::open(address, key.clone())?,
            key,
            cores: cores.clamp(1, 1024),
        })
    }

    /// Where it really waits.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.door.address()
    }

    /// Helps with surveys, with so many if that is said; `told` hears what happens.
    pub fn serve(&self, surveys: Option<u32>, told: &(dyn Fn(WorkerEvent) + Sync)) {
        let (visitors, coming) = channel();
        let hall = Hall {
            run: Mutex::new(None),
            visitors,
            knocking: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            cores: self.cores,
        };
        std::thread::scope(|scope| {
            let hall = &hall;
            scope.spawn(move || self.let_in(hall, scope, told));
            let mut helped = 0;
            while surveys.is_none_or(|most| helped < most)
                && let Ok(leader) = coming.recv()
            {
                // Who came too late for another survey.
                if leader.place != 0 {
                    continue;
                }
                told(match self.help(leader, &coming, told) {
                    Ok(()) => WorkerEvent::Done,
                    Err(why) => WorkerEvent::Over { why },
                });
                *lock(&hall.run) = None;
                helped += 1;
            }
            hall.is_over.store(true, Ordering::Relaxed);
            // Who waits for somebody to connect waits for this one too.
            if let Ok(address) = self.address() {
                let _ = TcpStream::connect(address);
            }
        });
    }

    /// Lets in who connects, until that is over.
    fn let_in<'s, 'e>(
        &'e self,
        hall: &'e Hall,
        scope: &'s Scope<'s, 'e>,
        told: &'e (dyn Fn(WorkerEvent) + Sync),
    ) {
        loop {
            let knock = self.door.accept();
            if hall.is_over.load(Ordering::Relaxed) {
                return;
            }
            let Ok(knock) = knock else {
                // Too many files are open, or whoever it was is gone.
                std::thread::sleep(LOOK);
                continue;
            };
            if hall.knocking.fetch_add(1, Ordering::Relaxed) >= KNOCKING {
                hall.knocking.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            scope.spawn(move || {
                let from = knock.from;
                let came = hall.meet(knock);
                hall.knocking.fetch_sub(1, Ordering::Relaxed);
                if let Err(why) = came {
                    told(WorkerEvent::TurnedAway { from, why });
                }
            });
        }
    }

    /// Helps with one survey.
    fn help(
        &self,
        leader: Visitor,
        coming: &Receiver<Visitor>,
        told: &(dyn Fn(WorkerEvent) + Sync),
    ) -> Result<(), String> {
        let (from, run) = (leader.from, leader.run);
        let (mut office, inbox) = Office::new();
        office.join(leader.pipe, 0, &inbox).map_err(in_words)?;
        let job = loop {
            match office.hear(LOOK) {
                Some((_, Ok(Frame::Job(job)))) => break job,
                Some((_, Err(why))) => return Err(format!("who wanted it is gone: {why}")),
                Some((_, Ok(_))) | None => {}
            }
        };
        let begun = self.begin(&job).and_then(|asked| {
            told(WorkerEvent::Begins {
                from,
                program: asked.name(),
                place: (job.place, job.cores.len() as u32),
            });
            self.reach_all(&job, run, (&mut office, &inbox), coming)?;
            Ok(asked)
        });
        drop(inbox);
        match begun {
            Ok(asked) => {
                office.say(0, &Frame::Ready);
                asked.help(&job, office)
            }
            Err(why) => {
                office.say(0, &Frame::Refused(why.clone()));
                Err(why)
            }
        }
    }

    /// What is to be surveyed.
    fn begin(&self, job: &Job) -> Result<Read, String> {
        let (place, members) = (job.place as usize, job.cores.len());
        let is_one = place > 0 && job.cores.get(place) == Some(&self.cores);
        if !is_one || job.hosts.len() != members || job.cores.contains(&0) {
            return Err("the list of workers makes no sense".to_owned());
        }
        let asked = match &job.asked {
            Asked::Model(bytes) => {
                SurveyAsked::of_bytes(bytes).map(|asked| Read::Model(Box::new(asked)))
            }
            Asked::Device(bytes) => {
                DeviceAsked::of_bytes(bytes).map(|asked| Read::Device(Box::new(asked)))
            }
        };
        asked.map_err(|why| format!("the program cannot be read: {why}"))
    }

    /// Connects to all members before this one, and waits for all after it.
    fn reach_all(
        &self,
        job: &Job,
        run: u64,
        (office, inbox): (&mut Office, &Sender<Heard>),
        coming: &Receiver<Visitor>,
    ) -> Result<(), String> {
        let (place, members) = (job.place as usize, job.cores.len());
        let hello = Hello::new(run, job.place).map_err(in_words)?;
        for (member, host) in job.hosts.iter().enumerate().take(place).skip(1) {
            let met = Pipe::connect(host, self.key.as_ref())
                .map_err(|error| unreached(host, error))
                .and_then(|pipe| introduce(&pipe, host, &hello).map(|_| pipe));
            let pipe = met.map_err(|error| error.to_string())?;
            office.join(pipe, member, inbox).map_err(in_words)?;
        }
        let (mut missing, began) = (members - 1 - place, Instant::now());
        while missing > 0 {
            if let Some((0, Err(why))) = office.hear(Duration::ZERO) {
                return Err(format!("who wanted it is gone: {why}"));
            }
            if began.elapsed() > PATIENCE {
                return Err("another worker of the survey does not come".to_owned());
            }
            let Ok(visitor) = coming.recv_timeout(LOOK) else {
                continue;
            };
            let member = visitor.place as usize;
            if visitor.run == run && (place + 1..members).contains(&member) {
                office.join(visitor.pipe, member, inbox).map_err(in_words)?;
                missing -= 1;
            }
        }
        Ok(())
    }
}

impl Hall {
    /// Lets somebody in who has the key and is one of us.
    fn meet(&self, knock: Knock) -> Result<(), String> {
        let from = knock.from;
        let pipe = knock.open().map_err(in_words)?;
        let said = pipe
            .next(MOST_HELLO)
            .and_then(|bytes| Frame::of_bytes(&bytes));
        let Frame::Hello(hello) = said.map_err(in_words)? else {
            return Err("it says something else than hello".to_owned());
        };
        let refused = |why: &str| {
            // Whoever is refused may be gone.
            let _ = pipe.send(&Frame::Refused(why.to_owned()).to_bytes());
            Err(why.to_owned())
        };
        if let Some(objection) = hello.objection().map_err(in_words)? {
            return refused(objection);
        }
        let mut run = lock(&self.run);
        match (*run, hello.place) {
            (None, 0) => *run = Some(hello.run),
            (Some(_), 0) => return refused("it works for another survey"),
            (here, _) if here == Some(hello.run) => {}
            _ => return refused("it does not work for that survey"),
        }
        drop(run);
        let cores = self.cores;
        pipe.send(&Frame::Welcome { cores }.to_bytes())
            .map_err(in_words)?;
        let Hello { run, place, .. } = hello;
        let visitor = Visitor {
            pipe,
            from,
            run,
            place,
        };
        self.visitors
            .send(visitor)
            .map_err(|_| "it is over".to_owned())
    }
}

fn in_words(error: std::io::Error) -> String {
    error.to_string()
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}
