//! A connection to the server, and what is ours on it.

use std::net::ToSocketAddrs as _;
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use borges_link::{Key, is_loopback};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use super::parcel::{Piece, most_piece};
use super::{ACK_WAIT, GONE, PATIENCE, QueueError};
use crate::frame::build;

/// Whoever asked is gone for good if nobody fetches what came of its jobs for so long.
const UNFETCHED: Duration = Duration::from_secs(24 * 60 * 60);
/// The consumer of a run is forgotten when nobody was there for so long.
const IDLE: Duration = Duration::from_secs(60);
/// A job that is put twice within this time is put once.
const TWICE: Duration = Duration::from_secs(10);
/// So many workers may wait for jobs at a time, and so many jobs may be worked on.
const MOST_WAITING: i64 = 4096;

/// The consumer that all workers share.
const WORKERS: &str = "workers";

/// A server with our streams.
pub(super) struct Site {
    pub(super) runtime: Runtime,
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) key: Key,
    /// Who has the same key and build.
    pub(super) team: String,
    /// The build, in words.
    pub(super) build: String,
    /// Without what is secret in it.
    pub(super) address: String,
}

/// A request for a piece of an errand.
#[derive(Serialize, Deserialize)]
pub(super) struct WantsPiece(pub(super) u32);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A name that nothing else has.
///
/// # Errors
/// The operating system has no random numbers.
pub(super) fn new_name() -> std::io::Result<u64> {
    getrandom::u64().map_err(|error| std::io::Error::other(error.to_string()))
}

impl Site {
    /// Connects to the server, and sees that its streams are there.
    ///
    /// # Errors
    /// [`QueueError`].
    pub(super) fn open(address: &str, key: Option<&Key>) -> Result<Self, QueueError> {
        let wrong = |why: String| QueueError::Address {
            address: address.to_owned(),
            why,
        };
        let server: ServerAddr = address
            .parse()
            .map_err(|e: std::io::Error| wrong(e.to_string()))?;
        if !matches!(server.scheme(), "nats" | "tls") {
            return Err(wrong("it begins with nats://".to_owned()));
        }
        let public = format!("{}://{}:{}", server.scheme(), server.host(), server.port());
        let places = (server.host(), server.port()).to_socket_addrs();
        let places: Vec<_> = places.map_err(|error| wrong(error.to_string()))?.collect();
        let build = build()?;
        let key = match key {
            Some(key) => key.clone(),
            None if places.iter().all(|place| is_loopback(*place)) => {
                Key::new(&build).map_err(|error| wrong(error.to_string()))?
            }
            None => return Err(QueueError::KeyNeeded { address: public }),
        };
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("queue")
            .enable_all()
            .build()?;
        let options = ConnectOptions::new()
            .name("borges")
            .ignore_discovered_servers()
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .reconnect_delay_callback(|tries| match tries {
                // It is asked before the first try, too.
                0 | 1 => Duration::ZERO,
                _ => Duration::from_millis(250),
            })
            // Who uses the connection notices what is wrong, and says it once.
            .event_callback(|_: Event| async {});
        let connected = runtime.block_on(options.connect(server));
        let client = connected.map_err(|error| QueueError::Unreached {
            address: public.clone(),
            why: error.to_string(),
        })?;
        // It starts a task of its own.
        let inside = runtime.enter();
        let mut context = jetstream::new(client.clone());
        context.set_timeout(PATIENCE);
        drop(inside);
        let site = Self {
            team: hex(&key.seal("team", &build)[..8]),
            build: hex(&build[..8]),
            runtime,
            client,
            context,
            key,
            address: public,
        };
        let streams = site.runtime.block_on(async {
            site.jobs().await?;
            site.done().await
        });
        streams.map_err(|why| QueueError::NoStreams {
            address: site.address.clone(),
            why: format!("{why}; start it with 'nats-server --jetstream'"),
        })?;
        Ok(site)
    }

