//! The adapter: one editor, one session, from the first request to the last.

use std::collections::BTreeMap;

use borges_hub::protocol::Ask;
use serde_json::json;

use crate::arrival::{Arrival, Replied};
use crate::capabilities;
use crate::core::Core;
use crate::debuggee::{Asked, Debuggee};
use crate::device::Device;
use crate::door::Door;
use crate::model::Model;
use crate::protocol::arguments::{Attach, Disconnect, Initialize};
use crate::protocol::{Answer, Failure, NOTHING, Request};
use crate::way::{Host, LaunchArguments};

/// How a session was come by.
struct Start {
    stop_on_entry: bool,
    /// It is somebody else's too.
    is_joined: bool,
}

/// One editor's adapter.
pub(crate) struct Adapter {
    core: Core,
    host: Box<dyn Host>,
    door: Door,
    /// The page whose session `attach` joins if it names none.
    attach: Option<String>,
    is_initialized: bool,
    start: Option<Start>,
    debuggee: Option<Box<dyn Debuggee>>,
}

impl Adapter {
    pub(crate) fn new(core: Core, host: Box<dyn Host>, door: Door, attach: Option<String>) -> Self {
        Self {
            core,
            host,
            door,
            attach,
            is_initialized: false,
            start: None,
            debuggee: None,
        }
    }

    /// Serves the editor until it, or the way to it, has gone.
    pub(crate) fn run(mut self) {
        while !self.core.over {
            while let Some((id, reply)) = self.core.late_reply() {
                self.replied(id, reply);
            }
            // What is told in several pieces is looked at as a whole.
            if self.core.is_idle()
                && let Some(debuggee) = &mut self.debuggee
            {
                debuggee.notice(&mut self.core);
            }
            match self.core.next() {
                Arrival::Request(request) => self.request(&request),
                Arrival::Odd(message) => self.core.output("important", message),
                Arrival::Told(message) => {
                    if let Some((id, reply)) = self.core.hear(&message) {
                        self.replied(id, reply);
                    }
                }
                // What was left before tells nothing any more either.
                Arrival::Lost if self.core.has_joined() => {
                    self.core.output(
                        "important",
                        "the session has gone: nobody answers there any more",
                    );
                    self.core.event("terminated", json!({}));
                    break;
                }
                Arrival::Lost => {}
                Arrival::Console(said) => {
                    if let Some(debuggee) = &mut self.debuggee {
                        debuggee.said(&mut self.core, said);
                    }
                }
                Arrival::Gone(why) => {
                    if let Some(why) = why {
                        self.core.output("important", why);
                    }
                    break;
                }
            }
        }
        self.debuggee = None;
        self.core.leave();
    }

