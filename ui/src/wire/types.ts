// Made from the Rust types by `UPDATE_TYPES=1 cargo test -p borges-hub types`. Do not edit.

export const VERSION = 2;

export type Act = { "command": "continue", 
/**
 * Which way.
 */
direction: Direction, } | { "command": "step", 
/**
 * Which way.
 */
direction: Direction, 
/**
 * How far one step goes.
 */
size: StepSize, 
/**
 * How many.
 */
count: number, } | { "command": "run-to", 
/**
 * Where to.
 */
place: CodePlace, 
/**
 * Which way.
 */
direction: Direction, } | { "command": "restart" } | { "command": "jump", 
/**
 * `branch.index[+steps]`, a bookmark's name, `start`, `tip`, `device`, or a moment string.
 */
target: string, } | { "command": "follow", 
/**
 * `None`: once, now. `Some`: after every command from now on, or no longer.
 */
always: boolean | null, } | { "command": "fork" } | { "command": "mock", 
/**
 * `name(arg, …)`; `_` stands for any argument; no parentheses: any arguments.
 */
call: string, 
/**
 * What the calls yield.
 */
values: MockValues, } | { "command": "unmock", 
/**
 * As in [`Act::Mock`]; `None` removes all.
 */
call: string | null, } | { "command": "branches", 
/**
 * `lo..hi` (both included), `a, b, c`, or a mixture.
 */
values: string, } | { "command": "break" } & NewBreakpoint | { "command": "delete-breakpoints", 
/**
 * Their numbers.
 */
ids: Array<number>, } | { "command": "enable-breakpoint", 
/**
 * Its number.
 */
id: number, 
/**
 * On or off.
 */
enabled: boolean, } | { "command": "who", 
/**
 * A variable or place expression.
 */
what: string, } | { "command": "note", 
/**
 * The text.
 */
text: string, } | { "command": "bookmark", 
/**
 * The name.
 */
name: string, } | { "command": "upload", 
/**
 * The module's file.
 */
program: string, } | { "command": "verify" };

export type Ask = { "ask": "command", 
/**
 * Comes back with the answer.
 */
id: number, 
/**
 * What to do.
 */
command: Command, } | { "ask": "entries", 
/**
 * Comes back with the frame.
 */
id: number, 
/**
 * The branch.
 */
branch: number, 
/**
 * The index of the place before the first of them.
 */
from: number, 
/**
 * How many at the most.
 */
count: number, 
/**
 * With the arguments of calls, which takes a replay.
 */
calls: boolean, } | { "ask": "pause" } | { "ask": "watch", 
/**
 * All of them.
 */
expressions: Array<string>, } | { "ask": "follow-file", 
/**
 * On or off.
 */
on: boolean, } | { "ask": "open", 
/**
 * Comes back with the answer.
 */
id: number, 
/**
 * A file.
 */
path: string, } | { "ask": "suggest", 
/**
 * Comes back when the search has begun.
 */
id: number, 
/**
 * What.
 */
question: Question, 
/**
 * How far to look.
 */
within: Within, } | { "ask": "end-suggestions" } | { "ask": "model", 
/**
 * Comes back with the answer.
 */
id: number, 
/**
 * What.
 */
question: import("../model/types").ModelAsk, } | { "ask": "resync" };

export type BoardListing = { 
/**
 * Drawn for a terminal.
 */
lines: Array<string>, 
/**
 * The same as data.
 */
board: BoardView, };

export type BoardView = { 
/**
 * The board's name.
 */
name: string, 
/**
 * Pins.
 */
pins: Array<PinView>, 
/**
 * Motors.
 */
motors: Array<MotorView>, 
/**
 * Sensors that were given a mode.
 */
sensors: Array<SensorView>, 
/**
 * The tone that sounds, in Hz.
 */
tone_hz?: number | null, 
/**
 * The pixel strip.
 */
strip?: StripView | null, 
/**
 * The display.
 */
display?: DisplayView | null, 
/**
 * What events the program has subscribed to.
 */
events: Array<EventView>, 
/**
 * The last calls of declared outputs.
 */
outputs: Array<string>, 
/**
 * How long the program has waited, in microseconds.
 */
waited_us: number, 
/**
 * Printed text.
 */
console: ConsoleView, };

export type BranchEnd = "open" | "finished" | "trapped";

