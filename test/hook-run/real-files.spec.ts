import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLog } from '../../src/base/log';
import { discoverHooks } from '../../src/hook-load/files/discover';
import { HookHost } from '../../src/hook-run/host/host';
import { HookLoader } from '../../src/hook-load/hook-loader';
import { VirtualModules } from '../../src/hook-load/modules/virtual-modules';
import { OwnershipScope } from '../../src/hook-load/ownership/scope';
import type { DispatchRecord, HookError } from '../../src/hook-contract/record';
import { FakeConversation } from '../support/fake-conversation';
import { until } from '../support/hook-host';
import { freePort } from '../hook-load/ownership/support';
import { rounds } from '../support/long-run';
import { hostDefaults } from '../support/host-options';
import { itWith } from '../support/platform';

const JITI_DIR = join(import.meta.dirname, '..', '..', 'node_modules', 'jiti', 'dist');
const API = 'import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";\n';
const CALL = { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: { command: 'ls' } } as const;

/** A workspace with real hook files, loaded by the real loader. */
class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'hök line '));
  readonly errors: HookError[] = [];
  readonly records: DispatchRecord[] = [];
  readonly conversation = new FakeConversation();
  readonly loader = new HookLoader({
    cacheDir: join(this.folder, '.cache'),
    jitiDir: JITI_DIR,
    extensionVersion: '0.0.0',
    modules: () => new VirtualModules(new Map()),
    log: silentLog,
  });
  readonly host = new HookHost<OwnershipScope>({
    ...hostDefaults(),
    discover: () =>
      discoverHooks({
        agentDir: join(this.folder, 'agent'),
        cwd: this.folder,
        includeProject: true,
        home: this.folder,
      }),
    loader: this.loader,
    createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
  });

  constructor() {
    this.host.onError(error => {
      this.errors.push(error);
    });
    this.host.records.onDidDispatch(record => {
      this.records.push({ ...record });
    });
    this.host.attach(this.conversation);
  }

  path(name: string): string {
    return join(this.folder, '.pi', 'hooks', name);
  }

  async save(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
    await this.host.reload();
  }

  async end(): Promise<void> {
    await this.host.dispose();
    this.loader.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('hook files from disk', () => {
  let work: Workspace;
  beforeEach(() => {
    work = new Workspace();
  });
  afterEach(() => work.end());

  it('tell where they registered what, and where they failed, in the lines of the TypeScript source', async () => {
    await work.save({
      'gate.ts': `${API}interface Unused {\n  a: string;\n}\n\nexport default function (pi: HookAPI) {\n  pi.on("agent_start", async () => {\n    const text: string = "x";\n    throw new Error("broken " + text);\n  });\n}\n`,
    });
    await work.host.runner.emit({ type: 'agent_start' }, work.conversation);
    const path = work.path('gate.ts');
    assert.deepEqual(work.host.infos()[0]?.handlers, [{ event: 'agent_start', line: 7 }]);
    const error = work.errors[0];
    assert.ok(error);
    const { hookPath, event, message, file, line } = error;
    assert.deepEqual([hookPath, event, message, file, line], [path, 'agent_start', 'broken x', path, 9]);
    const record = work.records[0];
    assert.ok(record);
    assert.deepEqual([record.registration.line, record.outcome.type === 'threw' && record.outcome.line], [7, 9]);
  });

  it('change live: an edit counts for the next event, a helper as well, and other hooks keep their state', async () => {
    const counter = `${API}let n = 0;\nexport default (pi: HookAPI) => { pi.on("agent_start", (_e, ctx) => { ctx.ui.notify(String(++n), "info"); }); };\n`;
    const gate = (word: string): string =>
      `${API}import { reason } from "./lib/reason.js";\nexport default (pi: HookAPI) => { pi.on("tool_call", () => ({ block: true, reason: reason + " ${word}" })); };\n`;
    await work.save({
      'counter.ts': counter,
      'gate.ts': gate('one'),
      'lib/reason.ts': 'export const reason = "because";\n',
    });
    const blocked = async (): Promise<unknown> => {
      const result = await work.host.runner.emit(CALL, work.conversation);
      return result.block ? result.reason : 'allowed';
    };
    await work.host.runner.emit({ type: 'agent_start' }, work.conversation);
    assert.equal(await blocked(), 'because one');
    await work.save({ 'gate.ts': gate('two') });
    assert.equal(await blocked(), 'because two');
    await work.save({ 'lib/reason.ts': 'export const reason = "since";\n' });
    assert.equal(await blocked(), 'since two');
    await work.host.runner.emit({ type: 'agent_start' }, work.conversation);
    assert.deepEqual(
      work.conversation.ui.notices.map(notice => notice.message),
      ['1', '2'],
    );
    assert.deepEqual(
      work.host.infos().map(info => info.files?.length),
      [1, 2],
    );
  });

  it('that are half saved leave the last good version at work, and the error has its line', async () => {
    const good = `${API}export default (pi: HookAPI) => {\n  pi.on("tool_call", () => ({ block: true, reason: "good" }));\n};\n`;
    await work.save({ 'gate.ts': good });
    await work.save({ 'gate.ts': good.replace('reason: "good"', 'reason: ') });
    const result = await work.host.runner.emit(CALL, work.conversation);
    assert.deepEqual([result.block && result.reason], ['good']);
    const [info] = work.host.infos();
    assert.deepEqual(info?.state.type === 'stale' && info.state.problems.map(problem => problem.line), [3]);
    await work.save({ 'gate.ts': good.replace('"good"', '"better"') });
    assert.equal(work.host.infos()[0]?.state.type, 'live');
  });

  it('that never loaded and speak of tool_call make tools ask', async () => {
    await work.save({ 'gate.ts': 'export default (pi) => { pi.on("tool_call", () => {' });
    assert.deepEqual(work.host.missingGates().failed, [work.path('gate.ts')]);
    await work.save({ 'gate.ts': 'export default (pi) => { pi.on("tool_call", () => undefined); }' });
    assert.deepEqual(work.host.missingGates().failed, []);
  });

  it('that never loaded count as guards when what they import speaks of tool_call', async () => {
    await work.save({
      'guard.ts': 'export { default } from "./lib/guard.js";',
      'lib/guard.ts': 'export default (pi) => { pi.on("tool_call", () => {',
    });
    assert.deepEqual(work.host.missingGates().failed, [work.path('guard.ts')]);
  });

  it('that never loaded count as guards when part of them is missing, and not when all can be read', async () => {
    await work.save({
      'a.ts': 'export { default } from "./not-there.js";',
      'b.ts': 'export { default } from "a-package-that-is-not-installed";',
      'c.ts': 'import { join } from "node:path";\nexport default (pi) => { pi.on("agent_start", () => {',
      'd.ts': 'export default 5;',
    });
    assert.deepEqual(work.host.missingGates().failed, [work.path('a.ts'), work.path('b.ts')]);
  });

  it('that were guards before stay so when the next version does not start either', async () => {
    await work.save({ 'gate.ts': 'export default (pi) => { pi.on("tool_call", () => {' });
    await work.save({ 'gate.ts': 'export default () => { throw new Error("not now"); }' });
    assert.deepEqual(work.host.missingGates().failed, [work.path('gate.ts')]);
  });

  it('without a factory are listed as failed, each with its text', async () => {
    await work.save({
      'a.ts': 'export const x = 1;',
      'b.ts': 'export default 5;',
      'c.ts': 'throw new Error("top");',
      'd.ts': 'export default () => {};',
    });
    assert.deepEqual(
      work.host.infos().map(info => ('problems' in info.state ? info.state.problems[0]?.message : info.state.type)),
      [
        'Hook must export a default function',
        'Hook must export a default function',
        'Failed to load hook: top',
        'live',
      ],
    );
  });

  itWith('TCP', 'that close nothing survive many saves with one listener', async () => {
    const saves = rounds(20, 100);
    const port = await freePort();
    const server = (answer: number): string => `${API}import * as http from "node:http";
export default function (pi: HookAPI) {
  pi.on("session", async (event, ctx) => {
    if (event.reason !== "start") return;
    const server = http.createServer((req, res) => { pi.send("from ${String(answer)}"); res.end("${String(answer)}"); });
    await new Promise<void>(done => server.listen(${String(port)}, "127.0.0.1", () => { ctx.ui.notify("up", "info"); done(); }));
  });
}\n`;
    await work.save({ 'server.ts': server(0) });
    await work.host.runner.emit({ type: 'session_start', reason: 'startup' }, work.conversation);
    for (let save = 1; save <= saves; save++) await work.save({ 'server.ts': server(save) });
    assert.equal(await (await fetch(`http://127.0.0.1:${String(port)}/`)).text(), String(saves));
    await until(() => work.conversation.actions.length > 0, 'the message');
    assert.deepEqual(
      work.conversation.actions.map(action => action[1]),
      [`from ${saves}`],
    );
    assert.equal(work.conversation.ui.notices.length, saves + 1);
    assert.deepEqual(work.errors, []);
  }).timeout(60_000);

  it('a handler that waits for a timer while its file is saved still gives its verdict', async () => {
    const gate = (reason: string): string =>
      `${API}export default (pi: HookAPI) => { pi.on("tool_call", async () => { await new Promise(r => setTimeout(r, 150)); return { block: true, reason: "${reason}" }; }); };\n`;
    await work.save({ 'gate.ts': gate('old') });
    const running = work.host.runner.emit(CALL, work.conversation);
    await work.save({ 'gate.ts': gate('new') });
    const result = await running;
    assert.deepEqual(result.block && result.reason, 'old');
  });

  it('errors in callbacks that nobody waits for are reported with their hook', async () => {
    await work.save({
      'late.ts': `${API}export default (pi: HookAPI) => { pi.on("agent_start", () => { setTimeout(() => { throw new Error("later"); }, 1); }); };\n`,
    });
    await work.host.runner.emit({ type: 'agent_start' }, work.conversation);
    await until(() => work.errors.length === 1, 'the report');
    assert.equal(work.errors[0]?.hookPath, work.path('late.ts'));
    assert.match(work.errors[0].message, /later/);
  });
});
