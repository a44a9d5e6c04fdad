// The editor of a model program's text: agents stand on their lines, breakpoints in the gutter, what is wrong is underlined.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { colours, look } from "../source/editor";
import { languageOf } from "../source/languages";

export interface Marks {
  /** Agents by the line that each is on: their number, which says their colour, and their name. */
  agents: { line: number; number: number; name: string }[];
  /** The line of the last step. */
  current: number | null;
  /** Lines with a breakpoint. */
  breakpoints: ReadonlySet<number>;
  /** Where the text is wrong, and why. */
  wrong: { line: number; column: number; why: string } | null;
}

export interface Hooks {
  edited(text: string): void;
  /** Somebody clicked beside a line. */
  toggle(line: number, text: string): void;
  /** Whether a line can have a breakpoint. */
  takes(text: string): boolean;
}

const setMarks = StateEffect.define<Marks>();

class Tags extends GutterMarker {
  constructor(private readonly agents: { number: number; name: string }[]) {
    super();
  }

  override toDOM(): Node {
    const tags = document.createElement("span");
    tags.className = "agents";
    tags.title = `${this.agents.map((agent) => agent.name).join(", ")} ${this.agents.length > 1 ? "are" : "is"} here`;
    for (const agent of this.agents.slice(0, 2)) {
      const tag = document.createElement("span");
      tag.className = `agent a${agent.number % 5}`;
      tag.textContent = String(agent.number + 1);
      tags.append(tag);
    }
    return tags;
  }
}

class Bullet extends GutterMarker {
  constructor(private readonly set: boolean) {
    super();
  }

  override toDOM(): Node {
    const dot = document.createElement("span");
    dot.className = this.set ? "bullet" : "could";
    dot.title = this.set ? "breakpoint: click to delete it" : "click for a breakpoint";
    return dot;
  }
}

interface Drawn {
  lines: DecorationSet;
  agents: RangeSet<GutterMarker>;
  bullets: RangeSet<GutterMarker>;
}

const NOTHING: Drawn = { lines: Decoration.none, agents: RangeSet.empty, bullets: RangeSet.empty };

function field(hooks: Hooks): StateField<Drawn> {
  return StateField.define<Drawn>({
    create: () => NOTHING,
    update(value, transaction) {
      const set = transaction.effects.find((effect) => effect.is(setMarks));
      if (set) {
        return draw(transaction.state, set.value as Marks, hooks);
      }
      return transaction.docChanged ? NOTHING : value;
    },
    provide: (field) => EditorView.decorations.from(field, (value) => value.lines),
  });
}

function draw(state: EditorState, marks: Marks, hooks: Hooks): Drawn {
  const { doc } = state;
  const inside = (line: number): boolean => line >= 1 && line <= doc.lines;
  const lines = [];
  if (marks.current !== null && inside(marks.current)) {
    lines.push(Decoration.line({ class: "current" }).range(doc.line(marks.current).from));
  }
  if (marks.wrong && inside(marks.wrong.line)) {
    const { from, to } = doc.line(marks.wrong.line);
    const start = Math.min(Math.max(from, from + marks.wrong.column - 1), Math.max(from, to - 1));
    lines.push(Decoration.line({ class: "wrong-line" }).range(from));
    if (start < to) {
      lines.push(Decoration.mark({ class: "wrong", attributes: { title: marks.wrong.why } }).range(start, to));
    }
  }
  const byLine = new Map<number, { number: number; name: string }[]>();
  marks.agents.filter(({ line }) => inside(line)).forEach((agent) => byLine.set(agent.line, [...(byLine.get(agent.line) ?? []), agent]));
  const agents = [...byLine].map(([line, there]) => new Tags(there).range(doc.line(line).from));
  const bullets = [];
  for (let line = 1; line <= doc.lines; line++) {
    const { from, text } = doc.line(line);
    if (marks.breakpoints.has(line) || hooks.takes(text)) {
      bullets.push(new Bullet(marks.breakpoints.has(line)).range(from));
    }
  }
  return { lines: Decoration.set(lines, true), agents: RangeSet.of(agents, true), bullets: RangeSet.of(bullets, true) };
}

const own = EditorView.theme({
  ".cm-agents": { minWidth: "20px" },
  ".agents": { display: "flex", gap: "1px", padding: "2px 0 0 3px" },
  ".agent": { font: "600 10px/15px var(--sans)", minWidth: "14px", textAlign: "center", borderRadius: "4px", color: "var(--sheet)" },
  ".a0": { background: "var(--ink-2)" },
  ".a1": { background: "var(--o1)" },
  ".a2": { background: "var(--o2)" },
  ".a3": { background: "var(--o3)" },
  ".a4": { background: "var(--o4)" },
  ".could": { width: "9px", height: "9px", borderRadius: "50%" },
  ".cm-gutterElement:hover .could": { border: "1.5px solid var(--bad-line)" },
  ".wrong": { textDecoration: "underline wavy var(--bad) 1.5px", textUnderlineOffset: "3px" },
  ".wrong-line": { backgroundColor: "var(--bad-soft)" },
});

export class ProgramEditor {
  private readonly editor: EditorView;
  private readonly language = new Compartment();

  constructor(parent: HTMLElement, hooks: Hooks) {
    const drawn = field(hooks);
    const click = {
      mousedown: (editor: EditorView, block: { from: number }): boolean => {
        const line = editor.state.doc.lineAt(block.from);
        hooks.toggle(line.number, line.text);
        return true;
      },
    };
    this.editor = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          drawn,
          gutter({ class: "cm-agents", markers: (editor) => editor.state.field(drawn).agents }),
          gutter({ class: "cm-stops", markers: (editor) => editor.state.field(drawn).bullets, domEventHandlers: click, renderEmptyElements: true }),
          lineNumbers({ domEventHandlers: click }),
          EditorView.lineWrapping,
          this.language.of([]),
          syntaxHighlighting(colours),
          look,
          own,
          bracketMatching(),
          history(),
          search({ top: true }),
          highlightSelectionMatches(),
          keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ "aria-label": "Program", spellcheck: "false", "data-region": "source" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              hooks.edited(update.state.doc.toString());
            }
          }),
        ],
      }),
    });
  }

  /** Shows another text, unless it is there already. */
  show(text: string): void {
    const { doc } = this.editor.state;
    if (doc.toString() !== text) {
      this.editor.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
    }
  }

  /** Colours the words of this language. */
  speak(language: string): void {
    this.editor.dispatch({ effects: this.language.reconfigure(languageOf(language)) });
  }

  mark(marks: Marks): void {
    this.editor.dispatch({ effects: setMarks.of(marks) });
  }

  /** Scrolls so that a line can be seen. */
  reveal(line: number): void {
    const { doc } = this.editor.state;
    if (line >= 1 && line <= doc.lines) {
      this.editor.dispatch({ effects: EditorView.scrollIntoView(doc.line(line).from, { y: "nearest", yMargin: 60 }) });
    }
  }

  destroy(): void {
    this.editor.destroy();
  }
}
