import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoModel } from '../../../src/demo-model/demo-model';
import { ModelRegistry } from '../../../src/agent/models/registry';
import { noKeys } from '../../../src/agent/models/keys/api-key-source';
import { loadSettings } from '../../../src/agent/settings/load-settings';
import { Emitter } from '../../../src/base/event';
import { silentLog } from '../../../src/base/log';
import { Packages } from '../../../src/packages/packages';
import { createHooks } from '../../../src/vscode/window/hook-host';
import { FakeConversation } from '../../support/fake-conversation';

const ROOT = join(import.meta.dirname, '..', '..', '..');

describe('hooks of a window', () => {
  let root: string;

  const place = () => ({ agentDir: join(root, 'agent'), cwd: join(root, 'workspace') });
  const extension = () => ({
    dir: ROOT,
    jitiDir: join(ROOT, 'node_modules', 'jiti', 'dist'),
    storageDir: join(root, 'storage'),
    stateDir: join(root, 'state'),
    version: '0',
  });

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline trust ü-')));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const file = (path: string, text: string): string => {
    const full = join(root, path);
    mkdirSync(join(full, '..'), { recursive: true });
    writeFileSync(full, text);
    return full;
  };

  it('of an untrusted folder are named and never run, and run once the folder is trusted', async () => {
    const mark = join(root, 'it-ran');
    const runs = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\nexport default () => {};\n`;
    const local = file('workspace/.pi/hooks/local.ts', runs);
    const named = file('workspace/named.ts', runs);
    file('workspace/.pi/settings.json', JSON.stringify({ hooks: ['named.ts'] }));
    // The person's own settings may name a path that leads into any folder that is open.
    file('agent/settings.json', JSON.stringify({ hooks: ['.pi/hooks', './from-global.ts'] }));
    const fromGlobal = file('workspace/from-global.ts', runs);
    const global = file('agent/hooks/mine.ts', 'export default () => {};\n');
    let trusted = false;
    const here = { ...place(), includeProject: () => trusted };
    const readSettings = async () => (await loadSettings({ ...here, includeProject: trusted })).settings;
    let current = await readSettings();
    const change = new Emitter<void>();
    const noSettings = {
      paths: [],
      dialects: {},
      askWhileBroken: true,
      approveChanges: 'agent',
      commandsInPalette: 'ask',
      sessionStartOnSwitch: true,
      offerTools: true,
      flags: {},
    } as const;
    const { host, dependencies } = createHooks({
      services: {
        place: here,
        settings: {
          get current() {
            return current;
          },
          problems: [],
          onDidChange: change.event,
        },
        vscodeSettings: { value: { hooks: noSettings } },
        models: new ModelRegistry({ agentDir: here.agentDir, embedded: demoModel(), keys: noKeys }),
        packages: new Packages({ place: here, settings: { current } }),
      },
      extension: extension(),
      log: silentLog,
    });
    try {
      await host.reload();
      const states = () => Object.fromEntries(host.infos().map(info => [info.path, info.state.type]));
      assert.deepEqual(states(), { [global]: 'live', [local]: 'heldBack', [fromGlobal]: 'heldBack' });
      assert.ok(!existsSync(mark), 'no code of the folder has run');

      trusted = true;
      current = await readSettings();
      await host.reload();
      assert.deepEqual(states(), { [global]: 'live', [local]: 'live', [named]: 'live' });
      assert.ok(existsSync(mark));
    } finally {
      await host.dispose();
      dependencies.dispose();
    }
  });
  it('read flags from the settings as they are when asked; a value of the wrong kind is told and not used', async () => {
    const out = join(root, 'flags.jsonl');
    file(
      'agent/hooks/flags.ts',
      `import { appendFileSync } from 'node:fs';
       export default pi => {
         pi.registerFlag('strict', { type: 'boolean', default: false });
         pi.registerFlag('note', { type: 'string', default: 'none' });
         pi.on('session_start', () => appendFileSync(${JSON.stringify(out)}, JSON.stringify(['strict', 'note', 'constructor'].map(pi.getFlag)) + '\\n'));
       };`,
    );
    const hooks = {
      paths: [],
      dialects: {},
      askWhileBroken: true,
      approveChanges: 'agent',
      commandsInPalette: 'ask',
      sessionStartOnSwitch: true,
      offerTools: true,
    } as const;
    let flags: Readonly<Record<string, boolean | string>> = {};
    const here = { ...place(), includeProject: () => true };
    const { settings: current } = await loadSettings({ ...here, includeProject: true });
    const { host, dependencies } = createHooks({
      services: {
        place: here,
        settings: { current, problems: [], onDidChange: new Emitter<void>().event },
        vscodeSettings: {
          get value() {
            return { hooks: { ...hooks, flags } };
          },
        },
        models: new ModelRegistry({ agentDir: here.agentDir, embedded: demoModel(), keys: noKeys }),
        packages: new Packages({ place: here, settings: { current } }),
      },
      extension: extension(),
      log: silentLog,
    });
    const told: string[] = [];
    host.onError(({ message }) => told.push(message));
    try {
      await host.reload();
      const ask = () => host.runner.emit({ type: 'session_start', reason: 'startup' }, new FakeConversation());
      await ask();
      flags = { strict: true, note: 'high' };
      await ask();
      flags = { strict: 'yes', note: 'high' };
      await ask();
      const seen = readFileSync(out, 'utf8').trim().split('\n');
      assert.deepEqual(seen, ['[false,"none",null]', '[true,"high",null]', '[false,"high",null]']);
      assert.deepEqual(told, ['Flag "strict" must be true or false, not "yes"']);
    } finally {
      await host.dispose();
      dependencies.dispose();
    }
  });

  it('wait over a restart of the window, where the person wants to see each change that was not saved', async () => {
    const gate = file('workspace/.pi/hooks/gate.ts', 'export default pi => pi.on("tool_call", () => undefined);\n');
    const here = { ...place(), includeProject: () => true };
    const { settings: current } = await loadSettings({ ...here, includeProject: true });
    const states = async (approveChanges: 'agent' | 'all') => {
      const hooks = {
        paths: [],
        dialects: {},
        askWhileBroken: true,
        commandsInPalette: 'ask' as const,
        sessionStartOnSwitch: true,
        offerTools: true,
        flags: {},
      };
      const { host, dependencies } = createHooks({
        services: {
          place: here,
          settings: { current, problems: [], onDidChange: new Emitter<void>().event },
          vscodeSettings: { value: { hooks: { ...hooks, approveChanges } } },
          models: new ModelRegistry({ agentDir: here.agentDir, embedded: demoModel(), keys: noKeys }),
          packages: new Packages({ place: here, settings: { current } }),
        },
        extension: extension(),
        storedApprovals: 'readWrite',
        log: silentLog,
      });
      try {
        await host.reload();
        return { states: host.infos().map(({ state }) => state), differences: host.differences };
      } finally {
        await host.dispose();
        dependencies.dispose();
      }
    };
    const live = [{ type: 'live' }];
    assert.deepEqual(await states('agent'), { states: live, differences: [] });
    writeFileSync(gate, 'export default () => {};\n');
    assert.deepEqual(await states('agent'), { states: live, differences: [{ path: gate, change: 'changed' }] });
    writeFileSync(gate, 'export default () => undefined;\n');
    const waiting = [{ type: 'waiting', change: 'changed', notSaved: true }];
    assert.deepEqual(await states('all'), { states: waiting, differences: [] });
    assert.deepEqual(await states('agent'), { states: waiting, differences: [] }, 'what is held stays held');
  });
});
