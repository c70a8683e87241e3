import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Api, Model } from '@mariozechner/pi-ai';
import { DEMO_MODEL } from '../../src/demo-model/demo-model';
import type { PiSettings } from '../../src/agent/settings/pi-settings';
import type { TrustDecision } from '../../src/startup/trust/project-trust';
import { pickModelScope } from '../../src/vscode/pickers/scope-picker';
import { pickTrust } from '../../src/vscode/pickers/trust-picker';
import { pickGoOn } from '../../src/vscode/chat/missing-folder-pick';
import { modelSource } from '../support/model-source';
import { hookline, key, staysFalse } from './support/extension';

type Key = Parameters<typeof key>[0] | 'space';

/** Presses keys in a pick that a call opens, which decides nothing without them; resolves with what the call gives. */
async function inPick<T>(open: () => Promise<T>, ...keys: readonly Key[]): Promise<T> {
  let isOver = false;
  const opened = open().finally(() => (isOver = true));
  await staysFalse('a decision without a key', () => isOver);
  for (const one of keys) {
    if (one === 'space') await vscode.commands.executeCommand('quickInput.toggleCheckbox');
    else await key(one);
  }
  return opened;
}

describe('questions that pi of today asks', () => {
  let root: string;

  before(async () => {
    await hookline();
  });
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-picks-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('how a session goes on whose folder is gone: Enter and Escape decide nothing', async () => {
    const missing = { file: '/sessions/a.jsonl', folder: '/gone/away', here: '/here' };
    assert.equal(await inPick(() => pickGoOn(missing), 'enter'), undefined);
    assert.equal(await inPick(() => pickGoOn(missing), 'escape'), undefined);
    assert.equal(await inPick(() => pickGoOn(missing), 'down', 'enter'), 'here');
    assert.equal(await inPick(() => pickGoOn(missing), 'down', 'down', 'enter'), 'fork');
  });

  describe('which models are gone through', () => {
    const named = (id: string): Model<Api> => ({ ...DEMO_MODEL, provider: 'p', id, name: id });
    const models = modelSource([named('one'), named('two'), named('three')]);
    let file: string;
    let written: number;

    beforeEach(() => {
      file = join(root, 'settings.json');
      written = 0;
    });

    const parts = (enabledModels: readonly string[]) => {
      const current = { enabledModels } as PiSettings;
      const settings = { current };
      return {
        models,
        settings,
        file,
        written: () => {
          written += 1;
          const { enabledModels: read = [] } = JSON.parse(readFileSync(file, 'utf8')) as Partial<PiSettings>;
          settings.current = { ...current, enabledModels: read };
          return Promise.resolve();
        },
      };
    };
    it('writes what is checked and keeps everything else, patterns without a model included', async () => {
      writeFileSync(file, '{\n  "ofAnExtension": [1],\n  "enabledModels": ["gone/x", "p/t*:high"]\n}\n');
      // Rows: gone/x, two, three, one. The second is unchecked.
      await inPick(() => pickModelScope(parts(['gone/x', 'p/t*:high'])), 'down', 'down', 'space', 'enter');
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
        ofAnExtension: [1],
        enabledModels: ['gone/x', 'p/three:high'],
      });
      assert.equal(written, 1);
    });

    it('writes nothing when nothing was changed, or the person gives up', async () => {
      await inPick(() => pickModelScope(parts([])), 'enter');
      await inPick(() => pickModelScope(parts(['p/one'])), 'down', 'escape');
      assert.deepEqual([existsSync(file), written], [false, 0]);
    });
  });

  it('whether a folder is trusted: saves what is decided where pi reads it, and forgets it again', async () => {
    const folder = join(root, 'up', 'work');
    const agentDir = join(root, 'agent');
    mkdirSync(folder, { recursive: true });
    const current: TrustDecision = { trusted: true, reason: { by: 'editor' } };
    let decided = 0;
    const pick = () =>
      pickTrust({ folder, agentDir, trust: { current }, decided: () => Promise.resolve(void (decided += 1)) });
    const saved = (): unknown => JSON.parse(readFileSync(join(agentDir, 'trust.json'), 'utf8'));

    await inPick(pick, 'escape');
    assert.equal(existsSync(join(agentDir, 'trust.json')), false);
    await inPick(pick, 'down', 'down', 'enter');
    assert.deepEqual(saved(), { [folder]: false });
    await inPick(pick, 'enter');
    assert.deepEqual(saved(), { [folder]: false }, 'it starts on what is decided');
    await inPick(pick, 'down', 'enter');
    assert.deepEqual(saved(), {}, 'forgotten');
    await inPick(pick, 'down', 'enter');
    assert.deepEqual(saved(), { [dirname(folder)]: true }, 'the folder above');
    assert.equal(decided, 4);
    await staysFalse('more is decided', () => decided > 4);
  });
});