export type BranchListing = { 
/**
 * Its number.
 */
branch: number, 
/**
 * The branch that it leaves; the first branch names itself.
 */
parent: number, 
/**
 * The index at which it leaves.
 */
fork: number, 
/**
 * The index after its last entry.
 */
tip: number, 
/**
 * Steps at the fork.
 */
begins: number, 
/**
 * Steps up to which the run after its last entry is known.
 */
reached: number, 
/**
 * How that run ended.
 */
end: BranchEnd, 
/**
 * The trap, if it trapped.
 */
words: string, };

export type BranchesHeader = { 
/**
 * `branches`.
 */
frame: string, 
/**
 * One more than that of the last patch or frame, as in [`crate::protocol::Tell::Patch`].
 */
number: number, 
/**
 * Everything known before is void.
 */
fresh: boolean, 
/**
 * How many rows follow: those that are new or have changed.
 */
count: number, 
/**
 * Trap of a branch.
 */
words: Array<[number, string]>, };

export type BreakpointListing = { 
/**
 * Its number.
 */
id: number, 
/**
 * Where it really is, in words ("color_dial.ts:21"); empty if what was asked says it.
 */
resolved: string, 
/**
 * Byte offsets in the module that it stops at.
 */
offsets: Array<number>, 
/**
 * Switched on.
 */
enabled: boolean, 
/**
 * How often its place and condition held.
 */
count: number, 
/**
 * What it waits for.
 */
kind: StopKind, 
/**
 * Only when this expression is true (not zero).
 */
condition?: string | null, 
/**
 * Only from the n-th time on that the rest holds; 0 and 1 mean the first.
 */
hits: number, 
/**
 * Print this instead of stopping; `{expression}` is replaced by its value.
 */
log?: string | null, };

export type Cell = null | number | number | string;

export type CodePlace = { "line": { 
/**
 * The end of the file's path, or nothing for the file shown now.
 */
file: string | null, 
/**
 * 1-based.
 */
line: number, } } | { "function": string } | { "offset": number };

export type Command = Look | Act;

export type ConsoleView = { 
/**
 * How many bytes were ever printed.
 */
printed: number, 
/**
 * The last lines.
 */
tail: string, };

export type CoverListing = { 
/**
 * The program's lines with code.
 */
lines: Array<CoveredLine>, 
/**
 * Branches that went one way only.
 */
branches: Array<OneSided>, };

export type CoveredLine = { 
/**
 * The file.
 */
file: string, 
/**
 * 1-based.
 */
line: number, 
/**
 * Values of the inputs that lead there; nothing if no explored path does.
 */
inputs?: Array<string> | null, 
/**
 * The same with the calls that read them, and interrupts that arrive.
 */
reads: Array<SuggestedInput>, };

export type Curve = { 
/**
 * When something changed, in order.
 */
steps: Array<number>, 
/**
 * The value since then; nothing where there is none: no variable, no number, or nobody looked.
 */
values: Array<number | null>, };

export type Destination = { "is": "place", 
/**
 * Where.
 */
place: CodePlace, 
/**
 * An expression that must not be zero there.
 */
condition?: string | null, } | { "is": "condition", 
/**
 * An expression that must not be zero.
 */
condition: string, } | { "is": "trap", 
/**
 * Part of the trap's name; nothing for any.
 */
named?: string | null, };

export type Direction = "forward" | "backward";

export type Disassembly = { 
/**
 * The function's name.
 */
function: string, 
/**
 * The instructions.
 */
instructions: Array<InstructionListing>, };

export type DisplayView = { 
/**
 * Width in pixels.
 */
width: number, 
/**
 * Height in pixels.
 */
height: number, 
/**
 * Whether it is switched on.
 */
lit: boolean, 
/**
 * How it is turned.
 */
orientation: number, 
/**
 * The visible pixels, row by row from the upper left: how many of which colour (`0xRRGGBB`).
 */
runs: Array<[number, number]>, };

export type EntriesHeader = { 
/**
 * `entries`.
 */
frame: string, 
/**
 * That of the question.
 */
id: number, 
/**
 * The branch.
 */
branch: number, 
/**
 * The index of the place before the first row.
 */
from: number, 
/**
 * Whether calls have their arguments.
 */
calls: boolean, 
/**
 * How many rows follow.
 */
count: number, 
/**
 * Calls and values.
 */
texts: Array<string>, };

export type EntryClass = "input" | "output" | "event";

