//! Values of Rust's standard library. The program says itself what each of its variables holds.

#[cfg(new)]
use std::cell::OnceCell;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::num::{NonZeroU8, Wrapping};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

#[link(wasm_import_module = "env")]
extern "C" {
    fn said(name: *const u8, name_bytes: usize, text: *const u8, text_bytes: usize);
    fn stop();
}

fn say(name: &str, text: String) {
    unsafe { said(name.as_ptr(), name.len(), text.as_ptr(), text.len()) }
}

macro_rules! say {
    ($($variable:ident)*) => { $(say(stringify!($variable), format!("{:?}", $variable));)* };
}

#[derive(Clone, Debug, PartialEq)]
struct Point { x: u8, y: i32 }

trait Shape: std::fmt::Debug { fn area(&self) -> u32; }
#[derive(Debug)]
struct Square { side: u32 }
#[derive(Debug)]
struct Oblong { wide: u16, high: u16 }
impl Shape for Square { fn area(&self) -> u32 { self.side * self.side } }
impl Shape for Oblong { fn area(&self) -> u32 { u32::from(self.wide) * u32::from(self.high) } }

#[derive(Debug)]
struct Node { value: i32, next: Option<Box<Node>> }

#[no_mangle]
pub extern "C" fn sequences(seed: i32) -> usize {
    let numbers: Vec<i32> = vec![seed, -2, 3];
    let shorts: Vec<u16> = vec![100, 200, 300];
    let bytes: Vec<u8> = vec![1, 2, 3];
    let strings: Vec<String> = vec!["ab".to_string(), "cde".to_string()];
    let points: Vec<Point> = vec![Point { x: 1, y: 2 }, Point { x: 3, y: -4 }];
    let floats: Vec<f64> = vec![0.5, 1.5];
    let options: Vec<Option<u32>> = vec![None, Some(7)];
    let nested: Vec<Vec<i16>> = vec![vec![1], vec![2, 3]];
    let boxed: Box<[u32]> = vec![9, 8].into_boxed_slice();
    let slice: &[i64] = &[5, 6];
    let mut ring: VecDeque<i32> = VecDeque::from([4, 5, 6, 7]);
    ring.pop_front(); ring.pop_front(); ring.push_back(8); ring.push_back(9);
    let text: &str = &strings[1];
    let texts: Vec<&str> = vec!["x", "yy"];
    let units: Vec<()> = vec![(), ()];
    let empty: Vec<u64> = Vec::new();
    let letters: Vec<char> = "héß".chars().collect();
    let tuples: Vec<(u8, &str)> = vec![(1, "one"), (2, "two")];
    let heap = BinaryHeap::from([3u8]);
    let list: LinkedList<u8> = LinkedList::from([1, 2]);
    let array: [[u8; 2]; 2] = [[1, 2], [3, 4]];
    let long: String = String::from("zażółć gęślą jaźń");
    let path: PathBuf = PathBuf::from("/a/b");
    let boxed_text: Box<str> = "boxed".into();
    let shared_text: Rc<str> = "shared".into();
    let shared_slice: Rc<[u16]> = Rc::from([1, 2]);
    say!(numbers shorts bytes strings points floats options nested boxed slice ring text texts units empty letters tuples heap list array long path boxed_text shared_text shared_slice);
    unsafe { stop() };
    numbers.len() + ring.len() + points.len()
}

#[no_mangle]
pub extern "C" fn wrappers(seed: i32) -> usize {
    let boxed: Box<i32> = Box::new(seed);
    let boxed_point: Box<Point> = Box::new(Point { x: 1, y: seed });
    let none: Option<Box<i32>> = None;
    let some: Option<Box<i32>> = Some(Box::new(7));
    let shared: Rc<Point> = Rc::new(Point { x: 9, y: 8 });
    let weak: Weak<Point> = Rc::downgrade(&shared);
    let atomic: Arc<String> = Arc::new("arc".to_string());
    let cell: Cell<i32> = Cell::new(5);
    let free: RefCell<Vec<u8>> = RefCell::new(vec![1, 2]);
    let counted: Rc<RefCell<i32>> = Rc::new(RefCell::new(3));
    let mutex: Mutex<u64> = Mutex::new(6);
    let lock: RwLock<(u8, u8)> = RwLock::new((1, 2));
    #[cfg(new)]
    let once: OnceCell<i32> = OnceCell::from(4);
    #[cfg(new)]
    say("once", format!("{:?}", once.get()));
    let good: Result<u8, String> = Ok(1);
    let bad: Result<u8, String> = Err("bad".into());
    let number: Option<NonZeroU8> = NonZeroU8::new(3);
    let nothing: Option<NonZeroU8> = NonZeroU8::new(0);
    let wrapping: Wrapping<u8> = Wrapping(255);
    let range: Range<i32> = 1..5;
    let inclusive = 1..=seed;
    let duration: Duration = Duration::from_millis(1500);
    let shape: Box<dyn Shape> = Box::new(Square { side: 3 });
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Oblong { wide: 2, high: 3 }), Box::new(Square { side: 1 })];
    let borrowed: &dyn Shape = &*shape;
    let chain = Node { value: 1, next: Some(Box::new(Node { value: 2, next: None })) };
    let tuple: (i32, &str, bool) = (1, "t", true);
    let letter: char = 'ß';
    let big: u128 = u128::MAX;
    let reference: &i32 = &numbers()[0];
    // These say more of themselves than what they hold.
    say("cell", format!("{:?}", cell.get()));
    say("free", format!("{:?}", free.borrow()));
    say("counted", format!("{:?}", counted.borrow()));
    say("mutex", format!("{:?}", mutex.lock().unwrap()));
    say("lock", format!("{:?}", lock.read().unwrap()));
    say("weak", format!("{:?} (weak)", weak.upgrade().unwrap()));
    say("shared", format!("{shared:?} ({} strong, {} weak)", Rc::strong_count(&shared), Rc::weak_count(&shared)));
    say!(boxed boxed_point none some atomic good bad number nothing wrapping range inclusive duration shape shapes borrowed chain tuple letter big reference);
    unsafe { stop() };
    (shape.area() + borrowed.area()) as usize + shapes.len() + weak.strong_count()
}