    fn replied(&mut self, id: u32, reply: Replied) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.replied(&mut self.core, id, reply);
        }
    }

    fn request(&mut self, request: &Request) {
        self.core.begin(request);
        let asked = self.carry_out(request);
        let answer = match asked {
            Asked::Now(answer) => Some(answer),
            Asked::Later => None,
        };
        self.core.finish(request, answer);
        if request.command == "disconnect" {
            self.core.over = true;
        }
    }

    fn carry_out(&mut self, request: &Request) -> Asked {
        let command = request.command.as_str();
        if let Err(failure) = self.may(command) {
            return Asked::Now(Err(failure));
        }
        let answer = match command {
            "initialize" => self.initialize(request),
            "launch" => self.launch(request),
            "attach" => self.join(request),
            "configurationDone" => self.configured(),
            "restart" => self.restart(),
            "disconnect" | "terminate" => self.disconnect(request),
            "cancel" => {
                let cancelled = request.arguments();
                cancelled.and_then(|cancel| {
                    self.core.cancel(&cancel);
                    NOTHING
                })
            }
            "borges/page" => self.page(),
            _ => return self.of_debuggee(request),
        };
        Asked::Now(answer)
    }

    /// Whether a request can be carried out now.
    fn may(&self, command: &str) -> Result<(), Failure> {
        match command {
            "initialize" | "disconnect" | "terminate" => Ok(()),
            _ if !self.is_initialized => {
                Err(Failure::new("the first request must be 'initialize'"))
            }
            "launch" | "attach" if self.debuggee.is_some() => Err(Failure::new(
                "a program is open already: one session has one",
            )),
            "launch" | "attach" | "cancel" => Ok(()),
            _ if self.debuggee.is_none() => Err(Failure::new(
                "no program is open: 'launch' or 'attach' comes first",
            )),
            _ => Ok(()),
        }
    }

    fn of_debuggee(&mut self, request: &Request) -> Asked {
        let debuggee = self.debuggee.as_mut();
        let asked = debuggee.and_then(|debuggee| debuggee.request(&mut self.core, request));
        let unknown = || Failure::new(format!("'{}' is not understood here", request.command));
        asked.unwrap_or_else(|| Asked::Now(Err(unknown())))
    }

    fn initialize(&mut self, request: &Request) -> Answer {
        if self.is_initialized {
            return Err(Failure::new("'initialize' comes once"));
        }
        let client: Initialize = request.arguments()?;
        if client
            .path_format
            .as_deref()
            .is_some_and(|format| format != "path")
        {
            return Err(Failure::new("paths are told as paths only, not as URIs"));
        }
        // A secret that is wrong is told here; one that is left out may come with the next request.
        if client.token.is_some() {
            self.enter(client.token.as_deref())?;
        }
        self.core.client = client;
        self.is_initialized = true;
        Ok(capabilities::all())
    }

    /// Lets in who knows the secret: nobody waits for them any more.
    fn enter(&mut self, token: Option<&str>) -> Result<(), Failure> {
        self.door.enter(token)?;
        self.core.until = None;
        Ok(())
    }

    fn launch(&mut self, request: &Request) -> Answer {
        let launch: LaunchArguments = request.arguments()?;
        self.enter(launch.token.as_deref())?;
        if launch.program.trim().is_empty() {
            return Err(Failure::shown(
                "what is to be launched? Give \"program\": a WebAssembly module, a session file, or a source of a model language",
            ));
        }
        let ready = self.host.launch(&launch).map_err(Failure::shown)?;
        self.core.join(ready.way).map_err(Failure::shown)?;
        let path = ready.program;
        let opened = self.core.call(|id| Ask::Open { id, path });
        let opened = opened.and_then(|_| self.open(launch.source_map, launch.no_debug));
        if let Err(message) = opened {
            self.core.leave();
            return Err(Failure::shown(message));
        }
        self.start = Some(Start {
            stop_on_entry: launch.stop_on_entry && !launch.no_debug,
            is_joined: false,
        });
        self.core.event("initialized", json!({}));
        NOTHING
    }

    fn join(&mut self, request: &Request) -> Answer {
        let attach: Attach = request.arguments()?;
        self.enter(attach.token.as_deref())?;
        let url = attach.url.or_else(|| self.attach.clone());
        let url = url.ok_or_else(|| {
            Failure::shown(
                "where to? Give \"url\": the address of a page that 'borges debug' printed",
            )
        })?;
        let way = self.host.attach(&url).map_err(Failure::shown)?;
        self.core.join(way).map_err(Failure::shown)?;
        // The snapshot comes first; whatever is answered comes after it.
        let opened = self.core.call_any();
        let opened = opened.and_then(|()| self.open(attach.source_map, false));
        if let Err(message) = opened {
            self.core.leave();
            return Err(Failure::shown(message));
        }
        self.start = Some(Start {
            stop_on_entry: true,
            is_joined: true,
        });
        self.core.event("initialized", json!({}));
        NOTHING
    }

    /// The session is there: looks at what is debugged.
    fn open(
        &mut self,
        source_map: BTreeMap<String, String>,
        runs_through: bool,
    ) -> Result<(), String> {
        for warning in std::mem::take(&mut self.core.parts.program.warnings) {
            self.core.output("important", warning);
        }
        let debuggee: Box<dyn Debuggee> = match self.core.parts.model.is_some() {
            true => Box::new(Model::new(&mut self.core)?),
            false => Box::new(Device::new(&mut self.core, source_map, runs_through)?),
        };
        self.debuggee = Some(debuggee);
        Ok(())
    }

    fn configured(&mut self) -> Answer {
        let (Some(start), Some(debuggee)) = (&self.start, &mut self.debuggee) else {
            return Err(Failure::new("'launch' or 'attach' comes first"));
        };
        debuggee.begin(&mut self.core, start.stop_on_entry, start.is_joined);
        NOTHING
    }

    fn restart(&mut self) -> Answer {
        let (Some(start), Some(debuggee)) = (&self.start, &mut self.debuggee) else {
            return Err(Failure::new("'launch' or 'attach' comes first"));
        };
        debuggee.restart(&mut self.core, start.stop_on_entry)
    }

    /// Serves the page, and tells its address.
    fn page(&mut self) -> Answer {
        let way = self
            .core
            .way
            .as_mut()
            .ok_or_else(|| Failure::new("no session is open"))?;
        let url = way.page().map_err(Failure::shown)?;
        self.core.event("borges/page", json!({ "url": url }));
        Ok(json!({ "url": url }))
    }

    fn disconnect(&mut self, request: &Request) -> Answer {
        let _asked: Disconnect = request.arguments()?;
        self.core.pause();
        self.debuggee = None;
        self.core.leave();
        self.core.event("terminated", json!({}));
        NOTHING
    }
}
