//! Whoever asks: puts jobs into the queue, and hears what came of them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::message::PublishMessage;
use borges_link::Key;
use borges_session::command::broker::{Broker, JobRun};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use tokio::task::JoinHandle;

use super::hello::{HELLO, Hello, Here, OFTEN, Seen};
use super::parcel::{Piece, Unpacking, pieces};
use super::site::{Site, WantsPiece, new_name};
use super::{GONE, PATIENCE, QueueError};

/// Between two tries to read again what could not be read.
const AGAIN: Duration = Duration::from_millis(500);
/// So often it is looked whether the server is there.
const LOOK: Duration = Duration::from_millis(500);
/// The server says within this time that it keeps a job, or it is put once more: whoever presses Ctrl-C waits no longer.
const TAKES: Duration = Duration::from_secs(1);
/// So many jobs are on their way to the server at a time.
const TOGETHER: usize = 32;

/// A queue on a NATS server that jobs can be put into.
pub struct NatsQueue {
    site: Arc<Site>,
    told: Arc<Told>,
}

/// Hears how many workers there are now, and why others do not help, when that has changed.
type Told = dyn Fn(usize, &[String]) + Send + Sync;

impl NatsQueue {
    /// The queue at an address such as `nats://127.0.0.1:4222`; beyond this computer there must be a key, which all workers
    /// have too. `told` hears how many workers there are, and why others do not help, whenever that changes.
    ///
    /// # Errors
    /// [`QueueError`].
    pub fn open(
        address: &str,
        key: Option<&Key>,
        told: impl Fn(usize, &[String]) + Send + Sync + 'static,
    ) -> Result<Self, QueueError> {
        let site = Arc::new(Site::open(address, key)?);
        let told = Arc::new(told);
        Ok(Self { site, told })
    }
}

impl Broker for NatsQueue {
    fn begin(&self, errand: Arc<[u8]>) -> Result<Box<dyn JobRun>, String> {
        let site = Arc::clone(&self.site);
        let run = new_name().map_err(|error| error.to_string())?;
        let name = format!("{run:016x}");
        let errand = pieces(run, &errand, site.most_piece());
        let errand = errand.ok_or("the program is too large for a queue")?;
        let (to, done) = channel();
        let seen = Arc::default();
        let runtime = site.runtime.handle().clone();
        let tasks = runtime.block_on(async {
            let tells = tell(Arc::clone(&site), name.clone(), errand).await?;
            // Before the first job is put: nobody keeps what no consumer wants.
            site.to_gather(&name).await?;
            let hears = hear(Arc::clone(&site), name.clone(), to);
            let calls = call(Arc::clone(&site), Arc::clone(&seen), Arc::clone(&self.told)).await?;
            Ok::<_, String>(vec![tells, runtime.spawn(hears), calls])
        })?;
        Ok(Box::new(NatsRun {
            site,
            name,
            tasks,
            done,
            seen,
            unput: Vec::new(),
            is_new: false,
            unheeded: None,
            away: None,
            looked: Instant::now(),
        }))
    }
}

/// The jobs of one exploration.
struct NatsRun {
    site: Arc<Site>,
    name: String,
    tasks: Vec<JoinHandle<()>>,
    done: Receiver<Vec<u8>>,
    seen: Arc<Mutex<Seen>>,
    /// Jobs that the server has not taken yet, with their names: it may be away, and come back.
    unput: Vec<(String, Vec<u8>)>,
    /// It was not asked to take the last of them.
    is_new: bool,
    /// Since when it has not taken them although it is there.
    unheeded: Option<Instant>,
    /// Since when the server has not been there.
    away: Option<Instant>,
    looked: Instant,
}

