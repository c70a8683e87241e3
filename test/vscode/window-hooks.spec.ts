import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelRegistry } from '../../src/agent/models/registry';
import { noKeys } from '../../src/agent/models/api-key-source';
import { loadSettings } from '../../src/agent/settings';
import { Emitter } from '../../src/base/event';
import { silentLog } from '../../src/base/log';
import { createHooks } from '../../src/vscode/window-hooks';

const ROOT = join(import.meta.dirname, '..', '..');

describe('hooks of a window', () => {
  let root: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline trust ü-')));
  });

  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

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
    const place = { agentDir: join(root, 'agent'), cwd: join(root, 'workspace'), includeProject: () => trusted };
    const readSettings = async () => (await loadSettings({ ...place, includeProject: trusted })).settings;
    let current = await readSettings();
    const change = new Emitter<void>();
    const noSettings = { paths: [], dialects: {}, askWhileBroken: true, sessionStartOnSwitch: true };
    const { host, loader } = createHooks({
      ground: {
        place,
        settings: {
          get current() {
            return current;
          },
          problems: [],
          onDidChange: change.event,
        },
        vscodeSettings: { value: { hooks: noSettings } },
        models: new ModelRegistry({ agentDir: place.agentDir, keys: noKeys }),
      },
      extension: {
        dir: ROOT,
        jitiDir: join(ROOT, 'node_modules', 'jiti', 'dist'),
        storageDir: join(root, 'storage'),
        version: '0',
      },
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
      loader.dispose();
    }
  });
});
