//! The chip's peripherals.
//!
//! Pins have the numbers of the chip. Taken: 0 and 1 are the line to the host, 4 and 5 the sensor's line, 18 and 19 the
//! SPI bus (clock and data), 22 the pixel strip. Only 26 to 29 can measure a voltage.

use borges_firmware::{Chance, Chip, Pwm, Stepper, Wiring, send_pixels};
use embassy_rp::pac;

use crate::flash::Programs;
use crate::line;

/// What a pin can be connected to (RP2040 datasheet, table 2).
#[derive(Clone, Copy)]
#[repr(u8)]
enum Function {
    Spi = 1,
    Uart = 2,
    Pwm = 4,
    /// The core's own control.
    Sio = 5,
}

/// The strip of pixels.
const STRIP: u8 = 22;
/// The first of the pins that can measure a voltage.
const FIRST_ANALOG: u8 = 26;
/// How often a flag is looked at before a peripheral counts as missing.
const PATIENCE: u32 = 10_000;
/// Without a sign of life for so long, in microseconds, the watchdog restarts the chip.
const WATCHDOG_US: u32 = 4_000_000;

/// An RP2040.
pub struct Rp2040 {
    core_hz: u32,
    #[cfg(feature = "usb")]
    usb: crate::usb::Usb,
    /// The host speaks on the USB port.
    #[cfg(feature = "usb")]
    on_usb: Option<bool>,
    /// The latest byte of the sensor.
    reading: Option<u8>,
    /// For each pin, which edges are kept: any (1), falling (2), rising (3).
    edges: [Option<i32>; Self::PINS as usize],
    chance: Chance,
}

impl Rp2040 {
    /// Starts clocks and peripherals: the chip, and its flash. Call it once.
    pub fn start() -> (Self, Programs) {
        let peripherals = embassy_rp::init(embassy_rp::config::Config::default());
        let core_hz = embassy_rp::clocks::clk_sys_freq();
        for pin in [0, 1, 4, 5] {
            connect(pin, Function::Uart);
        }
        line::start(embassy_rp::clocks::clk_peri_freq());
        pac::ADC.cs().write(|w| w.set_en(true));
        watchdog();
        let chip = Self {
            core_hz,
            #[cfg(feature = "usb")]
            usb: crate::usb::Usb::start(peripherals.USB),
            #[cfg(feature = "usb")]
            on_usb: None,
            reading: None,
            edges: [None; Self::PINS as usize],
            chance: Chance::default(),
        };
        (chip, Programs::new(peripherals.FLASH))
    }
}

/// Starts the watchdog, which restarts the whole chip but its oscillators.
fn watchdog() {
    pac::PSM.wdsel().write(|w| {
        *w = pac::psm::regs::Wdsel(0x0001_ffff);
        w.set_rosc(false);
        w.set_xosc(false);
    });
    feed_watchdog();
    pac::WATCHDOG.ctrl().modify(|w| w.set_enable(true));
}

fn feed_watchdog() {
    // It counts two for each microsecond (erratum RP2040-E1).
    pac::WATCHDOG.load().write(|w| w.set_load(WATCHDOG_US * 2));
}

/// Restarts the whole chip; what lies in its memory stays.
pub fn restart() -> ! {
    loop {
        pac::WATCHDOG.ctrl().modify(|w| w.set_trigger(true));
    }
}

fn exists(pin: u8) -> bool {
    pin < Rp2040::PINS
}

fn connect(pin: u8, function: Function) {
    let n = usize::from(pin);
    pac::PADS_BANK0.gpio(n).modify(|w| {
        w.set_od(false);
        w.set_ie(true);
    });
    pac::IO_BANK0
        .gpio(n)
        .ctrl()
        .write(|w| w.set_funcsel(function as u8));
}

/// Waits for a flag of a peripheral, but not for ever.
fn wait_for(flag: impl Fn() -> bool) -> bool {
    (0..PATIENCE).any(|_| flag())
}

impl Chip for Rp2040 {
    const PINS: u8 = 30;
    const WIRING: Wiring = Wiring {
        buzzer: Some(15),
        motors: &[Stepper {
            step: 16,
            direction: 17,
            steps_per_turn: 200,
        }],
        touch: &[20, 21],
    };

