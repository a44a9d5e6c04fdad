//! What processes say to each other before and around letters.

use std::io::{self, Read, Seek as _};
use std::path::Path;
use std::sync::OnceLock;

use borges_languages::model::{Pending, Threads};
use borges_multiverse::graph::Letter;
use borges_multiverse::workers::Workers as _;
use borges_session::suggest::{DeviceAsked, LookLetter};
use borges_session::survey::SurveyAsked;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Goes up when anything here changes. What is said in a survey is told apart by the build.
const PROTOCOL: u32 = 2;

/// A message of more bytes is none.
pub(crate) const MOST: usize = 1 << 31;

/// As long as nobody is known to be one of us.
pub(crate) const MOST_HELLO: usize = 256;

/// A message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// First, from who connects.
    Hello(Hello),
    /// To that: come in.
    Welcome {
        /// On how many cores it can work.
        cores: u32,
    },
    /// To that, or to a job: no, and why.
    Refused(String),
    /// From the leader.
    Job(Job),
    /// To that: all others are reached.
    Ready,
    /// Something of the survey.
    Letter(Letter<Vec<Pending>>),
    /// Something of the survey of a device program.
    Look(LookLetter),
    /// Nothing else is to be said.
    Alive,
}

/// Who connects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    protocol: u32,
    build: [u8; 32],
    /// Which survey this is about.
    pub(crate) run: u64,
    /// Which member of it; the leader is 0.
    pub(crate) place: u32,
}

/// What a worker is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Which member it is.
    pub(crate) place: u32,
    /// On how many cores each member works.
    pub(crate) cores: Vec<u32>,
    /// Where each waits, as the leader reaches it; of the leader itself nothing.
    pub(crate) hosts: Vec<String>,
    pub(crate) asked: Asked,
}

/// What is to be surveyed, as bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Asked {
    /// A [`SurveyAsked`].
    Model(Vec<u8>),
    /// A [`DeviceAsked`].
    Device(Vec<u8>),
}

/// What is to be surveyed.
#[derive(Clone, Copy)]
pub enum Wanted<'w> {
    /// A program of a model language.
    Model(&'w SurveyAsked),
    /// A device program.
    Device(&'w DeviceAsked),
}

impl Wanted<'_> {
    pub(crate) fn to_bytes(self) -> Asked {
        match self {
            Wanted::Model(asked) => Asked::Model(asked.to_bytes()),
            Wanted::Device(asked) => Asked::Device(asked.to_bytes()),
        }
    }
}

impl Hello {
    pub(crate) fn new(run: u64, place: u32) -> io::Result<Self> {
        Ok(Self {
            protocol: PROTOCOL,
            build: build()?,
            run,
            place,
        })
    }

    /// Why who says this is none of us; none if it is.
    pub(crate) fn objection(&self) -> io::Result<Option<&'static str>> {
        Ok(if self.protocol != PROTOCOL {
            Some("it speaks another protocol: take the same version of borges everywhere")
        } else if self.build != build()? {
            Some("it is another build of borges: copy one file to all computers")
        } else {
            None
        })
    }
}

impl Frame {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("memory does not run out of room")
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> io::Result<Self> {
        postcard::from_bytes(bytes).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, "it says nothing that is known")
        })
    }
}

/// So much of a file is digested at a time.
const PART: u64 = 4 << 20;
/// No more threads digest a file.
const MOST_DIGESTING: usize = 8;

/// The digest of the file that this process was started from.
pub(crate) fn build() -> io::Result<[u8; 32]> {
    static BUILD: OnceLock<[u8; 32]> = OnceLock::new();
    if let Some(build) = BUILD.get() {
        return Ok(*build);
    }
    let digest = digest_of(&std::env::current_exe()?)?;
    Ok(*BUILD.get_or_init(|| digest))
}

/// A digest of a file: that of its parts' digests, which threads make each for itself, since whoever puts jobs into a queue
/// waits for it.
fn digest_of(path: &Path) -> io::Result<[u8; 32]> {
    let length = std::fs::metadata(path)?.len();
    let part = |number: usize| -> io::Result<Sha256> {
        let mut file = std::fs::File::open(path)?;
        file.seek(io::SeekFrom::Start(number as u64 * PART))?;
        let (mut hasher, mut buffer, mut part) = (Sha256::new(), vec![0; 1 << 16], file.take(PART));
        loop {
            match part.read(&mut buffer)? {
                0 => return Ok(hasher),
                read => hasher.update(&buffer[..read]),
            }
        }
    };
    let parts = length.div_ceil(PART) as usize;
    let digests: Vec<_> = (0..parts).map(|_| OnceLock::new()).collect();
    let threads = Threads::all().count().min(MOST_DIGESTING);
    Threads::new(threads).run(parts, &|number| {
        // Each part is digested once.
        let _ = digests[number].set(part(number));
    });
    let mut hasher = Sha256::new();
    hasher.update(length.to_le_bytes());
    for digest in digests.into_iter().filter_map(OnceLock::into_inner) {
        hasher.update(digest?.finalize());
    }
    Ok(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_changes_in_a_file_changes_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let digest = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            digest_of(&path).unwrap()
        };
        let mut bytes = vec![7; 2 * PART as usize + 1];
        let whole = digest(&bytes);
        assert_eq!(digest(&bytes), whole);
        let mut known = vec![whole, digest(&[]), digest(&bytes[1..])];
        for at in [0, PART as usize - 1, PART as usize, 2 * PART as usize] {
            bytes[at] = 8;
            known.push(digest(&bytes));
            bytes[at] = 7;
        }
        let all = known.len();
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), all);
        assert!(digest_of(&folder.path().join("none")).is_err());
    }

    #[test]
    fn another_build_or_protocol_is_told_apart() {
        let ours = Hello::new(7, 1).unwrap();
        assert_eq!(ours.objection().unwrap(), None);
        let mut other = ours.clone();
        other.build[31] ^= 1;
        assert!(other.objection().unwrap().unwrap().contains("build"));
        let other = Hello {
            protocol: PROTOCOL + 1,
            ..ours
        };
        assert!(other.objection().unwrap().unwrap().contains("protocol"));
    }

    #[test]
    fn a_hello_is_short_and_garbage_is_none() {
        let hello = Frame::Hello(Hello::new(u64::MAX, u32::MAX).unwrap()).to_bytes();
        assert!(hello.len() <= MOST_HELLO);
        assert!(matches!(Frame::of_bytes(&hello).unwrap(), Frame::Hello(_)));
        for garbage in [&hello[..20], b"GET / HTTP/1.1\r\n\r\n", b""] {
            assert!(Frame::of_bytes(garbage).is_err());
        }
    }
}
