//! A program of a device as those who look see it: while it runs, when it is paused, and what gives way to what.

use std::sync::mpsc::{Receiver, channel};

use borges_hub::protocol::{Ask, ShelfListing};
use borges_hub::{ClientId, Hub, Message, Opened, Shelf};
use borges_session::command::{Act, Command, Direction, Look};
use borges_session::{Observer, Options, Session};
use serde_json::Value;

const GO_ON: Act = Act::Continue {
    direction: Direction::Forward,
};

/// Opens programs by their paths.
struct Programs;

impl Shelf for Programs {
    fn listing(&mut self) -> ShelfListing {
        ShelfListing::default()
    }

    fn open(&mut self, path: &str, _: Observer<'_>) -> Result<Opened, String> {
        let session = Session::open(Options::new(path)).map_err(|error| error.to_string())?;
        Ok(Opened::Device(Box::new(session)))
    }
}

/// What somebody is told.
enum Told {
    Text(Value),
    /// The header of a frame.
    Frame(Value),
}

struct Looker {
    hub: Hub,
    client: ClientId,
    told: Receiver<Message>,
}

impl Looker {
    fn join(hub: &Hub) -> Self {
        let (out, told) = channel();
        let client = hub.join(true, move |message| out.send(message).is_ok());
        let hub = hub.clone();
        Self { hub, client, told }
    }

    fn ask(&self, id: u32, command: impl Into<Command>) {
        let command = serde_json::to_value(command.into()).expect("it is plain data");
        self.hub.ask(self.client, Ask::Command { id, command });
    }

    fn hears(&self) -> Told {
        match self.told.recv().expect("it is not let go") {
            Message::Text(said) => Told::Text(serde_json::from_str(&said).expect("JSON")),
            Message::Binary(bytes) => {
                let length = bytes[..4].try_into().map(u32::from_le_bytes);
                let end = 4 + length.expect("four bytes") as usize;
                let header = serde_json::from_slice(&bytes[4..end]).expect("JSON");
                Told::Frame(header)
            }
        }
    }

    /// The answer to a question.
    fn answer(&self, id: u32) -> Value {
        loop {
            if let Told::Text(said) | Told::Frame(said) = self.hears()
                && said["id"] == id
            {
                return said;
            }
        }
    }

    /// The next news of a part.
    fn part(&self, name: &str) -> Value {
        loop {
            let Told::Text(said) = self.hears() else {
                continue;
            };
            let parts = said["parts"].as_array().cloned().unwrap_or_default();
            if let Some(part) = parts.into_iter().find(|part| part["part"] == name) {
                return part["is"].clone();
            }
        }
    }
}

fn example(name: &str) -> Looker {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let path = format!("{root}/{name}/{name}.wasm");
    let (hub, _thread) = Hub::start(Box::new(Programs), Some(path)).expect("it opens");
    Looker::join(&hub)
}

/// A running program shows where it is, its board, its variables and its way; then it is paused.
#[test]
fn a_run_is_seen_while_it_runs() {
    let page = example("temperature-monitor");
    assert_eq!(page.part("running"), Value::Null);
    page.ask(7, GO_ON);
    let (mut last, mut grown) = (0, 0);
    while last == 0 || grown < 2 {
        match page.hears() {
            Told::Frame(header) if header["frame"] == "branches" => grown += 1,
            Told::Frame(..) => {}
            Told::Text(said) => {
                let parts = said["parts"].as_array().cloned().unwrap_or_default();
                let find = |name: &str| parts.iter().find(|part| part["part"] == name);
                let Some(running) = find("running").map(|part| &part["is"]) else {
                    continue;
                };
                let steps = running["steps"].as_u64().unwrap_or_default();
                assert!(steps > last, "{running}");
                last = steps;
                assert!(
                    running["tail"]
                        .as_array()
                        .is_some_and(|tail| !tail.is_empty())
                );
                let info = find("info").map(|part| &part["is"]["here"]["steps"]);
                assert_eq!(info, Some(&running["steps"]));
            }
        }
    }
    page.hub.ask(page.client, Ask::Pause);
    assert_eq!(page.answer(7)["reply"]["reason"], "paused");
}

/// What waits in line when somebody pauses does not begin, and a pace is heard by what is under way.
#[test]
fn a_pause_is_for_all_that_waits() {
    let page = example("temperature-monitor");
    page.ask(1, GO_ON);
    page.part("running");
    let series = Look::Series {
        expressions: vec!["reading".to_owned()],
        samples: 100,
    };
    page.ask(2, series);
    page.ask(3, GO_ON);
    page.hub.ask(page.client, Ask::Pause);
    assert_eq!(page.answer(1)["reply"]["reason"], "paused");
    page.answer(2);
    assert_eq!(page.answer(3)["reply"]["reason"], "paused");

    let times = Some(1);
    page.hub.ask(page.client, Ask::Pace { times });
    assert_eq!(page.part("pace")["times"], 1);
    page.ask(4, GO_ON);
    page.part("running");
    // While it runs: who looks hears of it, and so does the run.
    page.hub.ask(page.client, Ask::Pace { times: None });
    assert_eq!(page.part("pace")["times"], Value::Null);
    page.hub.ask(page.client, Ask::Pause);
    assert_eq!(page.answer(4)["reply"]["reason"], "paused");
}
