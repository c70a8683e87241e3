import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { agentDirFrom } from '../../src/startup/own-folders';
import type { DispatchRecord } from '../../src/hook-contract/record';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { rounds } from '../support/long-run';
import { hookline, toolsAreOver, until, workspaceFolder } from './support/extension';

/** What the hooks of these tests tell; they run in this same process. */
interface Told {
  readonly calls: { readonly id: string; readonly version: number; readonly ready: boolean }[];
  readonly results: { readonly id: string; readonly version: number }[];
  readonly loads: string[];
  live: number;
}

const SAVES = rounds(100, 1_000);
const SEED = 20_261_120;

type Kind = 'good' | 'syntax' | 'module' | 'factory' | 'half';
const BREAKAGES: readonly Kind[] = ['syntax', 'module', 'factory', 'half'];

/** One version of the hook; those that break do so at every stage of loading. */
function source(version: number, kind: Kind): string {
  const call = `told.calls.push({ id: event.toolCallId, version: ${version}, ready })`;
  return `const told = globalThis.hotReloadTold;
let ready = false;
${kind === 'module' ? `throw new Error('module ${version}');` : ''}
export default async pi => {
  ${kind === 'factory' ? `throw new Error('factory ${version}');` : ''}
  pi.on('tool_call', async event => void ${call});
  await new Promise(resolve => setTimeout(resolve, ${version % 4}));
  ${kind === 'half' ? `throw new Error('half ${version}');` : ''}
  pi.on('tool_result', async event => void told.results.push({ id: event.toolCallId, version: ${version} }));
  ready = true;
  told.live = ${version};
${kind === 'syntax' ? '  (' : ''}};
`;
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32, public domain). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('hot reload', () => {
  let window: HooklineWindow;
  const folder = join(workspaceFolder(), '.pi', 'hooks');
  const hook = join(folder, 'zz-hot.ts');
  const told: Told = { calls: [], results: [], loads: [], live: -1 };

  before(async () => {
    Reflect.set(globalThis, 'hotReloadTold', told);
    window = await (await hookline()).window.get();
  });
  beforeEach(async () => {
    await window.conversations.active.conversation.sessions.newSession();
    await toolsAreOver();
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await toolsAreOver();
    rmSync(hook, { force: true });
    await until('the hook is gone', () => stateOf(hook) === undefined);
  });

  const stateOf = (path: string): string | undefined =>
    window.hooks.infos().find(info => info.path === path)?.state.type;
  const begin = async (): Promise<vscode.TextDocument> => {
    writeFileSync(hook, source(0, 'good'));
    await until('the first version is live', () => stateOf(hook) === 'live' && told.live === 0);
    const document = await vscode.workspace.openTextDocument(hook);
    // VS Code refuses to save a document whose file changed without its notice.
    await until('the editor has it', () => document.getText() === readFileSync(hook, 'utf8'));
    return document;
  };
  const type = async (document: vscode.TextDocument, text: string): Promise<void> => {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(edit);
  };
  const save = async (document: vscode.TextDocument, text: string): Promise<void> => {
    // VS Code refuses a save while it still takes in what came from disk.
    await until('it is saved', async () => {
      await type(document, text);
      return (await document.save()) && readFileSync(hook, 'utf8') === text;
    });
  };

  it(`loses, doubles and misdirects no dispatch in ${SAVES} saves with random breakage while the agent works`, async function () {
    this.timeout(rounds(240_000, 30 * 60_000));
    const document = await begin();
    const random = seeded(SEED);
    const kinds: Kind[] = ['good'];
    // A hook that nobody touches sees every call: what it saw is what the other must have seen.
    const seen: DispatchRecord[] = [];
    const listening = window.hooks.records.onDidDispatch(record => {
      if (record.hookPath.endsWith('permission-gate.ts') && record.event === 'tool_call') seen.push({ ...record });
    });
    const saving = new AbortController();
    const agent = (async () => {
      while (!saving.signal.aborted) await window.conversations.active.submit('list');
    })();
    try {
      for (let version = 1; version <= SAVES; version++) {
        const isGood = version === SAVES || random() < 0.6;
        const kind = isGood ? 'good' : (BREAKAGES[Math.floor(random() * BREAKAGES.length)] ?? 'syntax');
        kinds.push(kind);
        await save(document, source(version, kind));
        if (isGood && random() < 0.3) await until(`version ${version} is live`, () => told.live === version);
      }
      await until('the last version is live', () => told.live === SAVES && stateOf(hook) === 'live');
    } finally {
      saving.abort();
      await agent;
      listening.dispose();
    }

    const ids = seen.map(({ toolCallId }) => toolCallId ?? '');
    assert.ok(ids.length >= 20, `the agent called only ${ids.length} tools`);
    const own = told.calls.filter(({ id }) => ids.includes(id));
    assert.deepEqual(own.map(({ id }) => id).sort(), [...ids].sort(), 'each call was seen once');
    assert.ok(
      own.every(({ ready }) => ready),
      'no half-loaded instance was asked',
    );
    assert.ok(
      own.every(({ version }) => kinds[version] === 'good'),
      'no broken version was asked',
    );
    const versions = own.map(({ version }) => version);
    assert.deepEqual(
      versions,
      [...versions].sort((a, b) => a - b),
      'no older version came back',
    );
    assert.ok(new Set(versions).size > 5, 'the hook was swapped while calls ran');
    const results = told.results.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
    assert.equal(new Set(results).size, results.length, 'no result was seen twice');
  });

  it('reads no settings again when a hook is saved, and reads them when they are saved', async () => {
    const document = await begin();
    const settings = join(workspaceFolder(), '.pi', 'settings.json');
    const before = existsSync(settings) ? readFileSync(settings, 'utf8') : undefined;
    try {
      await toolsAreOver();
      // The slowest watcher tells of the first version until then.
      await new Promise(resolve => setTimeout(resolve, 500));
      const read = window.scope.settings.current; // Another object after each reading.
      await save(document, source(4, 'good'));
      await until('the second version is live', () => told.live === 4);
      await new Promise(resolve => setTimeout(resolve, 500));
      assert.equal(window.scope.settings.current, read);
      writeFileSync(settings, `${before ?? '{}'}\n`);
      await until('the settings are read', () => window.scope.settings.current !== read);
    } finally {
      if (before === undefined) rmSync(settings);
      else writeFileSync(settings, before);
    }
  });

  it('loads a hook once for two saves in one burst', async () => {
    await begin();
    told.loads.length = 0;
    const text = (version: number): string =>
      `globalThis.hotReloadTold.loads.push('${version}');\n${source(version, 'good')}`;
    writeFileSync(hook, text(8));
    writeFileSync(hook, text(12));
    await until('the last version is live', () => told.live === 12);
    await new Promise(resolve => setTimeout(resolve, 500));
    assert.deepEqual(told.loads, ['12']);
  });

  it('is asked for its resources once for a save that several watchers tell of while it loads', async () => {
    const document = await begin();
    await toolsAreOver();
    // The slowest watcher tells of the first version until then.
    await new Promise(resolve => setTimeout(resolve, 500));
    told.loads.length = 0;
    await save(
      document,
      `const told = globalThis.hotReloadTold;
export default async pi => {
  await new Promise(resolve => setTimeout(resolve, 400));
  pi.on('resources_discover', () => void told.loads.push('asked'));
  told.live = 16;
};
`,
    );
    await until('it is live', () => told.live === 16 && stateOf(hook) === 'live');
    await new Promise(resolve => setTimeout(resolve, 1_000));
    assert.deepEqual(told.loads, ['asked']);
  });

  it('takes fifty files that come at once as one change, and so when they go', async () => {
    const files = Array.from({ length: 50 }, (_, at) => join(folder, `zz-many-${at}.ts`));
    const sizes: number[] = [];
    const before = window.hooks.infos().length;
    const listening = window.hooks.onDidChange(() => {
      const size = window.hooks.infos().length - before;
      if (size !== sizes.at(-1)) sizes.push(size);
    });
    told.loads.length = 0;
    for (const [at, file] of files.entries()) {
      writeFileSync(
        file,
        `globalThis.hotReloadTold.loads.push('${at}');\nexport default pi => { pi.on('turn_end', () => {}); };\n`,
      );
    }
    await until('all are live', () => files.every(file => stateOf(file) === 'live'));
    await toolsAreOver();
    assert.deepEqual(
      [...told.loads].sort((a, b) => Number(a) - Number(b)),
      files.map((_, at) => String(at)),
      'each is loaded once',
    );
    for (const file of files) rmSync(file);
    await until('all are gone', () => window.hooks.infos().length === before);
    listening.dispose();
    assert.deepEqual(
      sizes.filter((size, at) => at > 0 || size !== 0),
      [50, 0],
    );
  });

  it('follows folders that appear, are renamed and vanish, and links to files elsewhere', async () => {
    const extensions = join(workspaceFolder(), '.pi', 'extensions');
    const place = join(extensions, 'zz-folder');
    const moved = join(extensions, 'zz-moved');
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'hookline hot ü-')));
    const link = join(folder, 'zz-link.ts');
    const text = (version: number): string =>
      `export default pi => { pi.on('turn_end', () => {}); globalThis.hotReloadTold.live = ${version}; };\n`;
    try {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, 'index.ts'), text(1_001));
      await until('the folder is a hook', () => stateOf(join(place, 'index.ts')) === 'live' && told.live === 1_001);
      renameSync(place, moved);
      await until('it is one under its new name', () => stateOf(join(moved, 'index.ts')) === 'live');
      assert.equal(stateOf(join(place, 'index.ts')), undefined);
      writeFileSync(join(moved, 'index.ts'), text(1_002));
      await until('it is followed there', () => told.live === 1_002);
      rmSync(moved, { recursive: true });
      await until('it is gone', () => stateOf(join(moved, 'index.ts')) === undefined);

      writeFileSync(join(elsewhere, 'real.ts'), text(1_003));
      symlinkSync(join(elsewhere, 'real.ts'), link);
      const isLinked = (): boolean => [link, join(elsewhere, 'real.ts')].some(path => stateOf(path) === 'live');
      await until('the link is a hook', () => told.live === 1_003 && isLinked());
      writeFileSync(join(elsewhere, 'real.ts'), text(1_004));
      await until('its target is followed', () => told.live === 1_004);
      rmSync(link);
      await until('it is gone', () => !isLinked());
    } finally {
      for (const path of [place, moved, elsewhere, link]) rmSync(path, { recursive: true, force: true });
    }
  });

  it('follows hooks outside of the workspace, with folders that come and go', async () => {
    const agentDir = agentDirFrom(undefined, process.env);
    const global = join(agentDir, 'hooks');
    const file = join(global, 'zz-global.ts');
    assert.ok(!existsSync(global), 'the test starts without it');
    const text = (version: number): string =>
      `export default pi => { pi.on('turn_end', () => {}); globalThis.hotReloadTold.live = ${version}; };\n`;
    for (const version of [2_001, 2_002]) {
      mkdirSync(global, { recursive: true });
      writeFileSync(file, text(version));
      await until('it is live', () => stateOf(file) === 'live' && told.live === version);
      writeFileSync(file, text(version + 10));
      await until('a change is followed', () => told.live === version + 10);
      rmSync(global, { recursive: true });
      await until('it is gone with its folder', () => stateOf(file) === undefined);
    }
  });

  it('is in force soon after a save in the editor, and after a change from outside', async function () {
    this.timeout(120_000);
    const document = await begin();
    const rounds = process.env['HOOKLINE_RELOAD_TIMES'] === undefined ? 3 : 20;
    const times: Record<'save' | 'outside', number[]> = { save: [], outside: [] };
    let version = 3_000;
    const measured = async (
      way: 'save' | 'outside',
      prepare: (text: string) => unknown,
      change: (text: string) => unknown,
    ): Promise<void> => {
      version += 1;
      const text = source(version * 4, 'good').replaceAll(String(version * 4), String(version));
      await prepare(text);
      const started = performance.now();
      const inForce = new Promise<void>(resolve => {
        const listening = window.hooks.onDidChange(() => {
          if (told.live !== version) return;
          listening.dispose();
          resolve();
        });
      });
      await change(text);
      await inForce;
      times[way].push(performance.now() - started);
    };
    for (let round = 0; round < rounds; round++) {
      await measured(
        'save',
        text => type(document, text),
        text => save(document, text),
      );
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (let round = 0; round < rounds; round++) {
      await measured(
        'outside',
        () => undefined,
        text => writeFileSync(hook, text),
      );
    }
    assert.equal(readFileSync(hook, 'utf8').includes(`told.live = ${version};`), true);
    const out = process.env['HOOKLINE_RELOAD_TIMES'];
    if (out !== undefined) appendFileSync(out, `${JSON.stringify(times)}\n`);
  });
});
