import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { guardPlace } from '../../src/guard/protocol/place';
import { GatesOff } from '../../src/vscode/guard/gates-off';
import { GuardSetup, type GuardSetupParts } from '../../src/vscode/guard/guard-setup';
import { agentItem, agentNodes, factNodes, type AgentRow } from '../../src/vscode/hooks-view/agent-nodes';
import { until, workspaceFolder } from './support/extension';
import { Messages } from './support/messages';

const CODEX: AgentRow = {
  ...{
    id: 'codex',
    name: 'Codex',
    version: '0.171.0',
    tested: 'tested',
    testedVersion: '0.171.0',
    isGuarded: true,
    isTrusted: true,
    gate: undefined,
  },
  ...{ calls: 0, blocks: 0, last: undefined, switchedOff: [], problems: [], withoutEffect: [] },
};

describe('the row of another agent', () => {
  const item = (row: Partial<AgentRow>): vscode.TreeItem => {
    const [node] = agentNodes([{ ...CODEX, ...row }]);
    assert.ok(node);
    return agentItem(node, undefined);
  };
  const facts = (row: Partial<AgentRow>): readonly vscode.TreeItem[] =>
    factNodes({ ...CODEX, ...row }).map(node => agentItem(node, undefined));
  const labels = (row: Partial<AgentRow>): readonly unknown[] => facts(row).map(({ label }) => label);

  it('says first what matters most', () => {
    const switchedOff = [{ file: '/work/.codex/config.toml', line: 4, message: 'features.hooks = false' }];
    const descriptions = [
      item({ isGuarded: false }),
      item({}),
      item({ calls: 1 }),
      item({ calls: 2, blocks: 1 }),
      item({ calls: 2, isTrusted: false }),
      item({ problems: [{ file: '/f', message: 'it is broken' }], isGuarded: false }),
      item({ switchedOff, isTrusted: false, calls: 2 }),
    ].map(({ description }) => description);
    assert.deepEqual(descriptions, [
      'not guarded',
      'guarded',
      '1 call today',
      '1 of 2 blocked',
      'does not trust it yet',
      'it is broken',
      'switched off',
    ]);
  });

  it('tells a screen reader that the agent is guarded, once', () => {
    assert.equal(item({}).accessibilityInformation?.label, 'Codex, guarded');
    assert.equal(item({ calls: 2, blocks: 1 }).accessibilityInformation?.label, 'Codex, guarded, 1 of 2 blocked');
    assert.equal(item({ isGuarded: false }).accessibilityInformation?.label, 'Codex, not guarded');
  });

  it('is followed by what is known about the agent and its calls', () => {
    const last = { at: new Date(2026, 10, 30, 9, 5, 2).getTime(), text: 'last blocked: bash rm -rf build' };
    assert.deepEqual(
      labels({ calls: 2, blocks: 1, last, gate: 'Ask', withoutEffect: ['ctx.ui.setWidget (gate.ts)'] }),
      [
        'version 0.171.0, tested',
        'Codex trusts its guard',
        'the built-in gate, too: Ask',
        '2 calls today, 1 blocked',
        'last blocked: bash rm -rf build · 09:05:02',
        'no effect: ctx.ui.setWidget (gate.ts)',
      ],
    );
  });

  it('says whether the tests ran its version', () => {
    const told = (row: Partial<AgentRow>): readonly unknown[] => {
      const [fact] = facts({ isGuarded: false, ...row });
      return [fact?.label, (fact?.iconPath as vscode.ThemeIcon).id];
    };
    assert.deepEqual(told({ version: '0.172.0', tested: 'newer' }), ['not tested: version 0.172.0', 'warning']);
    assert.deepEqual(told({ version: '0.9.0', tested: 'other' }), ['version 0.9.0, tested with 0.171.0', 'versions']);
    assert.deepEqual(told({ version: undefined, tested: 'unknown' }), [
      'version unknown, tested with 0.171.0',
      'versions',
    ]);
    const untried = { tested: 'untried', testedVersion: undefined } as const;
    assert.deepEqual(told({ ...untried, version: undefined }), ['not tried: made from its documentation', 'warning']);
    assert.deepEqual(told({ ...untried, version: '2.0.0' }), [
      'not tried: made from its documentation; version 2.0.0',
      'warning',
    ]);
  });

  it('opens the file that switches its gate off at its line', () => {
    const file = join(workspaceFolder(), '.codex', 'config.toml');
    const switchedOff = [{ file, line: 4, message: 'features.hooks = false' }];
    const [first] = facts({ switchedOff });
    assert.equal(first?.label, 'off by config.toml, line 4: features.hooks = false');
    const [uri, { selection }] = first.command?.arguments as [vscode.Uri, { readonly selection: vscode.Range }];
    assert.deepEqual([uri.fsPath, selection.start.line], [vscode.Uri.file(file).fsPath, 3]);
    assert.equal(
      labels({ switchedOff, isGuarded: false }).length,
      1,
      'of an agent that nobody guards, it is no problem',
    );
  });
});

describe('what switches off the gates of other agents', () => {
  const folder = join(workspaceFolder(), '.codex');
  let gatesOff: GatesOff;
  before(() => {
    gatesOff = new GatesOff();
  });
  after(() => {
    gatesOff.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const found = (): readonly string[] => gatesOff.list.map(({ file, line }) => `${file}:${line}`);

  it('is found in the profiles of Codex as well, as long as it is there', async () => {
    const profile = join(folder, 'quick.config.toml');
    mkdirSync(folder);
    writeFileSync(join(folder, 'other.toml'), '[features]\nhooks = false\n');
    writeFileSync(profile, '[features]\nhooks = false\n');
    await until('the profile is found', () => found().includes(`${profile}:2`));
    assert.equal(found().length, 1, 'other files are none of its configurations');
    writeFileSync(profile, '[features]\nhooks = true\n');
    await until('it is mended', () => found().length === 0);
  });

  it('is found in variables at the root of the folder', async () => {
    const variables = join(workspaceFolder(), '.env');
    const before = existsSync(variables) ? readFileSync(variables) : undefined;
    try {
      writeFileSync(variables, 'A=1\nQWEN_CODE_SAFE_MODE=1\n');
      await until('the variable is found', () => found().includes(`${variables}:2`));
    } finally {
      if (before === undefined) rmSync(variables);
      else writeFileSync(variables, before);
    }
    await until('it is gone', () => found().length === 0);
  });
});

describe('the choice of an agent to guard', () => {
  const root = join(workspaceFolder(), 'no-agents');
  let messages: Messages;
  before(() => {
    messages = new Messages('showInformationMessage', []);
  });
  after(() => messages.restore());

  it('names the agents that could be installed where there is none', async () => {
    const overview = { place: guardPlace(root), machine: { env: {}, home: root, platform: process.platform, root } };
    await new GuardSetup({ overview } as unknown as GuardSetupParts).add();
    const [message] = messages.shown;
    assert.match(message?.text ?? '', /^No agent .* was found .* Install one of these, .*: Claude Code, .*, Cursor\.$/);
  });
});
