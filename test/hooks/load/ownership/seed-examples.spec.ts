import assert from 'node:assert/strict';
import { claim } from '../../../support/claim';
import { seedIt } from '../../../support/seeds';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Loading, ROOT, until } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import type { OwnershipScope } from '../../../../src/hooks/load/ownership/scope';
import { freePort, isFree } from './support';
import { rounds } from '../../../support/long-run';

const SAVES = rounds(20, 100);
const SEEDS = process.env['HOOKLINE_SEEDS'] ?? join(ROOT, '..', 'shared', 'seeds');

/** The hook of a document that contains `mark`: from the import before it to the brace that ends its factory. */
function hookOf(document: string, mark: string): string | undefined {
  const path = join(SEEDS, document);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex(line => line.includes(mark));
  const start = lines.findLastIndex((line, index) => index < at && /^import \* as/.test(line));
  const fence = lines.findIndex((line, index) => index > at && line.startsWith('```'));
  // A document without fences keeps the indentation, so that the first unindented brace ends the factory.
  const end = fence === -1 ? lines.indexOf('}', at) + 1 : fence;
  return lines.slice(start, end).join('\n');
}

type Handler = (event: object, ctx: object) => unknown;

/** Saves, reloads and starts one hook again and again, as the host does. */
class SavedHook {
  readonly sent: { readonly save: number; readonly text: string }[] = [];
  readonly scopes: OwnershipScope[] = [];
  private readonly loading = new Loading(new TempFiles());

  get reports(): string[] {
    return this.loading.reports.map(({ error, where }) => `${where}: ${String(error)}`);
  }

  async save(text: string): Promise<void> {
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
    for (const handler of handlers) await handler({ reason: 'start' }, { ui: { notify: () => undefined } });
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
    await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'CI build failed' })).text();

  /** The newest instance answers, it alone, and nothing is left when it goes. */
  const checkServer = async (port: number): Promise<void> => {
    await until('the server to answer', () =>
      post(port).then(
        text => text === 'OK',
        () => false,
      ),
    );
    assert.deepEqual(hook.sent.at(-1), { save: SAVES, text: 'CI build failed' });
    assert.ok(hook.sent.every(({ save }) => save === SAVES));
    assert.deepEqual(
      hook.scopes.map(scope => scope.open).filter(open => open.length > 0),
      [['http server']],
    );
    assert.deepEqual(hook.reports, []);
    await hook.scopes.at(-1)!.release();
    assert.ok(await isFree(port));
  };

  for (const document of ['hooks-v1.md', 'hooks-tree.md']) {
    seedIt(`the webhook of ${document}, on its port 3333`, async () => {
      const text = hookOf(document, 'server.listen(3333');
      assert.ok(text !== undefined, `the example in ${document}`);
      const giveBack = await claim('port-3333');
      try {
        await until('port 3333 to be free', () => isFree(3333));
        for (let save = 1; save <= SAVES; save += 1) await hook.save(text);
        await checkServer(3333);
      } finally {
        await giveBack();
      }
    });

    seedIt(`the webhook of ${document}, on another port, asked between saves`, async () => {
      const port = await freePort();
      const text = hookOf(document, 'server.listen(3333')?.replaceAll('3333', String(port));
      assert.ok(text !== undefined, `the example in ${document}`);
      for (let save = 1; save <= SAVES; save += 1) {
        await hook.save(text);
        if (save % 10 !== 0) continue;
        await until('an answer', () =>
          post(port).then(
            answer => answer === 'OK',
            () => false,
          ),
        );
        assert.equal(hook.sent.at(-1)?.save, save);
      }
      hook.sent.length = 0;
      await checkServer(port);
    });

    seedIt(`the file trigger of ${document}`, async () => {
      const file = join(new TempFiles().root, 'agent-trigger.txt');
      const text = hookOf(document, 'fs.watch(triggerFile')?.replaceAll('/tmp/agent-trigger.txt', file);
      assert.ok(text !== undefined, `the example in ${document}`);
      writeFileSync(file, '');
      for (let save = 1; save <= SAVES; save += 1) await hook.save(text);
      writeFileSync(file, 'Run the tests');
      await until('the trigger', () => hook.sent.length > 0);
      assert.ok(hook.sent.every(({ save }) => save === SAVES));
      assert.match(hook.sent[0]!.text, /External trigger: Run the tests/);
      assert.deepEqual(
        hook.scopes.map(scope => scope.open).filter(open => open.length > 0),
        [[`watcher of ${file}`]],
      );
      assert.deepEqual(hook.reports, []);
      rmSync(join(file, '..'), { recursive: true });
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
    await until('an answer', () =>
      post(port).then(
        answer => answer === 'OK',
        () => false,
      ),
    );
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
