// Made from the Rust types by `UPDATE_TYPES=1 cargo test -p borges-hub types`. Do not edit.

export const VERSION = 6;

export type Act = { "command": "continue",
direction: Direction, } | { "command": "run-on" } | { "command": "step",
agent?: string | null,
direction: Direction,
size: StepSize,
count: number, } | { "command": "run-to",
place: CodePlace,
direction: Direction, } | { "command": "restart" } | { "command": "jump",
target: string, } | { "command": "follow",
always: boolean | null, } | { "command": "fork" } | { "command": "mock",
call: string,
values: MockValues, } | { "command": "unmock",
call: string | null, } | { "command": "branches",
values: string, } | { "command": "play",
at?: string | null,
values: string, } & ({ "until": "round" } | { "until": "place",
place: CodePlace, } | { "until": "breakpoint" } | { "until": "time",
ms: number, } | { "until": "nowhere" }) | { "command": "break" } & NewBreakpoint | { "command": "delete-breakpoints",
ids: Array<number>, } | { "command": "enable-breakpoint",
id: number,
enabled: boolean, } | { "command": "pace",
times?: number | null, } | { "command": "who",
what: string, } | { "command": "note",
text: string, } | { "command": "bookmark",
name: string, } | { "command": "upload",
program: string, } | { "command": "verify" };

export type AgentNumber = number;

export type AgentState = "runs" | "waits" | "ended" | "trapped";

export type AgentView = {
name: string,
state: AgentState,
about: string,
function?: string | null,
line?: number | null, };

export type Ask = { "ask": "command",
id: number,
command: Command | import("../model/types").ModelCommand, } | { "ask": "entries",
id: number,
branch: number,
from: number,
count: number,
calls: boolean, } | { "ask": "pause" } | { "ask": "pace",
times: number | null, } | { "ask": "watch",
expressions: Array<string>, } | { "ask": "follow-file",
on: boolean, } | { "ask": "open",
id: number,
path: string, } | { "ask": "suggest",
id: number,
question: Question,
within: Within,
quiet: boolean, } | { "ask": "end-suggestions" } | { "ask": "resync" };

export type BoardListing = {
lines: Array<string>,
board: BoardView,
clock_us: number, };

export type BoardView = {
name: string,
pins: Array<PinView>,
motors: Array<MotorView>,
sensors: Array<SensorView>,
tone_hz?: number | null,
strip?: StripView | null,
display?: DisplayView | null,
events: Array<EventView>,
outputs: Array<string>,
waited_us: number,
console: ConsoleView, };

export type BranchEnd = "open" | "finished" | "trapped";

export type BranchListing = {
branch: number,
parent: number,
fork: number,
tip: number,
begins: number,
reached: number,
end: BranchEnd,
words: string,
runs: Array<[number, number]>, };

export type BranchesHeader = {
frame: string,
number: number,
fresh: boolean,
count: number,
words: Array<[number, string]>,
runs: Array<[number, Array<[number, number]>]>, };

export type BreakpointListing = {
id: number,
resolved: string,
what: string,
offsets: Array<number>,
enabled: boolean,
count: number,
kind: StopKind,
agent?: string | null,
condition?: string | null,
hits: number,
log?: string | null, };

export type BreakpointRow = {
id: number,
spec: string,
on: boolean, };

export type Cell = null | number | number | string;

export type ChildListing = {
name: string,
value: string,
type: string,
count: number,
address?: number | null,
memory: number, };

export type ClaimReport = {
formula: string,
verdict: Proved,
prefix: Array<SuggestedInput>,
cycle: Array<SuggestedInput>,
end?: string | null,
note?: string | null,
states: number,
edges: number,
partial: number,
maybe: Array<string>,
unexplored: Array<UnexploredReport>,
seconds: number,
program: string,
hash: string,
board: string,
entry: string, };

export type CodePlace = { "line": {
file: string | null,
line: number, } } | { "function": string } | { "offset": number };

export type Command = Look | Act;

export type ConsoleView = {
printed: number,
tail: string, };

