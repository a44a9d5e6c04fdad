//! The chip's peripherals.
//!
//! Pins are numbered by port: 0 to 15 are PA0 to PA15, 16 to 31 PB0 to PB15, 32 to 47 PC0 to PC15. Taken: PA9 and PA10
//! are the line to the host, PA2, PA3, PB10 and PB11 sensors' lines, PA5 and PA7 the SPI bus, PB5 the pixel strip.

use borges_firmware::{Chance, Chip, Pwm, Stepper, Wiring, send_pixels};
use embassy_stm32::pac;
use embassy_stm32::pac::gpio::{Gpio, vals::Moder, vals::Pupdr};
use embassy_stm32::pac::timer::TimGp16;
use embassy_stm32::pac::timer::vals::Ocm;

use crate::{clock, line};

/// Alternate functions of pins (STM32F405 datasheet, table 9).
const AF_TIMERS: u8 = 2;
const AF_SPI: u8 = 5;
const AF_LINES: u8 = 7;
/// Clock of the timers on APB1, in Hz.
const TIMER_HZ: u32 = clock::CORE_HZ / 2;
/// The strip of pixels: PB5.
const STRIP: u8 = 21;
/// How often a flag is looked at before a peripheral counts as missing.
const PATIENCE: u32 = 10_000;

/// An STM32F405.
pub struct Stm32f405 {
    readings: [Option<u8>; 2],
    /// For each of the sixteen lines of edges, the pin that has it.
    edges: [Option<u8>; 16],
    chance: Chance,
}

impl Stm32f405 {
    /// Starts clocks and peripherals. Call it once.
    pub fn start() -> Self {
        // QEMU has no clock controller: it reads as zero, which no real one does.
        if pac::RCC.cr().read().0 != 0 {
            embassy_stm32::init(full_speed());
        }
        let rcc = pac::RCC;
        rcc.ahb1enr().modify(|w| {
            w.set_gpioaen(true);
            w.set_gpioben(true);
            w.set_gpiocen(true);
        });
        rcc.ahb2enr().modify(|w| w.set_rngen(true));
        rcc.apb1enr().modify(|w| {
            w.set_usart2en(true);
            w.set_usart3en(true);
            w.set_tim3en(true);
            w.set_tim4en(true);
        });
        rcc.apb2enr().modify(|w| {
            w.set_usart1en(true);
            w.set_spi1en(true);
            w.set_adc1en(true);
            w.set_syscfgen(true);
        });
        pac::RNG.cr().modify(|w| w.set_rngen(true));
        for pin in [9, 10, 2, 3, 16 + 10, 16 + 11] {
            alternate(pin, AF_LINES);
        }
        line::start();
        // SAFETY: `start` is called once; nothing else takes the core's peripherals.
        let mut core = unsafe { cortex_m::Peripherals::steal() };
        clock::start(&mut core.SYST);
        watchdog();
        Self {
            readings: [None; 2],
            edges: [None; 16],
            chance: Chance::default(),
        }
    }
}

/// 168 MHz from the internal oscillator, so that no board needs a particular crystal.
fn full_speed() -> embassy_stm32::Config {
    use embassy_stm32::rcc::{
        AHBPrescaler, APBPrescaler, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv, PllSource, Sysclk,
    };
    let mut config = embassy_stm32::Config::default();
    config.rcc.hsi = true;
    config.rcc.pll_src = PllSource::HSI;
    config.rcc.pll = Some(Pll {
        prediv: PllPreDiv::DIV8,
        mul: PllMul::MUL168,
        divp: Some(PllPDiv::DIV2),
        divq: Some(PllQDiv::DIV7),
        divr: None,
    });
    config.rcc.sys = Sysclk::PLL1_P;
    config.rcc.ahb_pre = AHBPrescaler::DIV1;
    config.rcc.apb1_pre = APBPrescaler::DIV4;
    config.rcc.apb2_pre = APBPrescaler::DIV2;
    config
}

