//! What LLDB asks of a WebAssembly machine: who it is, its call stack, and values by their numbers.

use borges_vm::Value;
use gdbstub::arch::lldb::{Encoding, Format, Generic, Register};
use gdbstub::common::{Endianness, Pid, Tid};
use gdbstub::target::TargetResult;
use gdbstub::target::ext::host_info::{HostInfo, HostInfoResponse};
use gdbstub::target::ext::libraries::Libraries;
use gdbstub::target::ext::lldb_register_info_override::{
    Callback, CallbackToken, LldbRegisterInfoOverride,
};
use gdbstub::target::ext::process_info::{ProcessInfo, ProcessInfoResponse};
use gdbstub::target::ext::wasm::Wasm;

use crate::address::of_code;
use crate::target::Twin;

const TRIPLE: &str = "wasm32-unknown-unknown-wasm";

impl HostInfo for Twin {
    fn host_info(&self, write: &mut dyn FnMut(&HostInfoResponse<'_>)) -> Result<(), String> {
        write(&HostInfoResponse::Triple(TRIPLE));
        write(&HostInfoResponse::Endianness(Endianness::Little));
        write(&HostInfoResponse::PointerSize(4));
        Ok(())
    }
}

impl ProcessInfo for Twin {
    fn process_info(&self, write: &mut dyn FnMut(&ProcessInfoResponse<'_>)) -> Result<(), String> {
        write(&ProcessInfoResponse::Pid(Pid::MIN));
        write(&ProcessInfoResponse::Triple(TRIPLE));
        write(&ProcessInfoResponse::Endianness(Endianness::Little));
        write(&ProcessInfoResponse::PointerSize(4));
        Ok(())
    }
}

impl Libraries for Twin {
    fn get_libraries(
        &self,
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let session = self.session.borrow();
        let name = session.program_path().display().to_string();
        let text = format!(
            "<library-list><library name=\"{}\"><section address=\"{:#x}\"/></library></library-list>",
            escaped(&name),
            of_code(0)
        );
        let rest = usize::try_from(offset).ok();
        let rest = rest.and_then(|offset| text.as_bytes().get(offset..));
        let rest = rest.unwrap_or_default();
        let count = rest.len().min(length).min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A machine without registers has one all the same: where it stands.
impl LldbRegisterInfoOverride for Twin {
    fn lldb_register_info<'a>(
        &mut self,
        number: usize,
        callback: Callback<'a>,
    ) -> Result<CallbackToken<'a>, String> {
        if number > 0 {
            return Ok(callback.done());
        }
        Ok(callback.write(Register {
            name: "pc",
            alt_name: None,
            bitsize: 64,
            offset: 0,
            encoding: Encoding::Uint,
            format: Format::Hex,
            set: "General Purpose Registers",
            gcc: None,
            dwarf: None,
            generic: Some(Generic::Pc),
            container_regs: None,
            invalidate_regs: None,
        }))
    }
}

impl Wasm for Twin {
    fn wasm_call_stack(&self, _thread: Tid, next: &mut dyn FnMut(u64)) -> Result<(), String> {
        let session = self.session.borrow();
        // LLDB looks up the byte before where a caller goes on.
        for standing in session.machine().standing() {
            next(of_code(standing.next.0));
        }
        Ok(())
    }

    fn read_wasm_local(
        &self,
        _thread: Tid,
        frame: usize,
        local: usize,
        buffer: &mut [u8],
    ) -> Result<usize, String> {
        let session = self.session.borrow();
        let number = u32::try_from(local).ok();
        let value = number.and_then(|local| session.machine().local(frame, local));
        Ok(put(value, buffer))
    }

    fn read_wasm_stack(
        &self,
        _thread: Tid,
        frame: usize,
        index: usize,
        buffer: &mut [u8],
    ) -> Result<usize, String> {
        let session = self.session.borrow();
        let frame = session.machine().frame(frame);
        let value = frame.and_then(|frame| frame.operands.iter().rev().nth(index).copied());
        Ok(put(value, buffer))
    }

    fn read_wasm_global(
        &self,
        _thread: Tid,
        _frame: usize,
        global: usize,
        buffer: &mut [u8],
    ) -> Result<usize, String> {
        let session = self.session.borrow();
        let value = session.machine().globals().get(global).copied();
        Ok(put(value, buffer))
    }
}

/// A value's bytes, the lowest first; how many there are, 0 of none.
fn put(value: Option<Value>, buffer: &mut [u8]) -> usize {
    let reference = |number: Option<u32>| number.unwrap_or(u32::MAX).to_le_bytes().to_vec();
    let bytes = match value {
        None => return 0,
        Some(Value::I32(value)) => value.to_le_bytes().to_vec(),
        Some(Value::I64(value)) => value.to_le_bytes().to_vec(),
        Some(Value::F32(bits)) => bits.to_le_bytes().to_vec(),
        Some(Value::F64(bits)) => bits.to_le_bytes().to_vec(),
        Some(Value::FuncRef(number) | Value::ExternRef(number) | Value::ExnRef(number)) => {
            reference(number)
        }
        Some(Value::V128(vector)) => vector.to_vec(),
    };
    let count = bytes.len().min(buffer.len());
    buffer[..count].copy_from_slice(&bytes[..count]);
    count
}
