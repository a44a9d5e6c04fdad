// Values of AssemblyScript. The program says itself what its variables hold.
@external("env", "said")
declare function said(name: usize, nameBytes: i32, text: usize, textBytes: i32): void;
@external("env", "stop")
declare function stop(): void;

function say(name: string, text: string): void {
  const a = Uint8Array.wrap(String.UTF8.encode(name));
  const b = Uint8Array.wrap(String.UTF8.encode(text));
  said(a.dataStart, a.length, b.dataStart, b.length);
}

class Spot {
  constructor(public x: i32, public y: f64) {}
}

let counter: i32 = 7;

enum Mode { Off, Heat = 7, Cool }

// Optimizers take the names of locals away, those of what all functions see they leave.
let total: i32 = 1;
let ratio: f64 = 0.25;
let wideSum: i64 = 3;
let isOpen: bool = false;
let title: string = "none";
let row: Array<i32> = [];
let bits: Uint8Array = new Uint8Array(2);
let labels: Array<string> = [];
let spots: Array<Spot> = [];
let ages = new Map<string, i32>();
let names = new Map<i32, string>();
let seen = new Set<i32>();
let grid: Array<Array<i32>> = [];
let first: Spot = new Spot(0, 0);
let fixed: StaticArray<u16> = [0, 0];

function quoted(text: string): string {
  return '"' + text + '"';
}

function fill(seed: i32): void {
  total += seed;
  ratio *= seed;
  wideSum <<= seed + 30;
  isOpen = seed > 2;
  title = "row " + seed.toString();
  row.push(seed);
  row.push(-seed);
  bits[0] = <u8>(seed + 200);
  labels.push(title);
  labels.push("b");
  spots.push(new Spot(seed, 1.5));
  ages.set("ada", seed);
  ages.set(title, 36);
  names.set(seed, title);
  names.set(9, "gone");
  names.delete(9);
  seen.add(seed);
  seen.add(-4);
  grid.push([seed, 1]);
  grid.push([]);
  first = new Spot(seed + 1, 0.5);
  fixed[1] = <u16>(seed + 65000);
}

function sayAll(): void {
  say("total", total.toString());
  say("ratio", ratio.toString());
  say("wideSum", wideSum.toString());
  say("isOpen", isOpen ? "1" : "0");
  say("title", quoted(title));
  say("row", "[" + row.join(", ") + "]");
  say("bits", "[" + bits.join(", ") + "]");
  say("labels", "[" + quoted(labels[0]) + ", " + quoted(labels[1]) + "]");
  say("spots", "[Spot {x: " + spots[0].x.toString() + ", y: " + spots[0].y.toString() + "}]");
  say("ages", '{"ada": ' + ages.get("ada").toString() + ", " + quoted(title) + ": 36}");
  const key = names.keys()[0];
  say("names", "{" + key.toString() + ": " + quoted(names.get(key)) + "}");
  say("seen", "{" + seen.values().join(", ") + "}");
  say("grid", "[[" + grid[0].join(", ") + "], []]");
  say("first", "Spot {x: " + first.x.toString() + ", y: " + first.y.toString() + "}");
  say("first.x", first.x.toString());
  say("row[1]", row[1].toString());
  say('ages["ada"]', ages.get("ada").toString());
  say("spots[0].y", spots[0].y.toString());
  say("fixed", "[" + fixed.join(", ") + "]");
}

export function main(seed: i32): i32 {
  fill(seed);
  sayAll();
  const small: i32 = -seed;
  const large: i64 = 1 << 40;
  const real: f32 = 2.5;
  const tenth: f64 = 0.1;
  const text = "grüße " + seed.toString();
  const numbers: Array<i32> = [1, -2, seed];
  const shorts: StaticArray<u16> = [1, 65535];
  const bytes = new Uint8Array(3);
  bytes[1] = 255;
  const floats: Array<f64> = [0.5, 1.5];
  const truths: Array<bool> = [true, false, seed > 1];
  const words: Array<string> = ["ab", text];
  const points: Array<Spot> = [new Spot(1, 2.5), new Spot(seed, 4.5)];
  const nested: Array<Array<i32>> = [[1], [2, 3]];
  const none: Array<i64> = [];
  const unsigned: Array<u32> = [4294967295];
  const map = new Map<i32, string>();
  map.set(1, "one");
  map.set(2, "two");
  map.set(seed, "three");
  map.delete(2);
  const named = new Map<string, f64>();
  named.set("half", 0.5);
  const flags = new Map<u8, bool>();
  flags.set(200, true);
  flags.set(1, false);
  const set = new Set<i16>();
  set.add(-5);
  set.add(6);
  const letters = new Set<string>();
  letters.add("x");
  const wide = new Map<i64, i8>();
  wide.set(1 << 40, -1);
  say("small", small.toString());
  say("large", large.toString());
  say("real", real.toString());
  say("tenth", tenth.toString());
  say("counter", counter.toString());
  say("text", quoted(text));
  say("numbers", "[" + numbers.join(", ") + "]");
  say("shorts", "[" + shorts.join(", ") + "]");
  say("bytes", "[" + bytes.join(", ") + "]");
  say("floats", "[" + floats.join(", ") + "]");
  say("truths", "[" + truths.join(", ") + "]");
  say("words", "[" + quoted(words[0]) + ", " + quoted(words[1]) + "]");
  say("points", "[Spot {x: 1, y: 2.5}, Spot {x: " + points[1].x.toString() + ", y: " + points[1].y.toString() + "}]");
  say("nested", "[[1], [" + nested[1].join(", ") + "]]");
  say("none", "[" + none.join(", ") + "]");
  say("unsigned", "[" + unsigned[0].toString() + "]");
  say("map", "{1: " + quoted(map.get(1)) + ", 3: " + quoted(map.get(3)) + "}");
  say("named", '{"half": ' + named.get("half").toString() + "}");
  say("flags", "{200: " + flags.get(200).toString() + ", 1: " + flags.get(1).toString() + "}");
  say("set", "{" + set.values().join(", ") + "}");
  say("letters", "{" + quoted(letters.values()[0]) + "}");
  say("wide", "{1099511627776: " + wide.get(1 << 40).toString() + "}");
  const mode: Mode = seed > 1 ? Mode.Cool : Mode.Off;
  say("mode", mode.toString());
  say("Mode.Heat", Mode.Heat.toString());
  say("mode == Mode.Cool", (mode == Mode.Cool) ? "1" : "0");
  say("numbers[1]", numbers[1].toString());
  say("points[1].x", points[1].x.toString());
  say("words[0]", quoted(words[0]));
  say("nested[1][1]", nested[1][1].toString());
  say("map[3]", quoted(map.get(3)));
  say('named["half"]', named.get("half").toString());
  say("set[0]", set.values()[0].toString());
  stop();
  return numbers.length + points.length + map.size + set.size + <i32>large + <i32>real + <i32>tenth + small + letters.size + wide.size + flags.size;
}
