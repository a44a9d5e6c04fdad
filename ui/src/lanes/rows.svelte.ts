// The rows under the tree: each is a variable, a reading, a pin, a motor or a breakpoint. Its name and value now stand in
// the flank, its history runs on to the right in the sheet.
import { isConstant } from "../panels/names";
import { stopsAt } from "../panels/stops";
import { stage } from "../sheet/stage.svelte";
import { view } from "../state/view.svelte";
import { grouped } from "../words";
import type { Curve, HitRow, LimitRow, PinView, Variable } from "../wire/types";
import { hits } from "./hits.svelte";
import { at, coursesOf, joined, sighted, type ByNumber, type Change } from "./courses";

export type Kind = "variable" | "reading" | "pin" | "motor" | "hits";

export interface Row {
  id: string;
  kind: Kind;
  name: string;
  /** What it is, shortly. */
  about: string;
  value: string;
  changed: boolean;
  swatch: string | null;
  /** Its history, as changes or as a curve. */
  changes: readonly Change[];
  curve: Curve | null;
  /** Of a breakpoint: which, and when its place was passed. */
  breakpoint?: number;
  hits?: readonly HitRow[];
  /** What the board's file says of it. */
  limits?: readonly LimitRow[];
}

/** Variables that are drawn before the user chose any, and pins. */
const FIRST_VARIABLES = 4;
const MOST_PINS = 8;
/** Points of a curve that grows. */
const MOST_POINTS = 4000;
const NONE: readonly Change[] = [];
const UNSEEN: ByNumber = new Map();

function isNumber(variable: Variable): boolean {
  return /^-?[\d.]+|^(true|false)$/.test(variable.value);
}

function levelOf({ pin, high, duty }: PinView): readonly [number, number, string] {
  const level = duty == null ? Number(high) : Math.round(duty * 255);
  return [pin, level, String(level)];
}

function limitsOf(row: string): readonly LimitRow[] {
  return view.info?.limits.filter(({ of }) => of.includes(row)) ?? [];
}

class Lanes {
  /** What the user asked for besides; `null` for what he took away. */
  private asked = $state.raw<ReadonlyMap<string, boolean>>(new Map());
  curves = $state.raw<ReadonlyMap<string, Curve>>(new Map());
  /** How far the rows are scrolled, in pixels. */
  scroll = $state(0);
  /** What pictures of the board showed while the program ran. */
  private seenPins = $state.raw(UNSEEN);
  private seenMotors = $state.raw(UNSEEN);

  readonly courses = $derived(coursesOf(stage.columns));

  /** Variables that can be drawn. */
  readonly choosable = $derived([...view.variables.locals, ...view.variables.globals].filter((variable) => !isConstant(variable)));

  readonly expressions = $derived.by(() => {
    // Of optimised code and of machines' own globals nobody wants to hear before he asks.
    const numbers = this.choosable.filter((variable) => isNumber(variable) && this.asked.get(variable.name) !== false && !/^__/.test(variable.name));
    const first = numbers.slice(0, FIRST_VARIABLES).map(({ name }) => name);
    const wished = [...this.asked].filter(([, wanted]) => wanted).map(([name]) => name);
    const watched = view.watches.map(({ expression }) => expression);
    return [...new Set([...first, ...wished, ...watched])];
  });

  /** Inputs, each with what it answered last: of a primitive that is called with several arguments, only the path knows. */
  readonly inputs = $derived.by(() => {
    const here = view.info?.here.steps ?? 0;
    return view.inputs.map((input) => {
      const read = at(this.courses.readings.get(input.call) ?? NONE, here)?.value;
      return input.last == null && read != null ? { ...input, last: String(read) } : input;
    });
  });

  readonly rows = $derived.by((): Row[] => {
    const here = view.info?.here.steps ?? 0;
    return [...this.variables(), ...this.readings(here), ...this.motors(here), ...this.pins(here), ...this.breakpoints()];
  });

