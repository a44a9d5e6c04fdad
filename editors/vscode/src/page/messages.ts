// What the page's webview and the extension say to each other.

/** Of a socket of the page, to the extension. */
export type FromPage = { id: number } & ({ is: "open" } | { is: "send"; text: string } | { is: "close" });

/** Of the debugger, to the socket that it is for. */
export type ToPage = { id: number } & (
  | { is: "opened" }
  | { is: "text"; text: string }
  | { is: "bytes"; bytes: ArrayBuffer }
  | { is: "closed" }
);