export type CoverListing = {
lines: Array<CoveredLine>,
branches: Array<OneSided>, };

export type CoveredLine = {
file: string,
line: number,
inputs?: Array<string> | null,
reads: Array<SuggestedInput>, };

export type Curve = {
steps: Array<number>,
values: Array<number | null>,
why?: string | null, };

export type Demand = "never" | "always" | "toward" | "limit";

export type DemandReport = {
demand: Demand,
condition: string,
verdict: Proved,
inputs?: number | null,
where?: string | null,
run: Array<SuggestedInput>,
answers: unknown[],
note?: string | null, };

export type Demanded = {
demand: Demand,
condition: string, };

export type DensityListing = {
steps: number,
inputs: Array<number>,
outputs: Array<number>,
events: Array<number>, };

export type Destination = { "is": "place",
place: CodePlace,
condition?: string | null, } | { "is": "condition",
condition: string, } | { "is": "trap",
named?: string | null, };

export type Direction = "forward" | "backward";

export type Disassembly = {
function: string,
instructions: Array<InstructionListing>, };

export type DisplayView = {
width: number,
height: number,
lit: boolean,
orientation: number,
runs: Array<[number, number]>, };

export type EntriesHeader = {
frame: string,
id: number, branch: number,
from: number,
calls: boolean,
count: number,
texts: Array<string>, };

export type EntryClass = "input" | "output" | "event";

export type EntryListing = {
branch: number,
from: number,
calls: boolean,
entries: Array<EntryRow>, };

export type EntryRow = {
kind: EntryClass,
steps: number,
call: string,
value?: string | null,
mocked: boolean, };

export type Event = { "event": "console",
text: string, } | { "event": "stream",
is_error: boolean,
bytes: Array<number>, } | { "event": "log",
id: number,
text: string, } | { "event": "progress",
what: string,
done: number,
total: number | null, } | { "event": "surveying",
states: number,
survey: SurveyProgress, } | { "event": "live" } & LiveListing | { "event": "warning",
text: string, };

export type EventView = {
event: string,
handler: number, };

export type ExaminedListing = {
units: Array<ExaminedUnit>,
per_line: number, };

export type ExaminedUnit = {
address: number,
value: string, };

export type ExpandedListing = {
count: number,
address?: number | null,
memory: number,
children: Array<ChildListing>, };

export type FileContents = {
path: string,
length: number,
bytes: Array<number>, };

export type FileListing = {
changed: boolean,
followed: boolean, };

export type FoundListing = {
found: Array<FoundRow>,
all: number,
complete: boolean, };

export type FoundPath = {
kind: string,
reason?: string | null,
place?: string | null,
inputs: Array<SuggestedInput>,
moment: string,
board?: BoardView | null, };

export type FoundRow = {
universe: UniverseId,
text: string,
steps: number, };

export type FunctionEntry = {
name: string,
offset: number,
file?: string | null,
line?: number | null, };

export type FunctionListing = {
functions: Array<FunctionEntry>, };

export type HitRow = {
universe: UniverseId,
steps: number,
clock_us: number,
value: string,
ok: boolean, };

export type HitsListing = {
place: string,
expression: string,
hits: Array<HitRow>,
next?: number | null, };

export type Info = {
program: string,
program_hash: string,
version: number,
board: string,
device: string,
file?: string | null,
here: PlaceView,
device_at: PlaceView,
follows: boolean,
branches: number,
entries: number,
snapshots: number,
snapshot_bytes: number,
sent_bytes: number,
received_bytes: number,
retransmissions: number,
same: Array<SameAs>,
limits: Array<LimitRow>,
memories: Array<string | null>, };

export type InputListing = {
call: string,
codomain: string,
range?: [number, number] | null,
values: Array<string>,
next: boolean,
last?: string | null,
mock?: MockValues | null, };

export type InstructionListing = {
offset: number,
text: string,
current: boolean,
breakpoint: boolean,
line?: number | null, };