  /**
   * While the program runs, curves, pins and motors have the values of the pictures; once it stands, they are asked for with
   * every write.
   */
  grow(step: number): void {
    this.seenPins = sighted(this.seenPins, this.courses.pins, step, (view.board?.pins ?? []).filter((pin) => pin.written).map(levelOf));
    const angles = (view.board?.motors ?? []).map(({ motor, degrees }) => [motor, degrees, `${degrees}°`] as const);
    this.seenMotors = sighted(this.seenMotors, this.courses.motors, step, angles);
    const curves = new Map(this.curves);
    for (const name of this.expressions) {
      const text = this.choosable.find((variable) => variable.name === name)?.value ?? "";
      const value = text === "true" ? 1 : text === "false" ? 0 : Number.parseFloat(text);
      const { steps, values } = curves.get(name) ?? { steps: [], values: [] };
      if ((steps.at(-1) ?? -1) < step && steps.length < MOST_POINTS) {
        curves.set(name, { steps: [...steps, step], values: [...values, Number.isFinite(value) ? value : null] });
      }
    }
    this.curves = curves;
  }

  /** The program stands: what its path says is known, and more than what was seen. */
  stand(): void {
    [this.seenPins, this.seenMotors] = [UNSEEN, UNSEEN];
  }

  add(expression: string): void {
    this.asked = new Map(this.asked).set(expression, true);
    const isKnown = this.choosable.some(({ name }) => name === expression);
    const watched = view.watches.map((watch) => watch.expression);
    if (!isKnown && !watched.includes(expression)) {
      view.watch([...watched, expression]);
    }
  }

  remove(expression: string): void {
    this.asked = new Map(this.asked).set(expression, false);
    view.watch(view.watches.map((watch) => watch.expression).filter((other) => other !== expression));
  }

  private variables(): Row[] {
    return this.expressions.map((name) => {
      const known = this.choosable.find((variable) => variable.name === name);
      const watch = view.watches.find(({ expression }) => expression === name);
      const { value, type, changed } = watch ?? known ?? { value: "–", type: "", changed: false };
      return { id: `variable ${name}`, kind: "variable", name, about: type, value, changed, swatch: null, changes: NONE, curve: this.curves.get(name) ?? null };
    });
  }

  private readings(here: number): Row[] {
    const calls = new Set([...view.inputs.map(({ call }) => call).filter((call) => this.courses.readings.has(call)), ...this.courses.readings.keys()]);
    return [...calls].slice(0, 6).map((call) => {
      const changes = this.courses.readings.get(call) ?? NONE;
      const now = at(changes, here);
      return { id: `reading ${call}`, kind: "reading", name: call.replace(/^chip_/, ""), about: "read", value: now?.text ?? "–", changed: false, swatch: now?.swatch ?? null, changes, curve: null };
    });
  }

  private motors(here: number): Row[] {
    return [...joined(this.courses.motors, this.seenMotors)].map(([motor, changes]) => ({
      id: `motor ${motor}`,
      kind: "motor",
      name: `motor ${motor}`,
      about: "angle",
      limits: limitsOf(`motor ${motor}`),
      value: at(changes, here)?.text ?? "0°",
      changed: false,
      swatch: null,
      changes,
      curve: null,
    }));
  }

  private pins(here: number): Row[] {
    return [...joined(this.courses.pins, this.seenPins)].slice(0, MOST_PINS).map(([pin, changes]) => {
      const known = view.board?.pins.find((other) => other.pin === pin);
      return { id: `pin ${pin}`, kind: "pin", name: known?.label ?? `pin ${pin}`, about: `pin ${pin}`, limits: limitsOf(`pin ${pin}`), value: at(changes, here)?.text ?? "–", changed: false, swatch: null, changes, curve: null };
    });
  }

  private breakpoints(): Row[] {
    return view.breakpoints.map((breakpoint) => ({
      id: `breakpoint ${breakpoint.id}`,
      kind: "hits",
      name: /:\d+/.exec(breakpoint.resolved)?.[0].replace(":", "line ") ?? stopsAt(breakpoint),
      about: breakpoint.log ? "prints" : "hits",
      value: hits.known.has(breakpoint.id) ? grouped(hits.known.get(breakpoint.id)?.length ?? 0) : String(breakpoint.count),
      changed: false,
      swatch: null,
      changes: NONE,
      hits: hits.known.get(breakpoint.id) ?? [],
      curve: null,
      breakpoint: breakpoint.id,
    }));
  }
}

export const lanes = new Lanes();