export type EntryListing = { 
/**
 * The branch.
 */
branch: number, 
/**
 * The index of the place before the first of them.
 */
from: number, 
/**
 * Whether calls have their arguments.
 */
calls: boolean, 
/**
 * The entries.
 */
entries: Array<EntryRow>, };

export type EntryRow = { 
/**
 * What it is.
 */
kind: EntryClass, 
/**
 * Steps before it.
 */
steps: number, 
/**
 * The primitive, with its arguments if they were asked for; or the event.
 */
call: string, 
/**
 * What an input yielded.
 */
value?: string | null, 
/**
 * The value came from a mock.
 */
mocked: boolean, };

export type Event = { "event": "console", 
/**
 * The text.
 */
text: string, } | { "event": "log", 
/**
 * The breakpoint.
 */
id: number, 
/**
 * The text.
 */
text: string, } | { "event": "progress", 
/**
 * What is being done.
 */
what: string, 
/**
 * Steps done.
 */
done: number, 
/**
 * Steps in all, if known.
 */
total: number | null, } | { "event": "warning", 
/**
 * The text.
 */
text: string, };

export type EventView = { 
/**
 * What happens: `pin 4 falling`, `every 1000 us`.
 */
event: string, 
/**
 * The handler, as an index into the program's table.
 */
handler: number, };

export type ExaminedListing = { 
/**
 * Each unit with its address.
 */
units: Array<ExaminedUnit>, 
/**
 * How many of them faces put on a line.
 */
per_line: number, };

export type ExaminedUnit = { 
/**
 * Of its first byte.
 */
address: number, 
/**
 * As it is shown.
 */
value: string, };

export type FileListing = { 
/**
 * It is not what is being debugged any more.
 */
changed: boolean, 
/**
 * It is uploaded by itself when it changes.
 */
followed: boolean, };

export type FoundListing = { 
/**
 * The first of them, branch by branch.
 */
found: Array<FoundRow>, 
/**
 * How many there are.
 */
all: number, 
/**
 * False if the search was paused before its end.
 */
complete: boolean, };

export type FoundPath = { 
/**
 * `returned`, `trapped`, `stopped`, `inputs` (it would read one more than the bound), or `cut`.
 */
kind: string, 
/**
 * Which trap, or what cut it.
 */
reason?: string | null, 
/**
 * Where in the program.
 */
place?: string | null, 
/**
 * Its inputs, in order.
 */
inputs: Array<SuggestedInput>, 
/**
 * Its end, for `jump`.
 */
moment: string, };

export type FoundRow = { 
/**
 * The universe right after the entry, or at the trap.
 */
universe: UniverseId, 
/**
 * The entry in words.
 */
text: string, 
/**
 * Steps before it.
 */
steps: number, };

export type FunctionEntry = { 
/**
 * Its name.
 */
name: string, 
/**
 * Byte offset of its first instruction.
 */
offset: number, 
/**
 * Where it is in the source.
 */
file?: string | null, 
/**
 * 1-based.
 */
line?: number | null, };

export type FunctionListing = { 
/**
 * In the order of the module.
 */
functions: Array<FunctionEntry>, };

export type Info = { 
/**
 * The program's file.
 */
program: string, 
/**
 * Hex hash of the module.
 */
program_hash: string, 
/**
 * How often a changed program was uploaded.
 */
version: number, 
/**
 * The board's name.
 */
board: string, 
/**
 * The device as it names itself.
 */
device: string, 
/**
 * Where the session is written, if anywhere.
 */
file?: string | null, 
/**
 * Where the user looks.
 */
here: PlaceView, 
/**
 * Where the device stands.
 */
device_at: PlaceView, 
/**
 * The device follows every move.
 */
follows: boolean, 
/**
 * Branches of the multiverse.
 */
branches: number, 
/**
 * Entries in all branches.
 */
entries: number, 
/**
 * Snapshots held.
 */
snapshots: number, 
/**
 * Their memory, in bytes.
 */
snapshot_bytes: number, 
/**
 * Bytes sent to the device.
 */
sent_bytes: number, 
/**
 * Bytes received from the device.
 */
received_bytes: number, 
/**
 * Frames sent again because they were lost.
 */
retransmissions: number, };

