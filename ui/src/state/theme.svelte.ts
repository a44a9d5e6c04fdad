// The page's tokens for what is drawn on canvases, read anew when the scheme of colours changes.
import { MediaQuery } from "svelte/reactivity";

const ENTRIES = ["input", "output", "event"] as const;
const PLACES = ["path", "preview", "device", "note", "bad"] as const;
const TOKENS = [...ENTRIES, ...PLACES, "text", "quiet", "line", "strong-line", "paper", "accent", "accent-soft", "sans", "mono"] as const;

/** Colours and fonts by their tokens. */
export type Palette = Record<(typeof TOKENS)[number], string>;

class Theme {
  private readonly scheme = new MediaQuery("prefers-color-scheme: dark");
  readonly palette = $derived.by((): Palette => {
    void this.dark;
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(TOKENS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Palette;
  });

  get dark(): boolean {
    return this.scheme.current;
  }
}

export const theme = new Theme();
