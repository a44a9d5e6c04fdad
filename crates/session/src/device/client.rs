//! The host's end of the link: requests, answers, and what the device says by itself.

use std::collections::{HashMap, VecDeque};

use borges_wire::link::{Link, Port};
use borges_wire::{
    Channel, Command, Epoch, Failure, Incoming, LostCause, Measure, Report, RequestId, Resume,
    SCHEMA, SendError, ToDevice, ToHost, peer_schema,
};

use crate::command::{Event, Flow, Observer};
use crate::error::LinkError;

/// How long a device may take for an answer before it is taken for lost, in µs of the link's clock.
const ANSWER_US: u64 = 10_000_000;

/// So long it is waited without asking whether the user still wants to: most answers are here before.
const HEEDLESS_US: u64 = 50_000;

/// The same of a device that was told to pause: that was the user's wish already, and the answer says where it stands.
const PAUSING_US: u64 = 2_000_000;

/// How long a device may take to connect after a restart, and then for its last words, if it had any.
const RESTART_US: u64 = 1_000_000;
const LAST_WORDS_US: u64 = 100_000;

/// What a device may say by itself before it answers: more than any link holds back.
const SAID: usize = 1 << 16;

/// What shows that a device is not lost.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sign {
    /// Anything on the line: a running program may have nothing to say for a while.
    Life,
    /// A message, or one of ours taken in: who was asked has to answer.
    Word,
}

/// How long a silence may still last, and what had been heard before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    sign: Sign,
    since: u64,
    heard: (u64, u64),
    /// How long it lasts before the user is asked.
    heedless: u64,
}

impl Patience {
    /// That with a device that was told to pause.
    pub(crate) fn pausing(self) -> Self {
        Self {
            heedless: PAUSING_US,
            ..self
        }
    }
}

/// The host's end.
pub(crate) struct Client {
    port: Port<Box<dyn Link>>,
    epoch: Epoch,
    last_id: u32,
    /// What was asked, with its answer once that is here.
    asked: HashMap<RequestId, Option<Report>>,
    /// Messages received.
    messages: u64,
    /// What the device said without being asked, in order.
    said: VecDeque<Report>,
}

impl Client {
    /// Connects and greets.
    pub(crate) fn connect(
        link: Box<dyn Link>,
        seed: u32,
        resume: Option<Resume>,
        observer: Observer<'_>,
    ) -> Result<(Self, Report), LinkError> {
        let mut client = Self {
            port: Port::new(link, borges_wire::Config::host(), seed),
            epoch: Epoch(1),
            last_id: 0,
            asked: HashMap::new(),
            messages: 0,
            said: VecDeque::new(),
        };
        let hello = Command::Hello {
            schema: SCHEMA,
            resume,
        };
        let welcome = client.ask(hello, observer)?;
        Ok((client, welcome))
    }

    /// From now on the device is on another branch: what it still says of the old one is dropped.
    pub(crate) fn next_epoch(&mut self) {
        self.epoch.0 += 1;
        self.said.clear();
    }

    pub(crate) fn retransmissions(&mut self) -> u64 {
        self.port.endpoint().counters().retransmissions
    }

    /// Bytes sent and received on the line so far, framing and retransmissions included.
    pub(crate) fn traffic(&mut self) -> (u64, u64) {
        let counters = self.port.endpoint().counters();
        (counters.bytes_sent, counters.bytes_received)
    }

    fn now_us(&mut self) -> u64 {
        self.port.link().now_us()
    }

    /// The device may be silent for a while, from now on.
    pub(crate) fn patience(&mut self, sign: Sign) -> Patience {
        Patience {
            sign,
            since: self.now_us(),
            heard: self.heard(sign),
            heedless: HEEDLESS_US,
        }
    }

    fn heard(&mut self, sign: Sign) -> (u64, u64) {
        match sign {
            Sign::Life => (self.traffic().1, 0),
            Sign::Word => (self.messages, self.port.endpoint().waiting() as u64),
        }
    }