export type InputListing = { 
/**
 * `name(arg, …)` where the arguments are known, otherwise `name`.
 */
call: string, 
/**
 * What it may answer here, in words.
 */
codomain: string, 
/**
 * The least and the greatest value, if it is a range of numbers small enough to be set with a slider.
 */
range?: [number, number] | null, 
/**
 * All values, if they are few.
 */
values: Array<string>, 
/**
 * It is what the program reads next.
 */
next: boolean, 
/**
 * What it answered last on this path.
 */
last?: string | null, 
/**
 * What stands in for it.
 */
mock?: MockValues | null, };

export type InstructionListing = { 
/**
 * Byte offset in the module.
 */
offset: number, 
/**
 * Its text, indented by block depth.
 */
text: string, 
/**
 * The program stands here.
 */
current: boolean, 
/**
 * A breakpoint is set here.
 */
breakpoint: boolean, 
/**
 * The source line it belongs to.
 */
line?: number | null, };

export type LineListing = { 
/**
 * The branch whose tip is the end of the path.
 */
branch: number, };

export type Look = { "command": "print", 
/**
 * The expression.
 */
expression: string, 
/**
 * 0 is the innermost frame.
 */
frame: number, } | { "command": "variables", 
/**
 * 0 is the innermost frame.
 */
frame: number, } | { "command": "stack" } | { "command": "memory", 
/**
 * An expression for the address.
 */
address: string, 
/**
 * How many bytes.
 */
length: number, } | { "command": "examine", 
/**
 * How many, which notation, which size: `4xw`. Notations are `x`, `d`, `u`, `t`, `o`, `c`, `f` and `s` (texts
 * that end with a zero); sizes `b` (1 byte), `h` (2), `w` (4) and `g` (8).
 */
layout: string, 
/**
 * An expression for the address.
 */
address: string, } | { "command": "list", 
/**
 * Where.
 */
place: CodePlace | null, 
/**
 * How many lines before and after.
 */
around: number, } | { "command": "disassemble", 
/**
 * Where.
 */
place: CodePlace | null, 
/**
 * How many instructions before and after; the whole function if 0.
 */
around: number, } | { "command": "functions", 
/**
 * Part of the name.
 */
containing: string, } | { "command": "tree", 
/**
 * How many lines at the most.
 */
lines: number, } | { "command": "multiverse" } | { "command": "entries", 
/**
 * The branch.
 */
branch: number, 
/**
 * The index of the place before the first of them.
 */
from: number, 
/**
 * How many at the most.
 */
count: number, 
/**
 * With the arguments of calls, which takes a replay.
 */
calls: boolean, } | { "command": "find", 
/**
 * The text.
 */
text: string, 
/**
 * How many to list; at most 1,000.
 */
most: number, } | { "command": "calls", 
/**
 * Which; at most 256.
 */
universes: Array<UniverseId>, } | { "command": "inputs" } | { "command": "series", 
/**
 * What to evaluate, in the innermost frame that knows it.
 */
expressions: Array<string>, 
/**
 * At how many moments at the most.
 */
samples: number, } | { "command": "path", 
/**
 * How many before and after.
 */
around: number, } | { "command": "mocks" } | { "command": "breakpoints" } | { "command": "board" } | { "command": "console" } | { "command": "info" } | { "command": "suggest", 
/**
 * What.
 */
question: Question, 
/**
 * How far to look.
 */
within: Within, } | { "command": "notes" } | { "command": "moment" } | { "command": "compare", 
/**
 * As in [`Act::Jump`].
 */
left: string, 
/**
 * As in [`Act::Jump`].
 */
right: string, } | { "command": "query", 
/**
 * One `SELECT`; docs/session-files.md lists tables and views.
 */
sql: string, };

export type MemoryListing = { 
/**
 * Of the first byte.
 */
address: number, 
/**
 * The bytes.
 */
bytes: Array<number>, 
/**
 * How many of them are the object that was named or pointed to; 0 where debug information knows of none.
 */
object_bytes: number, };

export type MockListing = { 
/**
 * `name(arg, …)`.
 */
call: string, 
/**
 * Its values.
 */
values: MockValues, };

export type MockValues = { "sequence": Array<string> } | { "then": Array<string> };

export type ModelListing = { 
/**
 * What the program is called.
 */
name: string, 
/**
 * Its language.
 */
language: string, 
/**
 * It has threads that CaReDeb takes back and forth.
 */
caredeb: boolean, 
/**
 * Its agents are actors, which are all that there is in a state.
 */
actors: boolean, };

export type MotorView = { 
/**
 * Its number.
 */
motor: number, 
/**
 * Its speed, ±10,000 being full.
 */
speed: number, 
/**
 * Its angle in degrees.
 */
degrees: number, 
/**
 * An arrow that points where a needle on it would; at 0 degrees up, then clockwise.
 */
needle: string, };

