//! States of device programs that other processes look at: threads here, to which everything goes as bytes.

use std::fs;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;
use std::time::Duration;

use borges_multiverse::graph::{Apart, Bell, Post};
use borges_session::suggest::{
    DeviceAsked, DeviceSurveyFile, DeviceSurveyors, LookLetter, SurveyedStates, survey_states,
};
use borges_session::survey::{Keeping, SurveyError};

use super::{asked, goes_on, graph, keeping, on, programs, said};

type Bytes = (usize, Vec<u8>);

/// What happens to letters on their way.
type Fate = Box<dyn FnMut(&mut Vec<u8>) + Send>;

/// The post of one member.
struct Office {
    me: usize,
    to: Vec<Sender<Bytes>>,
    inbox: Receiver<Bytes>,
    sent: u64,
    fate: Fate,
}

impl Post<LookLetter> for Office {
    fn sent(&self) -> u64 {
        self.sent
    }

    fn send(&mut self, to: usize, letter: LookLetter) {
        let mut bytes = postcard::to_allocvec(&letter).unwrap();
        self.sent += bytes.len() as u64;
        (self.fate)(&mut bytes);
        let _ = self.to[to].send((self.me, bytes));
    }

    fn next(&mut self, wait: Duration) -> Result<Option<(usize, LookLetter)>, Apart> {
        let Ok((from, bytes)) = self.inbox.recv_timeout(wait) else {
            return Ok(None);
        };
        if bytes.is_empty() && from == self.me {
            return Ok(None);
        }
        let letter = postcard::from_bytes(&bytes);
        let gone = |_| Apart::Gone {
            member: from,
            why: "it says nothing that is known".to_owned(),
        };
        letter.map(|letter| Some((from, letter))).map_err(gone)
    }

    fn bell(&self) -> Bell {
        let (me, to) = (self.me, self.to[self.me].clone());
        Box::new(move || {
            let _ = to.send((me, Vec::new()));
        })
    }
}

/// Who leaves is gone for all others.
impl Drop for Office {
    fn drop(&mut self) {
        for (_, to) in self
            .to
            .iter()
            .enumerate()
            .filter(|(nth, _)| *nth != self.me)
        {
            let _ = to.send((self.me, Vec::new()));
        }
    }
}

/// Nothing happens to them.
fn arrives() -> Fate {
    Box::new(|_| ())
}

/// So many workers, each on so many cores, as another process would read what is asked; `fate` is that of the letters of
/// the first of them.
fn among<'s>(
    scope: &'s Scope<'s, '_>,
    asked: &DeviceAsked,
    cores: &[u32],
    fate: Fate,
) -> DeviceSurveyors {
    let (to, inboxes): (Vec<_>, Vec<_>) = cores.iter().map(|_| channel()).unzip();
    let mut fates = [arrives(), fate].into_iter();
    let offices = inboxes.into_iter().enumerate().map(|(me, inbox)| Office {
        me,
        to: to.clone(),
        inbox,
        sent: 0,
        fate: fates.next().unwrap_or_else(arrives),
    });
    let mut offices = offices.collect::<Vec<_>>().into_iter();
    let leads = Box::new(offices.next().unwrap());
    for (office, cores) in offices.zip(&cores[1..]) {
        let (asked, cores) = (asked.to_bytes(), *cores);
        scope.spawn(move || {
            let asked = DeviceAsked::of_bytes(&asked).unwrap();
            let _ = asked.help(cores, Box::new(office));
        });
    }
    DeviceSurveyors::Leading {
        cores: cores.to_vec(),
        post: leads,
    }
}

/// A survey by such.
pub(super) fn survey(
    asked: &DeviceAsked,
    cores: &[u32],
    keeping: Option<&Keeping>,
) -> Result<SurveyedStates, SurveyError> {
    std::thread::scope(|scope| {
        let by = among(scope, asked, cores, arrives());
        survey_states(asked, by, keeping, &mut goes_on)
    })
}

#[test]
fn processes_say_what_a_graph_says() {
    for (program, board) in programs() {
        let graph = graph(&program, board.as_deref());
        let asked = asked(&program, board.as_deref(), None);
        for cores in [&[1, 1][..], &[2, 1, 2], &[1, 1, 1, 1]] {
            let done = survey(&asked, cores, None).unwrap();
            let name = program.display();
            assert_eq!(said(done.report), graph, "{name} on {cores:?}");
            assert_eq!(done.survey.workers as u32, cores.iter().sum::<u32>());
            // Threads may have been faster with all of them.
            let (asks, sent) = (done.survey.asks, done.survey.sent_bytes);
            assert!(
                asks == 0 || sent > asks,
                "{name}: {asks} states, {sent} bytes"
            );
        }
    }
}