/// What is borrowed, locked, dropped or asked for by a part of it.
#[no_mangle]
pub extern "C" fn states(seed: i32) -> usize {
    let reading = RefCell::new(seed);
    let first = reading.borrow();
    let second = reading.borrow();
    let writing = RefCell::new(String::from("w"));
    let mut changed = writing.borrow_mut();
    changed.push('!');
    let locked = Mutex::new(seed);
    let guard = locked.lock().unwrap();
    let dropped = Rc::downgrade(&Rc::new(seed));
    let never: Weak<i32> = Weak::new();
    let owned = Rc::new(RefCell::new(vec![seed]));
    let other = owned.clone();
    let by_number: BTreeMap<u8, &str> = BTreeMap::from([(7, "seven"), (9, "nine")]);
    let by_name: HashMap<String, Point> = HashMap::from([("here".to_string(), Point { x: 1, y: seed })]);
    let borrowed: &Vec<Point> = &vec![Point { x: 5, y: 6 }];
    let generic: &mut Option<(u8, Point)> = &mut Some((1, Point { x: 2, y: 3 }));
    let closure = |n: i32| n + seed;
    let atomic = std::sync::atomic::AtomicU16::new(77);
    let reverse = std::cmp::Reverse(seed);
    let cow: std::borrow::Cow<str> = "cow".into();
    let result: Result<Vec<u8>, ()> = Ok(vec![1]);
    let from = 3u8..;
    let to = ..4u8;
    let long: Vec<u32> = (0..40).collect();
    let pinned = Box::pin(5u8);
    say("reading", format!("{:?} (borrowed 2 times)", *first));
    say("writing", format!("{:?} (borrowed mutably)", *changed));
    say("locked", format!("{:?} (locked)", *guard));
    say("owned", format!("{:?} ({} strong)", owned.borrow(), Rc::strong_count(&owned)));
    say("dropped", if dropped.upgrade().is_none() { "<dropped>".into() } else { String::new() });
    say("never", "<never held a value>".into());
    say("atomic", format!("{atomic:?}"));
    say("reverse", format!("{:?}", reverse.0));
    say("other", format!("{:?} ({} strong)", other.borrow(), Rc::strong_count(&owned)));
    say("cow", format!("Borrowed({cow:?})"));
    say!(by_number by_name borrowed generic result from to long pinned);
    say("by_number[9]", format!("{:?}", by_number[&9]));
    say("by_name[\"here\"].y", format!("{:?}", by_name["here"].y));
    say("borrowed[0].x", format!("{:?}", borrowed[0].x));
    say("long[39]", format!("{:?}", long[39]));
    say("(*owned)[0]", format!("{:?}", owned.borrow()[0]));
    unsafe { stop() };
    drop(guard);
    (*first + *second + closure(1)) as usize + changed.len() + dropped.strong_count() + never.strong_count()
}

fn numbers() -> &'static [i32] { &[11, 12] }

#[no_mangle]
pub extern "C" fn maps(seed: i32) -> usize {
    let map: HashMap<i32, u8> = (0..20).map(|n| (n * seed, n as u8)).collect();
    let words: HashMap<String, i32> = HashMap::from([("one".to_string(), 1), ("two".to_string(), 2)]);
    let none: HashMap<u8, u8> = HashMap::new();
    let set: HashSet<u16> = HashSet::from([5, 6, 7]);
    let tree: BTreeMap<i32, &str> = BTreeMap::from([(3, "three"), (1, "one"), (2, "two")]);
    let tall: BTreeMap<u16, u16> = (0..16).map(|n| (n * 3, n)).collect();
    let bare: BTreeMap<u8, u8> = BTreeMap::new();
    let leaves: BTreeSet<char> = "hello".chars().collect();
    say!(map words none set tree tall bare leaves);
    unsafe { stop() };
    map.len() + words.len() + none.len() + set.len() + tree.len() + tall.len() + bare.len() + leaves.len()
}

#[no_mangle]
pub extern "C" fn main(seed: i32) -> i32 {
    (sequences(seed) + wrappers(seed) + states(seed) + maps(seed)) as i32
}