/// Starts the independent watchdog: about four seconds without [`Chip::alive`] restart the chip.
fn watchdog() {
    use pac::iwdg::vals::{Key, Pr};
    let dog = pac::IWDG;
    dog.kr().write(|w| w.set_key(Key::START));
    dog.kr().write(|w| w.set_key(Key::ENABLE));
    dog.pr().write(|w| w.set_pr(Pr::DIVIDE_BY128));
    dog.rlr().write(|w| w.set_rl(1000));
}

/// A pin's port and its place in it.
fn place(pin: u8) -> Option<(Gpio, usize)> {
    let port = match pin / 16 {
        0 => pac::GPIOA,
        1 => pac::GPIOB,
        2 => pac::GPIOC,
        _ => return None,
    };
    Some((port, usize::from(pin % 16)))
}

fn alternate(pin: u8, function: u8) {
    if let Some((port, n)) = place(pin) {
        port.afr(n / 8).modify(|w| w.set_afr(n % 8, function));
        port.moder().modify(|w| w.set_moder(n, Moder::ALTERNATE));
    }
}

/// The timer and the channel that can modulate a pin.
fn timer(pin: u8) -> Option<(TimGp16, usize)> {
    match pin {
        16 => Some((pac::TIM3, 2)),
        17 => Some((pac::TIM3, 3)),
        22..=25 => Some((pac::TIM4, usize::from(pin - 22))),
        _ => None,
    }
}

/// The converter's channel of a pin.
fn channel(pin: u8) -> Option<u8> {
    match pin {
        0..=7 => Some(pin),
        16..=17 => Some(pin - 16 + 8),
        32..=37 => Some(pin - 32 + 10),
        _ => None,
    }
}

/// Waits for a flag of a peripheral, but not for ever.
fn wait_for(flag: impl Fn() -> bool) -> bool {
    (0..PATIENCE).any(|_| flag())
}

impl Chip for Stm32f405 {
    const PINS: u8 = 48;
    const WIRING: Wiring = Wiring {
        buzzer: Some(24),
        motors: &[Stepper {
            step: 32,
            direction: 33,
            steps_per_turn: 200,
        }],
        touch: &[40, 41],
    };

    fn now_us(&mut self) -> u64 {
        clock::now_us()
    }

    fn alive(&mut self) {
        pac::IWDG
            .kr()
            .write(|w| w.set_key(pac::iwdg::vals::Key::RESET));
    }

    fn receive(&mut self, buffer: &mut [u8]) -> usize {
        line::HOST.receive(buffer)
    }

    fn send(&mut self, bytes: &[u8]) -> usize {
        line::HOST.send(bytes)
    }

    fn set_speed(&mut self, baud: u32) {
        line::set_speed(baud);
    }

    fn pin_mode(&mut self, pin: u8, mode: Option<i32>) {
        let Some((port, n)) = place(pin) else { return };
        let (direction, pull) = match mode {
            Some(2) => (Moder::OUTPUT, Pupdr::FLOATING),
            Some(1) => (Moder::INPUT, Pupdr::PULL_UP),
            _ => (Moder::INPUT, Pupdr::FLOATING),
        };
        port.pupdr().modify(|w| w.set_pupdr(n, pull));
        port.moder().modify(|w| w.set_moder(n, direction));
    }

    fn write(&mut self, pin: u8, level: bool) {
        if let Some((port, n)) = place(pin) {
            port.bsrr().write(|w| {
                if level {
                    w.set_bs(n, true);
                } else {
                    w.set_br(n, true);
                }
            });
        }
    }

    fn read(&mut self, pin: u8) -> bool {
        place(pin).is_some_and(|(port, n)| port.idr().read().idr(n) == pac::gpio::vals::Idr::HIGH)
    }

    fn analog(&mut self, pin: u8) -> u16 {
        let (Some(channel), Some((port, n))) = (channel(pin), place(pin)) else {
            return 0;
        };
        port.moder().modify(|w| w.set_moder(n, Moder::ANALOG));
        let converter = pac::ADC1;
        converter.cr2().modify(|w| w.set_adon(true));
        converter.sqr3().modify(|w| w.set_sq(0, channel));
        converter.cr2().modify(|w| w.set_swstart(true));
        if wait_for(|| converter.sr().read().eoc()) {
            converter.dr().read().data() & 0xfff
        } else {
            0
        }
    }