export type MultiverseListing = { 
/**
 * In the order in which they were made: a parent comes before its children.
 */
branches: Array<BranchListing>, };

export type NewBreakpoint = { 
/**
 * What it waits for.
 */
kind: StopKind, 
/**
 * Only when this expression is true (not zero).
 */
condition?: string | null, 
/**
 * Only from the n-th time on that the rest holds; 0 and 1 mean the first.
 */
hits: number, 
/**
 * Print this instead of stopping; `{expression}` is replaced by its value.
 */
log?: string | null, };

export type NoteListing = { 
/**
 * The universe.
 */
universe: UniverseId, 
/**
 * Steps since the start.
 */
steps: number, 
/**
 * The bookmark's name, if it has one.
 */
name?: string | null, 
/**
 * The note's text.
 */
text: string, };

export type OneSided = { 
/**
 * Where.
 */
place: string, 
/**
 * The instruction.
 */
offset: number, 
/**
 * What its condition always was.
 */
always: boolean, };

export type Order = "depth" | "breadth" | "coverage" | { "random": number };

export type Part = { "part": "shelf", "is": ShelfListing } | { "part": "info", "is": Info | null } | { "part": "model", "is": ModelListing | null } | { "part": "program", "is": ProgramListing } | { "part": "stop", "is": Stop | null } | { "part": "stack", "is": StackListing } | { "part": "variables", "is": VariableListing } | { "part": "watches", "is": Array<WatchListing> } | { "part": "breakpoints", "is": Array<BreakpointListing> } | { "part": "mocks", "is": Array<MockListing> } | { "part": "notes", "is": Array<NoteListing> } | { "part": "board", "is": BoardListing } | { "part": "console", "is": string } | { "part": "inputs", "is": Array<InputListing> } | { "part": "line", "is": LineListing } | { "part": "suggestions", "is": SuggestionListing | null } | { "part": "work", "is": WorkListing } | { "part": "file", "is": FileListing };

export type PathEntry = { 
/**
 * The universe just after it.
 */
universe: UniverseId, 
/**
 * Steps before it.
 */
steps: number, 
/**
 * `input`, `output` or `event`.
 */
kind: string, 
/**
 * As the program calls it, with arguments and the value.
 */
text: string, 
/**
 * The value came from a mock.
 */
mocked: boolean, 
/**
 * Other recorded values at this choice point.
 */
alternatives: number, 
/**
 * The place shown lies just before it.
 */
next: boolean, };

export type PathListing = { 
/**
 * The entries, earliest first.
 */
entries: Array<PathEntry>, 
/**
 * How many come before the listed ones.
 */
before: number, 
/**
 * How many come after the listed ones.
 */
after: number, };

export type PinView = { 
/**
 * Its number.
 */
pin: number, 
/**
 * What is connected to it.
 */
label?: string | null, 
/**
 * `input`, `output`, or the mode's number.
 */
mode?: string | null, 
/**
 * Its level.
 */
high: boolean, 
/**
 * Whether the program has written the level; if not, it is what the board starts with.
 */
written: boolean, 
/**
 * How much power it gives, from 0 to 1, if it was given a duty.
 */
duty?: number | null, };

export type PlaceView = { 
/**
 * The universe.
 */
universe: UniverseId, 
/**
 * Steps executed since the program's start.
 */
steps: number, 
/**
 * The frame that is shown: 0 is the innermost. Where a library ended the program, the first one of the user's own
 * code.
 */
frame: number, 
/**
 * The function, as the source calls it.
 */
function?: string | null, 
/**
 * The source file.
 */
file?: string | null, 
/**
 * 1-based.
 */
line?: number | null, 
/**
 * The text of that line.
 */
text?: string | null, 
/**
 * Byte offset in the module of the next instruction; none after the end.
 */
offset?: number | null, 
/**
 * The call that is about to happen, if the next instruction calls a primitive.
 */
call?: string | null, 
/**
 * The device stands elsewhere.
 */
device_elsewhere: boolean, 
/**
 * How many universes are recorded that go on from here.
 */
futures: number, };

export type ProgramListing = { 
/**
 * Source files, those with most functions first.
 */
files: Array<string>, 
/**
 * Its functions.
 */
functions: Array<FunctionEntry>, 
/**
 * What was left out of the debug information because it is broken.
 */
warnings: Array<string>, };

