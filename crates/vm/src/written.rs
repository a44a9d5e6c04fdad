//! Which pages of memory were written: Linux knows (since 6.7), without a cost for who writes but at the first time.
//!
//! Pages are write-protected with `userfaultfd` in its asynchronous form, in which the kernel takes the protection away by
//! itself when a page is written, and `PAGEMAP_SCAN` tells which pages have none. Whoever writes them, and in whatever way,
//! is noticed. On other systems, and where a sandbox forbids it, the answer is that it is not known: the machine notes by
//! itself then what it writes.
#![allow(unsafe_code)]

use core::ops::Range;

/// Whether the system says what was written at all.
pub(crate) fn is_said() -> bool {
    system::is_said()
}

/// Watches these bytes from now on: [`since`] will tell which of them were written. False if it cannot.
pub(crate) fn watch(bytes: &[u8]) -> bool {
    system::watch(bytes).is_some()
}

/// No longer watches the bytes at these addresses, most of which will be written: each page would cost more than all of
/// them together. What is not known is not watched, so any addresses will do.
pub(crate) fn forget(addresses: Range<usize>) {
    system::forget(addresses);
}

/// Calls `each`, in order, with ranges that have all bytes that were written since they were last [watched](watch), if they
/// have been watched ever since. Nothing if that is not known.
pub(crate) fn since(bytes: &[u8], each: &mut dyn FnMut(Range<usize>)) -> Option<()> {
    system::since(bytes, each)
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, feature = "noting"))
)))]
mod system {
    use core::ops::Range;

    pub(super) fn is_said() -> bool {
        false
    }

    pub(super) fn watch(_: &[u8]) -> Option<()> {
        None
    }

    pub(super) fn forget(_: Range<usize>) {}

    pub(super) fn since(_: &[u8], _: &mut dyn FnMut(Range<usize>)) -> Option<()> {
        None
    }
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, feature = "noting"))
))]
mod system {
    use core::ops::Range;
    use std::fs::File;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::sync::OnceLock;

    // From `linux/userfaultfd.h` and `linux/fs.h`.
    const USER_MODE_ONLY: libc::c_int = 1;
    const API: u64 = 0xaa;
    const FEATURE_WP_UNPOPULATED: u64 = 1 << 13;
    const FEATURE_WP_ASYNC: u64 = 1 << 15;
    const MODE_WP: u64 = 1 << 1;
    const UFFDIO_API: u64 = 0xc018_aa3f;
    const UFFDIO_REGISTER: u64 = 0xc020_aa00;
    const UFFDIO_WRITEPROTECT: u64 = 0xc018_aa06;
    const PAGEMAP_SCAN: u64 = 0xc060_6610;
    const SCAN_PROTECT: u64 = 1 << 0;
    const SCAN_CHECK: u64 = 1 << 1;
    const IS_WRITTEN: u64 = 1 << 1;

    /// `struct uffdio_api`.
    #[repr(C)]
    struct Api {
        api: u64,
        features: u64,
        ioctls: u64,
    }

    /// `struct uffdio_register`.
    #[repr(C)]
    struct Register {
        start: u64,
        length: u64,
        mode: u64,
        ioctls: u64,
    }

    /// `struct uffdio_writeprotect`.
    #[repr(C)]
    struct Protect {
        start: u64,
        length: u64,
        mode: u64,
    }

