//! A line that is opened again when it breaks.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use borges_wire::link::Link;
use serialport::SerialPort;
use thiserror::Error;

use crate::Address;

/// How long reading waits if nothing has arrived: short enough for anything that also has to be done.
const WAIT: Duration = Duration::from_millis(1);
/// Between two attempts to open a broken line.
const RETRY: Duration = Duration::from_millis(200);

/// A line cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The serial port.
    #[error(
        "the serial port {port} cannot be opened: {source}; is the device plugged in, is another program using it, and may you use it (on Linux: group dialout)?"
    )]
    Serial {
        /// Its name.
        port: String,
        /// Why.
        source: serialport::Error,
    },
    /// The socket.
    #[error("nothing answers at {host}: {source}; is the device (or the emulator) running?")]
    Tcp {
        /// Where.
        host: String,
        /// Why.
        source: std::io::Error,
    },
}

enum Stream {
    Serial(Box<dyn SerialPort>),
    Tcp(TcpStream),
}

/// A line that is opened again when it breaks.
pub(crate) struct Line {
    address: Address,
    stream: Option<Stream>,
    last_attempt: Instant,
    beginning: Instant,
}

impl Line {
    pub(crate) fn open(address: Address) -> Result<Self, OpenError> {
        let stream = Some(connect(&address)?);
        let now = Instant::now();
        Ok(Self {
            address,
            stream,
            last_attempt: now,
            beginning: now,
        })
    }

    /// The stream, opened anew if it broke and the time has come.
    fn stream(&mut self) -> Option<&mut Stream> {
        if self.stream.is_none() && self.last_attempt.elapsed() >= RETRY {
            self.last_attempt = Instant::now();
            self.stream = connect(&self.address).ok();
        }
        self.stream.as_mut()
    }

    /// What came out of reading or writing: how many bytes, or that the line broke.
    fn passed(&mut self, result: std::io::Result<usize>) -> usize {
        match result {
            Ok(length) => length,
            Err(e)
                if matches!(
                    e.kind(),
                    ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
                ) =>
            {
                0
            }
            Err(_) => {
                self.stream = None;
                self.last_attempt = Instant::now();
                0
            }
        }
    }
}

impl Link for Line {
    fn send(&mut self, bytes: &[u8]) -> usize {
        let result = match self.stream() {
            None => return 0,
            Some(Stream::Serial(port)) => port.write(bytes),
            Some(Stream::Tcp(socket)) => socket.write(bytes),
        };
        self.passed(result)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        let result = match self.stream() {
            None => {
                std::thread::sleep(WAIT);
                return 0;
            }
            Some(Stream::Serial(port)) => port.read(buffer),
            // A socket that has ended reads nothing without an error.
            Some(Stream::Tcp(socket)) => match socket.read(buffer) {
                Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
                result => result,
            },
        };
        self.passed(result)
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.beginning.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

fn connect(address: &Address) -> Result<Stream, OpenError> {
    match address {
        Address::Serial { port, baud } => {
            let opened = serialport::new(port, *baud).timeout(WAIT).open();
            let failed = |source| OpenError::Serial {
                port: port.clone(),
                source,
            };
            opened.map(Stream::Serial).map_err(failed)
        }
        Address::Tcp { host } => {
            let socket = TcpStream::connect(host).and_then(|socket| {
                socket.set_nodelay(true)?;
                socket.set_read_timeout(Some(WAIT))?;
                socket.set_write_timeout(Some(WAIT))?;
                Ok(socket)
            });
            let failed = |source| OpenError::Tcp {
                host: host.clone(),
                source,
            };
            socket.map(Stream::Tcp).map_err(failed)
        }
    }
}

/// The serial ports of this computer, with what is known of each.
///
/// # Errors
/// What the operating system says.
pub fn ports() -> Result<Vec<(String, String)>, serialport::Error> {
    let ports = serialport::available_ports()?.into_iter().map(|port| {
        let what = match port.port_type {
            serialport::SerialPortType::UsbPort(usb) => {
                let names = [usb.manufacturer, usb.product, usb.serial_number];
                let names: Vec<String> = names.into_iter().flatten().collect();
                format!("USB {:04x}:{:04x} {}", usb.vid, usb.pid, names.join(" "))
            }
            serialport::SerialPortType::PciPort => "built in".to_owned(),
            serialport::SerialPortType::BluetoothPort => "Bluetooth".to_owned(),
            serialport::SerialPortType::Unknown => String::new(),
        };
        (port.port_name, what.trim().to_owned())
    });
    Ok(ports.collect())
}
