//! Flash in which a device keeps programs: one that was uploaded is still there after a restart, and runs where it lies.
//!
//! There are two places. An upload goes to the one that the present program does not lie in, so that whatever becomes of
//! it, the present program stays. A place begins with a page that says what lies behind it; it is erased first and
//! written last, so that a place without the whole of a program has none. Every page is compared after it was written:
//! flash that does not take it is given up, and what had been uploaded goes on in memory.

use alloc::boxed::Box;
use alloc::vec::Vec;

use borges_vm::{Lent, Shared};
use borges_wire::{ContentHash, ContentHasher};

/// Bytes that are written at once.
pub const PAGE: usize = 256;
/// The places for programs.
const PLACES: usize = 2;
/// Says that a label was written here and not by chance, and in which format.
const MAGIC: u32 = 0x4267_0001;

/// A device's flash, with two places of equal length for programs.
pub trait Flash {
    /// What lies in a place now. It stays so until the place is erased or written, which is not done while it is lent.
    fn read(&self, place: usize) -> &'static [u8];

    /// Bytes that are erased at once: a multiple of [`PAGE`], of which a place has a whole number.
    fn sector(&self) -> usize;

    /// Sets all bits of the sector that begins at this offset in a place.
    fn erase(&mut self, place: usize, at: usize);

    /// Writes an erased page at this offset in a place.
    fn write(&mut self, place: usize, at: usize, page: &[u8; PAGE]);
}

/// What is in flash.
pub(crate) struct Shelf {
    flash: Box<dyn Flash>,
    places: [Slot; PLACES],
    writing: Option<Writing>,
}

struct Slot {
    label: Option<Label>,
    /// There is one more for everything that has this place's bytes.
    lease: Shared<()>,
}

/// What lies in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Label {
    /// Larger than that of what was written before.
    sequence: u32,
    /// In bytes.
    length: u32,
    hash: ContentHash,
}

/// A program on its way into a place.
struct Writing {
    place: usize,
    /// Bytes that are written.
    done: usize,
    /// Those that do not fill a page yet.
    page: Vec<u8>,
}

impl Label {
    /// The label of what lies in `place`, if all of it is there.
    fn read(place: &[u8]) -> Option<Self> {
        let (fields, rest) = place.split_at_checked(20)?;
        let check = rest.first_chunk()?;
        if ContentHash::of(fields) != ContentHash(u64::from_le_bytes(*check)) {
            return None;
        }
        let word = |at: usize| Some(u32::from_le_bytes(*fields.get(at..)?.first_chunk()?));
        let label = Self {
            sequence: word(4)?,
            length: word(8)?,
            hash: ContentHash(u64::from_le_bytes(*fields.get(12..)?.first_chunk()?)),
        };
        let program = behind_label(place, label.length)?;
        (word(0)? == MAGIC && ContentHash::of(program) == label.hash).then_some(label)
    }

    fn to_page(self) -> [u8; PAGE] {
        let mut fields = Vec::with_capacity(PAGE);
        for word in [MAGIC, self.sequence, self.length] {
            fields.extend(word.to_le_bytes());
        }
        fields.extend(self.hash.0.to_le_bytes());
        fields.extend(ContentHash::of(&fields).0.to_le_bytes());
        filled(&fields)
    }
}

/// What a place has behind its label.
fn behind_label(place: &[u8], length: u32) -> Option<&[u8]> {
    place.get(PAGE..PAGE.checked_add(length as usize)?)
}

/// A page that begins like this; the rest stays erased.
fn filled(bytes: &[u8]) -> [u8; PAGE] {
    let mut page = [0xff; PAGE];
    for (place, byte) in page.iter_mut().zip(bytes) {
        *place = *byte;
    }
    page
}

impl Shelf {
    /// What is in flash now.
    pub(crate) fn new(flash: Box<dyn Flash>) -> Self {
        let places = core::array::from_fn(|place| Slot {
            label: Label::read(flash.read(place)),
            lease: Shared::new(()),
        });
        Self {
            flash,
            places,
            writing: None,
        }
    }

