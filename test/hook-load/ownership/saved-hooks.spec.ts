import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exampleText } from '../../examples/drive';
import { Loading, until } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import type { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import { freePort, isFree } from './support';
import { rounds } from '../../support/long-run';

const SAVES = rounds(20, 100);

type Handler = (event: object, ctx: object) => unknown;

/** Saves, reloads and starts one hook again and again, as the host does. */
class SavedHook {
  readonly sent: { readonly save: number; readonly text: string }[] = [];
  readonly scopes: OwnershipScope[] = [];
  private readonly loading = new Loading(new TempFiles());

  get reports(): string[] {
    return this.loading.reports.map(({ error, where }) => `${where}: ${String(error)}`);
  }

  /** Saves the hook with another comment at its end, and starts it in a folder. */
  async save(text: string, cwd = this.loading.files.root): Promise<void> {
    const save = this.scopes.length + 1;
    this.loading.files.write({ 'h.ts': `${text}\n// save ${save}\n` });
    const module = await this.loading.load('h.ts');
    await this.scopes.at(-1)?.release();
    this.scopes.push(this.loading.scopes.at(-1)!);
    const handlers: Handler[] = [];
    const note = (message: unknown): void => {
      const text = typeof message === 'string' ? message : (message as { content: string }).content;
      this.sent.push({ save, text });
    };
    module.factory({ on: (_event: string, handler: Handler) => handlers.push(handler), send: note, sendMessage: note });
    for (const handler of handlers) await handler({ reason: 'start' }, { cwd, ui: { notify: () => undefined } });
  }

  async end(): Promise<void> {
    await this.loading.end();
  }
}

describe(`hooks that never close what they open survive ${SAVES} saves`, () => {
  let hook: SavedHook;
  beforeEach(() => (hook = new SavedHook()));
  afterEach(() => hook.end());

  const post = async (port: number): Promise<string> =>
    await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'The nightly build is red' })).text();
  const answers = (port: number, text: string): Promise<void> =>
    until('an answer', () =>
      post(port).then(
        said => said === text,
        () => false,
      ),
    );
  /** What is open belongs to the newest load, and nothing failed. */
  const checkOpen = (...expected: readonly string[]): void => {
    assert.deepEqual(
      hook.scopes.map(scope => scope.open).filter(open => open.length > 0),
      [expected],
    );
    assert.deepEqual(hook.reports, []);
  };

  for (const dialect of ['v1', 'tree'] as const) {
    it(`the server of ${dialect}/doorbell.ts, asked between saves`, async () => {
      const port = await freePort();
      process.env['DOORBELL_PORT'] = String(port);
      try {
        for (let save = 1; save <= SAVES; save += 1) {
          await hook.save(exampleText(dialect, 'doorbell.ts'));
          if (save % 5 !== 0) continue;
          await answers(port, 'heard');
          assert.deepEqual(hook.sent.at(-1), { save, text: 'The nightly build is red' });
        }
        hook.sent.length = 0;
        await answers(port, 'heard');
        assert.deepEqual(hook.sent, [{ save: SAVES, text: 'The nightly build is red' }]);
        checkOpen('http server');
        await hook.scopes.at(-1)!.release();
        assert.ok(await isFree(port));
      } finally {
        delete process.env['DOORBELL_PORT'];
      }
    });
  }

  for (const [dialect, name, file] of [
    ['v1', 'inbox.ts', join('.pi', 'inbox', 'message.txt')],
    ['tree', 'file-trigger.ts', 'test-errors.txt'],
  ] as const) {
    it(`the watcher of ${dialect}/${name}`, async () => {
      const work = new TempFiles();
      try {
        const path = join(work.root, file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, '');
        for (let save = 1; save <= SAVES; save += 1) await hook.save(exampleText(dialect, name), work.root);
        writeFileSync(path, 'Run the tests');
        await until('the message', () => hook.sent.length > 0);
        assert.ok(hook.sent.every(({ save }) => save === SAVES));
        assert.match(hook.sent[0]!.text, /Run the tests$/);
        checkOpen(`watcher of ${dirname(path)}`);
      } finally {
        work.remove();
      }
    });
  }

  it('one with a server, a watcher, an interval and a child', async () => {
    const port = await freePort();
    const text = `import { createServer } from "node:http"; import { watch } from "node:fs"; import { spawn } from "node:child_process";
      export default (pi: any) => pi.on("session_start", () => {
        createServer((request, response) => { pi.send("asked"); response.end("OK"); }).listen(${port}, "127.0.0.1");
        watch(__dirname, () => {}); setInterval(() => {}, 1); process.on("SIGUSR2", () => {}); spawn("sleep", ["100"]); });`;
    const listeners = process.listenerCount('SIGUSR2');
    for (let save = 1; save <= SAVES / 5; save += 1) await hook.save(text);
    await answers(port, 'OK');
    assert.deepEqual(
      hook.scopes.map(scope => scope.size).filter(size => size > 0),
      [6],
    );
    assert.equal(process.listenerCount('SIGUSR2'), listeners + 1);
    await hook.scopes.at(-1)!.release();
    assert.equal(process.listenerCount('SIGUSR2'), listeners);
    assert.deepEqual(hook.reports, []);
  });
});
