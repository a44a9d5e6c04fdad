// Made from the Rust types by `UPDATE_TYPES=1 cargo test -p borges-hub types`. Do not edit.

export type AgentCard = { 
/**
 * Its name.
 */
name: string, 
/**
 * `run`, `pause`, `hold` or `step`.
 */
mode: string, 
/**
 * What it does next.
 */
next: string, 
/**
 * The line of that.
 */
line: number | null, 
/**
 * Its variables.
 */
fields: Array<[string, string]>, 
/**
 * Messages that it has got, oldest first.
 */
inbox: Array<string>, 
/**
 * Its calls, the innermost last.
 */
calls: Array<string>, 
/**
 * What it has printed.
 */
output: Array<string>, 
/**
 * Why it is stuck.
 */
stuck: string | null, };

export type Binding = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its value: a number, `true`, `port k`, `proc f`; for a port of its own name, its queue.
 */
value: string, };

export type BreakpointRow = { 
/**
 * Its number.
 */
id: number, 
/**
 * On what.
 */
spec: string, 
/**
 * Whether it is looked at.
 */
on: boolean, };

export type Came = { 
/**
 * The breakpoint that was set.
 */
breakpoint: number | null, 
/**
 * What running came to.
 */
ran: RanRow | null, };

export type Card = { 
/**
 * The universe.
 */
node: NodeRow, 
/**
 * Its agents.
 */
agents: Array<AgentCard>, 
/**
 * The state in the language's own words.
 */
text: string, 
/**
 * The outcome, at an end.
 */
outcome: string | null, 
/**
 * What the user can say here: a radial menu.
 */
possible: Array<Possible>, 
/**
 * A way from the start: edges.
 */
path: Array<number>, };

export type CareDeb = { 
/**
 * Whether it was carried out.
 */
ok: boolean, 
/**
 * The answer.
 */
text: string, 
/**
 * How many events have happened and are not undone.
 */
events: number, 
/**
 * The threads now.
 */
threads: Array<ThreadLine>, 
/**
 * The variables now.
 */
variables: Array<Binding>, };

export type Cell = null | number | number | string;

export type ChangeRow = { 
/**
 * Whose.
 */
agent: string, 
/**
 * What of it.
 */
what: string, 
/**
 * Before.
 */
before: string, 
/**
 * After.
 */
after: string, };

export type EdgeRow = { 
/**
 * Its number.
 */
id: number, 
/**
 * The state that it leaves.
 */
source: number, 
/**
 * The state that it leads to.
 */
target: number, 
/**
 * The step.
 */
step: Step, };

export type EndCount = { 
/**
 * Its number.
 */
outcome: number, 
/**
 * `finished`, `stuck` or `deadlock`.
 */
kind: string, 
/**
 * In one line.
 */
text: string, 
/**
 * How many states have it.
 */
states: number, };

export type GraphTell = { 
/**
 * The program's text.
 */
text: string, 
/**
 * Its breakpoints.
 */
breakpoints: Array<BreakpointRow>, 
/**
 * The status of every universe: it may change after the universe was found.
 */
statuses: Array<string>, 
/**
 * The first edge that is told.
 */
first_link: number, 
/**
 * Where edges leave.
 */
from: Array<number>, 
/**
 * Where they lead.
 */
to: Array<number>, 
/**
 * 1 for those that the user caused.
 */
command: Array<number>, };

export type Judgement = { 
/**
 * In some.
 */
may: Opinion, 
/**
 * In all.
 */
must: Opinion, 
/**
 * How many states it rests on.
 */
states: number, 
/**
 * Why these are not all: then a *yes* or *no* is one that no other state can change.
 */
partial: Why | null, };

export type LinkRow = { 
/**
 * Its number.
 */
id: number, 
/**
 * Where it leaves.
 */
from: number, 
/**
 * Where it leads.
 */
to: number, 
/**
 * Whether the user caused it (drawn dashed).
 */
command: boolean, 
/**
 * Who acts.
 */
agent: string, 
/**
 * Who gets a message, if one is sent.
 */
receiver: string | null, 
/**
 * The language's rule.
 */
rule: string, 
/**
 * What happens.
 */
text: string, 
/**
 * The line in the source, from 1.
 */
line: number | null, 
/**
 * The debugger's rules.
 */
rules: Array<string>, };

