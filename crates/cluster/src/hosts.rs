//! Where workers wait.

use std::path::Path;

use thiserror::Error;

/// The port of a host of which none is said.
pub const PORT: u16 = 7070;

/// More workers than that are a mistake.
const MOST: usize = 4096;

/// Addresses of workers, `host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(pub Vec<String>);

/// Why there are none.
#[derive(Debug, Error)]
pub enum HostsError {
    /// The file cannot be read.
    #[error("{0}: {1}")]
    Io(String, #[source] std::io::Error),
    /// A line of it is no address.
    #[error("{file}, line {line}: '{text}' is no host and port, such as node7:7070")]
    Line {
        /// The file.
        file: String,
        /// Which line, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// A worker is in it twice.
    #[error("{0} is there twice: a worker works for one survey at a time, and uses all its cores")]
    Twice(String),
    /// There is nobody.
    #[error("{0} names no worker")]
    None(String),
    /// Slurm does not say who there is.
    #[error("{0}: this is not run by Slurm, or it says it in another way")]
    Slurm(String),
}

impl Hosts {
    /// Those of a file: one a line, `host:port` or `host`; what comes after `#` does not count.
    ///
    /// # Errors
    /// [`HostsError`].
    pub fn read(file: &Path) -> Result<Self, HostsError> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| HostsError::Io(name.clone(), error))?;
        Self::parse(&name, &text)
    }

    fn parse(name: &str, text: &str) -> Result<Self, HostsError> {
        let mut hosts = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            let host = address(text).ok_or_else(|| HostsError::Line {
                file: name.to_owned(),
                line,
                text: text.to_owned(),
            })?;
            hosts.push(host);
        }
        Self::checked(name, hosts)
    }

    /// The other nodes of a job of Slurm, by what it puts into the environment: `SLURM_JOB_NODELIST` without
    /// `SLURMD_NODENAME`.
    ///
    /// # Errors
    /// [`HostsError`].
    pub fn of_slurm(variable: impl Fn(&str) -> Option<String>) -> Result<Self, HostsError> {
        let said = |name: &str| {
            variable(name).ok_or_else(|| HostsError::Slurm(format!("{name} is not set")))
        };
        let (list, here) = (said("SLURM_JOB_NODELIST")?, said("SLURMD_NODENAME")?);
        let nodes = nodes(&list)
            .ok_or_else(|| HostsError::Slurm(format!("SLURM_JOB_NODELIST is '{list}'")))?;
        let others = nodes.into_iter().filter(|node| *node != here);
        let hosts = others.map(|node| format!("{node}:{PORT}"));
        Self::checked("SLURM_JOB_NODELIST", hosts.collect())
    }

    fn checked(name: &str, hosts: Vec<String>) -> Result<Self, HostsError> {
        let twice = (1..hosts.len()).find(|nth| hosts[..*nth].contains(&hosts[*nth]));
        match twice {
            Some(nth) => Err(HostsError::Twice(hosts[nth].clone())),
            None if hosts.is_empty() => Err(HostsError::None(name.to_owned())),
            None => Ok(Self(hosts)),
        }
    }
}

/// A host with its port.
fn address(text: &str) -> Option<String> {
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    match text.rsplit_once(':') {
        // An address of IPv6 stands in brackets.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (is_name(host)
            && port.parse::<u16>().is_ok_and(|port| port > 0))
        .then(|| text.to_owned()),
        Some(_) => None,
        None => is_name(text).then(|| format!("{text}:{PORT}")),
    }
}

/// The nodes of a list as Slurm writes it: `login,node[001-003,7]`.
fn nodes(list: &str) -> Option<Vec<String>> {
    let (mut nodes, mut rest) = (Vec::new(), list);
    while !rest.is_empty() {
        let end = rest.find([',', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        rest = match after.strip_prefix('[') {
            None => {
                nodes.push(name.to_owned());
                after
            }
            Some(after) => {
                let (numbers, after) = after.split_once(']')?;
                for range in numbers.split(',') {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    let width = first.len();
                    let (from, to): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
                    if to.checked_sub(from)? + nodes.len() > MOST {
                        return None;
                    }
                    nodes.extend((from..=to).map(|number| format!("{name}{number:0width$}")));
                }
                after
            }
        };
        if !rest.is_empty() {
            rest = rest.strip_prefix(',')?;
        }
        if nodes.last().is_none_or(String::is_empty) || nodes.len() > MOST {
            return None;
        }
    }
    (!nodes.is_empty()).then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_worker_a_line() {
        let parse = |text| Hosts::parse("hosts.txt", text);
        let hosts = parse("a:1 # the first\n\n# none\n b \n[::1]:65535\n").unwrap();
        assert_eq!(hosts.0, ["a:1", "b:7070", "[::1]:65535"]);
        for (text, why) in [
            ("a:1\nb:0", "hosts.txt, line 2: 'b:0'"),
            ("a:65536", "line 1"),
            ("a b:1", "line 1"),
            ("::1", "line 1"),
            (":1", "line 1"),
            ("a\na:7070", "a:7070 is there twice"),
            ("# nobody", "hosts.txt names no worker"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn slurm_says_which_nodes_there_are() {
        let of = |list: &str, here: &str| {
            let (list, here) = (list.to_owned(), here.to_owned());
            Hosts::of_slurm(move |name| match name {
                "SLURM_JOB_NODELIST" => Some(list.clone()),
                "SLURMD_NODENAME" => Some(here.clone()),
                _ => None,
            })
        };
        let hosts = of("login,node[008-010,7],big1", "node009").unwrap();
        let expected = [
            "login:7070",
            "node008:7070",
            "node010:7070",
            "node7:7070",
            "big1:7070",
        ];
        assert_eq!(hosts.0, expected);
        for list in [
            "node[1-",
            "node[2-1]",
            "node[a]",
            ",",
            "a,,b",
            "node[1-5000]",
            "node[1]x",
        ] {
            assert!(of(list, "a").is_err(), "{list}");
        }
        assert!(of("a", "a").unwrap_err().to_string().contains("no worker"));
        let unset = Hosts::of_slurm(|_| None).unwrap_err().to_string();
        assert!(unset.contains("SLURM_JOB_NODELIST is not set"));
    }
}
