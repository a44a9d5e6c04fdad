//! A hub as a face has it: a way to be told things, and questions.

use std::sync::mpsc::{Receiver, channel};

use borges_hub::protocol::{Ask, ShelfListing};
use borges_hub::{ClientId, Hub, Message, ModelCommand, Opened, Shelf};
use borges_languages::model::{AMB, Dialect, Explore, MU_OZ, Model};
use borges_session::Observer;
use borges_session::command::Look;
use borges_session::model::ModelSession;
use borges_session::model::debug::Order;

/// Opens the text that it is given as a path.
struct Texts;

impl Shelf for Texts {
    fn listing(&mut self) -> ShelfListing {
        ShelfListing::default()
    }

    fn open(&mut self, text: &str, _: Observer<'_>) -> Result<Opened, String> {
        let dialect: &dyn Dialect = match text.starts_with("let") {
            true => &MU_OZ,
            false => &AMB,
        };
        let model = Model::parse(dialect, text).map_err(|error| error.explain(text))?;
        let session = ModelSession::new("test".to_owned(), model, Explore::default(), None);
        Ok(Opened::Model(Box::new(session)))
    }
}

struct Looker {
    hub: Hub,
    client: ClientId,
    told: Receiver<Message>,
}

impl Looker {
    fn join(hub: &Hub, sees: bool) -> Self {
        let (out, told) = channel();
        let client = hub.join(sees, move |message| out.send(message).is_ok());
        let hub = hub.clone();
        Self { hub, client, told }
    }

    fn ask(&self, command: ModelCommand) {
        let command = serde_json::to_value(command).expect("it is plain data");
        self.hub.ask(self.client, Ask::Command { id: 7, command });
    }

    /// The next thing that it is told with this in it; frames as the header that they begin with.
    fn hears(&self, text: &str) -> String {
        loop {
            let said = match self.told.recv().expect("it is not let go") {
                Message::Text(said) => said.to_string(),
                Message::Binary(bytes) => {
                    let length = bytes[..4].try_into().map(u32::from_le_bytes);
                    let header = &bytes[4..4 + length.expect("four bytes") as usize];
                    String::from_utf8_lossy(header).into_owned()
                }
            };
            if said.contains(text) {
                return said;
            }
        }
    }
}

fn hub(text: &str) -> Hub {
    let (hub, _thread) = Hub::start(Box::new(Texts), Some(text.to_owned())).expect("it opens");
    hub
}

#[test]
fn a_program_of_a_model_language_is_looked_at_by_many() {
    let hub = hub("(+ (amb 1 2) (amb 3 4))");
    let (page, terminal) = (Looker::join(&hub, true), Looker::join(&hub, false));
    let seen = page.hears("snapshot");
    assert!(seen.contains(r#""language":"λ_amb""#), "{seen}");
    assert!(seen.contains("(amb 1 2)"), "{seen}");
    let all = page.hears(r#""frame":"universes""#);
    assert!(all.contains(r#""fresh":true,"count":1,"edges":0"#), "{all}");

    // Whoever sees everything is told the universes that another has found.
    let order = Order::Resume { universe: 0 };
    terminal.ask(ModelCommand::Order { order });
    let grown = page.hears(r#""frame":"universes""#);
    assert!(grown.contains(r#""fresh":false,"count":"#), "{grown}");
    assert!(!grown.contains(r#""edges":0"#), "{grown}");
    assert!(terminal.hears("\"id\":7").contains("came"));

    // What cannot be answered is said in words.
    terminal.ask(ModelCommand::Card { universe: 99 });
    assert!(terminal.hears("\"id\":7").contains("failed"));
    let command = serde_json::to_value(Look::Info).expect("it is plain data");
    hub.ask(terminal.client, Ask::Command { id: 8, command });
    assert!(terminal.hears("\"id\":8").contains("no such command"));

    // Another program takes its place, for everybody; one that is none does not.
    for (id, path) in [(9, "(amb 5 6)"), (10, "(amb")] {
        let path = path.to_owned();
        hub.ask(terminal.client, Ask::Open { id, path });
    }
    assert!(terminal.hears("\"id\":9").contains("is open"));
    assert!(terminal.hears("\"id\":10").contains("failed"));
    page.hears("(amb 5 6)");
}

/// The page's line of CaReDeb is that of the prompt: it moves, asks about all runs, and says what cannot be read.
#[test]
fn threads_are_taken_back_and_forth() {
    let page = Looker::join(&hub("let x = 1 in thread skip end end"), true);
    let say = |line: &str| {
        let line = line.to_owned();
        page.ask(ModelCommand::Caredeb { line });
        page.hears("\"id\":7")
    };
    let forth = say("forth t0 2");
    assert!(forth.contains("t0: thread t1"), "{forth}");
    assert!(forth.contains(r#""events":2"#), "{forth}");
    assert!(say("jump start").contains(r#""events":0"#));
    assert!(say("break x == 1").contains("breakpoint 3: x == 1"));
    let run = say("run");
    assert!(run.contains("breakpoint 3: x == 1"), "{run}");
    assert!(run.contains(r#""events":1"#), "{run}");
    assert!(say("ask ends").contains("finished"));
    assert!(say("nonsense").contains(r#""ok":false"#));

    let page = Looker::join(&hub("(amb 1 2)"), true);
    let line = "threads".to_owned();
    page.ask(ModelCommand::Caredeb { line });
    assert!(page.hears("\"id\":7").contains("no threads"));
}

#[test]
fn a_pause_ends_what_was_asked_before_and_the_next_question_goes_on() {
    let digits = "(amb 0 1 2 3 4 5 6 7)";
    let page = Looker::join(
        &hub(&format!("(+ {digits} {digits} {digits} {digits})")),
        true,
    );
    page.ask(ModelCommand::States);
    page.hub.ask(page.client, Ask::Pause);
    let cut = page.hears("\"id\":7");
    assert!(cut.contains(r#""complete":false"#), "{cut}");
    page.ask(ModelCommand::States);
    let all = page.hears("\"id\":7");
    assert!(all.contains(r#""complete":true"#), "{all}");
}