export type LeafOutcome = { "is": "open" } | { "is": "limit",
limit: string, } | { "is": "finished",
results: Array<string>, } | { "is": "exited",
code: number, } | { "is": "trapped",
trap: string, };

export type LeafRow = {
universe: UniverseId,
steps: number,
clock_us: number,
outcome: LeafOutcome,
values: Array<string | null>,
painted?: boolean | null,
board?: number | null, };

export type LeavesListing = {
leaves: Array<LeafRow>,
boards: BoardView[],
all: number,
next?: number | null, };

export type LimitRow = {
text: string,
of: Array<string>,
range?: [number, number] | null, };

export type LineListing = {
branch: number, };

export type LiveListing = {
at: PlaceView,
branch: BranchListing,
line: number,
entries: number,
board: BoardListing,
stack: StackListing,
variables: VariableListing,
values: Array<LiveValue>,
console?: string | null,
tail: Array<EntryRow>, };

export type LiveValue = {
value: string,
type: string,
ok: boolean, };

export type Look = { "command": "print",
expression: string,
frame: number, } | { "command": "agents" } | { "command": "variables",
agent?: string | null,
frame: number, } | { "command": "expand",
of: Whole,
frame: number,
path: Array<number>,
from: number,
count: number, } | { "command": "stack",
agent?: string | null, } | { "command": "memory",
address: string,
length: number,
memory?: number | null, } | { "command": "examine",
layout: string,
address: string,
memory?: number | null, } | { "command": "list",
place: CodePlace | null,
around: number, } | { "command": "disassemble",
place: CodePlace | null,
around: number, } | { "command": "functions",
containing: string, } | { "command": "tree",
lines: number, } | { "command": "multiverse" } | { "command": "entries",
branch: number,
from: number,
count: number,
calls: boolean, } | { "command": "find",
text: string,
most: number, } | { "command": "leaves",
universes: Array<UniverseId>,
expressions: Array<string>,
paint?: string | null,
boards: boolean,
from: number,
most: number, } | { "command": "hits",
place: CodePlace,
expression: string,
from: number,
most: number, } | { "command": "density",
stretches: number, } | { "command": "calls",
universes: Array<UniverseId>, } | { "command": "inputs" } | { "command": "series",
expressions: Array<string>,
samples: number, } | { "command": "path",
around: number, } | { "command": "mocks" } | { "command": "breakpoints" } | { "command": "board" } | { "command": "console" } | { "command": "info" } | { "command": "suggest",
question: Question,
within: Within, } | { "command": "survey",
survey: StatesSurvey, } | { "command": "notes" } | { "command": "moment" } | { "command": "files",
path?: string | null,
since?: string | null, } | { "command": "descriptors" } | { "command": "streams" } | { "command": "compare",
left: string,
right: string, } | { "command": "query",
sql: string, };

export type MemoryListing = {
address: number,
bytes: Array<number>,
object_bytes: number,
memory?: number, };

export type MockListing = {
call: string,
values: MockValues, };

export type MockValues = { "sequence": Array<string> } | { "then": Array<string> };

export type ModelListing = {
name: string,
language: string,
caredeb: boolean,
actors: boolean, };

export type MotorView = {
motor: number,
speed: number,
degrees: number,
needle: string, };

export type MultiverseListing = {
branches: Array<BranchListing>, };

export type NewBreakpoint = {
kind: StopKind,
agent?: string | null,
condition?: string | null,
hits: number,
log?: string | null, };

export type NoteListing = {
universe: UniverseId,
steps: number,
name?: string | null,
text: string, };

export type OneSided = {
place: string,
offset: number,
always: boolean, };

export type Order = "depth" | "breadth" | "coverage" | { "random": number };

export type PaceListing = {
times?: number | null, };

