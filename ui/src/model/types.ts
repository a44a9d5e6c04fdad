// Made from the Rust types by `UPDATE_TYPES=1 cargo test -p borges-hub types`. Do not edit.

export type AgentCard = {
name: string,
mode: string,
next: string,
line: number | null,
fields: Array<[string, string]>,
inbox: Array<string>,
calls: Array<string>,
output: Array<string>,
stuck: string | null, };

export type Binding = {
name: string,
value: string, };

export type Came = {
breakpoint: number | null,
ran: RanRow | null, };

export type Card = {
node: NodeRow,
agents: Array<AgentCard>,
shared: Array<[string, string]>,
text: string,
outcome: string | null,
possible: Array<Possible>,
path: Array<number>, };

export type CareDeb = {
ok: boolean,
text: string,
events: number,
threads: Array<ThreadLine>,
variables: Array<Binding>,
more: number, };

export type Cell = null | number | number | string;

export type ChangeRow = {
agent: string,
what: string,
before: string,
after: string, };

export type EdgeRow = {
id: number,
source: number,
target: number,
step: Step, };

export type EndCount = {
outcome: number,
text: string,
states: number,
kind: string,
verdicts?: Array<string>, };

export type Finding = {
goal: string,
holds: boolean | null,
found: string | null,
state: number | null,
trace: Array<Step>,
races: Array<[Step, Step]>, };

export type Judgement = {
may: Opinion,
must: Opinion,
states: number,
partial: Why | null, };

export type LinkRow = {
id: number,
from: number,
to: number,
command: boolean,
agent: string,
receiver: string | null,
rule: string,
text: string,
line: number | null,
rules: Array<string>, };

export type ModelCommand = { "command": "order",
order: Order, } | { "command": "card",
universe: number, } | { "command": "difference",
edge: number, } | { "command": "may",
spec: string, } | { "command": "check",
formula: string, } | { "command": "at-line",
line: number, } | { "command": "query",
sql: string, } | { "command": "ask",
question: Question, } | { "command": "abstracted",
keep: string | null,
symmetry: boolean, } | { "command": "survey",
within: SurveyWithin, } | { "command": "state",
state: number, } | { "command": "visit",
state: number, } | { "command": "races",
universe: number, } | { "command": "edges",
states: Array<number>, } | { "command": "states" } | { "command": "caredeb",
line: string, } | { "command": "line",
line: string,
here: number, } | { "command": "complete",
line: string,
at: number,
here: number, };

export type ModelReply = { "reply": "came" } & Came | { "reply": "card",
card: Card,
path: Array<LinkRow>,
leaving: Array<LinkRow>, } | { "reply": "difference",
edge: LinkRow,
changes: Array<ChangeRow>, } | { "reply": "judgement" } & Judgement | { "reply": "universes",
universes: Array<number>, } | { "reply": "visited",
universe: number, } | { "reply": "races" } & Races | { "reply": "table" } & TableListing | { "reply": "answer",
answer: Reply,
partial: Why | null,
known: number, } | { "reply": "outcomes",
ends: Array<OutcomeRow>,
abstraction: string,
partial: Why | null,
states: number, } | { "reply": "surveyed",
ends: Array<OutcomeRow>,
states: number,
edges: number,
partial: Why | null,
is_held: boolean,
goals: Array<Finding>,
survey: SurveyNote,
seconds: number,
memory_bytes: number, } | { "reply": "state",
state: StateRow,
way: Way,
leaving: Array<EdgeRow>, } | { "reply": "edges",
edges: Array<EdgeRow>, } | { "reply": "caredeb" } & CareDeb | { "reply": "said",
ok: boolean,
text: string,
here: number,
answer: unknown, } | { "reply": "completed",
start: number,
candidates: Array<string>, };

export type NodeRow = {
id: number,
status: string,
why: Array<string>, };

export type Opinion = {
holds: boolean | null,
steps: Array<string>,
cycle: Array<string>, };

export type Order = { "order": "run" } | { "order": "restart" } | { "order": "resume",
universe: number, } | { "order": "seek",
universe: number, } | { "order": "pause",
universe: number, } | { "order": "step",
universe: number,
agent: string,
kind: string, } | { "order": "hold",
universe: number,
agent: string, } | { "order": "release",
universe: number,
agent: string, } | { "order": "break",
spec: string, } | { "order": "unbreak",
id: number, } | { "order": "enable",
id: number,
on: boolean, } | { "order": "edit",
text: string, };

export type OutcomeRow = {
text: string,
steps: Array<Step>,
kind: string,
verdicts?: Array<string>, };

export type Parting = {
state: number,
steps: Array<Step>,
first: Array<Step>,
second: Array<Step>,
both: Array<Step>,
neither: Array<Step>, };

export type Possible = {
label: string,
agent: string | null,
order: Order, };

export type Question = "ends" | { "shortest": number } | "shortest_to_ends" | { "through": number } | { "divergence": [number, number] } | { "can_reach": number } | { "common_ancestors": Array<number> } | "cycles";

export type RaceRow = {
received: RaceStep,
message: RaceStep,
rivals: Array<RaceStep>, };

export type RaceStep = {
step: number,
text: string,
line: number | null, };

export type Races = {
steps: Array<[Step, Step]>,
messages: Array<RaceRow> | null, };

export type RanRow = {
from: number,
paused: Array<number>,
ends: Array<number>,
held: Array<number>,
cut: boolean,
stopped: boolean,
never_reached: boolean, };

export type Reply = { "ends": Array<EndCount> } | { "ways": Array<Way> } | { "states": Array<number> } | { "divergence": Parting | null } | { "ancestors": {
all: Array<number>,
last: Array<number>, } } | { "cycles": Array<Array<number>> };

export type StateRow = {
id: number,
depth: number,
via: number | null,
status: string,
outcome: number | null,
cycle: number | null,
text: string | null, };

export type Status = "ready" | "waiting" | "failed" | "stuck" | "done";

export type Step = {
agent: string,
rule: string,
text: string,
line: number | null,
column: number | null,
option: number,
options: number,
rules: number, };

export type SurveyNote = {
bits: number,
collision_risk: number,
depth: number,
workers: number,
asks: number,
sent_bytes: number, };

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

export type ThreadLine = {
thread: string,
status: Status,
text: string,
line: number, };

export type Way = {
state: number,
outcome: number | null,
steps: Array<Step>,
through: Array<number>, };

export type Why = "states" | "depth" | "cancelled" | "time" | "met" | "unfollowed";
