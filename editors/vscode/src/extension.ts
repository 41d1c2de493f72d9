// The extension: starts `stet lsp` and shows what the server says beyond the standard protocol.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

/** `stet/status`: one number per line, as the Dafny extension counts. */
interface Status {
  uri: string;
  version: number;
  phase: "idle" | "queued" | "running" | "done";
  lines: number[];
  declarations: Declaration[];
}

/** A procedure, method, lemma or function with what is known of it: 4 fails or is undecided, 5 is verified. */
interface Declaration {
  name: string;
  nameRange: { start: { line: number; character: number }; end: { line: number; character: number } };
  status: number;
}

/** `stet/summary`: the counts of a finished verification. */
interface Summary {
  uri: string;
  text: string;
  errors: number;
  undecided: number;
}

const languages = ["boogie", "dafny", "prolog"];
let client: LanguageClient | undefined;
const statuses = new Map<string, Status>();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const bar = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  bar.command = "stet.showOutput";
  const gutter = new Gutter();
  const tests = new Tests();
  context.subscriptions.push(bar, gutter, tests);
  const start = async () => {
    client = createClient();
    client.onNotification("stet/status", (status: Status) => {
      statuses.set(status.uri, status);
      if (status.phase === "running" || status.phase === "queued") {
        bar.text = "$(sync~spin) Stet";
        bar.show();
      }
      gutter.show();
      tests.show(status);
    });
    client.onNotification("stet/summary", (summary: Summary) => {
      const icon = summary.errors > 0 ? "$(error)" : summary.undecided > 0 ? "$(warning)" : "$(check)";
      bar.text = `${icon} Stet: ${summary.text}`;
      bar.show();
    });
    await client.start();
    vscode.window.visibleTextEditors.forEach(tellVisible);
  };
  context.subscriptions.push(
    vscode.window.onDidChangeVisibleTextEditors((editors) => {
      gutter.show();
      editors.forEach(tellVisible);
    }),
    vscode.window.onDidChangeTextEditorVisibleRanges((event) => tellVisible(event.textEditor)),
    vscode.commands.registerCommand("stet.showOutput", () => client?.outputChannel.show()),
    vscode.languages.registerCodeLensProvider({ language: "c" }, { provideCodeLenses: exploreLenses }),
    vscode.commands.registerCommand("stet.explore", explore),
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

/** Tells the server which lines are shown: what is checked there comes first. */
function tellVisible(editor: vscode.TextEditor): void {
  if (!client?.isRunning() || !languages.includes(editor.document.languageId)) return;
  const place = (at: vscode.Position) => ({ line: at.line, character: at.character });
  const ranges = editor.visibleRanges.map((range) => ({ start: place(range.start), end: place(range.end) }));
  void client.sendNotification("stet/visible", { uri: editor.document.uri.toString(), ranges });
}

function createClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("stet");
  const command = settings.get<string>("path", "stet");
  const server: ServerOptions = { command, args: ["lsp", ...settings.get<string[]>("arguments", [])] };
  const options: LanguageClientOptions = {
    documentSelector: languages.map((language) => ({ language })),
    initializationOptions: settings,
    synchronize: { configurationSection: "stet" },
  };
  return new LanguageClient("stet", "Stet", server, options);
}

/** "Explore this function" above functions without parameters, and above `main`. */
function exploreLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const lenses: vscode.CodeLens[] = [];
  const head = /^[A-Za-z_][\w\s*]*?\b([A-Za-z_]\w*)\s*\(([^)]*)\)\s*\{?\s*$/;
  for (let line = 0; line < document.lineCount; line++) {
    const found = head.exec(document.lineAt(line).text);
    if (!found) continue;
    const [, name, parameters] = found;
    const next = line + 1 < document.lineCount ? document.lineAt(line + 1).text.trim() : "";
    const isDefinition = document.lineAt(line).text.trimEnd().endsWith("{") || next.startsWith("{");
    if (!isDefinition || (name !== "main" && !["", "void"].includes(parameters.trim()))) continue;
    const command = { title: "Explore this function", command: "stet.explore", arguments: [document.uri, name] };
    lenses.push(new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command));
  }
  return lenses;
}

/** Runs `stet explore` as a task: its progress and findings are seen in a terminal, and it can be stopped. */
function explore(uri: vscode.Uri, name: string): void {
  const path = vscode.workspace.getConfiguration("stet").get<string>("path", "stet");
  const run = new vscode.ProcessExecution(path, ["explore", "--entry", name, uri.fsPath]);
  const scope = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.TaskScope.Workspace;
  void vscode.tasks.executeTask(new vscode.Task({ type: "stet" }, scope, `explore ${name}`, "stet", run));
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

/** Declarations as tests: the test view counts them and jumps to those that fail. */
class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("stet", "Stet");

  constructor() {
    const verify = async (request: vscode.TestRunRequest) => {
      for (const item of request.include ?? []) {
        if (!item.uri || !item.range) continue;
        const textDocument = { uri: item.uri.toString() };
        const position = { line: item.range.start.line, character: item.range.start.character };
        await client?.sendRequest("dafny/textDocument/verifySymbol", { textDocument, position });
      }
    };
    this.controller.createRunProfile("Verify", vscode.TestRunProfileKind.Run, verify, true);
  }

  show(status: Status): void {
    if (status.phase !== "done") return;
    const uri = vscode.Uri.parse(status.uri);
    const file = this.controller.items.get(status.uri)
      ?? this.controller.createTestItem(status.uri, vscode.workspace.asRelativePath(uri), uri);
    this.controller.items.add(file);
    const run = this.controller.createTestRun(new vscode.TestRunRequest(), undefined, false);
    file.children.replace(status.declarations.map((declaration, number) => {
      const item = this.controller.createTestItem(`${declaration.name}#${number}`, declaration.name, uri);
      const { start, end } = declaration.nameRange;
      item.range = new vscode.Range(start.line, start.character, end.line, end.character);
      return item;
    }));
    status.declarations.forEach((declaration, number) => {
      const item = file.children.get(`${declaration.name}#${number}`);
      if (!item) return;
      if (declaration.status === 5) run.passed(item);
      else if (declaration.status === 4) run.failed(item, []);
    });
    run.end();
  }

  dispose(): void {
    this.controller.dispose();
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