export type ModelAsk = { "ask": "graph", 
/**
 * The first edge.
 */
links: number, } | { "ask": "order", 
/**
 * Which.
 */
order: Order, } | { "ask": "card", 
/**
 * Which.
 */
universe: number, } | { "ask": "difference", 
/**
 * Which.
 */
edge: number, } | { "ask": "may", 
/**
 * The breakpoint.
 */
spec: string, } | { "ask": "check", 
/**
 * The formula.
 */
formula: string, } | { "ask": "query", 
/**
 * The question.
 */
sql: string, } | { "ask": "ask", 
/**
 * Which.
 */
question: Question, } | { "ask": "state", 
/**
 * Which.
 */
state: number, } | { "ask": "visit", 
/**
 * Which.
 */
state: number, } | { "ask": "races", 
/**
 * Which.
 */
universe: number, } | { "ask": "edges", 
/**
 * Which; the first five thousand are answered.
 */
states: Array<number>, } | { "ask": "states" } | { "ask": "caredeb", 
/**
 * The command.
 */
line: string, };

export type ModelTell = { "graph": GraphTell } | { "came": Came } | { "card": { 
/**
 * Everything about it.
 */
card: Card, 
/**
 * The edges of the way there.
 */
path: Array<LinkRow>, 
/**
 * The edges that leave it.
 */
leaving: Array<LinkRow>, } } | { "difference": { 
/**
 * The edge.
 */
edge: LinkRow, 
/**
 * The changes.
 */
changes: Array<ChangeRow>, } } | { "judgement": Judgement } | { "visited": number } | { "races": Array<RaceRow> | null } | { "table": TableListing } | { "reply": { 
/**
 * The answer.
 */
reply: Reply, 
/**
 * Why it does not rest on all states.
 */
partial: Why | null, 
/**
 * On how many it rests then.
 */
known: number, } } | { "state": { 
/**
 * The state, in words.
 */
state: StateRow, 
/**
 * A shortest way there.
 */
way: Way, 
/**
 * The edges that leave it.
 */
leaving: Array<EdgeRow>, } } | { "edges": Array<EdgeRow> } | { "caredeb": CareDeb };

export type NodeRow = { 
/**
 * Its number.
 */
id: number, 
/**
 * `unexplored`, `running`, `paused`, `held`, `end`, `stuck` or `deadlock`.
 */
status: string, 
/**
 * Why it is paused.
 */
why: Array<string>, };

export type Opinion = { 
/**
 * Unknown if there were too many states.
 */
holds: boolean | null, 
/**
 * The steps of a run that shows it.
 */
steps: Array<string>, 
/**
 * The steps that this run goes round for ever after them.
 */
cycle: Array<string>, };

export type Order = { "order": "run" } | { "order": "restart" } | { "order": "resume", 
/**
 * Which.
 */
universe: number, } | { "order": "seek", 
/**
 * From which.
 */
universe: number, } | { "order": "pause", 
/**
 * Which.
 */
universe: number, } | { "order": "step", 
/**
 * Which universe.
 */
universe: number, 
/**
 * Who.
 */
agent: string, 
/**
 * Which step; languages without a catalogue of steps know `step` only.
 */
kind: string, } | { "order": "hold", 
/**
 * Where.
 */
universe: number, 
/**
 * Whom.
 */
agent: string, } | { "order": "release", 
/**
 * Where.
 */
universe: number, 
/**
 * Whom.
 */
agent: string, } | { "order": "break", 
/**
 * On what.
 */
spec: string, } | { "order": "unbreak", 
/**
 * Its number.
 */
id: number, } | { "order": "enable", 
/**
 * Its number.
 */
id: number, 
/**
 * On.
 */
on: boolean, } | { "order": "edit", 
/**
 * The new text.
 */
text: string, };

