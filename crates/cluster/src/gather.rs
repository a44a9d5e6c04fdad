//! Whoever wants a survey connects to workers, and tells them what it is about.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::{Duration, Instant};

use borges_languages::model::Surveyors;
use borges_link::{Key, LineOpenError, Pipe};
use borges_session::suggest::DeviceSurveyors;

use crate::GatherError;
use crate::frame::{Frame, Hello, Job, MOST_HELLO, Wanted};
use crate::office::Office;

/// How long a worker may take to be started.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is tried.
const AGAIN: Duration = Duration::from_millis(200);

/// Workers that wait for a survey to begin.
pub struct Crew {
    cores: Vec<u32>,
    office: Office,
}

impl Crew {
    /// They and this process, for a program of a model language.
    #[must_use]
    pub fn surveyors(self) -> Surveyors<'static> {
        Surveyors::Leading {
            cores: self.cores,
            post: Box::new(self.office),
        }
    }

    /// They and this process, for a device program.
    #[must_use]
    pub fn device_surveyors(self) -> DeviceSurveyors {
        DeviceSurveyors::Leading {
            cores: self.cores,
            post: Box::new(self.office),
        }
    }
}

/// Gathers the workers that wait at these addresses for a survey; this process works on so many cores itself. Who is not
/// there yet is waited for, half a minute, while `goes_on`.
///
/// # Errors
/// [`GatherError`].
pub fn gather(
    hosts: &[String],
    key: Option<&Key>,
    wanted: Wanted<'_>,
    cores: u32,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Crew, GatherError> {
    let run = RandomState::new().build_hasher().finish();
    let (mut office, inbox) = Office::new();
    let mut all = vec![cores];
    for (member, host) in (1..).zip(hosts) {
        let pipe = connect(host, key, goes_on)?;
        all.push(introduce(&pipe, host, &Hello::new(run, 0)?)?);
        office.join(pipe, member, &inbox)?;
    }
    drop(inbox);
    let mut places = vec![String::new()];
    places.extend_from_slice(hosts);
    let asked = wanted.to_bytes();
    for member in 1..all.len() {
        let job = Job {
            place: member as u32,
            cores: all.clone(),
            hosts: places.clone(),
            asked: asked.clone(),
        };
        office.say(member, &Frame::Job(job));
    }
    let mut ready = 0;
    while ready < hosts.len() {
        if !goes_on() {
            return Err(GatherError::Stopped);
        }
        let heard = office.hear(AGAIN);
        let host = |member: usize| places[member].clone();
        match heard {
            Some((_, Ok(Frame::Ready))) => ready += 1,
            Some((member, Ok(Frame::Refused(why)))) => {
                let host = host(member);
                return Err(GatherError::Refused { host, why });
            }
            Some((member, Err(why))) => {
                let host = host(member);
                return Err(GatherError::Gone { host, why });
            }
            Some((_, Ok(_))) | None => {}
        }
    }
    let cores = all;
    Ok(Crew { cores, office })
}

/// Connects to a worker, which may be just starting.
fn connect(
    host: &str,
    key: Option<&Key>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Pipe, GatherError> {
    let began = Instant::now();
    loop {
        match Pipe::connect(host, key) {
            Ok(pipe) => return Ok(pipe),
            Err(LineOpenError::Tcp { .. }) if began.elapsed() < PATIENCE => {
                if !goes_on() {
                    return Err(GatherError::Stopped);
                }
                std::thread::sleep(AGAIN);
            }
            Err(error) => return Err(unreached(host, error)),
        }
    }
}

/// Why a worker is not reached.
pub(crate) fn unreached(host: &str, error: LineOpenError) -> GatherError {
    let host = host.to_owned();
    let because = |why: &str| why.to_owned();
    match error {
        LineOpenError::KeyNeeded { .. } => GatherError::KeyNeeded { host },
        LineOpenError::KeyRefused { .. } => GatherError::Key {
            host,
            why: because("it hung up"),
        },
        LineOpenError::KeyUnanswered { .. } => GatherError::Key {
            host,
            why: because("it does not answer"),
        },
        LineOpenError::NoKeyThere { .. } => GatherError::Key {
            host,
            why: because("it asks for none"),
        },
        LineOpenError::Impostor { .. } => GatherError::Key {
            host,
            why: because("it has another one"),
        },
        LineOpenError::Tcp { source, .. } => GatherError::Unreached {
            host,
            why: source.to_string(),
        },
        LineOpenError::Serial { source, .. } => GatherError::Unreached {
            host,
            why: source.to_string(),
        },
    }
}

/// Says who one is; on how many cores the other one works.
pub(crate) fn introduce(pipe: &Pipe, host: &str, hello: &Hello) -> Result<u32, GatherError> {
    let said = pipe.send(&Frame::Hello(hello.clone()).to_bytes());
    let answer = said.and_then(|_| Frame::of_bytes(&pipe.next(MOST_HELLO)?));
    let host = host.to_owned();
    match answer {
        Ok(Frame::Welcome { cores }) if (1..=1024).contains(&cores) => Ok(cores),
        Ok(Frame::Refused(why)) => Err(GatherError::Refused { host, why }),
        Ok(_) => Err(GatherError::Refused {
            host,
            why: "it says something else than a worker does".to_owned(),
        }),
        Err(error) => Err(GatherError::Gone {
            host,
            why: error.to_string(),
        }),
    }
}
