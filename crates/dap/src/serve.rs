//! Adapters on streams: of this process, or of whoever connects.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use borges_framing as framing;
use borges_hub::Token;

use crate::adapter::Adapter;
use crate::arrival::Arrival;
use crate::core::Core;
use crate::door::Door;
use crate::protocol::{Numbered, Outgoing, Request};
use crate::way::Host;

/// Messages that may wait for a client before it is given up.
const PATIENCE: usize = 4096;
/// Editors at a time.
const MOST_CLIENTS: usize = 16;
/// How long a stranger may take to say the secret.
const FIRST_WORD: Duration = Duration::from_secs(30);
/// How long a client may take to read what it is sent.
const READS_WITHIN: Duration = Duration::from_secs(30);

/// Serves one editor until it disconnects or its stream ends. `attach` is the page whose session is joined if the editor
/// names none.
///
/// # Errors
/// A thread could not be started.
pub fn serve(
    input: impl io::Read + Send + 'static,
    output: impl Write + Send + 'static,
    host: Box<dyn Host>,
    attach: Option<String>,
) -> io::Result<()> {
    let input = Box::new(BufReader::new(input));
    speak(input, Box::new(output), host, Door::default(), attach)
}

fn speak(
    mut input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    host: Box<dyn Host>,
    door: Door,
    attach: Option<String>,
) -> io::Result<()> {
    let (post, inbox) = channel();
    let (out, messages) = sync_channel::<Outgoing>(PATIENCE);
    let writing = thread::Builder::new().name("editor-out".to_owned());
    let writing = writing.spawn(move || {
        let mut output = BufWriter::new(output);
        for (seq, message) in (1..).zip(messages) {
            let message = Numbered {
                seq,
                message: &message,
            };
            // Plain data with text keys always has a JSON form.
            let body = serde_json::to_vec(&message).unwrap_or_default();
            if framing::write(&mut output, &body).is_err() {
                return;
            }
        }
    })?;
    let read = post.clone();
    let reading = thread::Builder::new().name("editor-in".to_owned());
    reading.spawn(move || listen(&mut *input, &read))?;
    let sent = Box::new(move |message| out.try_send(message).is_ok());
    let mut core = Core::new(inbox, post, sent);
    core.until = door.is_locked().then(|| Instant::now() + FIRST_WORD);
    Adapter::new(core, host, door, attach).run();
    // What was said last is written before the stream is closed.
    let _written = writing.join();
    Ok(())
}

/// Reads until nothing more can be read.
fn listen(input: &mut dyn BufRead, post: &Sender<Arrival>) {
    loop {
        let arrival = match framing::read(input) {
            Ok(Some(body)) => match Request::read(&body) {
                Ok(request) => Arrival::Request(request),
                Err(message) => Arrival::Odd(message),
            },
            Ok(None) => Arrival::Gone(None),
            Err(error) => Arrival::Gone(Some(error.to_string())),
        };
        let is_last = matches!(arrival, Arrival::Gone(_));
        if post.send(arrival).is_err() || is_last {
            return;
        }
    }
}

/// Waits on loopback for editors, each of which has a session of its own, or joins a page's.
pub struct EditorServer {
    listener: TcpListener,
    token: Token,
    attach: Option<String>,
}

impl EditorServer {
    /// Listens on a port of 127.0.0.1; 0 is any that is free. `token` is the secret that an editor has to say; a random one
    /// if there is none.
    ///
    /// # Errors
    /// The port is taken, or there are no random numbers.
    pub fn bind(port: u16, token: Option<Token>, attach: Option<String>) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let token = match token {
            Some(token) => token,
            None => Token::random()?,
        };
        Ok(Self {
            listener: TcpListener::bind(address)?,
            token,
            attach,
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The operating system does not know.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What an editor has to say.
    #[must_use]
    pub fn token(&self) -> &str {
        self.token.text()
    }

    /// Serves whoever connects, until the process ends.
    ///
    /// # Errors
    /// It cannot listen any more.
    pub fn run(&self, mut host: impl FnMut() -> Box<dyn Host>) -> io::Result<()> {
        let clients = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            // A client that went away before it was let in is no reason to go too.
            let Ok(stream) = stream else {
                continue;
            };
            let place = Place::take(&clients);
            let Some(place) = place else {
                continue;
            };
            let (host, door) = (host(), Door::locked(self.token.clone()));
            let attach = self.attach.clone();
            let work = move || {
                let _gone = converse(stream, host, door, attach);
                drop(place);
            };
            thread::Builder::new()
                .name("editor".to_owned())
                .spawn(work)?;
        }
        Ok(())
    }
}

fn converse(
    stream: TcpStream,
    host: Box<dyn Host>,
    door: Door,
    attach: Option<String>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(READS_WITHIN))?;
    let input = stream.try_clone()?;
    let output = stream.try_clone()?;
    let input = Box::new(BufReader::new(input));
    let spoken = speak(input, Box::new(output), host, door, attach);
    let _closed = stream.shutdown(std::net::Shutdown::Both);
    spoken
}

/// A place among the clients, until it is dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(clients: &Arc<AtomicUsize>) -> Option<Self> {
        if clients.fetch_add(1, Ordering::SeqCst) >= MOST_CLIENTS {
            clients.fetch_sub(1, Ordering::SeqCst);
            return None;
        }
        Some(Self(Arc::clone(clients)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