export type Part = { "part": "shelf", "is": ShelfListing } | { "part": "info", "is": Info | null } | { "part": "model", "is": ModelListing | null } | { "part": "text", "is": TextListing } | { "part": "tour", "is": TourListing | null } | { "part": "program", "is": ProgramListing } | { "part": "stop", "is": Stop | null } | { "part": "agents", "is": Array<AgentView> } | { "part": "stack", "is": StackListing } | { "part": "variables", "is": VariableListing } | { "part": "watches", "is": Array<WatchListing> } | { "part": "breakpoints", "is": Array<BreakpointListing> } | { "part": "mocks", "is": Array<MockListing> } | { "part": "notes", "is": Array<NoteListing> } | { "part": "board", "is": BoardListing } | { "part": "console", "is": string } | { "part": "streams", "is": StreamsListing | null } | { "part": "inputs", "is": Array<InputListing> } | { "part": "line", "is": LineListing } | { "part": "suggestions", "is": SuggestionListing | null } | { "part": "work", "is": WorkListing } | { "part": "running", "is": RunningListing | null } | { "part": "pace", "is": PaceListing } | { "part": "file", "is": FileListing };

export type PathEntry = {
universe: UniverseId,
steps: number,
kind: string,
text: string,
mocked: boolean,
alternatives: number,
next: boolean, };

export type PathListing = {
entries: Array<PathEntry>,
before: number,
after: number, };

export type PictureState = {
row: number,
kind: StateKind,
place: string,
values?: string | null, };

export type PictureWay = {
from: number,
to: number,
label: string,
partial: boolean, };

export type PinView = {
pin: number,
label?: string | null,
mode?: string | null,
high: boolean,
written: boolean,
duty?: number | null, };

export type PlaceView = {
universe: UniverseId,
steps: number,
frame: number,
function?: string | null,
file?: string | null,
line?: number | null,
text?: string | null,
offset?: number | null,
call?: string | null,
device_elsewhere: boolean,
futures: number, };

export type PlayedListing = {
at: UniverseId,
call: string,
played: Array<PlayedRow>,
wanted: number,
added: number, };

export type PlayedRow = {
value: string,
set?: string | null,
begins: UniverseId,
universe: UniverseId,
steps: number,
end: StopReason, };

export type ProgramListing = {
files: Array<string>,
functions: Array<FunctionEntry>,
warnings: Array<string>, };

export type Proved = "holds" | "fails" | "maybe" | "unknown";

export type Question = { "ask": "paths" } | { "ask": "reach",
target: Destination, } | { "ask": "bugs" } | { "ask": "why",
target?: Destination | null, } | { "ask": "cover" } | { "ask": "states",
demands: Array<Demanded>, } | { "ask": "picture",
colour?: string | null,
to?: number | null, } | { "ask": "check",
formula: string, };

export type Reply = { "reply": "stopped" } & Stop | { "reply": "done",
message: string, } | { "reply": "breakpoint-set" } & BreakpointListing | { "reply": "breakpoints",
breakpoints: Array<BreakpointListing>, } | { "reply": "mocks",
mocks: Array<MockListing>, } | { "reply": "value",
expression: string,
value: string,
type: string, } | { "reply": "variables" } & VariableListing | { "reply": "expanded" } & ExpandedListing | { "reply": "agents",
agents: Array<AgentView>, } | { "reply": "stack" } & StackListing | { "reply": "memory" } & MemoryListing | { "reply": "examined" } & ExaminedListing | { "reply": "source" } & SourceListing | { "reply": "disassembly" } & Disassembly | { "reply": "functions" } & FunctionListing | { "reply": "tree" } & TreeListing | { "reply": "multiverse" } & MultiverseListing | { "reply": "entries" } & EntryListing | { "reply": "found" } & FoundListing | { "reply": "played" } & PlayedListing | { "reply": "leaves" } & LeavesListing | { "reply": "hits" } & HitsListing | { "reply": "density" } & DensityListing | { "reply": "calls",
calls: Array<string | null>, } | { "reply": "inputs",
inputs: Array<InputListing>, } | { "reply": "series" } & SeriesListing | { "reply": "path" } & PathListing | { "reply": "board" } & BoardListing | { "reply": "console",
text: string, } | { "reply": "file" } & FileContents | { "reply": "streams" } & StreamsListing | { "reply": "info" } & Info | { "reply": "notes",
notes: Array<NoteListing>, } | { "reply": "moment",
moment: string,
universe: UniverseId, } | { "reply": "difference" } & UniverseDifference | { "reply": "written" } & Written | { "reply": "table" } & TableListing | { "reply": "suggestions" } & SuggestionListing | { "reply": "surveyed" } & SurveyListing;

