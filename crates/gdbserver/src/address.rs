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

#[cfg(test)]
mod tests {
    use super::{Named, named, of_code};

    #[test]
    fn addresses_name_memory_and_code() {
        assert_eq!(named(0x1234), Some(Named::Memory(0x1234)));
        assert_eq!(named(of_code(0x1c6)), Some(Named::Code(0x1c6)));
        assert_eq!(named(1 << 32), None, "there is one memory");
        assert_eq!(named(0x8000_0000_0000_0000), None);
    }
}
