// The page's tokens for what is drawn on canvases, read anew when the scheme of colours changes.
import { MediaQuery } from "svelte/reactivity";

const SURFACES = ["sheet", "sunk", "raised", "hover", "line", "line-2", "wire", "part", "part-line", "chip", "chip-ink"] as const;
const WORDS = ["ink", "ink-2", "ink-3", "sans", "mono"] as const;
const MEANINGS = ["accent", "accent-ink", "accent-soft", "accent-line", "ghost", "ghost-soft", "bad", "bad-soft", "bad-line", "ok", "maybe"] as const;
const UNJUDGED = ["o1", "o2", "o3", "o4"] as const;
const TOKENS = [...SURFACES, ...WORDS, ...MEANINGS, ...UNJUDGED] as const;

/** Colours and fonts by their tokens. */
export type Palette = Record<(typeof TOKENS)[number], string>;

class Theme {
  private readonly scheme = new MediaQuery("prefers-color-scheme: dark");
  private readonly still = new MediaQuery("prefers-reduced-motion: reduce");
  readonly palette = $derived.by((): Palette => {
    void this.dark;
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(TOKENS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Palette;
  });

  get dark(): boolean {
    return this.scheme.current;
  }

  /** Whoever wants no motion gets none. */
  get moves(): boolean {
    return !this.still.current;
  }
}

export const theme = new Theme();