    /// `struct page_region`.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Region {
        start: u64,
        end: u64,
        categories: u64,
    }

    /// `struct pm_scan_arg`.
    #[repr(C)]
    struct Scan {
        size: u64,
        flags: u64,
        start: u64,
        end: u64,
        walk_end: u64,
        regions: u64,
        regions_length: u64,
        max_pages: u64,
        category_inverted: u64,
        category_mask: u64,
        category_anyof_mask: u64,
        return_mask: u64,
    }

    /// Regions that are asked for at once.
    const REGIONS: usize = 256;

    /// What the system is asked through.
    struct System {
        faults: OwnedFd,
        pages: File,
        page: usize,
    }

    fn system() -> Option<&'static System> {
        static SYSTEM: OnceLock<Option<System>> = OnceLock::new();
        SYSTEM.get_or_init(System::new).as_ref()
    }

    /// Calls the system with this argument.
    fn control<T>(fd: &impl AsRawFd, request: u64, argument: &mut T) -> Option<libc::c_int> {
        // SAFETY: `argument` is the structure that the request reads and writes (and for a scan, `regions` is as long as it
        // says). Protection changes nothing that a program can see.
        let done =
            unsafe { libc::ioctl(fd.as_raw_fd(), request as _, core::ptr::from_mut(argument)) };
        (done >= 0).then_some(done)
    }

    impl System {
        fn new() -> Option<System> {
            let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
            // SAFETY: makes a descriptor, or fails.
            let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
            let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0)?;
            // SAFETY: it was just made, and nobody else has it.
            let faults = unsafe { OwnedFd::from_raw_fd(fd) };
            let mut api = Api {
                api: API,
                features: FEATURE_WP_ASYNC | FEATURE_WP_UNPOPULATED,
                ioctls: 0,
            };
            control(&faults, UFFDIO_API, &mut api)?;
            // SAFETY: asks for a number.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            Some(System {
                faults,
                pages: File::open("/proc/self/pagemap").ok()?,
                page: usize::try_from(page)
                    .ok()
                    .filter(|page| page.is_power_of_two())?,
            })
        }

        /// The whole pages of these bytes, by their addresses. Other pages belong to others as well, who may be watching.
        fn pages_of(&self, addresses: Range<usize>) -> Range<usize> {
            let end = addresses.end & !(self.page - 1);
            addresses.start.next_multiple_of(self.page).min(end)..end
        }

        /// Which pages were written goes to `regions`, and their protection is renewed if the flags say so. Gives how many
        /// regions there are, and where the next scan begins.
        fn scan(
            &self,
            pages: Range<usize>,
            flags: u64,
            regions: &mut [Region],
        ) -> Option<(usize, usize)> {
            let mut scan = Scan {
                size: size_of::<Scan>() as u64,
                flags: SCAN_CHECK | flags,
                start: pages.start as u64,
                end: pages.end as u64,
                walk_end: 0,
                regions: regions.as_mut_ptr().expose_provenance() as u64,
                regions_length: regions.len() as u64,
                max_pages: 0,
                category_inverted: 0,
                category_mask: IS_WRITTEN,
                category_anyof_mask: 0,
                return_mask: IS_WRITTEN,
            };
            let found = control(&self.pages, PAGEMAP_SCAN, &mut scan)?;
            Some((found as usize, scan.walk_end as usize))
        }
    }

    fn addresses_of(bytes: &[u8]) -> Range<usize> {
        let start = bytes.as_ptr().addr();
        start..start + bytes.len()
    }

    pub(super) fn is_said() -> bool {
        system().is_some()
    }

    pub(super) fn watch(bytes: &[u8]) -> Option<()> {
        let system = system()?;
        let pages = system.pages_of(addresses_of(bytes));
        let protect = || system.scan(pages.clone(), SCAN_PROTECT, &mut []);
        // Most often they are watched already.
        if protect().is_none() {
            let mut register = Register {
                start: pages.start as u64,
                length: pages.len() as u64,
                mode: MODE_WP,
                ioctls: 0,
            };
            control(&system.faults, UFFDIO_REGISTER, &mut register)?;
            protect()?;
        }
        Some(())
    }

    pub(super) fn forget(addresses: Range<usize>) {
        let Some(system) = system() else {
            return;
        };
        let pages = system.pages_of(addresses);
        let mut lift = Protect {
            start: pages.start as u64,
            length: pages.len() as u64,
            mode: 0,
        };
        // Where that fails, writing takes longer.
        let _lifted = control(&system.faults, UFFDIO_WRITEPROTECT, &mut lift);
    }

    pub(super) fn since(bytes: &[u8], each: &mut dyn FnMut(Range<usize>)) -> Option<()> {
        let system = system()?;
        let start = bytes.as_ptr().addr();
        let Range { start: mut at, end } = system.pages_of(addresses_of(bytes));
        each(0..at.saturating_sub(start).min(bytes.len()));
        let mut regions = [Region {
            start: 0,
            end: 0,
            categories: 0,
        }; REGIONS];
        while at < end {
            let (found, next) = system.scan(at..end, 0, &mut regions)?;
            for region in regions.iter().take(found) {
                each(region.start as usize - start..region.end as usize - start);
            }
            // It always comes further.
            at = Some(next).filter(|next| *next > at)?;
        }
        each(end.saturating_sub(start).min(bytes.len())..bytes.len());
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn ranges(bytes: &[u8]) -> Option<Vec<Range<usize>>> {
        let mut found = Vec::new();
        since(bytes, &mut |range| found.push(range))?;
        Some(found)
    }

    /// Where the system says anything, it names each byte that was written, and not much more.
    #[test]
    fn all_that_was_written_is_named() {
        let mut bytes = alloc::vec![0u8; 8 << 20];
        if !watch(&bytes) {
            assert!(ranges(&bytes).is_none());
            return;
        }
        for (written, length) in [
            (0, 1),
            (5_000_000, 9000),
            (8 << 20, 0),
            (123, 4096),
            (4096, 2 << 20),
        ] {
            if let Some(part) = bytes.get_mut(written..written + length) {
                part.fill(7);
            }
            for again in [0, 1] {
                let found = ranges(&bytes).unwrap();
                assert!(found.iter().is_sorted_by_key(|range| range.start));
                let named = |at: &usize| found.iter().any(|range| range.contains(at));
                assert!(again == 1 || (written..written + length).all(|at| named(&at)));
                let all: usize = found.iter().map(Range::len).sum();
                let edges = 4 * (64 << 10);
                assert!(
                    all <= length * (1 - again) + edges,
                    "{all} bytes for {length}"
                );
                assert!(watch(&bytes));
            }
        }
        std::println!("the system knows what was written");
    }
}
