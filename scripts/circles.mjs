// The circles in our crates: within a folder, no two rooms (files, and folders as wholes) may need each other. Prints each
// circle with the names that make it, and fails where there is one.
//
//   node circles.mjs [CRATE…]
//
// What a file needs is read from its paths: `use` (with braces, `*` and `as`) and paths in the code, each followed through
// `pub use` to the file that declares the name. Methods are not seen. Tests and what only documentation needs are left out.
// A folder's `mod.rs` (a crate's `lib.rs`) is the folder itself: it joins the rooms in it, and what it declares is there for
// them all, so an arrow from within up to it is none.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose files are one thing in several parts: ARCHITECTURE.md, "The house", has each with its reason. */
const TOGETHER = { vm: ['machine', 'fast'] };

/** The code alone: comments and text emptied, tests and items for documentation gone. */
function stripped(text) {
  return text
    .replace(/\/\*[^]*?\*\/|\/\/.*|r(#*)"[^]*?"\1|b?"(?:\\[^]|[^"\\])*"|'(?:\\.[^']*|[^'\\])'/g, ' ')
    .replace(/^( *)#\[cfg\((?:test|doc)\)\]\s*(?:#\[[^\]]*\]\s*)*(?:use [^;]*;|[^;{}]*;|[^;{}]*\{(?:.*\}$|[^]*?\n\1\}))/gm, ' ');
}

/** The paths of a `use`, each as `{ path, name }`; the name of `*` is `*`. */
function paths(tree, before = []) {
  const found = [];
  let rest = tree.trim();
  const head = [...before];
  for (let part; (part = /^(?:r#)?(\w+|\*)\s*(::)?\s*/.exec(rest)); rest = rest.slice(part[0].length)) {
    head.push(part[1]);
    if (!part[2]) {
      const as = /^as\s+(\w+)/.exec(rest.slice(part[0].length));
      const path = head.at(-1) === 'self' && head.length > 1 ? head.slice(0, -1) : head;
      return [{ path, name: as ? as[1] : path.at(-1) }];
    }
  }
  // Braces: what stands between commas of this depth.
  let depth = 0;
  let from = 1;
  for (let at = 0; at < rest.length; at++) {
    if (rest[at] === '{') depth++;
    const ends = rest[at] === '}' && --depth === 0;
    if (ends || (rest[at] === ',' && depth === 1)) {
      if (rest.slice(from, at).trim()) found.push(...paths(rest.slice(from, at), head));
      from = at + 1;
    }
  }
  return found;
}

const DECLARED = /^[ ]{0,4}(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe|extern) )*(?:fn|struct|enum|trait|type|union|const|static|macro_rules!) +(?:mut )?(\w+)/gm;

/** The files of a crate by the path of their module. */
function modules(source) {
  const found = new Map();
  const add = (file, path) => {
    const code = stripped(readFileSync(join(source, file), 'utf8'));
    const uses = [];
    const body = code.replace(/(pub(?:\([^)]*\))? )?\buse ([^;]+);/g, (_, open, tree) => {
      for (const { path: to, name } of paths(tree)) uses.push({ open: Boolean(open), path: to, name });
      return ' ';
    });
    const declared = new Set([...body.matchAll(DECLARED)].map(([, name]) => name));
    found.set(path.join('::'), { file, path, uses, body, declared });
    const folder = /(^|\/)(mod|lib|main)\.rs$/.test(file) ? file.replace(/[^/]*$/, '') : file.replace(/\.rs$/, '/');
    for (const [, child] of body.matchAll(/^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);/gm)) {
      const name = [`${folder}${child}.rs`, `${folder}${child}/mod.rs`].find((name) => existsSync(join(source, name)));
      if (name) add(name, [...path, child]);
    }
  };
  const root = ['lib.rs', 'main.rs'].find((name) => existsSync(join(source, name)));
  add(root, []);
  return found;
}

/** Which file needs which, by what name. */
function needs(crate) {
  const known = modules(join('crates', crate, 'src'));

  /** The module that declares what `path` names, seen from `module`; undefined outside of the crate. */
  function target(module, path, seen = new Set()) {
    let [first, ...rest] = path;
    let at = module.path;
    if (first === 'crate' || first === `borges_${crate}`) at = [];
    else if (first === 'self') at = module.path;
    else if (first === 'super') {
      at = at.slice(0, -1);
      for (; rest[0] === 'super'; rest.shift()) at = at.slice(0, -1);
    } else {
      rest = path;
      if (!named(module, first)) return undefined;
    }
    return inside(known.get(at.join('::')), rest, seen);
  }

  /** Whether `name` may mean something in `module`. */
  function named(module, name) {
    return (
      known.has([...module.path, name].join('::')) ||
      module.declared.has(name) ||
      module.uses.some((use) => use.name === name || use.name === '*')
    );
  }

  /** The module that declares what `path` names within `module`. */
  function inside(module, [name, ...rest], seen) {
    if (!module || name === undefined || name === '*') return module;
    const key = `${module.file} ${name}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    const child = known.get([...module.path, name].join('::'));
    if (child) return inside(child, rest, seen);
    if (module.declared.has(name)) return module;
    for (const use of module.uses) {
      if (use.name === name && use.path.join() !== name) return target(module, [...use.path, ...rest], seen);
    }
    for (const use of module.uses) {
      const from = use.name === '*' && target(module, use.path, new Set(seen));
      if (from && from !== module && named(from, name)) return inside(from, [name, ...rest], seen);
    }
    // What a macro declares.
    return module;
  }

  const found = [];
  const isTogether = ({ path }) => TOGETHER[crate]?.includes(path[0]);
  for (const module of known.values()) {
    const need = (path) => {
      const to = target(module, path);
      if (!to || to === module) return;
      if (isTogether(to) && isTogether(module)) return;
      found.push({ from: module, to, name: path.at(-1) });
    };
    // What is handed on is needed only if it is spoken of here, too.
    const spoken = new Set(module.body.match(/\w+/g));
    for (const { open, path, name } of module.uses) if (!open || spoken.has(name)) need(path);
    for (const [path] of module.body.matchAll(/(?<![\w:])[a-z_]\w*(?:::\w+)+/g)) need(path.split('::'));
  }
  return found;
}

/** The rooms of each folder, and which needs which: maps of maps, with the arrows of files as words. */
function folders(arrows) {
  const found = new Map();
  for (const { from, to, name } of arrows) {
    let depth = 0;
    while (depth < from.path.length && from.path[depth] === to.path[depth]) depth++;
    // Between a folder and a room in it.
    if (depth === from.path.length || depth === to.path.length) continue;
    const enter = (map, key, empty) => map.get(key) ?? map.set(key, empty).get(key);
    const folder = enter(found, from.path.slice(0, depth).join('::'), new Map());
    const room = enter(folder, from.path[depth], new Map());
    const files = enter(room, to.path[depth], new Map());
    enter(files, `${from.file} -> ${to.file}`, new Set()).add(name);
  }
  return found;
}

/** The sets of rooms that reach each other (Tarjan). */
function circles(arrows) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (room) => {
    order.set(room, order.size);
    low.set(room, order.get(room));
    stack.push(room);
    for (const to of arrows.get(room)?.keys() ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(room, Math.min(low.get(room), low.get(to)));
    }
    if (low.get(room) === order.get(room)) {
      const circle = stack.splice(stack.indexOf(room));
      if (circle.length > 1) found.push(circle.sort());
    }
  };
  for (const room of arrows.keys()) if (!order.has(room)) visit(room);
  return found.sort((one, other) => other.length - one.length);
}

const asked = process.argv.slice(2);
for (const crate of asked.length ? asked : readdirSync('crates')) {
  for (const [folder, rooms] of folders(needs(crate))) {
    for (const circle of circles(rooms)) {
      process.exitCode = 1;
      console.error(`house: rooms of '${[crate, folder].filter(Boolean).join('::')}' need each other: ${circle.join(', ')}`);
      for (const room of circle) {
        for (const [to, files] of rooms.get(room)) {
          if (!circle.includes(to)) continue;
          for (const [arrow, names] of files) console.error(`  ${arrow}: ${[...names].sort().join(', ')}`);
        }
      }
    }
  }
}
