// The page's way to the debugger: a web socket, as the page sees it, whose other end is the extension. A webview may be on
// another machine than the debugger, and gets no network at all.
import type { FromPage, ToPage } from "../messages";

const waiting = new Map<number, Relayed>();
let next = 1;

export function relay(post: (message: FromPage) => void): typeof WebSocket {
  window.addEventListener("message", (event: MessageEvent<ToPage>) => waiting.get(event.data?.id)?.hear(event.data));
  Relayed.post = post;
  return Relayed as unknown as typeof WebSocket;
}

class Relayed extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  static post: (message: FromPage) => void = () => {};

  readyState: number = Relayed.CONNECTING;
  binaryType: BinaryType = "arraybuffer";
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent<string | ArrayBuffer>) => void) | null = null;
  onclose: ((event: Event) => void) | null = null;
  private readonly id = next++;

  // The address is the extension's business, which knows the debugger's.
  constructor() {
    super();
    waiting.set(this.id, this);
    Relayed.post({ id: this.id, is: "open" });
  }

  send(text: string): void {
    Relayed.post({ id: this.id, is: "send", text });
  }

  close(): void {
    this.readyState = Relayed.CLOSING;
    Relayed.post({ id: this.id, is: "close" });
  }

  hear(message: ToPage): void {
    switch (message.is) {
      case "opened":
        this.readyState = Relayed.OPEN;
        this.onopen?.(new Event("open"));
        break;
      case "text":
        this.onmessage?.(new MessageEvent("message", { data: message.text }));
        break;
      case "bytes":
        this.onmessage?.(new MessageEvent("message", { data: message.bytes }));
        break;
      case "closed":
        this.readyState = Relayed.CLOSED;
        waiting.delete(this.id);
        this.onclose?.(new Event("close"));
        break;
    }
  }
}
