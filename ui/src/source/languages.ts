// What is coloured in each language: its words and types, and how comments and texts look. Small tables: whole parsers would be a
// tenth of the page.
import { StreamLanguage } from "@codemirror/language";
import { simpleMode } from "@codemirror/legacy-modes/mode/simple-mode";
import type { Extension } from "@codemirror/state";

interface Table {
  words: string;
  types?: string;
  /** How a comment of one line begins. */
  line: string;
  /** Whether there are comments over lines, as in C. */
  block?: boolean;
  /** What texts stand between. */
  quotes: string;
}

const C: Table = {
  words:
    "auto break case const constexpr continue default do else enum extern for goto if inline namespace new operator private protected public register restrict return sizeof static struct switch template this throw try catch typedef typename union using virtual volatile while delete class",
  types: "bool char double float int long short signed unsigned void \\w+_t [iu](?:8|16|32|64)",
  line: "//",
  block: true,
  quotes: "\"'",
};
const TYPESCRIPT: Table = {
  words:
    "abstract as async await break case catch class const constructor continue declare default delete do else enum export extends finally for from function get if implements import in instanceof interface let new of private protected public readonly return set static super switch this throw try typeof var while yield",
  types: "any bool boolean f32 f64 i8 i16 i32 i64 isize number string u8 u16 u32 u64 usize v128 void",
  line: "//",
  block: true,
  quotes: "\"'`",
};
const RUST: Table = {
  words:
    "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type unsafe use where while",
  types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Box Option Result String Vec Self",
  line: "//",
  block: true,
  quotes: '"',
};
const AMBIENTTALK: Table = { words: "actor becomes def do else if import isolate object self system then when while", line: "//", quotes: '"' };
const OZ: Table = { words: "assert case else end if in let of or and not port proc receive send skip then thread", line: "//|%", quotes: '"' };
const AMB: Table = { words: "amb assert begin define fail if lambda let require", line: ";", quotes: '"' };

/** By the end of a file's name, or the name of a model language. */
const TABLES: [RegExp, Table][] = [
  [/\.tsx?$|\.as$/, TYPESCRIPT],
  [/\.rs$/, RUST],
  [/\.(c|h|cpp|cc|cxx|hpp)$/, C],
  [/ambient/i, AMBIENTTALK],
  [/oz$/i, OZ],
  [/amb/i, AMB],
];

/** The colours of a file, or of a program of a model language. */
export function languageOf(name: string): Extension {
  const table = TABLES.find(([pattern]) => pattern.test(name))?.[1];
  return table ? StreamLanguage.define(simpleMode(modeOf(table))) : [];
}

function modeOf({ words, types, line, block, quotes }: Table): Parameters<typeof simpleMode>[0] {
  const any = (list: string): RegExp => new RegExp(`(?:${list.split(" ").join("|")})\\b`);
  const end = { regex: /.*?\*\//, token: "comment", next: "start" };
  return {
    start: [
      { regex: new RegExp(`(?:${line}).*`), token: "comment" },
      ...(block ? [{ regex: /\/\*/, token: "comment", next: "comment" }, { regex: /#\s*\w+/, token: "meta", sol: true }] : []),
      { regex: new RegExp(`([${quotes}])(?:[^\\\\]|\\\\.)*?(?:\\1|$)`), token: "string" },
      { regex: /(?:true|false|null|nil|NULL)\b/, token: "atom" },
      { regex: any(words), token: "keyword" },
      ...(types ? [{ regex: any(types), token: "type" }] : []),
      { regex: /0x[\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?/i, token: "number" },
      { regex: /[A-Za-z_$][\w$?!]*/, token: null },
    ],
    ...(block ? { comment: [end, { regex: /.*/, token: "comment" }] } : {}),
  };
}