    /// The longest program that it takes, in bytes.
    pub(crate) fn capacity(&self) -> u32 {
        self.flash.read(0).len().saturating_sub(PAGE) as u32
    }

    /// The program that was uploaded last.
    pub(crate) fn newest(&self) -> Option<ContentHash> {
        self.newest_label().map(|label| label.hash)
    }

    fn newest_label(&self) -> Option<Label> {
        self.labels().max_by_key(|label| label.sequence)
    }

    fn labels(&self) -> impl Iterator<Item = Label> + '_ {
        self.places.iter().filter_map(|place| place.label)
    }

    /// Whether a program is here.
    pub(crate) fn has(&self, hash: ContentHash) -> bool {
        self.labels().any(|label| label.hash == hash)
    }

    /// A program, if it is here and whole. While it is lent, its place is left alone.
    pub(crate) fn lend(&mut self, hash: ContentHash) -> Option<Lent> {
        let is_it = |place: &Slot| place.label.is_some_and(|label| label.hash == hash);
        let found = self.places.iter().position(is_it)?;
        let content = self.flash.read(found);
        let place = self.places.get_mut(found)?;
        // Once more: flash is not written by us alone, and wears out.
        place.label = Label::read(content);
        let program = behind_label(content, place.label?.length)?;
        Some(Lent::new(program, &place.lease))
    }

    /// Begins an upload of so many bytes, unless there is no place for it; whether flash can be written.
    pub(crate) fn open(&mut self, total: u32) -> Option<bool> {
        self.writing = None;
        let is_free = |place: &Slot| Shared::strong_count(&place.lease) == 1;
        let free = self.places.iter().enumerate().filter(|at| is_free(at.1));
        // An empty place, or else that of what was uploaded first.
        let oldest = free.min_by_key(|(_, place)| place.label.map(|label| label.sequence));
        let (place, _) = oldest.filter(|_| total <= self.capacity())?;
        self.places.get_mut(place)?.label = None;
        self.writing = Some(Writing {
            place,
            done: 0,
            page: Vec::new(),
        });
        Some(self.erase(place, 0))
    }

    /// Takes what comes next of the upload; whether it is in flash, or will be.
    pub(crate) fn append(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let Some(writing) = &mut self.writing else {
                return false;
            };
            let room = PAGE - writing.page.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            writing.page.extend_from_slice(now);
            bytes = later;
            if writing.page.len() == PAGE && !self.write_page() {
                // What is left is not lost either.
                if let Some(writing) = &mut self.writing {
                    writing.page.extend_from_slice(bytes);
                }
                return false;
            }
        }
        true
    }

    /// Ends the upload: from now on the program is here, and will be after a restart. Whether flash has taken it.
    pub(crate) fn close(&mut self, hash: ContentHash) -> bool {
        let newest = self.newest_label().map_or(0, |label| label.sequence);
        let Some(writing) = &self.writing else {
            return false;
        };
        let (place, length) = (writing.place, writing.done + writing.page.len());
        if !writing.page.is_empty() && !self.write_page() {
            return false;
        }
        let label = Label {
            sequence: newest.saturating_add(1),
            length: length as u32,
            hash,
        };
        self.flash.write(place, 0, &label.to_page());
        let taken = Label::read(self.flash.read(place)) == Some(label);
        if taken {
            self.writing = None;
            if let Some(place) = self.places.get_mut(place) {
                place.label = Some(label);
            }
        }
        taken
    }

    /// Breaks the upload off: these are its bytes so far.
    pub(crate) fn give_up(self, bytes: &mut Vec<u8>) {
        if let Some(writing) = self.writing {
            let done = behind_label(self.flash.read(writing.place), writing.done as u32);
            bytes.extend_from_slice(done.unwrap_or_default());
            bytes.extend_from_slice(&writing.page);
        }
    }

    /// What was uploaded so far is what this hash names.
    pub(crate) fn is_whole(&self, hash: ContentHash) -> bool {
        self.writing.as_ref().is_some_and(|writing| {
            let mut hasher = ContentHasher::default();
            let done = behind_label(self.flash.read(writing.place), writing.done as u32);
            hasher.update(done.unwrap_or_default());
            hasher.update(&writing.page);
            hasher.finish() == hash
        })
    }

    /// Writes the page that has been filled; whether flash has taken it.
    fn write_page(&mut self) -> bool {
        let Some(writing) = &self.writing else {
            return false;
        };
        let (place, at) = (writing.place, PAGE + writing.done);
        let (page, length) = (filled(&writing.page), writing.page.len());
        if at.is_multiple_of(self.flash.sector()) && !self.erase(place, at) {
            return false;
        }
        self.flash.write(place, at, &page);
        let taken = self.flash.read(place).get(at..at + PAGE) == Some(&page[..]);
        if let Some(writing) = self.writing.as_mut().filter(|_| taken) {
            writing.done += length;
            writing.page.clear();
        }
        taken
    }

    /// Erases a sector; whether it is.
    fn erase(&mut self, place: usize, at: usize) -> bool {
        self.flash.erase(place, at);
        let sector = self
            .flash
            .read(place)
            .get(at..at.saturating_add(self.flash.sector()));
        sector.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0xff))
    }
}