/// Who looks has to do with the first alone, which says who is gone.
#[test]
fn who_looks_goes_on_when_a_third_one_is_gone() {
    let (program, board) = programs().swap_remove(0);
    let asked = asked(&program, board.as_deref(), None);
    for (gone, goes_on) in [(2, true), (0, false)] {
        let (to, inbox) = channel();
        let end = postcard::to_allocvec(&LookLetter::End).unwrap();
        to.send((gone, Vec::new())).unwrap();
        to.send((0, end)).unwrap();
        let office = Office {
            me: 1,
            to: vec![to.clone(), to.clone(), to],
            inbox,
            sent: 0,
            fate: arrives(),
        };
        assert_eq!(asked.help(1, Box::new(office)).is_ok(), goes_on, "{gone}");
    }
}

#[test]
fn what_was_kept_is_gone_on_with_by_cores_and_processes_alike() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept");
    for (program, board) in programs() {
        let (name, board) = (program.display(), board.as_deref());
        let graph = graph(&program, board);
        let cut = asked(&program, board, Some(graph.states / 2 + 1));
        let alone = survey_states(&cut, on(1), Some(&keeping(&file)), &mut goes_on).unwrap();
        let by_one = fs::read(&file).unwrap();
        let done = survey(&cut, &[1, 1], Some(&keeping(&file))).unwrap();
        assert_eq!(said(done.report), said(alone.report), "{name}");
        let mut kept = DeviceSurveyFile::open(&file).unwrap();
        kept.asked.options.states = None;
        let done = kept.go_on(on(2), None, &mut goes_on).unwrap();
        assert_eq!(said(done.report), graph, "{name}: processes, then cores");
        fs::write(&file, by_one).unwrap();
        let mut kept = DeviceSurveyFile::open(&file).unwrap();
        kept.asked.options.states = None;
        let done = std::thread::scope(|scope| {
            let by = among(scope, &kept.asked, &[1, 1, 1], arrives());
            kept.go_on(by, None, &mut goes_on)
        });
        assert_eq!(
            said(done.unwrap().report),
            graph,
            "{name}: cores, then processes"
        );
    }
}

#[test]
fn who_is_gone_ends_it_and_nothing_is_lost() {
    let (program, board) = programs().remove(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept");
    let (graph, asked) = (
        graph(&program, None),
        asked(&program, board.as_deref(), None),
    );
    for after in [0, 3, 9] {
        let mut said_so_far = 0;
        let done = std::thread::scope(|scope| {
            let dies: Fate = Box::new(move |bytes| {
                said_so_far += 1;
                if said_so_far > after {
                    // What nobody understands is the last that is heard of it.
                    bytes.clear();
                }
            });
            let by = among(scope, &asked, &[1, 1, 1], dies);
            survey_states(&asked, by, Some(&keeping(&file)), &mut goes_on)
        });
        match done {
            Err(SurveyError::Apart(Apart::Gone { member: 1, .. })) => {}
            // Who is asked how often is chance: one that says no more than that lives to the end.
            Ok(done) if after > 0 => {
                assert_eq!(said(done.report), graph, "nobody died, after {after}");
                continue;
            }
            done => panic!("after {after}: {done:?}"),
        }
        let kept = DeviceSurveyFile::open(&file).unwrap();
        let done = kept.go_on(on(2), None, &mut goes_on).unwrap();
        assert_eq!(said(done.report), graph, "after {after}");
    }
}

/// Of letters that were changed on their way some mean the same, some nothing, and none brings anybody down.
#[test]
fn what_makes_no_sense_is_refused() {
    let (program, board) = programs().remove(0);
    let asked = asked(&program, board.as_deref(), Some(60));
    let (mut whole, mut refused) = (0, 0);
    for seed in 0..50 {
        let random = fastrand::Rng::with_seed(seed);
        let done = std::thread::scope(|scope| {
            let mut random = random;
            let changes: Fate = Box::new(move |bytes| {
                // Behind what says which states these are: to them an answer is waited for.
                let at = random.usize(bytes.len() / 2..bytes.len());
                bytes[at] ^= 1 << random.u32(..8);
            });
            let by = among(scope, &asked, &[1, 1], changes);
            survey_states(&asked, by, None, &mut goes_on)
        });
        match done {
            Ok(_) => whole += 1,
            Err(SurveyError::Apart(Apart::Gone { .. } | Apart::Senseless)) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(refused > 8, "{refused} were refused, {whole} not");
}

#[test]
fn what_cannot_be_asked_of_another_process_is_refused_by_name() {
    let (program, board) = programs().remove(0);
    let asked = asked(&program, board.as_deref(), None);
    let bytes = asked.to_bytes();
    assert_eq!(
        DeviceAsked::of_bytes(&bytes).map(|asked| asked.name()),
        Ok(asked.name())
    );
    for wrong in [&bytes[..bytes.len() / 2], b"", b"GET / HTTP/1.1"] {
        assert!(DeviceAsked::of_bytes(wrong).is_err());
    }
}
