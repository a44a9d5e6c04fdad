//! Waiting for several things at once.

use crate::call::{Call, Done};
use crate::choice::{Chosen, ClockId, Wants};
use crate::errno::Errno;
use crate::function::Preview;
use crate::rights;
use crate::world::Open;
use alloc::vec;
use alloc::vec::Vec;

const CLOCK: u8 = 0;
const READ: u8 = 1;
/// The bytes of an event.
const EVENT: u64 = 32;

/// What a program waits for.
#[derive(Clone, Copy)]
struct Subscription {
    userdata: u64,
    kind: u8,
    when: When,
}

/// When it happens.
#[derive(Clone, Copy)]
enum When {
    /// At once: with an error, or with so many bytes.
    Now(Result<u64, Errno>),
    /// After so many nanoseconds.
    After(u64),
    /// When there is standard input.
    Input,
}

pub(super) fn poll(call: &mut Call<'_>) -> Done {
    let (list, events, count) = (call.pointer(0), call.pointer(1), call.small(2));
    if count == 0 || count > call.limits().subscriptions {
        return Err(Errno::Inval.into());
    }
    let size = size(call.preview);
    call.place(list, u64::from(count) * size, 8)?;
    call.place(events, u64::from(count) * EVENT, 8)?;
    let place = call.pointer(3);
    call.place(place, 4, 4)?;
    let subscriptions = (0..u64::from(count))
        .map(|at| subscription(call, list + at * size))
        .collect::<Done<Vec<_>>>()?;
    let alternatives = alternatives(&subscriptions);
    let chosen = if alternatives.len() == 1 && call.chosen.is_none() {
        0
    } else {
        match call.chosen {
            Some(Chosen::Ready(chosen)) if (*chosen as usize) < alternatives.len() => {
                *chosen as usize
            }
            _ => return Err(call.misuse(Some(Wants::Ready { alternatives }))),
        }
    };
    let mut bytes = Vec::with_capacity(alternatives[chosen].len() * EVENT as usize);
    let mut slept = 0;
    for &index in &alternatives[chosen] {
        let subscription = subscriptions[index as usize];
        if let When::After(time) = subscription.when {
            slept = slept.max(time);
        }
        event(&subscription, &mut bytes);
    }
    // Whoever slept for so long will not read an earlier time.
    for clock in [ClockId::Realtime, ClockId::Monotonic] {
        let reading = &mut call.world.clocks[clock as usize];
        *reading = reading.saturating_add(slept);
    }
    call.slept = slept;
    call.write(events, bytes);
    call.write_small(place, alternatives[chosen].len() as u32);
    Ok(())
}

/// What a subscription asks for.
pub(crate) enum Asked {
    /// A clock, if one can wait for it, with whether its own time is meant; and the time.
    Time(Option<(ClockId, bool)>, u64),
    /// A descriptor that can be read, or written.
    Stream { number: u32, reads: bool },
}

/// What all subscriptions of a call ask for.
pub(crate) fn all_asked(call: &Call<'_>) -> Done<Vec<Asked>> {
    let (list, count) = (
        call.pointer(0),
        call.small(2).min(call.limits().subscriptions),
    );
    let all = (0..u64::from(count)).map(|at| list + at * size(call.preview));
    all.map(|address| asked(call, address)).collect()
}

/// Bytes of a subscription.
fn size(preview: Preview) -> u64 {
    match preview {
        Preview::One => 48,
        Preview::Unstable => 56,
    }
}