    /// Whether the device has been silent for too long, or for longer than the user wants to wait.
    fn check(
        &mut self,
        patience: &mut Patience,
        doing: &str,
        observer: Observer<'_>,
    ) -> Result<(), LinkError> {
        // A slow line is not a silent one.
        if patience.heard != self.heard(patience.sign) {
            *patience = Patience {
                heedless: patience.heedless,
                ..self.patience(patience.sign)
            };
        }
        if let Some(trouble) = self.port.link().trouble() {
            let trouble = trouble.to_owned();
            return Err(LinkError::Unreachable { trouble });
        }
        let silence = self.now_us().saturating_sub(patience.since);
        if silence > ANSWER_US {
            return Err(silent(doing));
        }
        let waiting = || Event::Progress {
            what: format!("{doing}: no answer from the device yet, s"),
            done: silence / 1_000_000,
            total: Some(ANSWER_US / 1_000_000),
        };
        if silence > patience.heedless && observer(waiting()) == Flow::Pause {
            let doing = doing.to_owned();
            return Err(LinkError::Left { doing });
        }
        Ok(())
    }

    /// Drops what the device has said by itself.
    pub(crate) fn forget_said(&mut self) {
        self.said.clear();
    }

    /// Asks, and waits for the answer.
    pub(crate) fn ask(
        &mut self,
        command: Command,
        observer: Observer<'_>,
    ) -> Result<Report, LinkError> {
        let doing = name_of(&command);
        let id = self.post(command, observer)?;
        self.answer(id, doing, observer)
    }

