// Sockets of the page, carried from its webview to the debugger.
import type { Webview } from "vscode";
import WebSocket from "ws";
import type { FromPage, ToPage } from "./messages";

export class Bridge {
  private readonly sockets = new Map<number, WebSocket>();
  private readonly address: string;

  constructor(
    page: string,
    private readonly webview: Webview,
  ) {
    const address = new URL("./socket", page);
    address.protocol = "ws:";
    this.address = address.href;
  }

  hear(message: FromPage): void {
    switch (message.is) {
      case "open":
        this.open(message.id);
        break;
      case "send": {
        const socket = this.sockets.get(message.id);
        if (socket?.readyState === WebSocket.OPEN) {
          socket.send(message.text);
        }
        break;
      }
      case "close":
        this.sockets.get(message.id)?.close();
        break;
    }
  }

  dispose(): void {
    this.sockets.forEach((socket) => socket.terminate());
  }

  private open(id: number): void {
    const socket = new WebSocket(this.address, { perMessageDeflate: false });
    const tell = (message: ToPage) => void this.webview.postMessage(message);
    socket.binaryType = "arraybuffer";
    socket.on("open", () => tell({ id, is: "opened" }));
    socket.on("message", (data: ArrayBuffer | Buffer, isBinary) =>
      tell(isBinary ? { id, is: "bytes", bytes: data as ArrayBuffer } : { id, is: "text", text: Buffer.from(data as ArrayBuffer).toString() }),
    );
    socket.on("close", () => {
      this.sockets.delete(id);
      tell({ id, is: "closed" });
    });
    // What goes wrong ends in 'close', which the page hears.
    socket.on("error", () => {});
    this.sockets.set(id, socket);
  }
}
