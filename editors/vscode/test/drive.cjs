// Drives VS Code in a browser, as scripts/vscode-test says. Every wait has an end; the server is stopped whatever happens.

const { spawn, execFileSync } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");

const [vscode, stet, vsix, shots] = process.argv.slice(2).map((p) => path.resolve(p));
const puppeteer = require(path.join(vscode, "node_modules/puppeteer-core"));
const entry = path.join(vscode, "node_modules/code-server/out/node/entry.js");
const work = fs.mkdtempSync(path.join(os.tmpdir(), "stet-vscode-"));
const folder = path.join(work, "project");
const PATIENCE = 180_000;

const FAILS = `method Largest(a: array<int>) returns (m: int)
  requires a.Length > 0
  ensures forall i :: 0 <= i < a.Length ==> a[i] <= m
{
  m := a[0];
  var k := 1;
  while k < a.Length
    invariant 1 <= k <= a.Length
  {
    if a[k] > m {
      m := a[k];
    }
    k := k + 1;
  }
}

method Increment(x: int) returns (r: int)
  ensures r > x
{
  r := x;
}
`;

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function check(condition, what) {
  if (!condition) throw new Error(`failed: ${what}`);
  console.log(`ok: ${what}`);
}

async function until(what, probe) {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end) {
    const found = await probe();
    if (found) {
      console.log(`ok: ${what}`);
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`never: ${what}`);
}

async function main() {
  fs.mkdirSync(path.join(work, "user/User"), { recursive: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "largest.dfy"), FAILS);
  const settings = {
    "stet.path": stet,
    "stet.arguments": ["--store", path.join(work, "store.db")],
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
    "security.workspace.trust.enabled": false,
    "extensions.ignoreRecommendations": true,
    "editor.minimap.enabled": false,
    "editor.autoClosingBrackets": "never",
    "editor.quickSuggestions": { "other": false, "comments": false, "strings": false },
    "workbench.colorTheme": "Default Light Modern",
  };
  fs.writeFileSync(path.join(work, "user/User/settings.json"), JSON.stringify(settings));
  const common = ["--user-data-dir", path.join(work, "user"), "--extensions-dir", path.join(work, "extensions")];
  execFileSync(process.execPath, [entry, ...common, "--install-extension", vsix], { stdio: "ignore", timeout: PATIENCE });
  const port = await freePort();
  const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
  const server = spawn(process.execPath, [entry, ...common, ...quiet, "--bind-addr", `127.0.0.1:${port}`], { stdio: "ignore" });
  let browser;
  try {
    await until("VS Code answers", () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then((r) => r.ok, () => false));
    browser = await puppeteer.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--window-size=1280,860"],
      defaultViewport: { width: 1280, height: 860 },
      protocolTimeout: PATIENCE,
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`, { waitUntil: "domcontentloaded", timeout: PATIENCE });
    await session(page);
  } finally {
    await browser?.close().catch(() => {});
    server.kill("SIGTERM");
    await new Promise((resolve) => {
      const last = setTimeout(() => { server.kill("SIGKILL"); resolve(); }, 5000);
      server.once("exit", () => { clearTimeout(last); resolve(); });
    });
    fs.rmSync(work, { recursive: true, force: true });
  }
}

async function session(page) {
  const chord = async (...keys) => {
    for (const key of keys.slice(0, -1)) await page.keyboard.down(key);
    await page.keyboard.press(keys.at(-1));
    for (const key of keys.slice(0, -1).reverse()) await page.keyboard.up(key);
  };
  const count = (selector) => page.$$eval(selector, (all) => all.length);
  const text = (selector) => page.$$eval(selector, (all) => all.map((e) => e.textContent).join("\n"));
  await page.waitForSelector(".monaco-workbench");
  await until("the file is in the explorer", async () => (await text(".explorer-folders-view")).includes("largest.dfy"));
  await page.evaluate(() => {
    const row = [...document.querySelectorAll(".explorer-folders-view .monaco-list-row")].find((e) => e.textContent.includes("largest.dfy"));
    for (const kind of ["mousedown", "mouseup", "click", "dblclick"]) row.dispatchEvent(new MouseEvent(kind, { bubbles: true, detail: 2 }));
  });
  const rows = await page.$$(".explorer-folders-view .monaco-list-row");
  for (const row of rows) {
    if ((await row.evaluate((e) => e.textContent)).includes("largest.dfy")) await row.click({ count: 2 });
  }
  await page.waitForSelector(".monaco-editor .view-line");
  await until("a squiggle at what fails", async () => (await count(".squiggly-error")) > 0);
  await until("the status bar counts", async () => /Stet: .*errors/.test(await text(".statusbar")));
  check((await count(".margin-view-overlays .cgmr, .glyph-margin-widgets .cgmr")) > 0, "the gutter has marks");
  await chord("Control", "Shift", "KeyM");
  const problems = await until("the Problems panel lists it", async () => {
    const shown = await text(".markers-panel");
    return shown.includes("postcondition") && shown;
  });
  check(problems.includes("postcondition could not be proved"), "in Dafny's words");
  await page.screenshot({ path: path.join(shots, "vscode-errors.png") });

  const at = async (line, column, typed) => {
    await page.click(".monaco-editor .view-lines");
    await chord("Control", "KeyG");
    await page.waitForSelector(".quick-input-widget input");
    await page.keyboard.type(`:${line}:${column}`.slice(1), { delay: 20 });
    await page.keyboard.press("Enter");
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (typed) await page.keyboard.type(typed, { delay: 20 });
  };
  await at(20, 9, " + 1");
  await until("one error is left after an edit", async () => /1 errors|: 1 errors|, 1 errors/.test(await text(".statusbar")));
  await at(8, 33, "\n    invariant forall i :: 0 <= i < k ==> a[i] <= m");
  await until("nothing fails any more", async () =>
    (await count(".squiggly-error")) === 0 && /, 0 errors/.test(await text(".statusbar")));
  await until("the Problems panel is empty", async () => (await text(".markers-panel")).includes("No problems"));
  await page.screenshot({ path: path.join(shots, "vscode-verified.png") });
  await at(20, 13, "0 -");
  await chord("Control", "KeyZ");
  console.log("done");
}

main().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
