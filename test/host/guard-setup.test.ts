import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { CONTRACTS } from '../../src/guard/agents';
import type { Machine } from '../../src/guard/config/this-machine';
import { guardPlace } from '../../src/guard/protocol/place';
import { EXTENSION_ID } from '../../src/vscode/ids';
import { GuardSetup, type GuardSetupParts } from '../../src/vscode/guard/guard-setup';
import { replace } from './support/replace';

describe('the dialog that guards other agents', () => {
  let home: string;
  let picks: (readonly vscode.QuickPickItem[])[];
  const restore: (() => void)[] = [];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'hookline-setup-'));
    picks = [];
  });
  afterEach(async () => {
    // A test may have replaced the same twice.
    for (const undo of restore.splice(0).reverse()) undo();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(home, { recursive: true, force: true });
  });

  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  const read = (name: string): string | undefined =>
    existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : undefined;
  const place = () => guardPlace(join(home, 'state'));

  /** Opens the dialog, chooses the items with these texts one after the other, and then closes what comes; says yes if asked. */
  const add = async (...choices: readonly string[]): Promise<void> => {
    const left = [...choices];
    const pick = (items: readonly vscode.QuickPickItem[]): Promise<vscode.QuickPickItem | undefined> => {
      picks.push(items);
      const wanted = left.shift();
      return Promise.resolve(wanted === undefined ? undefined : items.find(({ label }) => label.includes(wanted)));
    };
    restore.push(replace(vscode.window, 'showQuickPick', pick as unknown as typeof vscode.window.showQuickPick));
    const yes = (...given: readonly unknown[]): Promise<unknown> => Promise.resolve(given.at(-1));
    restore.push(
      replace(vscode.window, 'showWarningMessage', yes as unknown as typeof vscode.window.showWarningMessage),
    );
    restore.push(replace(vscode.window, 'showInformationMessage', () => Promise.resolve(undefined)));
    const machine: Machine = { env: { PATH: join(home, 'bin') }, home, platform: process.platform, root: home };
    const extension = vscode.extensions.getExtension(EXTENSION_ID);
    assert.ok(extension);
    const overview = { place: place(), machine, changed: () => undefined };
    await new GuardSetup({
      overview: overview as unknown as GuardSetupParts['overview'],
      texts: { add: () => vscode.Uri.parse('untitled:change') } as unknown as GuardSetupParts['texts'],
      extension: { dir: extension.extensionPath, version: '1.0.0' },
      agentDir: join(home, '.pi', 'agent'),
    }).add();
  };

  it('adds the tools of hooks when the user wants them, and keeps them without a question', async () => {
    write('.claude.json', '{ "theme": "dark" }\n');
    write('.claude/settings.json', '{}\n');
    await add('Claude Code', 'Off', 'add the tools');
    assert.match(read('.claude.json') ?? '', /"theme": "dark"[^]*hookline/);
    assert.match(read('.claude/settings.json') ?? '', /client\.(?:sh|mjs)/);
    const changed = read('.claude.json');
    picks = [];
    await add('Claude Code', 'Off');
    assert.equal(picks.length, 2, 'it is not asked again');
    assert.equal(read('.claude.json'), changed);
  });

  it('adds no tools when the user does not want them', async () => {
    write('.claude.json', '{ "theme": "dark" }\n');
    write('.claude/settings.json', '{}\n');
    await add('Claude Code', 'Off', 'Only guard it');
    assert.equal(read('.claude.json'), '{ "theme": "dark" }\n');
    assert.match(read('.claude/settings.json') ?? '', /client\.(?:sh|mjs)/);
  });

  it('writes nothing when the question about the tools is closed', async () => {
    write('.claude/settings.json', '{}\n');
    await add('Claude Code', 'Off');
    assert.equal(picks.length, 3);
    assert.equal(read('.claude/settings.json'), '{}\n');
    assert.equal(existsSync(place().guarded), false);
  });

  it('says why one agent cannot be guarded, and guards another', async () => {
    const errors: string[] = [];
    const note = (text: string): Promise<undefined> => {
      errors.push(text);
      return Promise.resolve(undefined);
    };
    restore.push(replace(vscode.window, 'showErrorMessage', note as typeof vscode.window.showErrorMessage));
    write('.claude/settings.json', '{}\n');
    write('.gemini/settings.json', '{ "hooks": ');
    await add('Gemini CLI', 'Off');
    assert.equal(picks.length, 1);
    assert.match(picks[0]?.find(({ label }) => label.includes('Gemini CLI'))?.detail ?? '', /settings\.json cannot be/);
    assert.match(errors.join(), /settings\.json cannot be/);
    assert.equal(read('.gemini/settings.json'), '{ "hooks": ');
    await add('Claude Code', 'Off', 'Only guard it');
    assert.match(read('.claude/settings.json') ?? '', /client\.(?:sh|mjs)/);
  });

  (process.platform === 'win32' ? describe.skip : describe)('says of the version of an agent', () => {
    const tested = CONTRACTS.find(({ id }) => id === 'codex')?.testedVersion ?? '';
    const described = async (version: string): Promise<string | undefined> => {
      write('bin/codex', `#!/bin/sh\necho codex-cli ${version}\n`);
      chmodSync(join(home, 'bin/codex'), 0o755);
      await add();
      return picks[0]?.find(({ label }) => label.includes('Codex'))?.description;
    };

    it('that the tests ran it', async () => {
      assert.equal(await described(tested), `not guarded · version ${tested}, tested`);
    });

    it('that no test ran it, if it is newer', async () => {
      assert.equal(await described('999.0.0'), 'not guarded · not tested: version 999.0.0');
    });

    it('which one the tests ran, if it is older', async () => {
      assert.equal(await described('0.0.1'), `not guarded · version 0.0.1, tested with ${tested}`);
    });
  });
});