export type Question = { "ask": "paths" } | { "ask": "reach", 
/**
 * Where.
 */
target: Destination, } | { "ask": "bugs" } | { "ask": "why", 
/**
 * What must not happen; nothing for the trap that the program has ended with here.
 */
target?: Destination | null, } | { "ask": "cover" };

export type Reply = { "reply": "stopped" } & Stop | { "reply": "done", 
/**
 * What was done.
 */
message: string, } | { "reply": "breakpoint-set" } & BreakpointListing | { "reply": "breakpoints", 
/**
 * In order of their numbers.
 */
breakpoints: Array<BreakpointListing>, } | { "reply": "mocks", 
/**
 * In the order of registration.
 */
mocks: Array<MockListing>, } | { "reply": "value", 
/**
 * What was asked.
 */
expression: string, 
/**
 * Its value.
 */
value: string, 
/**
 * Its type, if known.
 */
type: string, } | { "reply": "variables" } & VariableListing | { "reply": "stack" } & StackListing | { "reply": "memory" } & MemoryListing | { "reply": "examined" } & ExaminedListing | { "reply": "source" } & SourceListing | { "reply": "disassembly" } & Disassembly | { "reply": "functions" } & FunctionListing | { "reply": "tree" } & TreeListing | { "reply": "multiverse" } & MultiverseListing | { "reply": "entries" } & EntryListing | { "reply": "found" } & FoundListing | { "reply": "calls", 
/**
 * In the order of the question.
 */
calls: Array<string | null>, } | { "reply": "inputs", 
/**
 * In the order in which the program imports them.
 */
inputs: Array<InputListing>, } | { "reply": "series" } & SeriesListing | { "reply": "path" } & PathListing | { "reply": "board" } & BoardListing | { "reply": "console", 
/**
 * All that was printed on this path.
 */
text: string, } | { "reply": "info" } & Info | { "reply": "notes", 
/**
 * In the order of the multiverse.
 */
notes: Array<NoteListing>, } | { "reply": "moment", 
/**
 * Its string.
 */
moment: string, 
/**
 * Its number in this session.
 */
universe: UniverseId, } | { "reply": "difference" } & UniverseDifference | { "reply": "written" } & Written | { "reply": "table" } & TableListing | { "reply": "suggestions" } & SuggestionListing;

export type RestListing = { 
/**
 * These, in words.
 */
set: string, 
/**
 * The representatives of the options whose paths some of them keep.
 */
options: Array<string>, };

export type SensorView = { 
/**
 * Its port.
 */
port: number, 
/**
 * Its mode.
 */
mode: number, };

export type SeriesListing = { 
/**
 * In the order of the expressions.
 */
curves: Array<Curve>, 
/**
 * Every write on the path was looked at. False where a pause or the length of the path left some out: no value is
 * shown there.
 */
complete: boolean, };

export type ShelfEntry = { 
/**
 * Its name.
 */
name: string, 
/**
 * The file to open.
 */
path: string, 
/**
 * A line about it.
 */
about: string, };

export type ShelfListing = { 
/**
 * Programs to try.
 */
examples: Array<ShelfEntry>, 
/**
 * Sessions, the latest first.
 */
recent: Array<ShelfEntry>, };

export type SourceLine = { 
/**
 * 1-based.
 */
number: number, 
/**
 * Its text.
 */
text: string, 
/**
 * The program stands here.
 */
current: boolean, 
/**
 * A breakpoint is set here.
 */
breakpoint: boolean, 
/**
 * Code was generated for it.
 */
code: boolean, };

export type SourceListing = { 
/**
 * The file.
 */
file: string, 
/**
 * Some of its lines.
 */
lines: Array<SourceLine>, };

export type StackFrame = { 
/**
 * 0 is the innermost.
 */
number: number, 
/**
 * The function's name.
 */
function: string, 
/**
 * The source file.
 */
file?: string | null, 
/**
 * 1-based.
 */
line?: number | null, 
/**
 * Byte offset in the module.
 */
offset: number, 
/**
 * Whether the compiler inlined it into the next outer one.
 */
inlined: boolean, 
/**
 * Whether it is the handler of an interrupt.
 */
handler: boolean, };

export type StackListing = { 
/**
 * The frames.
 */
frames: Array<StackFrame>, };

