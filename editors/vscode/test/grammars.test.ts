// The grammars colour what the languages have: the words that 'borges lsp' explains, and the examples.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OnigScanner, OnigString, loadWASM } from "vscode-oniguruma";
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from "vscode-textmate";

const root = join(__dirname, "..");
const crates = join(root, "../../crates/languages/src");
const examples = join(root, "../../examples");

const wasm = readFileSync(createRequire(__filename).resolve("vscode-oniguruma/release/onig.wasm"));
await loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));

const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new OnigScanner(patterns),
    createOnigString: (text) => new OnigString(text),
  }),
  async loadGrammar(scope) {
    const path = join(root, "syntaxes", `${scope.replace("source.borges.", "")}.tmLanguage.json`);
    return parseRawGrammar(readFileSync(path, "utf8"), path);
  },
});

async function grammar(name: string): Promise<IGrammar> {
  const found = await registry.loadGrammar(`source.borges.${name}`);
  expect(found).not.toBeNull();
  return found as IGrammar;
}

/** The words of a text that have a colour, each with its innermost scope. */
async function coloured(name: string, text: string): Promise<string[]> {
  const parser = await grammar(name);
  const found: string[] = [];
  let stack = INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = parser.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens) {
      if (scopes.length > 1) {
        found.push(`${line.slice(startIndex, endIndex).trim()} ${scopes.at(-1)}`);
      }
    }
  }
  return found;
}

test("actors", async () => {
  const text = 'def a := actor: { |o| def m(x) { x := "a\\n"; self.y } }; // end\na<-m(1)@FutureMessage; def defx := when;';
  expect(await coloured("actors", text)).toEqual([
    "def keyword.other",
    "a variable.other.definition",
    ":= keyword.operator",
    "actor: storage.type",
    "def keyword.other",
    "m entity.name.function",
    ":= keyword.operator",
    '" string.quoted.double',
    "a string.quoted.double",
    "\\n constant.character.escape",
    '" string.quoted.double',
    "self variable.language",
    "// end comment.line.double-slash",
    "<- keyword.operator.send",
    "m entity.name.function.message",
    "1 constant.numeric",
    "@ keyword.operator",
    "FutureMessage storage.modifier",
    "def keyword.other",
    "defx variable.other.definition",
    ":= keyword.operator",
  ]);
});

test("threads", async () => {
  const text = "let λ' = proc {x} {send k' 12} end in /* a\n let */ thread <br> endλ end end";
  expect(await coloured("oz", text)).toEqual([
    "let keyword.other",
    "λ' entity.name.function",
    "proc storage.type",
    "send support.function",
    "12 constant.numeric",
    "end keyword.other",
    "in keyword.other",
    "/* comment.block",
    "a comment.block",
    "let comment.block",
    "*/ comment.block",
    "thread storage.type",
    "<br> keyword.control",
    "end keyword.other",
    "end keyword.other",
  ]);
});

test("choices", async () => {
  expect(await coloured("amb", "(+ (amb -1 2) +3 amb) ; (amb")).toEqual([
    "+ keyword.operator",
    "amb keyword.control",
    "-1 constant.numeric",
    "2 constant.numeric",
    "; (amb comment.line.semicolon",
  ]);
});

test("all words that are explained have a colour", async () => {
  const files: [string, string, (word: string) => string][] = [
    ["actors", "ambienttalk", (word) => ({ FutureMessage: "@FutureMessage", println: "system.println", apply: "apply()" })[word] ?? word],
    ["oz", "muoz", (word) => word],
    ["amb", "amb", (word) => `(${word} 1)`],
  ];
  for (const [name, folder, shown] of files) {
    const source = readFileSync(join(crates, folder, "gloss.rs"), "utf8");
    const words = [...source.matchAll(/\(\s*"([^"]+)",\s*"/g)].map((match) => match[1] ?? "");
    expect(words.length, folder).toBeGreaterThan(1);
    for (const word of words.filter((word) => word !== "{")) {
      const colours = await coloured(name, shown(word));
      expect(colours.some((colour) => colour.startsWith(`${word} `)), `${folder}: ${word}: ${colours.join(", ")}`).toBe(true);
    }
  }
});

test("comments of examples are comments to their ends, and no more", async () => {
  const languages: Record<string, [string, RegExp]> = { at: ["actors", /\/\/.*$/], oz: ["oz", /\/\/.*$/], amb: ["amb", /;.*$/] };
  let files = 0;
  for (const path of readdirSync(examples, { recursive: true, encoding: "utf8" })) {
    const language = languages[path.slice(path.lastIndexOf(".") + 1)];
    if (language === undefined || path.includes("node_modules")) {
      continue;
    }
    files += 1;
    const [name, comment] = language;
    const text = readFileSync(join(examples, path), "utf8");
    const expected = text.split("\n").flatMap((line) => comment.exec(line)?.[0].trim() ?? []);
    const found = (await coloured(name, text)).filter((word) => / comment\.\S+$/.test(word));
    expect(found.map((word) => word.replace(/ comment\.\S+$/, ""))).toEqual(expected);
  }
  expect(files).toBeGreaterThan(9);
});