export type Parting = { 
/**
 * The state.
 */
state: number, 
/**
 * How one gets there.
 */
steps: Array<Step>, 
/**
 * What can happen there after which only the first outcome can.
 */
first: Array<Step>, 
/**
 * Only the second.
 */
second: Array<Step>, 
/**
 * Both.
 */
both: Array<Step>, 
/**
 * Neither.
 */
neither: Array<Step>, };

export type Possible = { 
/**
 * In a word or two.
 */
label: string, 
/**
 * Whom it is about.
 */
agent: string | null, 
/**
 * The order.
 */
order: Order, };

export type Question = "ends" | { "shortest": number } | "shortest_to_ends" | { "through": number } | { "divergence": [number, number] } | { "can_reach": number } | { "common_ancestors": Array<number> } | "cycles";

export type RaceRow = { 
/**
 * The step that received it.
 */
received: RaceStep, 
/**
 * The step with which it came in.
 */
message: RaceStep, 
/**
 * The steps with which others came in later that could have been there first.
 */
rivals: Array<RaceStep>, };

export type RaceStep = { 
/**
 * Its number on the way, from 1.
 */
step: number, 
/**
 * What it does.
 */
text: string, 
/**
 * Where in the source, from 1.
 */
line: number | null, };

export type RanRow = { 
/**
 * From which universe all ran.
 */
from: number, 
/**
 * Universes in which a breakpoint or a step halted.
 */
paused: Array<number>, 
/**
 * Ends.
 */
ends: Array<number>, 
/**
 * Universes in which only held agents could act.
 */
held: Array<number>, 
/**
 * Whether the limit of universes cut it short.
 */
cut: boolean, 
/**
 * Whether the user stopped it: what was found is there, and the same order again goes on.
 */
stopped: boolean, 
/**
 * Whether a step came to its goal nowhere, or no breakpoint halted what was sought.
 */
never_reached: boolean, };

export type Reply = { "ends": Array<EndCount> } | { "ways": Array<Way> } | { "states": Array<number> } | { "divergence": Parting | null } | { "ancestors": { 
/**
 * All.
 */
all: Array<number>, 
/**
 * Those with no step to another.
 */
last: Array<number>, } } | { "cycles": Array<Array<number>> };

export type StateRow = { 
/**
 * Its number; 0 is the start.
 */
id: number, 
/**
 * Steps on a shortest way there.
 */
depth: number, 
/**
 * The last edge of that way.
 */
via: number | null, 
/**
 * What is known about it.
 */
status: string, 
/**
 * Its outcome, if it is an end.
 */
outcome: number | null, 
/**
 * Which cycle it lies on.
 */
cycle: number | null, 
/**
 * The state in words.
 */
text: string | null, };

export type Status = "ready" | "waiting" | "failed" | "stuck" | "done";

export type Step = { 
/**
 * Who takes it.
 */
agent: string, 
/**
 * The rule.
 */
rule: string, 
/**
 * What it does.
 */
text: string, 
/**
 * Where in the source, from 1.
 */
line: number | null, 
/**
 * The column there.
 */
column: number | null, 
/**
 * Its position among what could happen, from 0.
 */
option: number, 
/**
 * How many things could happen.
 */
options: number, 
/**
 * How many rules it stands for.
 */
rules: number, };

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

export type ThreadLine = { 
/**
 * Its name.
 */
thread: string, 
/**
 * What it is up to.
 */
status: Status, 
/**
 * Its next statement, and why it cannot be executed; empty if it is done.
 */
text: string, 
/**
 * The line of that statement in the source, from 1; 0 if it is done.
 */
line: number, };

export type Way = { 
/**
 * The state.
 */
state: number, 
/**
 * Its outcome, if it is an end.
 */
outcome: number | null, 
/**
 * The steps.
 */
steps: Array<Step>, 
/**
 * The states that they leave.
 */
through: Array<number>, };

export type Why = "states" | "depth" | "cancelled" | "time" | "met";