export type StatesHeader = { 
/**
 * `states`.
 */
frame: string, 
/**
 * That of the question.
 */
id: number, 
/**
 * How many rows follow.
 */
count: number, 
/**
 * How many edges there are.
 */
edges: number, 
/**
 * There are no other states.
 */
complete: boolean, };

export type StepSize = "instruction" | "into" | "over" | "out" | "entry";

export type Stop = { 
/**
 * Where.
 */
at: PlaceView, } & ({ "reason": "done" } | { "reason": "breakpoint", 
/**
 * Its number.
 */
id: number, } | { "reason": "finished", 
/**
 * As text.
 */
results: Array<string>, } | { "reason": "trapped", 
/**
 * Which trap, and what the program said of it.
 */
trap: string, } | { "reason": "paused" } | { "reason": "start" } | { "reason": "tip" } | { "reason": "not-found" } | { "reason": "bound" });

export type StopKind = { "code": CodePlace } | { "write": string } | { "primitive": string } | "trap" | "event";

export type StripView = { 
/**
 * What can be seen.
 */
shown: Array<number>, 
/**
 * What will be seen once it is shown.
 */
buffer: Array<number>, };

export type SuggestedInput = { 
/**
 * The call.
 */
call: string, 
/**
 * What it answers.
 */
value: string, };

export type SuggestedOption = { 
/**
 * The representative.
 */
value: string, 
/**
 * The values that can stand in for it, in words.
 */
set: string, 
/**
 * Whether that is all of them.
 */
exact: boolean, 
/**
 * The node that follows.
 */
next: number, 
/**
 * The universe right after it, for `jump`.
 */
moment: string, };

export type SuggestionListing = { 
/**
 * The question in words.
 */
question: string, 
/**
 * The universe that the futures are those of.
 */
from?: UniverseId | null, 
/**
 * Whether more is to come.
 */
working: boolean, 
/**
 * Paths that were explored.
 */
paths: number, 
/**
 * The most options at one input.
 */
max_options: number, 
/**
 * Whether these are all within the bound on inputs and the place to stop at.
 */
complete: boolean, 
/**
 * What ended it before everything was looked at: `time`, `cancelled`, `paths`, `enough`; nothing if nothing did.
 */
ended?: string | null, 
/**
 * All paths with so many inputs were looked at; nothing if not even those with none.
 */
looked?: number | null, 
/**
 * Paths that trap.
 */
traps: number, 
/**
 * Questions that a solver was asked.
 */
solver_queries: number, 
/**
 * Questions answered by trying values.
 */
evaluations: number, 
/**
 * Time it took.
 */
time_ms: number, 
/**
 * The paths merged on what they share; children come after their parents, the first is the root.
 */
nodes: Array<SuggestionNode>, 
/**
 * Where paths end, by number; what a question asks for comes first, shortest first.
 */
found: Array<FoundPath>, 
/**
 * For a `why`.
 */
why?: WhyListing | null, 
/**
 * For a `cover`.
 */
cover?: CoverListing | null, 
/**
 * What was left out, and why.
 */
unexplored: Array<UnexploredReport>, };

export type SuggestionNode = { 
/**
 * The call that reads the input; nothing at an end.
 */
call?: string | null, 
/**
 * What it may answer.
 */
options: Array<SuggestedOption>, 
/**
 * What else it may answer.
 */
rest?: RestListing | null, 
/**
 * At an end: its index in [`SuggestionListing::found`].
 */
end?: number | null, };

export type TableListing = { 
/**
 * The columns' names.
 */
columns: Array<string>, 
/**
 * The rows.
 */
rows: Array<Array<Cell>>, 
/**
 * There were more rows than are listed.
 */
more: boolean, };

export type Tell = { "tell": "snapshot", 
/**
 * [`VERSION`].
 */
version: number, 
/**
 * The number.
 */
number: number, 
/**
 * All parts.
 */
parts: Array<Part>, } | { "tell": "patch", 
/**
 * One more than that of the last patch or snapshot.
 */
number: number, 
/**
 * The parts that are different now.
 */
parts: Array<Part>, } | { "tell": "reply", 
/**
 * That of the question.
 */
id: number, 
/**
 * The answer.
 */
reply: Reply, } | { "tell": "model", 
/**
 * That of the question.
 */
id: number, 
/**
 * The answer.
 */
answer: import("../model/types").ModelTell, } | { "tell": "failed", 
/**
 * That of the question.
 */
id: number, 
/**
 * Why, and what to do.
 */
message: string, } | { "tell": "event", 
/**
 * What.
 */
event: Event, };

