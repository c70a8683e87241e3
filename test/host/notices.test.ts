import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { HookInfo } from '../../src/hook-contract/hook-info';
import type { TrustDecision } from '../../src/startup/trust/project-trust';
import { windowNotices } from '../../src/vscode/window/status/window-notices';
import { hookline, until } from './support/extension';

const hook = (state: HookInfo['state']): HookInfo => ({
  path: '/w/.pi/hooks/gate.ts',
  origin: 'workspace',
  state,
  handlers: [],
  commands: [],
  tools: [],
});

describe('notices of the window', () => {
  const trust: TrustDecision = { trusted: true, reason: { by: 'editor' } };
  const none = {
    ...{ folder: '/w', otherFolders: [], trust, hooks: [], differences: [] },
    ...{ heldFiles: [], unfinishedWrites: [], problems: [] },
  };

  it('are none when all is well', () =>
    assert.equal(windowNotices({ ...none, hooks: [hook({ type: 'live' })] }).size, 0));

  it('say what to do without a folder', () => {
    const [notice] = windowNotices({ ...none, folder: undefined }).values();
    assert.equal(notice?.actions?.[0]?.command, 'openFolder');
  });

  it('say which of several folders is worked in', () => {
    const [notice] = windowNotices({ ...none, folder: '/work/first', otherFolders: ['second', 'third'] }).values();
    assert.match(notice?.text ?? '', /belong to first, not to the other folders of this workspace: second, third/);
  });

  it('name what Restricted Mode holds back, and offer to trust', () => {
    const restricted: TrustDecision = { trusted: false, reason: { by: 'editor' } };
    const [notice] = windowNotices({ ...none, trust: restricted, hooks: [hook({ type: 'heldBack' })] }).values();
    assert.match(notice?.text ?? '', /Restricted Mode.*gate\.ts/s);
    assert.equal(notice?.actions?.[0]?.command, 'trustWorkspace');
  });

  it('say who else does not trust the folder, and open where that is said', () => {
    const heldBack = [hook({ type: 'heldBack' })];
    const at = '/agent/trust.json';
    for (const [reason, text, path] of [
      [{ by: 'hook', path: '/agent/extensions/policy.ts' }, /policy\.ts does not trust/, '/agent/extensions/policy.ts'],
      [{ by: 'file', path: at, folder: '/up' }, /trust\.json in the agent folder marks \/up as untrusted/, at],
      [{ by: 'unreadable', path: at, problem: 'It is not JSON.' }, /cannot find out.*It is not JSON/, at],
    ] as const) {
      const [notice] = windowNotices({ ...none, trust: { trusted: false, reason }, hooks: heldBack }).values();
      assert.match(notice?.text ?? '', text);
      assert.match(notice?.text ?? '', /gate\.ts/);
      assert.equal(notice?.file?.path, path);
      // A hook or a broken file is not for a command to decide about.
      assert.equal(notice.actions?.[0]?.command, reason.by === 'file' ? 'decideTrust' : undefined);
    }
  });

  it('say of a hook that waits what was done to it, by whom and what runs, and offer to look, approve and reject', () => {
    for (const [state, text] of [
      [
        { change: 'changed' },
        /^A tool changed the hook gate\.ts\. The change has no effect until you approve or save it\./,
      ],
      [{ change: 'appeared' }, /^A tool created the hook gate\.ts\. It does not run/],
      [{ change: 'vanished' }, /^A tool removed the hook gate\.ts\. It keeps running/],
      [
        { change: 'changed', stillRunning: 'npm (12)' },
        /while a program that the agent started is still running: npm \(12\)\./,
      ],
      [{ change: 'changed', notSaved: true }, /^The hook gate\.ts was changed outside of the editor\./],
      [
        { change: 'appeared', notSaved: true },
        /^The hook gate\.ts was created outside of the editor\. It does not run/,
      ],
      [{ change: 'vanished', notSaved: true }, /^The hook gate\.ts was removed\. It keeps running/],
      [
        { change: 'unknown' },
        /^Hookline has no record of your approval of the hook gate\.ts\. .* the tools that it guards are blocked\./,
      ],
    ] as const) {
      const [notice] = windowNotices({ ...none, hooks: [hook({ type: 'waiting', ...state })] }).values();
      assert.match(notice?.text ?? '', text);
      const commands = notice?.actions?.map(({ command }) => command);
      const reject = state.change === 'unknown' ? [] : ['rejectHook'];
      assert.deepEqual(commands, ['compareHook', 'approveHook', ...reject]);
      assert.equal(notice?.hook?.path, '/w/.pi/hooks/gate.ts');
    }
  });

  it('name what was changed of hooks while nobody was here, and counts', () => {
    const differences = (['changed', 'appeared', 'vanished'] as const).map(change => ({
      path: `/w/.pi/hooks/${change}.ts`,
      change,
    }));
    const [notice] = windowNotices({ ...none, differences }).values();
    assert.equal(notice?.level, 'info');
    assert.match(
      notice.text,
      /: changed\.ts \(changed\), appeared\.ts \(added\), vanished\.ts \(removed\)\. Their current versions are in effect/,
    );
  });

  it('name gates that are no longer there, and offer to show the hooks', () => {
    const lost = { path: '/w/.pi/hooks/gate.ts', change: 'vanished', wasGate: true } as const;
    const other = { path: '/w/.pi/hooks/other.ts', change: 'vanished' } as const;
    const [gates, others] = windowNotices({ ...none, differences: [lost, other] }).values();
    assert.deepEqual(gates, {
      level: 'warning',
      text: 'These hooks checked tool calls and are no longer there: gate.ts. Calls run without them.',
      actions: [{ label: 'Show Hooks', command: 'showHooks' }],
    });
    assert.match(others?.text ?? '', /: other\.ts \(removed\)\./);
  });

  it('name file, line and consequence of a hook that does not load', () => {
    const message = 'Failed to load hook: Unexpected token (12:5)';
    const problems = [{ message, file: '/w/.pi/hooks/gate.ts', line: 12, column: 5 }];
    const [notice] = windowNotices({ ...none, hooks: [hook({ type: 'stale', problems })] }).values();
    assert.equal(notice?.text, 'gate.ts fails to load: Unexpected token. The last version that worked keeps running.');
    assert.deepEqual(notice.file, { path: '/w/.pi/hooks/gate.ts', line: 12, column: 5 });
    const [worse] = windowNotices({ ...none, hooks: [hook({ type: 'failed', problems, gatesTools: true })] }).values();
    assert.match(worse?.text ?? '', /guards tools and is not running/);
  });

  it('tell of a setting that is not used, by its name, until it is right again', async () => {
    const { conversations } = await (await hookline()).window.get();
    const texts = (): string[] =>
      conversations.active.model.items.flatMap(item => (item.kind === 'notice' ? item.text : []));
    const settings = vscode.workspace.getConfiguration('hookline');
    await settings.update('model', 'no slash', vscode.ConfigurationTarget.Workspace);
    await until('the setting is named', () => texts().some(text => /hookline\.model.*no slash/.test(text)));
    await conversations.active.conversation.sessions.newSession();
    assert.ok(
      texts().some(text => text.includes('hookline.model')),
      'a new session still says so',
    );
    await settings.update('model', undefined, vscode.ConfigurationTarget.Workspace);
    await until('it is gone', () => !texts().some(text => text.includes('hookline.model')));
  });

  it('tell of a flag of hooks that is of the wrong kind; folders cannot set any', async () => {
    const { conversations } = await (await hookline()).window.get();
    const texts = (): string =>
      conversations.active.model.items.flatMap(item => (item.kind === 'notice' ? item.text : [])).join('\n');
    const settings = vscode.workspace.getConfiguration('hookline');
    const { Global, Workspace } = vscode.ConfigurationTarget;
    await settings.update('hooks.flags', { strict: true, count: 3 }, Global);
    await until('the flag is named', () => /Flag "count" in setting "hookline\.hooks\.flags"/.test(texts()));
    assert.doesNotMatch(texts(), /"strict"/);
    await assert.rejects(Promise.resolve(settings.update('hooks.flags', { strict: false }, Workspace)));
    await settings.update('hooks.flags', undefined, Global);
    await until('it is gone', () => !texts().includes('hooks.flags'));
  });
});