export type RestListing = {
set: string,
options: Array<string>, };

export type RunningListing = {
universe: UniverseId,
steps: number,
clock_us: number,
entries: number,
tail: Array<EntryRow>, };

export type SameAs = {
at: UniverseId,
other: UniverseId, };

export type SensorView = {
port: number,
mode: number, };

export type SeriesListing = {
curves: Array<Curve>,
complete: boolean, };

export type ShelfEntry = {
name: string,
path: string,
about: string,
language?: string | null,
picture?: string | null, };

export type ShelfListing = {
examples: Array<ShelfEntry>,
recent: Array<ShelfEntry>, };

export type SourceLine = {
number: number,
text: string,
current: boolean,
breakpoint: boolean,
code: boolean, };

export type SourceListing = {
file: string,
lines: Array<SourceLine>, };

export type StackFrame = {
number: number,
function: string,
file?: string | null,
line?: number | null,
offset: number,
inlined: boolean,
handler: boolean, };

export type StackListing = {
frames: Array<StackFrame>, };

export type StateKind = "state" | "moment" | "trap" | "returned" | "open";

export type StatesHeader = {
frame: string,
id: number,
count: number,
edges: number,
complete: boolean, };

export type StatesPicture = {
states: Array<PictureState>,
ways: Array<PictureWay>,
left_out: number,
edges: number,
complete: boolean,
colour?: string | null, };

export type StatesReport = {
states: number,
edges: number,
partial: number,
depth: number,
complete: boolean,
maybe: Array<string>,
note?: string | null,
anything: Array<string>,
traps: Array<TrapReport>,
demands: Array<DemandReport>,
returns: boolean,
unexplored: Array<UnexploredReport>,
seconds: number,
steps: number,
program: string,
hash: string,
board: string,
entry: string, };

export type StatesSurvey = {
within: SurveyWithin,
without_events: boolean,
faults: boolean,
pieces?: number | null,
solver?: string | null, };

export type StepSize = "instruction" | "into" | "over" | "out" | "entry";

export type Stop = {
at: PlaceView, } & ({ "reason": "done" } | { "reason": "breakpoint",
id: number, } | { "reason": "limit",
limit: string, } | { "reason": "finished",
results: Array<string>, } | { "reason": "trapped",
trap: string, } | { "reason": "paused" } | { "reason": "start" } | { "reason": "tip" } | { "reason": "not-found" } | { "reason": "bound" });

export type StopKind = { "code": CodePlace } | { "write": string } | { "primitive": string } | "trap" | "event" | "limit";

export type StopReason = { "reason": "done" } | { "reason": "breakpoint",
id: number, } | { "reason": "limit",
limit: string, } | { "reason": "finished",
results: Array<string>, } | { "reason": "trapped",
trap: string, } | { "reason": "paused" } | { "reason": "start" } | { "reason": "tip" } | { "reason": "not-found" } | { "reason": "bound" };

export type StreamsListing = {
output: string,
error: string,
exit_code?: number | null, };

export type StripView = {
shown: Array<number>,
buffer: Array<number>, };

export type SuggestedInput = {
call: string,
value: string, };

export type SuggestedOption = {
value: string,
set: string,
exact: boolean,
next: number,
moment: string, };

export type SuggestionListing = {
question: string,
from?: UniverseId | null,
working: boolean,
paths: number,
max_options: number,
complete: boolean,
forever: boolean,
ended?: string | null,
looked?: number | null,
traps: number,
solver_queries: number,
evaluations: number,
time_ms: number,
nodes: Array<SuggestionNode>,
found: Array<FoundPath>,
why?: WhyListing | null,
cover?: CoverListing | null,
states?: StatesReport | null,
picture?: StatesPicture | null,
claim?: ClaimReport | null,
unexplored: Array<UnexploredReport>, };