fn asked(call: &Call<'_>, address: u64) -> Done<Asked> {
    let kind = call.number::<1>(address + 8)? as u8;
    Ok(match kind {
        CLOCK => {
            // Preview 0 has an identifier before it.
            let at = match call.preview {
                Preview::One => address + 16,
                Preview::Unstable => address + 24,
            };
            let clock = call.number::<4>(at)? as usize;
            let timeout = call.number::<8>(at + 8)?;
            let clock = match (ClockId::ALL.get(clock), call.number::<2>(at + 24)?) {
                (Some(clock @ (ClockId::Realtime | ClockId::Monotonic)), flags @ (0 | 1)) => {
                    Some((*clock, flags == 1))
                }
                // No one waits for a clock of computing time.
                _ => None,
            };
            Asked::Time(clock, timeout)
        }
        READ | 2 => Asked::Stream {
            number: call.number::<4>(address + 16)? as u32,
            reads: kind == READ,
        },
        _ => return Err(Errno::Inval.into()),
    })
}

/// The subscription at an address.
fn subscription(call: &Call<'_>, address: u64) -> Done<Subscription> {
    let userdata = call.number::<8>(address)?;
    let kind = call.number::<1>(address + 8)? as u8;
    let when = match asked(call, address)? {
        Asked::Time(None, _) => When::Now(Err(Errno::Inval)),
        Asked::Time(Some((clock, own)), time) => {
            let since = if own { call.world.clock(clock) } else { 0 };
            When::After(time.saturating_sub(since))
        }
        Asked::Stream { number, reads } => stream(call, number, reads)?,
    };
    Ok(Subscription {
        userdata,
        kind,
        when,
    })
}

/// When a descriptor can be read, or written.
fn stream(call: &Call<'_>, number: u32, reads: bool) -> Done<When> {
    let Some(descriptor) = call.world.descriptors.get(number) else {
        return Ok(When::Now(Err(Errno::Badf)));
    };
    if descriptor.base & rights::POLL_FD_READWRITE == 0 {
        return Ok(When::Now(Err(Errno::Notcapable)));
    }
    Ok(match descriptor.open {
        Open::Input if reads => When::Input,
        Open::Output(_) if !reads => When::Now(Ok(0)),
        Open::Input | Open::Output(_) => When::Now(Err(Errno::Badf)),
        Open::Inode(ino) => {
            let len = call.world.tree.file(ino)?.len();
            When::Now(Ok(if reads {
                len.saturating_sub(descriptor.offset)
            } else {
                0
            }))
        }
    })
}

/// What can happen first, each as the subscriptions that then happen together. The first alternative is the usual one.
fn alternatives(subscriptions: &[Subscription]) -> Vec<Vec<u32>> {
    let indices = |test: &dyn Fn(When) -> bool| -> Vec<u32> {
        let all = subscriptions.iter().enumerate();
        all.filter(|(_, subscription)| test(subscription.when))
            .map(|(index, _)| index as u32)
            .collect()
    };
    let at_once = |when| matches!(when, When::Now(_) | When::After(0));
    let input = |when| matches!(when, When::Input);
    let now = indices(&at_once);
    let with_input = indices(&|when| at_once(when) || input(when));
    if !now.is_empty() {
        return if with_input == now {
            vec![now]
        } else {
            vec![with_input, now]
        };
    }
    let first = subscriptions
        .iter()
        .filter_map(|subscription| match subscription.when {
            When::After(time) => Some(time),
            _ => None,
        });
    let first = first.min();
    let timeout = indices(&|when| matches!(when, When::After(time) if Some(time) == first));
    [with_input, timeout]
        .into_iter()
        .filter(|alternative| !alternative.is_empty())
        .collect()
}

/// Adds the bytes of what happened.
fn event(subscription: &Subscription, bytes: &mut Vec<u8>) {
    let (errno, len) = match subscription.when {
        When::Now(Err(errno)) => (errno, 0),
        When::Now(Ok(len)) => (Errno::Success, len),
        When::Input => (Errno::Success, 1),
        When::After(_) => (Errno::Success, 0),
    };
    bytes.extend_from_slice(&subscription.userdata.to_le_bytes());
    bytes.extend_from_slice(&errno.code().to_le_bytes());
    bytes.extend_from_slice(&[subscription.kind, 0, 0, 0, 0, 0]);
    bytes.extend_from_slice(&len.to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
}