    /// Asks, without waiting.
    pub(crate) fn post(
        &mut self,
        command: Command,
        observer: Observer<'_>,
    ) -> Result<RequestId, LinkError> {
        let doing = name_of(&command);
        self.last_id += 1;
        let id = RequestId(self.last_id);
        let message = ToDevice {
            epoch: self.epoch,
            id,
            command,
        };
        let bytes = message.to_bytes();
        let mut patience = self.patience(Sign::Word);
        loop {
            match self.port.endpoint().send(Channel::Control, &bytes) {
                Ok(()) => {
                    self.asked.insert(id, None);
                    return Ok(id);
                }
                Err(SendError::Closed | SendError::Full) => {}
                Err(SendError::TooLong { limit }) => {
                    return Err(LinkError::Refused {
                        doing: doing.to_owned(),
                        failure: Failure::Limit {
                            measure: Measure::Message,
                            wanted: bytes.len() as u64,
                            most: limit as u64,
                        },
                    });
                }
            }
            self.pump(doing)?;
            self.check(&mut patience, doing, observer)?;
        }
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(
        &mut self,
        id: RequestId,
        doing: &str,
        observer: Observer<'_>,
    ) -> Result<Report, LinkError> {
        let mut patience = self.patience(Sign::Word);
        if doing == name_of(&Command::Pause) {
            patience = patience.pausing();
        }
        loop {
            if let Some(report) = self.asked.get_mut(&id).and_then(Option::take) {
                self.asked.remove(&id);
                return match report {
                    Report::Failed { failure, .. } => Err(LinkError::Refused {
                        doing: doing.to_owned(),
                        failure,
                    }),
                    report => Ok(report),
                };
            }
            if self.said.len() > SAID {
                let doing = doing.to_owned();
                return Err(LinkError::Babble { doing });
            }
            self.pump(doing)?;
            self.check(&mut patience, doing, observer)?;
        }
    }

    /// The next thing that the device said by itself, after one look at the line.
    pub(crate) fn listen(
        &mut self,
        patience: &mut Patience,
        doing: &str,
        observer: Observer<'_>,
    ) -> Result<Option<Report>, LinkError> {
        if self.said.is_empty() {
            self.pump(doing)?;
            self.check(patience, doing, observer)?;
        }
        Ok(self.said.pop_front())
    }

    /// Moves bytes both ways once.
    fn pump(&mut self, doing: &str) -> Result<(), LinkError> {
        self.port.poll();
        while let Some(incoming) = self.port.receive() {
            match incoming {
                Incoming::Message(message) => {
                    self.message(&message.bytes)?;
                }
                Incoming::Lost(lost) => {
                    let cause = match lost.cause {
                        LostCause::PeerRestarted => self.why_restarted(),
                        LostCause::Violation => "the other end is no Borges device".to_owned(),
                        LostCause::Restarted => "the connection was made anew".to_owned(),
                    };
                    let doing = doing.to_owned();
                    return Err(LinkError::Lost { cause, doing });
                }
                Incoming::Connected | Incoming::Quiet | Incoming::Back | Incoming::Foreign(_) => {}
            }
        }
        Ok(())
    }

    /// Waits for what a device may say of its restart: firmware that fails keeps its last words over the reboot, and
    /// tells them to whoever connects next.
    fn why_restarted(&mut self) -> String {
        let mut deadline = self.now_us() + RESTART_US;
        while self.now_us() < deadline {
            self.port.poll();
            while let Some(incoming) = self.port.receive() {
                match incoming {
                    // They are the first thing that it says.
                    Incoming::Connected => deadline = self.now_us() + LAST_WORDS_US,
                    Incoming::Message(message) => {
                        if let Ok(ToHost {
                            report: Report::Panic { text },
                            ..
                        }) = ToHost::from_bytes(&message.bytes)
                        {
                            return format!(
                                "the device has restarted, because its software failed ({text})"
                            );
                        }
                    }
                    _ => {}
                }
            }
        }
        "the device has restarted".to_owned()
    }

    fn message(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        let Ok(ToHost { epoch, report }) = ToHost::from_bytes(bytes) else {
            return match peer_schema(bytes, true) {
                Some(theirs) => Err(LinkError::Schema { theirs }),
                None => Ok(()),
            };
        };
        // That is neither worth keeping once it is further, nor a sign that an answer will come.
        let is_beat = says_only_how_far(&report);
        self.messages += u64::from(!is_beat);
        match report {
            Report::Welcome { schema, .. } if schema != SCHEMA => {
                return Err(LinkError::Schema { theirs: schema });
            }
            Report::Welcome { .. } => {
                // The greeting is the only question without a number in its answer, and it is the first.
                self.answered(RequestId(self.last_id), report);
            }
            Report::Done { id }
            | Report::Failed { id, .. }
            | Report::Performed { id, .. }
            | Report::State { id: Some(id), .. } => {
                self.answered(id, report);
            }
            Report::Panic { text } => return Err(LinkError::Panic(text)),
            // The device may still speak of a branch that was abandoned.
            _ if epoch != self.epoch => {}
            report => {
                if is_beat && self.said.back().is_some_and(says_only_how_far) {
                    self.said.pop_back();
                }
                self.said.push_back(report);
            }
        }
        Ok(())
    }

    /// Keeps an answer; one to nothing that was asked means nothing.
    fn answered(&mut self, id: RequestId, report: Report) {
        if let Some(answer) = self.asked.get_mut(&id) {
            *answer = Some(report);
        }
    }
}

/// Whether it says how far a program came that has recorded nothing.
pub(crate) fn says_only_how_far(report: &Report) -> bool {
    matches!(report, Report::Trace { records, .. } if records.0.is_empty())
}

fn silent(doing: &str) -> LinkError {
    LinkError::Silent {
        seconds: ANSWER_US / 1_000_000,
        doing: doing.to_owned(),
    }
}

pub(crate) fn name_of(command: &Command) -> &'static str {
    match command {
        Command::Hello { .. } => "connecting",
        Command::Load { .. } => "loading",
        Command::Begin { .. } => "starting the program",
        Command::Run { .. } => "running",
        Command::Pause => "pausing",
        Command::SetBreakpoints(_) | Command::SetPrimitiveStops(_) | Command::StopOnEvents(_) => {
            "setting breakpoints"
        }
        Command::SetWatches(_) => "setting watches",
        Command::SetMocks(_) => "setting mocks",
        Command::Compensate { .. } => "undoing outputs",
        Command::Perform { .. } => "performing outputs again",
        Command::Apply { .. } => "moving the program's state",
        Command::Reset => "resetting",
        Command::QueryState => "reading the program's state",
        Command::Inject { .. } => "raising an event",
        Command::SetRecording { .. } => "setting up the recording",
        Command::BoardEvents(_) => "switching the board's events",
    }
}