export type TreeListing = { 
/**
 * Drawn lines.
 */
lines: Array<string>, 
/**
 * How many branches there are.
 */
branches: number, 
/**
 * How many entries there are.
 */
entries: number, };

export type Turn = { 
/**
 * The choice in words; the start of the program if it is none.
 */
choice: string, 
/**
 * The universe right after it.
 */
universe: UniverseId, 
/**
 * How many choices lie before it.
 */
number: number, };

export type UnexploredReport = { 
/**
 * Why.
 */
reason: string, 
/**
 * Where in the program.
 */
place?: string | null, 
/**
 * Inputs that lead there, not past it.
 */
inputs: unknown[], 
/**
 * Which bound cut it off, if one did: `paths`, `time`, `inputs`, `steps`, `rounds`, `rules`, `cancelled`, `enough`.
 */
bound?: string | null, };

export type UniverseDifference = { 
/**
 * The left one.
 */
left: PlaceView, 
/**
 * The right one.
 */
right: PlaceView, 
/**
 * Where their paths part.
 */
join: PlaceView, 
/**
 * What the left path has there.
 */
left_choice?: string | null, 
/**
 * What the right path has there.
 */
right_choice?: string | null, 
/**
 * Variables and globals that differ: name, left, right.
 */
variables: Array<[string, string, string]>, 
/**
 * Lines of the board that differ: left, right.
 */
board: Array<[string, string]>, 
/**
 * Memory bytes that differ.
 */
memory_bytes: number, };

export type UniverseId = { 
/**
 * The branch of the multiverse, 0 for the first run.
 */
branch: number, 
/**
 * How many entries lie before it on the way from the root.
 */
index: number, 
/**
 * Steps executed since the last entry.
 */
offset: number, };

export type Variable = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its value as text.
 */
value: string, 
/**
 * Its type as the source calls it.
 */
type: string, 
/**
 * Whether it differs from the last stop.
 */
changed: boolean, 
/**
 * Fields, elements, or what it points to, as far as they were asked for.
 */
children: Array<Variable>, };

export type VariableListing = { 
/**
 * The frame.
 */
frame: number, 
/**
 * Parameters and locals.
 */
locals: Array<Variable>, 
/**
 * Globals.
 */
globals: Array<Variable>, 
/**
 * The operand stack, bottom first.
 */
operands: Array<string>, };

export type WatchListing = { 
/**
 * What is watched.
 */
expression: string, 
/**
 * Its value, or why it has none.
 */
value: string, 
/**
 * Its type, if known.
 */
type: string, 
/**
 * Whether it has a value.
 */
ok: boolean, 
/**
 * Whether it differs from the last stop.
 */
changed: boolean, };

export type WhyListing = { 
/**
 * What happened, in words.
 */
what: string, 
/**
 * The choice after which nothing else could happen; nothing if something else still can.
 */
inevitable?: Turn | null, 
/**
 * The first choice after which it could happen within the bound.
 */
possible?: Turn | null, 
/**
 * What the answer leaves open, in words; empty if nothing.
 */
open: Array<string>, };

export type Within = { 
/**
 * Inputs on a path.
 */
inputs?: number | null, 
/**
 * Events (interrupts, timers) on a path; without a bound none arrive.
 */
events?: number | null, 
/**
 * Instructions on a path.
 */
steps?: number | null, 
/**
 * Paths in all.
 */
paths?: number | null, 
/**
 * Rounds of each loop on a path.
 */
rounds?: number | null, 
/**
 * A place before which paths end.
 */
stop?: CodePlace | null, 
/**
 * Time for all of it, in milliseconds.
 */
time_ms?: number | null, 
/**
 * In which order.
 */
order?: Order | null, 
/**
 * Whether a `select` counts as a branch.
 */
selects: boolean, 
/**
 * Who answers what trying values cannot: `none`, `z3`, `bitwuzla`, `cvc5`; nothing for the best there is.
 */
solver?: string | null, };

export type WorkListing = { 
/**
 * In words; nothing while all is quiet.
 */
doing?: string | null, };

export type Written = { 
/**
 * What was asked for.
 */
what: string, 
/**
 * The universe just before the write: the view stands here now.
 */
at: PlaceView, 
/**
 * The value before.
 */
before: string, 
/**
 * The value written.
 */
after: string, };
