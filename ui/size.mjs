// How large the committed page is, compressed, fonts included; fails above what is allowed.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

const MOST = 250 * 1024;
const folder = new URL("../crates/web/page/", import.meta.url);
const sizes = readdirSync(folder).map((name) => [name, brotliCompressSync(readFileSync(new URL(name, folder))).length]);
const all = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
console.log(`page: ${all} bytes compressed (${sizes.map(([name, bytes]) => `${name} ${bytes}`).join(", ")})`);
if (all > MOST) {
  console.error(`page: ${MOST} are allowed`);
  process.exit(1);
}