#[cfg(test)]
mod tests {
    use alloc::rc::Rc;
    use alloc::vec;
    use core::cell::RefCell;

    use super::*;

    const SECTOR: usize = 2 * PAGE;
    const PLACE: usize = 4 * SECTOR;

    /// Flash that a test can look into and damage.
    #[derive(Clone)]
    struct Chip(Rc<RefCell<State>>);

    struct State {
        places: [Vec<u8>; PLACES],
        /// So many times it does what it is told, then half of it, then nothing: the power has failed.
        power: Option<usize>,
        /// It takes nothing, like a chip that is not there.
        dead: bool,
    }

    impl Chip {
        fn new() -> Self {
            Self(Rc::new(RefCell::new(State {
                // What was there before anybody wrote.
                places: [vec![0x5a; PLACE], vec![0; PLACE]],
                power: None,
                dead: false,
            })))
        }

        fn shelf(&self) -> Shelf {
            Shelf::new(Box::new(self.clone()))
        }

        fn change(&self, place: usize, at: usize, length: usize, change: impl Fn(usize, u8) -> u8) {
            let mut state = self.0.borrow_mut();
            let length = match &mut state.power {
                None => length,
                Some(0) => 0,
                Some(left) => {
                    *left -= 1;
                    if *left == 0 { length / 2 } else { length }
                }
            };
            if !state.dead {
                let bytes = &mut state.places[place][at..at + length];
                for (i, byte) in bytes.iter_mut().enumerate() {
                    *byte = change(i, *byte);
                }
            }
        }
    }

    impl Flash for Chip {
        fn read(&self, place: usize) -> &'static [u8] {
            self.0.borrow().places[place].clone().leak()
        }

        fn sector(&self) -> usize {
            SECTOR
        }

        fn erase(&mut self, place: usize, at: usize) {
            assert_eq!(at % SECTOR, 0);
            self.change(place, at, SECTOR, |_, _| 0xff);
        }

