// The extension: starts `stet lsp` and shows what the server says beyond the standard protocol.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

/** `stet/status`: one number per line, as the Dafny extension counts. */
interface Status {
  uri: string;
  version: number;
  phase: "idle" | "queued" | "running" | "done";
  lines: number[];
}

/** `stet/summary`: the counts of a finished verification. */
interface Summary {
  uri: string;
  text: string;
  errors: number;
  undecided: number;
}

let client: LanguageClient | undefined;
const statuses = new Map<string, Status>();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const bar = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  bar.command = "stet.showOutput";
  const gutter = new Gutter();
  context.subscriptions.push(bar, gutter);
  const start = async () => {
    client = createClient();
    client.onNotification("stet/status", (status: Status) => {
      statuses.set(status.uri, status);
      if (status.phase === "running" || status.phase === "queued") {
        bar.text = "$(sync~spin) Stet";
        bar.show();
      }
      gutter.show();
    });
    client.onNotification("stet/summary", (summary: Summary) => {
      const icon = summary.errors > 0 ? "$(error)" : summary.undecided > 0 ? "$(warning)" : "$(check)";
      bar.text = `${icon} Stet: ${summary.text}`;
      bar.show();
    });
    await client.start();
  };
  context.subscriptions.push(
    vscode.window.onDidChangeVisibleTextEditors(() => gutter.show()),
    vscode.commands.registerCommand("stet.showOutput", () => client?.outputChannel.show()),
    vscode.commands.registerCommand("stet.restart", async () => {
      await client?.dispose();
      await start();
    }),
  );
  try {
    await start();
  } catch (error) {
    const path = vscode.workspace.getConfiguration("stet").get<string>("path");
    void vscode.window.showErrorMessage(`Cannot start "${path} lsp": ${error}. Set "stet.path" to the stet executable.`);
  }
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}

function createClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("stet");
  const command = settings.get<string>("path", "stet");
  const server: ServerOptions = { command, args: ["lsp", ...settings.get<string[]>("arguments", [])] };
  const options: LanguageClientOptions = {
    documentSelector: ["boogie", "dafny", "prolog"].map((language) => ({ language })),
  };
  return new LanguageClient("stet", "Stet", server, options);
}

/** The status of lines as coloured bars beside the line numbers. */
class Gutter implements vscode.Disposable {
  private readonly kinds = new Map<string, vscode.TextEditorDecorationType>([
    ["verified", bar("#2ea043")],
    ["failed", bar("#f85149")],
    ["context", bar("#d29922")],
    ["pending", bar("#6e7681")],
  ]);

  show(): void {
    const wanted = vscode.workspace.getConfiguration("stet").get<boolean>("gutter", true);
    for (const editor of vscode.window.visibleTextEditors) {
      const status = statuses.get(editor.document.uri.toString());
      const places = new Map<string, vscode.Range[]>([...this.kinds.keys()].map((kind) => [kind, []]));
      if (status && wanted && status.version === editor.document.version) {
        status.lines.forEach((number, line) => {
          const kind = kindOf(number);
          if (kind) places.get(kind)?.push(new vscode.Range(line, 0, line, 0));
        });
      }
      if (status && status.version !== editor.document.version) continue;
      for (const [kind, decoration] of this.kinds) editor.setDecorations(decoration, places.get(kind) ?? []);
    }
  }

  dispose(): void {
    for (const decoration of this.kinds.values()) decoration.dispose();
  }
}

function kindOf(number: number): string | undefined {
  if (number === 0) return undefined;
  if (number < 200) return "pending";
  if (number < 300) return number === 200 ? "verified" : "pending";
  if (number < 400) return number >= 350 ? "verified" : "context";
  return "failed";
}

function bar(colour: string): vscode.TextEditorDecorationType {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="16"><rect x="3" width="3" height="16" fill="${colour}"/></svg>`;
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`),
    gutterIconSize: "contain",
    overviewRulerColor: colour,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}