export type SuggestionNode = {
call?: string | null,
options: Array<SuggestedOption>,
rest?: RestListing | null,
end?: number | null, };

export type SurveyListing = {
survey: SurveyNote,
from?: UniverseId | null,
memory_bytes: number,
unkept?: string | null,
states: number,
edges: number,
partial: number,
depth: number,
complete: boolean,
maybe: Array<string>,
note?: string | null,
anything: Array<string>,
traps: Array<TrapReport>,
demands: Array<DemandReport>,
returns: boolean,
unexplored: Array<UnexploredReport>,
seconds: number,
steps: number,
program: string,
hash: string,
board: string,
entry: string, };

export type SurveyNote = {
bits: number,
collision_risk: number,
depth: number,
workers: number,
asks: number,
sent_bytes: number, };

export type SurveyProgress = {
depth: number,
asks: number,
sent_bytes: number,
memory_bytes: number,
balance: number,
collision_risk: number,
kept_seconds_ago: number | null, };

export type SurveyWithin = {
states?: number | null,
depth?: number | null,
time_ms?: number | null,
wide: boolean,
goals: Array<string>,
cores?: number | null, };

export type TableListing = {
columns: Array<string>,
rows: Array<Array<Cell>>,
more: boolean, };

export type Tell = { "tell": "snapshot",
version: number,
number: number,
parts: Array<Part>, } | { "tell": "patch",
number: number,
parts: Array<Part>, } | { "tell": "reply",
id: number,
reply: Reply | import("../model/types").ModelReply, } | { "tell": "failed",
id: number,
message: string, } | { "tell": "event",
event: Event, };

export type TextListing = {
text: string,
breakpoints: Array<BreakpointRow>, };

export type TourListing = {
steps: unknown, };

export type TrapReport = {
what: string,
where: string,
inputs: number,
certain: boolean,
run: Array<SuggestedInput>,
answers: unknown[], };

export type TreeListing = {
lines: Array<string>,
branches: number,
entries: number,
recordings?: number | null, };

export type Turn = {
choice: string,
universe: UniverseId,
number: number, };

export type UnexploredReport = {
reason: string,
place?: string | null,
inputs: unknown[],
bound?: string | null, };

export type UniverseDifference = {
left: PlaceView,
right: PlaceView,
join: PlaceView,
left_choice?: string | null,
right_choice?: string | null,
variables: Array<[string, string, string]>,
board: Array<[string, string]>,
memory_bytes: number, };

export type UniverseId = {
branch: number,
index: number,
agent: AgentNumber,
offset: number, };

export type UniversesHeader = {
frame: string,
number: number,
fresh: boolean,
count: number,
edges: number,
statuses: Array<string>, };

export type Variable = {
name: string,
value: string,
type: string,
changed: boolean,
children: Array<Variable>, };

export type VariableListing = {
frame: number,
locals: Array<Variable>,
globals: Array<Variable>,
of_libraries: number,
operands: Array<string>, };

export type WatchListing = {
expression: string,
value: string,
type: string,
ok: boolean,
changed: boolean, };

export type Whole = { "is": "local",
number: number, } | { "is": "global",
number: number, } | { "is": "expression",
text: string, };

export type WhyListing = {
what: string,
inevitable?: Turn | null,
possible?: Turn | null,
open: Array<string>,
forever: boolean, };

export type Within = {
inputs?: number | null,
events?: number | null,
steps?: number | null,
paths?: number | null,
rounds?: number | null,
stdin?: number | null,
faults?: number | null,
pieces?: number | null,
stop?: CodePlace | null,
time_ms?: number | null,
order?: Order | null,
selects: boolean,
boards: boolean,
solver?: string | null, };

export type WorkListing = {
doing?: string | null, };

export type Written = {
what: string,
at: PlaceView,
before: string,
after: string, };
