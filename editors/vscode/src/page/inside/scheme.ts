// Light or dark as the editor is: the page asks the browser, which only knows what the whole desktop is.

const DARK = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/;

/** Has the page's styles and its questions about the scheme of colours follow the classes that the editor gives its body. */
export function followEditor(): void {
  const rules = new Set<CSSMediaRule>();
  const asked = new Set<{ query: string; list: MediaQueryList & { matches: boolean } }>();
  const isDark = () => document.body.classList.contains("vscode-dark") || isDarkContrast();
  const tell = (): void => {
    document.documentElement.style.colorScheme = isDark() ? "dark" : "light";
    for (const sheet of document.styleSheets) {
      for (const rule of sheet.cssRules) {
        if (rule instanceof CSSMediaRule && DARK.test(rule.conditionText)) {
          rules.add(rule);
        }
      }
    }
    rules.forEach((rule) => (rule.media.mediaText = isDark() ? "all" : "not all"));
    for (const { list } of asked) {
      if (list.matches !== isDark()) {
        list.matches = isDark();
        list.dispatchEvent(new Event("change"));
      }
    }
  };
  const original = window.matchMedia.bind(window);
  window.matchMedia = (query) => {
    if (!DARK.test(query)) {
      return original(query);
    }
    const list = Object.assign(new EventTarget(), { media: query, matches: isDark(), onchange: null });
    asked.add({ query, list: list as unknown as MediaQueryList & { matches: boolean } });
    return list as unknown as MediaQueryList;
  };
  new MutationObserver(tell).observe(document.body, { attributeFilter: ["class"] });
  tell();
}

function isDarkContrast(): boolean {
  const { classList } = document.body;
  return classList.contains("vscode-high-contrast") && !classList.contains("vscode-high-contrast-light");
}