    fn now_us(&mut self) -> u64 {
        let timer = pac::TIMER;
        loop {
            let high = timer.timerawh().read();
            let low = timer.timerawl().read();
            // The lower half may have wrapped between the two.
            if timer.timerawh().read() == high {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }

    fn alive(&mut self) {
        feed_watchdog();
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        #[cfg(feature = "usb")]
        {
            let length = self.usb.receive(buffer);
            // Who pulls the cable makes room for somebody else.
            self.on_usb = self
                .on_usb
                .filter(|on_usb| !on_usb || self.usb.is_connected());
            if length > 0 && self.on_usb != Some(false) {
                self.on_usb = Some(true);
                return length;
            }
            if self.on_usb == Some(true) {
                return 0;
            }
        }
        let length = line::HOST.receive(buffer);
        #[cfg(feature = "usb")]
        if length > 0 {
            self.on_usb = Some(false);
        }
        length
    }

    fn send(&mut self, bytes: &[u8]) -> usize {
        #[cfg(feature = "usb")]
        if self.on_usb == Some(true) {
            return self.usb.send(bytes);
        }
        line::HOST.send(bytes)
    }

    fn set_speed(&mut self, baud: u32) {
        line::set_speed(embassy_rp::clocks::clk_peri_freq(), baud);
    }

    fn pin_mode(&mut self, pin: u8, mode: Option<i32>) {
        if !exists(pin) {
            return;
        }
        pac::PADS_BANK0.gpio(usize::from(pin)).modify(|w| {
            w.set_pue(mode == Some(1));
            w.set_pde(false);
        });
        let output = pac::SIO.gpio_oe(0);
        let bit = 1 << pin;
        if mode == Some(2) {
            output.value_set().write_value(bit);
        } else {
            output.value_clr().write_value(bit);
        }
        connect(pin, Function::Sio);
    }

    fn write(&mut self, pin: u8, level: bool) {
        if !exists(pin) {
            return;
        }
        let levels = pac::SIO.gpio_out(0);
        if level {
            levels.value_set().write_value(1 << pin);
        } else {
            levels.value_clr().write_value(1 << pin);
        }
    }

    fn read(&mut self, pin: u8) -> bool {
        exists(pin) && pac::SIO.gpio_in(0).read() >> pin & 1 == 1
    }

    fn analog(&mut self, pin: u8) -> u16 {
        if pin < FIRST_ANALOG || !exists(pin) {
            return 0;
        }
        // The pad must not load what it measures.
        pac::PADS_BANK0.gpio(usize::from(pin)).modify(|w| {
            w.set_od(true);
            w.set_ie(false);
            w.set_pue(false);
            w.set_pde(false);
        });
        let converter = pac::ADC;
        converter.cs().modify(|w| {
            w.set_ainsel(pin - FIRST_ANALOG);
            w.set_start_once(true);
        });
        if wait_for(|| converter.cs().read().ready()) {
            converter.result().read().result()
        } else {
            0
        }
    }

    fn pwm(&mut self, pin: u8, pwm: Option<Pwm>) {
        if !exists(pin) {
            return;
        }
        let Some(Pwm { frequency_hz, duty }) = pwm else {
            pac::SIO.gpio_oe(0).value_clr().write_value(1 << pin);
            return connect(pin, Function::Sio);
        };
        // 65,536 ticks a period at most: the divider, of 255 at most, makes up for slow ones.
        let ticks = self.core_hz / frequency_hz.clamp(8, self.core_hz / 4);
        let divider = (ticks >> 16) + 1;
        let period = ticks / divider;
        let high = u64::from(period) * u64::from(duty.min(4095)) / 4095;
        let slice = pac::PWM.ch(usize::from(pin / 2 % 8));
        slice.div().write(|w| w.set_int(divider as u8));
        slice.top().write(|w| w.set_top((period - 1) as u16));
        slice.cc().modify(|w| {
            if pin.is_multiple_of(2) {
                w.set_a(high as u16);
            } else {
                w.set_b(high as u16);
            }
        });
        slice.csr().write(|w| w.set_en(true));
        connect(pin, Function::Pwm);
    }

    fn spi(&mut self, bytes: &[u8]) {
        let bus = pac::SPI0;
        if !bus.cr1().read().sse() {
            connect(18, Function::Spi);
            connect(19, Function::Spi);
            // 125 MHz / (2 × (1 + 5)): the controllers of displays bear 15 MHz.
            bus.cpsr().write(|w| w.set_cpsdvsr(2));
            bus.cr0().write(|w| {
                w.set_dss(7);
                w.set_scr(5);
            });
            bus.cr1().write(|w| w.set_sse(true));
        }
        for byte in bytes {
            wait_for(|| bus.sr().read().tnf());
            bus.dr().write(|w| w.set_data(u16::from(*byte)));
        }
        wait_for(|| !bus.sr().read().bsy());
    }

    fn pixels(&mut self, colours: &[u32]) {
        send_pixels(self, STRIP, colours, self.core_hz);
    }

    fn sensor(&mut self, port: u8) -> Option<u8> {
        use borges_firmware::Uart;
        if port != 0 {
            return None;
        }
        let latest = core::iter::from_fn(|| line::SENSOR.take()).last();
        self.reading = latest.or(self.reading);
        self.reading
    }

    fn sensor_mode(&mut self, port: u8, mode: u8) {
        use borges_firmware::Uart;
        if port == 0 && line::SENSOR.is_ready() {
            line::SENSOR.put(mode);
        }
    }

    fn watch_edges(&mut self, pin: u8, mode: Option<i32>) {
        if let Some(kept) = self.edges.get_mut(usize::from(pin)) {
            *kept = mode;
            // The interrupt itself stays off: what is kept is looked at between two instructions of the program.
            take_edge(pin, 1);
        }
    }

    fn edge(&mut self) -> Option<u8> {
        (0..Self::PINS).find(|pin| {
            let mode = self.edges.get(usize::from(*pin)).copied().flatten();
            mode.is_some_and(|mode| take_edge(*pin, mode))
        })
    }

    fn random(&mut self) -> u32 {
        // The ring oscillator's bit is noise, if not of the best.
        let noise = (0..32).fold(0, |bits, _| {
            bits << 1 | u32::from(pac::ROSC.randombit().read().randombit())
        });
        let now_us = self.now_us();
        self.chance.next(noise, now_us)
    }
}

/// Whether a pin has had an edge: any (1), a falling (2) or a rising one (3). Both are forgotten.
fn take_edge(pin: u8, mode: i32) -> bool {
    // Eight pins a register.
    let kept = pac::IO_BANK0.intr(usize::from(pin / 8));
    let n = usize::from(pin % 8);
    let (falling, rising) = (kept.read().edge_low(n), kept.read().edge_high(n));
    kept.write(|w| {
        w.set_edge_low(n, true);
        w.set_edge_high(n, true);
    });
    falling && mode != 3 || rising && mode != 2
}
