//! Vectors of all kinds of elements.
#[link(wasm_import_module = "env")]
unsafe extern "C" { fn stop(); }
#[derive(Clone)] struct P { x: u8, y: i32 }
use std::collections::VecDeque;
#[unsafe(no_mangle)]
pub extern "C" fn main(r: i32) -> i32 {
    let a: Vec<i32> = vec![r, -2, 3];
    let b: Vec<u16> = vec![100, 200, 300];
    let c: Vec<u8> = vec![1, 2, 3];
    let d: Vec<String> = vec!["ab".to_string(), "cde".to_string()];
    let e: Vec<P> = vec![P { x: 1, y: 2 }, P { x: 3, y: -4 }];
    let f: Vec<f64> = vec![0.5, 1.5];
    let g: Vec<Option<u32>> = vec![None, Some(7)];
    let h: Vec<Vec<i16>> = vec![vec![1], vec![2, 3]];
    let i: Box<[u32]> = vec![9, 8].into_boxed_slice();
    let j: &[i64] = &[5, 6];
    let k: VecDeque<i32> = VecDeque::from([4, 5]);
    let l: &str = &d[1];
    let m: Vec<&str> = vec!["x", "yy"];
    let n: Vec<()> = vec![(), ()];
    let s = a.len() + b.len() + c.len() + d.len() + e.len() + f.len() + g.len() + h.len() + i.len() + j.len() + k.len() + l.len() + m.len() + n.len();
    unsafe { stop() };
    s as i32 + r + e[0].x as i32 + e[1].y
}
