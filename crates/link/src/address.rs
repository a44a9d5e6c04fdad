//! Where a device is, as a user types it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Baud rate of a serial port if none is given.
const BAUD: u32 = 115_200;

/// Where a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A serial port: `serial:/dev/ttyACM0`, with another baud rate `serial:/dev/ttyUSB0@921600`.
    Serial {
        /// The port's name: a file, or `COM3`.
        port: String,
        /// Bits a second.
        baud: u32,
    },
    /// A socket: `tcp:127.0.0.1:5555`.
    Tcp {
        /// Host and port.
        host: String,
    },
}

/// This names no device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Neither kind.
    #[error(
        "'{0}' names no device: write serial:PORT, serial:PORT@BAUD or tcp:HOST:PORT; `borges devices` lists ports"
    )]
    Kind(String),
    /// No port number.
    #[error("'{0}' has no port number: write tcp:HOST:PORT")]
    Port(String),
    /// No baud rate.
    #[error("'{0}' is no baud rate: write a number of bits a second, such as 115200")]
    Baud(String),
}

impl Address {
    /// A serial port, with the usual baud rate if none is given.
    #[must_use]
    pub fn serial(port: &str, baud: Option<u32>) -> Self {
        Self::Serial {
            port: port.to_owned(),
            baud: baud.unwrap_or(BAUD),
        }
    }

    /// The same with another baud rate; nothing if it is no serial port.
    #[must_use]
    pub fn with_baud(self, baud: u32) -> Option<Self> {
        match self {
            Self::Serial { port, .. } => Some(Self::Serial { port, baud }),
            Self::Tcp { .. } => None,
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        match text.split_once(':') {
            Some(("serial", rest)) if !rest.is_empty() => {
                let (port, baud) = rest.rsplit_once('@').unwrap_or((rest, ""));
                let baud = match baud {
                    "" => BAUD,
                    baud => match baud.parse() {
                        Ok(baud) if baud > 0 => baud,
                        _ => return Err(AddressError::Baud(baud.to_owned())),
                    },
                };
                let port = port.to_owned();
                Ok(Address::Serial { port, baud })
            }
            Some(("tcp", host)) => match host.rsplit_once(':') {
                Some((name, port)) if !name.is_empty() && port.parse::<u16>().is_ok() => {
                    Ok(Address::Tcp {
                        host: host.to_owned(),
                    })
                }
                _ => Err(AddressError::Port(text.to_owned())),
            },
            _ => Err(AddressError::Kind(text.to_owned())),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Serial { port, baud } if *baud == BAUD => write!(f, "serial:{port}"),
            Address::Serial { port, baud } => write!(f, "serial:{port}@{baud}"),
            Address::Tcp { host } => write!(f, "tcp:{host}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in [
            "serial:/dev/ttyACM0",
            "serial:COM3@9600",
            "tcp:127.0.0.1:5555",
            "tcp:[::1]:80",
        ] {
            assert_eq!(
                text.parse::<Address>().map(|a| a.to_string()),
                Ok(text.to_owned())
            );
        }
    }

    #[test]
    fn what_names_no_device_is_refused_with_what_to_write() {
        for (text, part) in [
            ("/dev/ttyACM0", "serial:PORT"),
            ("serial:", "serial:PORT"),
            ("serial:x@fast", "bits a second"),
            ("serial:x@0", "bits a second"),
            ("tcp:localhost", "tcp:HOST:PORT"),
            ("tcp:localhost:99999", "tcp:HOST:PORT"),
        ] {
            let message = text.parse::<Address>().expect_err(text).to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