impl JobRun for NatsRun {
    fn put(&mut self, name: &str, job: &[u8]) -> Result<(), String> {
        let subject = self.site.subject("jobs", &self.name);
        let sealed = self.site.key.seal(&subject, job);
        let most = self.site.client.max_payload();
        if sealed.len() > most {
            let length = sealed.len();
            return Err(format!(
                "a job of {length} bytes is more than the queue takes at a time: raise max_payload, which is {most}"
            ));
        }
        // The name of a job is the same whenever it is put: the server takes it once.
        let name = format!("{}-{name}", self.name);
        // Together with others that are put before anything is heard: each would be waited for by itself.
        self.unput.push((name, sealed));
        self.is_new = true;
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, String> {
        if self.looked.elapsed() > LOOK {
            self.looked = Instant::now();
            self.site.is_there(&mut self.away)?;
            self.is_new = true;
        }
        if std::mem::take(&mut self.is_new) {
            self.put_all()?;
        }
        match self.done.recv_timeout(wait) {
            Ok(answer) => Ok(Some(answer)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("the queue is gone".to_owned()),
        }
    }

    fn workers(&self) -> (usize, Vec<String>) {
        lock(&self.seen).count()
    }
}

impl NatsRun {
    /// Has the server keep a job.
    async fn publish(&self, name: &str, sealed: &[u8]) -> Result<(), String> {
        let message = PublishMessage::build()
            .message_id(name)
            .payload(sealed.to_vec().into());
        let subject = self.site.subject("jobs", &self.name);
        let context = &self.site.context;
        let kept = async {
            let sent = context.send_publish(subject, message).await;
            sent.map_err(|error| error.to_string())?
                .await
                .map_err(|error| error.to_string())
        };
        let kept = tokio::time::timeout(TAKES, kept).await;
        kept.map_err(|_| "it does not answer".to_owned())?
            .map(|_| ())
    }

    /// Puts what the server has not taken yet, in the order in which it was put.
    ///
    /// # Errors
    /// It is there, and still takes nothing.
    fn put_all(&mut self) -> Result<(), String> {
        while !self.unput.is_empty() {
            if !self.site.is_connected() {
                // How long that may be is somebody else's to say.
                self.unheeded = None;
                return Ok(());
            }
            let together = &self.unput[..self.unput.len().min(TOGETHER)];
            let sent = together.iter().map(|(name, job)| self.publish(name, job));
            let kept = self.site.runtime.block_on(join_all(sent));
            let mut are_kept = kept.iter().map(Result::is_ok);
            self.unput.retain(|_| !are_kept.next().unwrap_or(false));
            if let Some(why) = kept.into_iter().find_map(Result::err) {
                let since = *self.unheeded.get_or_insert_with(Instant::now);
                let is_over = since.elapsed() > GONE;
                let why = format!("the queue did not take a job: {why}");
                return if is_over { Err(why) } else { Ok(()) };
            }
            self.unheeded = None;
        }
        Ok(())
    }
}

impl Drop for NatsRun {
    /// Workers hear that nobody answers; what is kept of the run goes.
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        let (site, name) = (&self.site, &self.name);
        let tidy = async {
            if let Ok(jobs) = site.jobs().await {
                let _ = jobs.purge().filter(site.subject("jobs", name)).await;
            }
            if let Ok(done) = site.done().await {
                let _ = done.delete_consumer(name).await;
                let _ = done.purge().filter(site.subject("done", name)).await;
            }
        };
        // Where the server is gone there is nothing to tidy up.
        let _ = site
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE / 2, tidy).await });
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells workers what the run is about, piece by piece.
async fn tell(site: Arc<Site>, name: String, errand: Vec<Piece>) -> Result<JoinHandle<()>, String> {
    let subject = site.subject("errand", &name);
    let asked = site.client.subscribe(subject.clone()).await;
    let mut asked = asked.map_err(|error| error.to_string())?;
    Ok(tokio::spawn(async move {
        while let Some(message) = asked.next().await {
            let Some(reply) = message.reply else { continue };
            if message.payload.is_empty() {
                // Only whether anybody is here.
                let _ = site.client.publish(reply, "".into()).await;
                continue;
            }
            let wants: Option<WantsPiece> = site.unseal(&subject, &message.payload);
            let piece = wants.and_then(|WantsPiece(number)| errand.get(number as usize));
            let Some(piece) = piece else { continue };
            let sealed = site.key.seal(&subject, &piece.to_bytes());
            // Who does not hear it asks again.
            let _ = site.client.publish(reply, sealed.into()).await;
        }
    }))
}

/// Hears what came of jobs.
async fn hear(site: Arc<Site>, name: String, to: Sender<Vec<u8>>) {
    let subject = site.subject("done", &name);
    let mut unpacking = Unpacking::default();
    loop {
        let messages = match site.to_gather(&name).await {
            Ok(consumer) => consumer.messages().await.ok(),
            Err(_) => None,
        };
        if let Some(mut messages) = messages {
            while let Some(Ok(message)) = messages.next().await {
                let piece = site.unseal_piece(&subject, &message.payload);
                if let Some(whole) = piece.and_then(|piece| unpacking.add(piece))
                    && to.send(whole).is_err()
                {
                    return;
                }
                // Until this arrives, it is told once more.
                let _ = message.ack().await;
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Calls out, and counts who answers.
async fn call(
    site: Arc<Site>,
    seen: Arc<Mutex<Seen>>,
    told: Arc<Told>,
) -> Result<JoinHandle<()>, String> {
    let inbox = site.client.new_inbox();
    let answers = site.client.subscribe(inbox.clone()).await;
    let mut answers = answers.map_err(|error| error.to_string())?;
    let hello = Hello {
        team: site.team.clone(),
        build: site.build.clone(),
    };
    let hello = serde_json::to_vec(&hello).expect("it is data");
    Ok(tokio::spawn(async move {
        let mut often = tokio::time::interval(OFTEN);
        let mut known = (0, Vec::new());
        loop {
            tokio::select! {
                _ = often.tick() => {
                    let hello = hello.clone().into();
                    let _ = site.client.publish_with_reply(HELLO, inbox.clone(), hello).await;
                }
                answer = answers.next() => {
                    let Some(message) = answer else { return };
                    if let Ok(here) = serde_json::from_slice::<Here>(&message.payload) {
                        lock(&seen).add(here);
                    }
                }
            }
            let now = lock(&seen).count();
            if now != known {
                known = now;
                told(known.0, &known.1);
            }
        }
    }))
}