        fn write(&mut self, place: usize, at: usize, page: &[u8; PAGE]) {
            assert_eq!(at % PAGE, 0);
            self.change(place, at, PAGE, |i, byte| byte & page[i]);
        }
    }

    fn program(number: u8, length: usize) -> Vec<u8> {
        (0..length)
            .map(|i| (i as u8).wrapping_mul(number))
            .collect()
    }

    /// Uploads in chunks of an odd length; whether flash has taken it.
    fn upload(shelf: &mut Shelf, bytes: &[u8]) -> bool {
        shelf.open(bytes.len() as u32) == Some(true)
            && bytes.chunks(97).all(|chunk| shelf.append(chunk))
            && shelf.is_whole(ContentHash::of(bytes))
            && shelf.close(ContentHash::of(bytes))
    }

    fn has(shelf: &mut Shelf, bytes: &[u8]) -> bool {
        let lent = shelf.lend(ContentHash::of(bytes));
        lent.is_some_and(|lent| lent[..] == *bytes)
    }

    #[test]
    fn a_program_survives_a_restart() {
        let chip = Chip::new();
        assert_eq!(chip.shelf().newest(), None);
        // Of every length that is special: nothing, a page, a sector, all there is.
        for length in [0, 1, PAGE, SECTOR - PAGE, SECTOR, PLACE - PAGE] {
            let bytes = program(7, length);
            assert!(upload(&mut chip.shelf(), &bytes), "{length}");
            let mut after = chip.shelf();
            assert_eq!(after.newest(), Some(ContentHash::of(&bytes)), "{length}");
            assert!(has(&mut after, &bytes), "{length}");
        }
        let too_long = PLACE - PAGE + 1;
        assert_eq!(chip.shelf().open(too_long as u32), None);
    }

    #[test]
    fn the_two_latest_are_there_and_what_runs_is_left_alone() {
        let chip = Chip::new();
        let mut shelf = chip.shelf();
        let programs: Vec<_> = (1..6).map(|number| program(number, 700)).collect();
        for pair in programs.windows(2) {
            assert!(upload(&mut shelf, &pair[0]) && upload(&mut shelf, &pair[1]));
            assert!(has(&mut shelf, &pair[0]) && has(&mut shelf, &pair[1]));
        }
        let older = shelf.lend(ContentHash::of(&programs[3])).unwrap();
        // It is in use: the newer one makes room.
        assert!(upload(&mut shelf, &programs[0]));
        assert!(!has(&mut shelf, &programs[4]));
        assert_eq!(older[..], programs[3]);
        let newer = shelf.lend(ContentHash::of(&programs[0])).unwrap();
        assert_eq!(shelf.open(700), None, "both are in use");
        drop(newer);
        assert_eq!(shelf.open(700), Some(true));
    }

    #[test]
    fn whenever_the_power_fails_there_is_the_old_program_or_the_new_one() {
        let (old, new) = (program(3, 900), program(5, 1100));
        let mut outcomes = [0, 0];
        for power in 1.. {
            let chip = Chip::new();
            assert!(upload(&mut chip.shelf(), &old));
            chip.0.borrow_mut().power = Some(power);
            let taken = upload(&mut chip.shelf(), &new);
            let failed = chip.0.borrow().power == Some(0);
            chip.0.borrow_mut().power = None;
            let mut after = chip.shelf();
            assert!(has(&mut after, &old), "{power}");
            assert_eq!(has(&mut after, &new), taken, "{power}");
            outcomes[usize::from(taken)] += 1;
            // And it takes the next one.
            assert!(
                upload(&mut after, &new) && has(&mut chip.shelf(), &new),
                "{power}"
            );
            if !failed {
                break;
            }
        }
        assert!(outcomes[0] > 6 && outcomes[1] > 0, "{outcomes:?}");
    }

    #[test]
    fn what_is_damaged_is_no_program() {
        let bytes = program(9, 1000);
        let length = PAGE + bytes.len();
        for at in 0..length {
            let chip = Chip::new();
            assert!(upload(&mut chip.shelf(), &bytes));
            let mut running = chip.shelf();
            let place = usize::from(Label::read(chip.read(0)).is_none());
            chip.0.borrow_mut().places[place][at] ^= 0x10;
            // Behind the label's fields, nothing means anything.
            let means_something = !(28..PAGE).contains(&at);
            assert_eq!(chip.shelf().newest().is_none(), means_something, "{at}");
            assert_eq!(
                running.lend(ContentHash::of(&bytes)).is_none(),
                means_something
            );
        }
    }

    #[test]
    fn flash_that_takes_nothing_is_given_up_with_nothing_lost() {
        let bytes = program(11, 1000);
        let chip = Chip::new();
        chip.0.borrow_mut().dead = true;
        assert_eq!(chip.shelf().open(1000), Some(false));
        // It dies on the way.
        let chip = Chip::new();
        let mut shelf = chip.shelf();
        assert_eq!(shelf.open(1000), Some(true));
        assert!(shelf.append(&bytes[..600]));
        chip.0.borrow_mut().dead = true;
        assert!(!shelf.append(&bytes[600..]));
        let mut back = Vec::new();
        shelf.give_up(&mut back);
        assert_eq!(back, bytes);
    }
}
