//! LLDB's addresses: one space for the module's bytes and the program's memory.

use gdbstub_arch::wasm::addr::{WasmAddr, WasmAddrType};

/// What an address names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A byte of the program's memory.
    Memory(u32),
    /// A byte of the module.
    Code(u32),
}

/// What an address names in the only module and its first memory; nothing for another one.
pub(crate) fn named(address: u64) -> Option<Named> {
    let address = WasmAddr::from_raw(address).filter(|address| address.module_index() == 0)?;
    Some(match address.addr_type() {
        WasmAddrType::Memory => Named::Memory(address.offset()),
        WasmAddrType::Object => Named::Code(address.offset()),
    })
}

/// The address of a byte of the module.
pub(crate) fn of_code(offset: u32) -> u64 {
    WasmAddr::new(WasmAddrType::Object, 0, offset).map_or(0, WasmAddr::as_raw)
}

/// Where a call that waits at `offset` goes on: LLDB looks up the byte before that. Calls have one number or two.
pub(crate) fn after_call(module: &[u8], offset: u32) -> u32 {
    let numbers = match module.get(offset as usize) {
        // call, return_call, call_ref
        Some(0x10 | 0x12 | 0x14) => 1,
        // call_indirect, return_call_indirect
        Some(0x11 | 0x13) => 2,
        _ => return offset,
    };
    let mut at = offset as usize + 1;
    for _ in 0..numbers {
        while module.get(at).is_some_and(|byte| byte & 0x80 != 0) {
            at += 1;
        }
        at += 1;
    }
    u32::try_from(at).unwrap_or(offset)
}

#[cfg(test)]
mod tests {
    use super::{Named, after_call, named, of_code};

    #[test]
    fn addresses_name_memory_and_code() {
        assert_eq!(named(0x1234), Some(Named::Memory(0x1234)));
        assert_eq!(named(of_code(0x1c6)), Some(Named::Code(0x1c6)));
        assert_eq!(named(1 << 32), None, "there is one memory");
        assert_eq!(named(0x8000_0000_0000_0000), None);
    }

    #[test]
    fn a_call_goes_on_after_its_numbers() {
        let module = [0x10, 0x85, 0x01, 0x0b, 0x11, 0x80, 0x01, 0x00, 0x0b, 0x20];
        assert_eq!(after_call(&module, 0), 3);
        assert_eq!(after_call(&module, 4), 8);
        assert_eq!(after_call(&module, 9), 9);
        assert_eq!(after_call(&module, 99), 99);
        assert_eq!(after_call(&[0x10, 0xff], 0), 3);
    }
}
