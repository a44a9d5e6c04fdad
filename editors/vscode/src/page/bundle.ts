// The page's own files, from the debugger that serves them: they are of its version, whichever that is.
import { mkdir, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";

/** Names of files as the page's documents name those beside them. */
const IN_HTML = /(?:src|href)="\.\/([\w-]+\.(?:js|css))"/g;
const IN_CSS = /url\(["']?(?:\.\/)?([\w-]+\.woff2)["']?\)/g;
/** Larger than any file of the page; who serves more is not the debugger. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The names of the page's scripts and styles. */
export interface Bundle {
  scripts: string[];
  styles: string[];
}

/** Copies the page's files into a folder. */
export async function fetchPage(url: string, folder: string): Promise<Bundle> {
  await mkdir(folder, { recursive: true });
  const copy = async (name: string): Promise<string> => {
    const bytes = await fetched(new URL(name, url));
    await writeFile(join(folder, name), bytes);
    return bytes.toString();
  };
  const html = (await fetched(new URL(url))).toString();
  const names = named(html, IN_HTML);
  const texts = await Promise.all(names.map(copy));
  const fonts = texts.flatMap((text, at) => (names[at]!.endsWith(".css") ? named(text, IN_CSS) : []));
  await Promise.all(fonts.map(copy));
  return {
    scripts: names.filter((name) => name.endsWith(".js")),
    styles: names.filter((name) => name.endsWith(".css")),
  };
}

function named(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))];
}

function fetched(url: URL): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = get(url, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`the debugger answers ${response.statusCode} to ${url.pathname.split("/").at(-1)}`));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MOST_BYTES) {
          request.destroy(new Error("the page is larger than it can be"));
        }
      });
      response.on("end", () => resolve(Buffer.concat(chunks)));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}
