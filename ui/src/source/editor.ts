// The editor that shows a file: CodeMirror, read only, with the debugger's gutter and marks.
import { defaultKeymap } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  GutterMarker,
  WidgetType,
  gutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  type BlockInfo,
  type DecorationSet,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { languageOf } from "./languages";

/** What the debugger knows of the file that is shown. */
export interface Marks {
  /** The line where the program stands. */
  current: number | null;
  /** Whether the program stands only near that line: between two that are known. */
  near: boolean;
  /** Lines of callers. */
  callers: number[];
  /** Lines that no explored path reaches, after *Cover* was asked. */
  unreached: number[];
  /** Breakpoints by line; false is switched off. */
  breakpoints: Map<number, { enabled: boolean; special: boolean }>;
  /** Values to show behind lines. */
  values: { line: number; text: string; changed: boolean }[];
}

export interface Hooks {
  toggle(line: number): void;
  edit(line: number): void;
  /** The value of an expression under the mouse; null if it has none. */
  value(expression: string): Promise<string | null>;
}

const setMarks = StateEffect.define<Marks>();

class Bullet extends GutterMarker {
  constructor(
    private readonly enabled: boolean,
    private readonly special: boolean,
  ) {
    super();
  }

  override toDOM(): Node {
    const dot = document.createElement("span");
    dot.className = `bullet${this.enabled ? "" : " off"}${this.special ? " special" : ""}`;
    dot.title = this.enabled ? "breakpoint" : "breakpoint, off";
    return dot;
  }
}

class Here extends GutterMarker {
  override toDOM(): Node {
    const arrow = document.createElement("span");
    arrow.className = "here";
    arrow.textContent = "▶";
    return arrow;
  }
}

const HERE = new Here();

class Value extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly changed: boolean,
  ) {
    super();
  }

  override eq(other: Value): boolean {
    return other.text === this.text && other.changed === this.changed;
  }

  toDOM(): HTMLElement {
    const value = document.createElement("span");
    value.className = this.changed ? "inline changed" : "inline";
    value.textContent = this.text;
    return value;
  }
}

interface Drawn {
  lines: DecorationSet;
  gutter: RangeSet<GutterMarker>;
}

const drawn = StateField.define<Drawn>({
  create: () => ({ lines: Decoration.none, gutter: RangeSet.empty }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) {
        return draw(transaction.state, effect.value);
      }
    }
    return transaction.docChanged ? { lines: Decoration.none, gutter: RangeSet.empty } : value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.lines),
});

function draw(state: EditorState, marks: Marks): Drawn {
  const inside = (line: number) => line >= 1 && line <= state.doc.lines;
  const decorations = [];
  const markers = [];
  for (const line of marks.callers.filter(inside)) {
    decorations.push(Decoration.line({ class: "caller" }).range(state.doc.line(line).from));
  }
  for (const line of marks.unreached.filter(inside)) {
    decorations.push(Decoration.line({ class: "unreached", attributes: { title: "no explored path comes here" } }).range(state.doc.line(line).from));
  }
  if (marks.current !== null && inside(marks.current)) {
    const { from } = state.doc.line(marks.current);
    decorations.push(Decoration.line({ class: marks.near ? "near" : "current" }).range(from));
    markers.push(HERE.range(from));
  }
  for (const { line, text, changed } of marks.values.filter(({ line }) => inside(line))) {
    const widget = new Value(text, changed);
    decorations.push(Decoration.widget({ widget, side: 1 }).range(state.doc.line(line).to));
  }
  for (const [line, { enabled, special }] of marks.breakpoints) {
    if (inside(line)) {
      markers.push(new Bullet(enabled, special).range(state.doc.line(line).from));
    }
  }
  return { lines: Decoration.set(decorations, true), gutter: RangeSet.of(markers, true) };
}

export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--kw)" },
  { tag: [tags.string, tags.character], color: "var(--str)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--num)" },
  { tag: tags.comment, color: "var(--com)" },
  { tag: [tags.typeName, tags.standard(tags.variableName)], color: "var(--ty)" },
]);

export const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "var(--code)", lineHeight: "20px", fontVariantLigatures: "none" },
  ".cm-content": { padding: "2px 0" },
  // What is too long goes on below, indented.
  ".cm-line": { padding: "0 8px 0 calc(2px + 2ch)", textIndent: "-2ch" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 10px 0 2px", minWidth: "30px", fontSize: "var(--sm)", cursor: "pointer" },
  ".cm-stops": { width: "18px", cursor: "pointer" },
  ".cm-stops .cm-gutterElement": { display: "flex", alignItems: "flex-start", gap: "1px", padding: "5px 0 0 4px" },
  // Where a breakpoint would be.
  ".cm-stops .cm-gutterElement:hover:not(:has(.bullet))::before": {
    content: '""',
    width: "9px",
    height: "9px",
    borderRadius: "50%",
    border: "1.5px solid var(--bad-line)",
  },
  ".bullet": { width: "10px", height: "10px", borderRadius: "50%", background: "var(--bad)" },
  ".bullet.special": { borderRadius: "2px", transform: "rotate(45deg)" },
  ".bullet.off": { background: "none", border: "1.5px solid var(--bad)" },
  ".here": { color: "var(--accent)", fontSize: "9px", lineHeight: "10px" },
  ".current": { backgroundColor: "var(--now)", boxShadow: "inset 3px 0 0 var(--now-line)" },
  ".near": { backgroundImage: "repeating-linear-gradient(135deg, var(--now) 0 6px, transparent 6px 10px)" },
  ".unreached": { boxShadow: "inset 3px 0 0 var(--maybe)", backgroundColor: "var(--maybe-soft)" },
  ".caller": { backgroundColor: "var(--accent-soft)" },
  ".inline": {
    font: "500 11px/16px var(--mono)",
    borderRadius: "4px",
    padding: "0 5px",
    marginLeft: "8px",
    display: "inline-block",
    textIndent: "0",
    background: "var(--hover)",
    color: "var(--ink)",
  },
  ".inline.changed": { background: "var(--accent-soft)", color: "var(--accent)" },
  "&.cm-focused": { outline: "none" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-2)",
    borderRadius: "8px",
    padding: "3px 8px",
    fontFamily: "var(--mono)",
    boxShadow: "var(--shadow-2)",
  },
  ".cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
});