    /// What goes over a subject of a run.
    pub(super) fn subject(&self, what: &str, run: &str) -> String {
        format!("borges.{}.{what}.{run}", self.team)
    }

    /// Where a worker says that it waits for a job. Nobody believes that: it is looked whether it is so.
    pub(super) fn short(&self) -> String {
        self.subject("short", "all")
    }

    /// The longest piece that fits a message.
    pub(super) fn most_piece(&self) -> usize {
        most_piece(self.client.max_payload())
    }

    /// The stream of jobs.
    pub(super) async fn jobs(&self) -> Result<Stream, String> {
        self.stream("jobs").await
    }

    /// The stream of what came of them.
    pub(super) async fn done(&self) -> Result<Stream, String> {
        self.stream("done").await
    }

    async fn stream(&self, what: &str) -> Result<Stream, String> {
        let config = Config {
            name: format!("borges-{what}-{}", self.team),
            subjects: vec![self.subject(what, "*")],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            max_age: UNFETCHED,
            duplicate_window: TWICE,
            ..Config::default()
        };
        let stream = self.context.get_or_create_stream(config).await;
        stream.map_err(|error| error.to_string())
    }

    /// The jobs of all runs.
    pub(super) async fn to_work(&self) -> Result<PullConsumer, String> {
        let config = pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_ack_pending: MOST_WAITING,
            max_waiting: MOST_WAITING,
            ..pull::Config::default()
        };
        let consumer = self
            .jobs()
            .await?
            .get_or_create_consumer(WORKERS, config)
            .await;
        consumer.map_err(|error| error.to_string())
    }

    /// What comes of the jobs of a run.
    pub(super) async fn to_gather(&self, run: &str) -> Result<PullConsumer, String> {
        let config = pull::Config {
            durable_name: Some(run.to_owned()),
            ack_policy: AckPolicy::Explicit,
            filter_subject: self.subject("done", run),
            max_ack_pending: MOST_WAITING,
            inactive_threshold: IDLE,
            ..pull::Config::default()
        };
        let consumer = self.done().await?.get_or_create_consumer(run, config).await;
        consumer.map_err(|error| error.to_string())
    }

    /// A message over a subject.
    pub(super) fn seal(&self, subject: &str, message: &impl Serialize) -> Vec<u8> {
        let bytes = postcard::to_allocvec(message).expect("memory does not run out of room");
        self.key.seal(subject, &bytes)
    }

    /// A piece that was sent over a subject; nothing if that was none of us.
    pub(super) fn unseal_piece(&self, subject: &str, sealed: &[u8]) -> Option<Piece> {
        Piece::of_bytes(self.key.unseal(subject, sealed)?)
    }

    /// What was said over a subject; nothing if that was none of us.
    pub(super) fn unseal<T: DeserializeOwned>(&self, subject: &str, sealed: &[u8]) -> Option<T> {
        let bytes = self.key.unseal(subject, sealed)?;
        postcard::from_bytes(bytes).ok()
    }

    /// Whether the connection is there now.
    pub(super) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Whether the connection is there; `since` notes for how long it has not been.
    ///
    /// # Errors
    /// The server is gone, in words.
    pub(super) fn is_there(&self, since: &mut Option<Instant>) -> Result<bool, String> {
        if self.is_connected() {
            *since = None;
            return Ok(true);
        }
        let since = since.get_or_insert_with(Instant::now);
        match since.elapsed() > GONE {
            true => Err(format!("the queue at {} is gone", self.address)),
            false => Ok(false),
        }
    }

    /// Sends what came of a job, in pieces, and sees that it is kept.
    pub(super) async fn send_done(&self, run: &str, pieces: Vec<Piece>) -> Result<(), String> {
        let subject = self.subject("done", run);
        for piece in pieces {
            let sealed = self.key.seal(&subject, &piece.to_bytes());
            let sent = self.context.publish(subject.clone(), sealed.into()).await;
            let kept = sent.map_err(|error| error.to_string())?.await;
            kept.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
