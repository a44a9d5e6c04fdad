//! Bytes in and out of a queue, as many as there are or as there is room for.

use heapless::deque::DequeView;

/// Moves bytes from the front of a queue to a buffer; how many.
pub fn take(queue: &mut DequeView<u8>, buffer: &mut [u8]) -> usize {
    let bytes = core::iter::from_fn(|| queue.pop_front());
    let filled = buffer.iter_mut().zip(bytes);
    filled.map(|(place, byte)| *place = byte).count()
}

/// Adds bytes at the end of a queue; how many had room.
pub fn put(queue: &mut DequeView<u8>, bytes: &[u8]) -> usize {
    let put = bytes
        .iter()
        .take_while(|byte| queue.push_back(**byte).is_ok());
    put.count()
}
