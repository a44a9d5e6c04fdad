// What editors know of programs of model languages: 'borges lsp' says it.
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { places } from "./adapter";
import { findBorges } from "./binary";
import { MODEL_LANGUAGES } from "./names";

/**
 * Starts the language server with the first document of a model language. Where there is no debugger, sources are shown
 * without it: nobody is asked for anything before they debug.
 */
export function registerLanguage(context: vscode.ExtensionContext): vscode.Disposable {
  const server = new Server(context);
  void server.update();
  return vscode.Disposable.from(
    server,
    vscode.workspace.onDidOpenTextDocument(() => void server.update()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("borges.path")) {
        void server.update();
      }
    }),
  );
}

/** The server, as far as one is needed. */
class Server implements vscode.Disposable {
  private running: { client: LanguageClient; path: string } | undefined;
  /** What is done to it is done one thing after the other. */
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {}

  update(): Promise<void> {
    this.work = this.work.then(() => this.bring());
    return this.work;
  }

  dispose(): void {
    void this.work.then(() => this.stop());
  }

  private async bring(): Promise<void> {
    const isWanted = vscode.workspace.textDocuments.some(({ languageId }) => MODEL_LANGUAGES.includes(languageId));
    const path = findBorges(places(this.context));
    if (!isWanted || path === this.running?.path) {
      return;
    }
    await this.stop();
    if (path === undefined) {
      return;
    }
    const client = new LanguageClient(
      "borges.language",
      "Borges: model languages",
      { command: path, args: ["lsp"], transport: TransportKind.stdio },
      { documentSelector: MODEL_LANGUAGES.map((language) => ({ language })) },
    );
    this.running = { client, path };
    // The client tells the user itself what went wrong.
    await client.start().catch(() => undefined);
  }

  private async stop(): Promise<void> {
    const client = this.running?.client;
    this.running = undefined;
    await client?.stop().catch(() => undefined);
  }
}
