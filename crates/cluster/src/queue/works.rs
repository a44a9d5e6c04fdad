//! A process that takes jobs from a queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::RequestErrorKind;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use borges_link::Key;
use borges_session::suggest::{Helper, HelperMemory};
use futures_util::StreamExt as _;
use tokio::task::JoinHandle;

use super::hello::{HELLO, Hello, Here, Stands};
use super::parcel::{MOST_PIECES, Piece, Unpacking, pieces};
use super::site::{Site, WantsPiece, new_name};
use super::{AT_IT, PATIENCE, QueueError};

/// A job that was given to so many workers who did not finish it is given up: it may be what ends them.
const MOST_TRIES: i64 = 5;
/// Errands that are kept: the last ones.
const MOST_RUNS: usize = 8;
/// Who waits for a job asks once more after this time.
const WAIT: Duration = Duration::from_secs(20);
/// Between two tries where something went wrong.
const AGAIN: Duration = Duration::from_secs(1);
/// Who has no job after this time says so to the others.
const SOON: Duration = Duration::from_millis(1);
/// So often it is looked whether others wait for jobs.
const LOOK: Duration = Duration::from_millis(20);

/// Takes jobs from a queue, as many at a time as it has cores.
pub struct QueueWorker {
    site: Arc<Site>,
    cores: u32,
    /// It gave itself.
    number: u64,
}

/// What happens at a worker of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueEvent {
    /// It begins to help with something.
    Begins {
        /// Which run of jobs.
        run: String,
        /// What the program is called.
        program: String,
    },
    /// That is over.
    Over {
        /// Which run of jobs.
        run: String,
        /// How many jobs it did of it.
        jobs: u64,
    },
    /// Something is none of its business, or nothing at all.
    TurnedAway {
        /// Why.
        why: String,
    },
    /// The queue does not answer; it is tried again.
    Lost {
        /// What was noticed.
        why: String,
    },
}

/// Who hears what happens.
type Told<'t> = &'t (dyn Fn(QueueEvent) + Sync);

/// An errand that jobs are part of.
struct Errand {
    run: String,
    /// Nothing if it cannot be read here: then why.
    helper: Result<Helper, String>,
    /// Nobody wants to know any more.
    is_over: AtomicBool,
    done: AtomicUsize,
}

/// What all threads of a worker share.
struct Bench {
    errands: Mutex<Vec<Arc<Errand>>>,
    /// Others wait for jobs, in vain.
    is_short: AtomicBool,
    /// Threads that work on one.
    busy: AtomicUsize,
}