    fn pwm(&mut self, pin: u8, pwm: Option<Pwm>) {
        let (Some((timer, channel)), Some((port, n))) = (timer(pin), place(pin)) else {
            return;
        };
        let Some(Pwm { frequency_hz, duty }) = pwm else {
            port.moder().modify(|w| w.set_moder(n, Moder::INPUT));
            return;
        };
        // 65,536 ticks a period at most: the prescaler makes up for slow ones.
        let ticks = TIMER_HZ / frequency_hz.clamp(1, TIMER_HZ / 4);
        let prescaler = ticks / 65_536;
        let period = (ticks / (prescaler + 1)).max(1);
        timer.psc().write_value(prescaler as u16);
        timer.arr().write(|w| w.set_arr((period - 1) as u16));
        let high = u64::from(period) * u64::from(duty.min(4095)) / 4095;
        timer.ccr(channel).write(|w| w.set_ccr(high as u16));
        timer
            .ccmr_output(channel / 2)
            .modify(|w| w.set_ocm(channel % 2, Ocm::PWM_MODE1));
        timer.ccer().modify(|w| w.set_cce(channel, true));
        timer.cr1().modify(|w| w.set_cen(true));
        alternate(pin, AF_TIMERS);
    }

    fn spi(&mut self, bytes: &[u8]) {
        let bus = pac::SPI1;
        if !bus.cr1().read().spe() {
            alternate(5, AF_SPI);
            alternate(7, AF_SPI);
            bus.cr1().write(|w| {
                w.set_mstr(pac::spi::vals::Mstr::MASTER);
                w.set_ssm(true);
                w.set_ssi(true);
                w.set_br(pac::spi::vals::Br::DIV8);
                w.set_spe(true);
            });
        }
        for byte in bytes {
            wait_for(|| bus.sr().read().txe());
            bus.dr().write(|w| w.set_dr(u16::from(*byte)));
        }
        wait_for(|| !bus.sr().read().bsy());
    }

    fn pixels(&mut self, colours: &[u32]) {
        send_pixels(self, STRIP, colours, clock::CORE_HZ);
    }

    fn sensor(&mut self, port: u8) -> Option<u8> {
        let latest = line::sensor(port);
        let kept = self.readings.get_mut(usize::from(port))?;
        *kept = latest.or(*kept);
        *kept
    }

    fn sensor_mode(&mut self, port: u8, mode: u8) {
        line::to_sensor(port, mode);
    }

    fn watch_edges(&mut self, pin: u8, mode: Option<i32>) {
        let Some((_, n)) = place(pin) else { return };
        let exti = pac::EXTI;
        let rising = matches!(mode, Some(1 | 3));
        let falling = matches!(mode, Some(1 | 2));
        pac::SYSCFG
            .exticr(n / 4)
            .modify(|w| w.set_exti(n % 4, pin / 16));
        exti.rtsr(0).modify(|w| w.set_line(n, rising));
        exti.ftsr(0).modify(|w| w.set_line(n, falling));
        // The interrupt itself stays off: what is kept is looked at between two instructions of the program.
        exti.imr(0).modify(|w| w.set_line(n, rising || falling));
        exti.pr(0).write(|w| w.set_line(n, true));
        self.edges[n] = mode.map(|_| pin);
    }

    fn edge(&mut self) -> Option<u8> {
        let kept = pac::EXTI.pr(0).read();
        let n = (0..16).find(|n| kept.line(*n) && self.edges[*n].is_some())?;
        pac::EXTI.pr(0).write(|w| w.set_line(n, true));
        self.edges[n]
    }

    fn random(&mut self) -> u32 {
        // QEMU has no noise source: the time will do.
        let noise = wait_for(|| pac::RNG.sr().read().drdy()).then(|| pac::RNG.dr().read());
        self.chance.next(noise.unwrap_or(0), clock::now_us())
    }
}