export class SourceEditor {
  private editor: EditorView | null = null;
  private marks: Marks | null = null;

  constructor(
    private readonly parent: HTMLElement,
    private readonly hooks: Hooks,
  ) {}

  /** Shows a file, with its marks and where the program stands in it, in one go: each change would be laid out by itself. */
  show(path: string, text: string, marks: Marks): void {
    const extended = EditorState.create({ doc: text, extensions: [extensions(this.hooks), languageOf(path), drawn.init((state) => draw(state, marks))] });
    const { doc } = extended;
    const line = marks.current === null || marks.current > doc.lines ? 1 : marks.current;
    const state = extended.update({ selection: { anchor: doc.line(line).from } }).state;
    this.marks = marks;
    const scrollTo = scrolled(doc.line(line).from);
    if (this.editor) {
      this.editor.setState(state);
      this.editor.dispatch({ effects: scrollTo });
    } else {
      this.editor = new EditorView({ parent: this.parent, state, scrollTo });
    }
  }

  mark(marks: Marks): void {
    if (marks !== this.marks) {
      this.marks = marks;
      this.editor?.dispatch({ effects: setMarks.of(marks) });
    }
  }

  /** Scrolls so that a line can be seen with something around it. */
  reveal(line: number): void {
    const state = this.editor?.state;
    if (!state || line < 1 || line > state.doc.lines) {
      return;
    }
    const { from } = state.doc.line(line);
    this.editor?.dispatch({ selection: { anchor: from }, effects: scrolled(from) });
  }

  /** The line of the cursor. */
  line(): number {
    const state = this.editor?.state;
    return state?.doc.lineAt(state.selection.main.head).number ?? 1;
  }

  focus(): void {
    this.editor?.focus();
  }

  destroy(): void {
    this.editor?.destroy();
  }
}

/** So that a place can be seen with something around it. */
function scrolled(from: number): StateEffect<unknown> {
  return EditorView.scrollIntoView(from, { y: "nearest", yMargin: 90 });
}

/** Clicks beside a line: a breakpoint, or with shift one that is more than that. */
function stops(hooks: Hooks) {
  return {
    mousedown: (editor: EditorView, block: BlockInfo, event: Event): boolean => {
      const line = editor.state.doc.lineAt(block.from).number;
      const { button, altKey, shiftKey } = event as MouseEvent;
      if (button !== 0 || altKey || shiftKey) {
        hooks.edit(line);
      } else {
        hooks.toggle(line);
      }
      return true;
    },
    contextmenu: (_editor: EditorView, _block: BlockInfo, event: Event): boolean => {
      event.preventDefault();
      return true;
    },
  };
}

function extensions(hooks: Hooks): Extension {
  return [
    gutter({
      class: "cm-stops",
      renderEmptyElements: true,
      markers: (editor) => editor.state.field(drawn).gutter,
      domEventHandlers: stops(hooks),
    }),
    lineNumbers({ domEventHandlers: stops(hooks) }),
    EditorView.lineWrapping,
    syntaxHighlighting(colours),
    look,
    search({ top: true }),
    highlightSelectionMatches(),
    // Ctrl-F searches; plain letters stay the debugger's.
    keymap.of([...searchKeymap, ...defaultKeymap]),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": "Source", tabindex: "0", "data-region": "source" }),
    hoverTooltip(async (editor, position, side) => {
      const expression = expressionAt(editor.state, position, side);
      const value = expression && (await hooks.value(expression.text));
      if (!expression || !value) {
        return null;
      }
      return {
        pos: expression.from,
        above: true,
        create: () => {
          const dom = document.createElement("div");
          dom.textContent = `${expression.text} = ${value}`;
          return { dom };
        },
      };
    }),
  ];
}

/** The name under a position, with the fields before it: `a.b` for `b` in `a.b.c`. */
function expressionAt(
  state: EditorState,
  position: number,
  side: number,
): { from: number; text: string } | null {
  const { from, text } = state.doc.lineAt(position);
  let start = position - from;
  let end = start;
  while (start > 0 && /[\w.$]/.test(text[start - 1] ?? "")) {
    start--;
  }
  while (end < text.length && /[\w$]/.test(text[end] ?? "")) {
    end++;
  }
  const found = text.slice(start, end);
  const atEdge = (start === position - from && side < 0) || (end === position - from && side > 0);
  return /^[A-Za-z_$]/.test(found) && !atEdge ? { from: from + start, text: found } : null;
}