impl Bench {
    fn errands(&self) -> MutexGuard<'_, Vec<Arc<Errand>>> {
        self.errands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that ends with whoever began it.
struct Ending(JoinHandle<()>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl QueueWorker {
    /// One at a queue such as `nats://127.0.0.1:4222`, on so many cores.
    ///
    /// # Errors
    /// [`QueueError`].
    pub fn open(address: &str, key: Option<&Key>, cores: u32) -> Result<Self, QueueError> {
        Ok(Self {
            site: Arc::new(Site::open(address, key)?),
            cores: cores.clamp(1, 1024),
            number: new_name()?,
        })
    }

    /// A name of those whose jobs it does: whoever has the same key and the same build.
    #[must_use]
    pub fn team(&self) -> &str {
        &self.site.team
    }

    /// Does one job after the other, for ever; `told` hears what happens.
    pub fn serve(&self, told: Told<'_>) {
        let bench = Arc::new(Bench {
            errands: Mutex::default(),
            is_short: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
        });
        let looks = look(Arc::clone(&self.site), Arc::clone(&bench));
        let _looks = Ending(self.site.runtime.spawn(looks));
        std::thread::scope(|scope| {
            scope.spawn(|| self.answer_hellos(told));
            scope.spawn(|| self.watch(&bench, told));
            for _ in 0..self.cores {
                scope.spawn(|| self.work(&bench, told));
            }
        });
    }

    /// Says that it is there.
    fn answer_hellos(&self, told: Told<'_>) {
        let site = &self.site;
        let mut turned_away = Vec::new();
        site.runtime.block_on(async {
            loop {
                let Ok(mut hellos) = site.client.subscribe(HELLO).await else {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                };
                while let Some(message) = hellos.next().await {
                    let hello = serde_json::from_slice::<Hello>(&message.payload);
                    let (Ok(hello), Some(reply)) = (hello, message.reply) else {
                        continue;
                    };
                    let stands = match hello {
                        Hello { team, .. } if team == site.team => Stands::With,
                        Hello { build, .. } if build == site.build => Stands::OtherKey,
                        Hello { .. } => Stands::OtherBuild,
                    };
                    if let Some(objection) = stands.objection()
                        && !turned_away.contains(&stands)
                    {
                        turned_away.push(stands);
                        let why = format!("whoever asks at the queue {objection}");
                        told(QueueEvent::TurnedAway { why });
                    }
                    let here = Here::new(self.number, self.cores, stands);
                    let here = serde_json::to_vec(&here).expect("it is data");
                    // Who does not hear it calls again.
                    let _ = site.client.publish(reply, here.into()).await;
                }
            }
        });
    }

    fn work(&self, bench: &Bench, told: Told<'_>) {
        let mut memory = (String::new(), HelperMemory::default());
        let (mut consumer, mut sends) = (None, None);
        loop {
            let next = next_job(&self.site, &mut consumer);
            match self.site.runtime.block_on(next) {
                Ok(Some(message)) => {
                    bench.busy.fetch_add(1, Ordering::Relaxed);
                    let done = self.do_job(message, bench, &mut memory, told);
                    bench.busy.fetch_sub(1, Ordering::Relaxed);
                    // What came of one job is on its way while the next is worked on, but not of more.
                    if let Some(before) = sends.take() {
                        let _ = self.site.runtime.block_on(before);
                    }
                    sends = done.map(|done| self.site.runtime.spawn(done));
                }
                Ok(None) => {}
                // The queue is gone, or is back without what it kept.
                Err(_) => {
                    consumer = None;
                    std::thread::sleep(AGAIN);
                }
            }
        }
    }

    /// Does a job, or says that nobody can; where nothing is said, another one gets it. What is left to do: to send what came
    /// of it.
    fn do_job(
        &self,
        message: Message,
        bench: &Bench,
        memory: &mut (String, HelperMemory),
        told: Told<'_>,
    ) -> Option<impl Future<Output = ()> + use<>> {
        let site = &self.site;
        let forget = |message: &Message, kind: AckKind| {
            // What is not heard is said again when the job comes back.
            let _ = site.runtime.block_on(message.ack_with(kind));
            None
        };
        let subject = message.subject.as_str();
        let run = subject.rsplit('.').next().unwrap_or_default();
        let Some(job) = site.key.unseal(subject, &message.payload) else {
            told(QueueEvent::TurnedAway {
                why: "a job that none of us put".to_owned(),
            });
            return forget(&message, AckKind::Term);
        };
        let errand = match self.errand(run, bench, told) {
            Ok(Some(errand)) => errand,
            Ok(None) => return forget(&message, AckKind::Term),
            Err(_) => return forget(&message, AckKind::Nak(Some(AGAIN))),
        };
        if memory.0 != run {
            *memory = (run.to_owned(), HelperMemory::default());
            // Others have nothing to do of a run that begins, either, until it is looked.
            bench.is_short.store(true, Ordering::Relaxed);
        }
        let tries = message.info().map_or(1, |info| info.delivered);
        let at_it = Ending(site.runtime.spawn(at_it(message.clone())));
        let answer = answer(&errand, job, tries, bench, &mut memory.1);
        if errand.is_over.load(Ordering::Relaxed) {
            return forget(&message, AckKind::Term);
        }
        let whole = answer.and_then(|answer| self.in_pieces(job, &answer));
        let Ok(whole) = whole else {
            return forget(&message, AckKind::Term);
        };
        let site = Arc::clone(site);
        Some(async move {
            // It is its job until that is kept.
            let _at_it = at_it;
            match site.send_done(&errand.run, whole).await {
                Ok(()) => {
                    errand.done.fetch_add(1, Ordering::Relaxed);
                    let _ = message.double_ack().await;
                }
                Err(_) => {
                    let _ = message.ack_with(AckKind::Nak(Some(AGAIN))).await;
                }
            }
        })
    }

    /// What came of a job, as it is sent.
    fn in_pieces(&self, job: &[u8], answer: &[u8]) -> Result<Vec<Piece>, String> {
        let most = self.site.most_piece();
        let whole = new_name().map_err(|error| error.to_string())?;
        if let Some(all) = pieces(whole, answer, most) {
            return Ok(all);
        }
        let why = "what came of a part is more than fits: look at fewer paths at a time";
        let given_up = Helper::give_up(job, why)?;
        pieces(whole, &given_up, most).ok_or_else(|| "it does not fit".to_owned())
    }

    /// What a run is about; nothing if it is over.
    fn errand(
        &self,
        run: &str,
        bench: &Bench,
        told: Told<'_>,
    ) -> Result<Option<Arc<Errand>>, String> {
        // Threads that want the same one wait for the first to have it.
        let mut errands = bench.errands();
        if let Some(known) = errands.iter().find(|errand| errand.run == run) {
            let is_over = known.is_over.load(Ordering::Relaxed);
            return Ok((!is_over).then(|| Arc::clone(known)));
        }
        let Some(bytes) = self.site.runtime.block_on(fetch(&self.site, run))? else {
            return Ok(None);
        };
        let errand = Arc::new(Errand {
            run: run.to_owned(),
            helper: Helper::of_bytes(&bytes),
            is_over: AtomicBool::new(false),
            done: AtomicUsize::new(0),
        });
        match &errand.helper {
            Ok(helper) => told(QueueEvent::Begins {
                run: run.to_owned(),
                program: helper.name().to_owned(),
            }),
            Err(why) => told(QueueEvent::TurnedAway { why: why.clone() }),
        }
        if errands.len() == MOST_RUNS {
            errands.remove(0);
        }
        errands.push(Arc::clone(&errand));
        Ok(Some(errand))
    }

    /// Notices when the queue is gone, and when nobody wants to know any more what comes of a run.
    fn watch(&self, bench: &Bench, told: Told<'_>) {
        let site = &self.site;
        let (mut away, mut is_lost) = (None, false);
        loop {
            std::thread::sleep(AT_IT);
            if site.is_there(&mut away) != Ok(true) {
                if !std::mem::replace(&mut is_lost, true) {
                    let why = format!("{} does not answer", site.address);
                    told(QueueEvent::Lost { why });
                }
                continue;
            }
            is_lost = false;
            let errands = bench.errands().clone();
            for errand in errands {
                let subject = site.subject("errand", &errand.run);
                // Whoever asks answers a request for nothing too; that nobody is there is said at once.
                let asked = site.client.request(subject, "".into());
                let asked = site.runtime.block_on(asked);
                if asked.is_err_and(|error| error.kind() == RequestErrorKind::NoResponders) {
                    errand.is_over.store(true, Ordering::Relaxed);
                    bench.errands().retain(|known| known.run != errand.run);
                    told(QueueEvent::Over {
                        run: errand.run.clone(),
                        jobs: errand.done.load(Ordering::Relaxed) as u64,
                    });
                }
            }
        }
    }
}

/// What came of a job.
fn answer(
    errand: &Errand,
    job: &[u8],
    tries: i64,
    bench: &Bench,
    memory: &mut HelperMemory,
) -> Result<Vec<u8>, String> {
    let helper = match &errand.helper {
        Ok(helper) => helper,
        Err(why) => return Helper::give_up(job, &format!("a worker: {why}")),
    };
    if tries > MOST_TRIES {
        let why = format!("{MOST_TRIES} workers ended while they looked at a part");
        return Helper::give_up(job, &why);
    }
    let is_short = || bench.is_short.load(Ordering::Relaxed);
    let goes_on = || !errand.is_over.load(Ordering::Relaxed);
    let explored = AssertUnwindSafe(|| helper.explore(job, memory, &is_short, &goes_on));
    match catch_unwind(explored) {
        Ok(answer) => answer,
        Err(_) => {
            *memory = HelperMemory::default();
            Helper::give_up(job, "a worker failed at a part: that is a bug of borges")
        }
    }
}

/// The next job, if there is one soon.
async fn next_job(
    site: &Site,
    consumer: &mut Option<PullConsumer>,
) -> Result<Option<Message>, String> {
    let consumer = match consumer {
        Some(known) => known,
        none => none.insert(site.to_work().await?),
    };
    let batch = consumer.batch().max_messages(1).expires(WAIT);
    let mut batch = batch.messages().await.map_err(|error| error.to_string())?;
    let next = match tokio::time::timeout(SOON, batch.next()).await {
        Ok(next) => next,
        Err(_) => {
            // Who works on one looks whether that is so.
            let _ = site.client.publish(site.short(), "".into()).await;
            batch.next().await
        }
    };
    match next {
        None => Ok(None),
        Some(Ok(message)) => Ok(Some(message)),
        Some(Err(error)) => Err(error.to_string()),
    }
}

/// Says every now and then that a job is worked on.
async fn at_it(message: Message) {
    loop {
        tokio::time::sleep(AT_IT).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}

/// Looks whether others wait for jobs: when one says so, and every now and then.
async fn look(site: Arc<Site>, bench: Arc<Bench>) {
    let mut consumer: Option<PullConsumer> = None;
    let mut says = site.client.subscribe(site.short()).await.ok();
    loop {
        let said = async {
            match &mut says {
                Some(says) => says.next().await,
                None => std::future::pending().await,
            }
        };
        if let Ok(None) = tokio::time::timeout(LOOK, said).await {
            says = None;
        }
        if bench.busy.load(Ordering::Relaxed) == 0 {
            continue;
        }
        let Some(known) = &mut consumer else {
            consumer = site.to_work().await.ok();
            continue;
        };
        match known.info().await {
            Ok(info) => {
                let is_short = info.num_waiting as u64 > info.num_pending;
                bench.is_short.store(is_short, Ordering::Relaxed);
            }
            Err(_) => consumer = None,
        }
    }
}

/// What a run is about; nothing if nobody is there any more who could tell.
async fn fetch(site: &Site, run: &str) -> Result<Option<Vec<u8>>, String> {
    let subject = site.subject("errand", run);
    let (mut unpacking, mut number) = (Unpacking::default(), 0);
    let began = Instant::now();
    loop {
        let wants = site.seal(&subject, &WantsPiece(number));
        let answer = match site.client.request(subject.clone(), wants.into()).await {
            Ok(answer) => answer,
            Err(error) if error.kind() == RequestErrorKind::NoResponders => return Ok(None),
            Err(error) if began.elapsed() > 2 * PATIENCE => return Err(error.to_string()),
            Err(_) => continue,
        };
        let Some(piece) = site.unseal_piece(&subject, &answer.payload) else {
            return Err("an errand of none of us".to_owned());
        };
        number += 1;
        if let Some(whole) = unpacking.add(piece) {
            return Ok(Some(whole));
        }
        if number > MOST_PIECES {
            return Err("an errand without end".to_owned());
        }
    }
}
