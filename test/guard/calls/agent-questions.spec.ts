/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-return -- hooks are foreign code */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { hook, type Foreign, type InlineHook } from '../../support/hook-host';
import { bash, callOf, promptOf, rigWith, type RigOptions } from './guard-rig';

const confirming = hook('ext', pi => {
  pi.on('tool_call', async (_event: Foreign, ctx: Foreign) => {
    const isAllowed = await ctx.ui.confirm('Delete the build?', 'It takes an hour.');
    return isAllowed ? undefined : { block: true, reason: `not confirmed, with UI: ${String(ctx.hasUI)}` };
  });
});
const NOBODY: RigOptions = { canAsk: () => false };
const gate = (mode: 'ask' | 'edits' | 'auto'): RigOptions => ({
  gateModeOf: () => mode,
  host: {
    gate: {
      path: '/gate.ts',
      settings: {
        rules: { current: [], add: () => Promise.resolve() },
        placeAnswers: () => ({ code: 'ask', build: 'ask', outside: 'ask' }),
        places: () => ({ platform: 'linux', codePlaces: [], temporary: [] }) as never,
        plainReading: () => undefined,
        selfAsking: () => [],
      },
    },
  },
});

describe('questions about calls of other agents where no person is at a front', () => {
  it('are asked by the agent, with the text of the hook', async () => {
    const rig = await rigWith([confirming], NOBODY);
    const { output, records } = await rig.reply(bash('rm -rf build'));
    assert.deepEqual(JSON.parse(output), { ask: 'Delete the build?\nIt takes an hour.' });
    assert.deepEqual([records[0]?.verdict, records[0]?.hook], ['asks', '/hooks/1.ts']);
    assert.deepEqual(rig.asked, []);
  });

  it('are left to the hook where nobody is at the agent, or it cannot ask', async () => {
    const rig = await rigWith([confirming], NOBODY);
    assert.deepEqual(await rig.answer(bash('ls', { isAttended: false })), { deny: 'not confirmed, with UI: false' });
    assert.deepEqual(await rig.answer(bash('ls', { agent: 'codex' })), { deny: 'not confirmed, with UI: false' });
  });

  const passing = (ask: (ui: Foreign) => Promise<unknown>): InlineHook =>
    hook('ext', pi => {
      pi.on('tool_call', async (_event: Foreign, ctx: Foreign) => {
        await ask(ctx.ui);
      });
    });
  const cases: readonly [string, InlineHook][] = [
    ['a choice of several', passing(ui => ui.select('Delete?', ['Yes', 'No']))],
    ['a text', passing(ui => ui.input('Why?'))],
    [
      'a second one',
      passing(async ui => {
        await ui.confirm('Sure?', '');
        await ui.confirm('Really?', '');
      }),
    ],
  ];
  for (const [name, asks] of cases) {
    it(`deny the call if they are ${name}, even if the hook lets it pass`, async () => {
      const rig = await rigWith([asks], NOBODY);
      const { deny } = await rig.answer(bash('rm -rf build'));
      assert.match(deny ?? '', /nobody could be asked/);
    });
  }

  it('deny the call if the hook also changes it', async () => {
    const changing = hook('ext', pi => {
      pi.on('tool_call', async (event: Foreign, ctx: Foreign) => {
        if (await ctx.ui.confirm('Dry?', '')) event.input.command = 'echo';
      });
    });
    const { deny } = await (await rigWith([changing], NOBODY)).answer(bash('rm -rf build'));
    assert.match(deny ?? '', /nobody could be asked/);
  });

  it('block the call if another hook blocks it', async () => {
    const blocking = hook('ext', pi => pi.on('tool_call', () => ({ block: true, reason: 'never' })));
    const rig = await rigWith([confirming, blocking], NOBODY);
    assert.deepEqual(await rig.answer(bash('ls')), { deny: 'never' });
  });

  it('about prompts have no answer', async () => {
    const rig = await rigWith(
      [
        hook('ext', pi => {
          pi.on('input', async (_event: Foreign, ctx: Foreign) =>
            (await ctx.ui.confirm('Send it?', '')) ? undefined : { action: 'handled' },
          );
        }),
      ],
      NOBODY,
    );
    const { deny } = await rig.answer(promptOf('Go'));
    assert.match(deny ?? '', /took over/);
  });
});

describe('the built-in gate for other agents', () => {
  it('is off at first', async () => {
    const { host } = gate('ask');
    const rig = await rigWith([], host === undefined ? {} : { host });
    assert.deepEqual(await rig.answer(bash('rm -rf build')), {});
    assert.deepEqual(rig.asked, []);
  });

  it('asks about commands in Ask mode, and remembers what is allowed in the session', async () => {
    const rig = await rigWith([], { ...gate('ask'), answers: ['Allow once', 'Deny'] });
    assert.deepEqual(await rig.answer(bash('make', { toolCallId: 't1' })), {});
    const denied = await rig.answer(bash('make', { toolCallId: 't2' }));
    assert.deepEqual(denied, { deny: 'The user did not allow this call.' });
    const inSession = rig.asked[0]?.dialog.type === 'select' ? rig.asked[0].dialog.options[1] : undefined;
    assert.match(inSession ?? '', /^Allow in this session/);
  });

  it('lets calls pass in Auto mode, and not in a folder that is not trusted', async () => {
    const rig = await rigWith([], gate('auto'));
    assert.deepEqual(await rig.answer(bash('make')), {});
    const untrusted = await rigWith([], { ...gate('auto'), isTrusted: () => false, answers: ['Deny'] });
    assert.deepEqual(await untrusted.answer(bash('make')), { deny: 'The user did not allow this call.' });
  });

  it('lets the agent ask where nobody else can be asked', async () => {
    const rig = await rigWith([], { ...gate('ask'), ...NOBODY });
    const { ask } = await rig.answer(bash('make'));
    assert.match(ask ?? '', /^Run this command\?\nmake/);
    const headless = await rig.answer(bash('make', { toolCallId: 't2', isAttended: false }));
    assert.match(headless.deny ?? '', /nobody can be asked/);
  });

  it('asks about tools that it does not know', async () => {
    const rig = await rigWith([], { ...gate('edits'), answers: ['Deny'] });
    const { deny } = await rig.answer(callOf('FutureTool', { a: 1 }));
    assert.equal(deny, 'The user did not allow this call.');
  });
});

describe('calls of other agents that could take the guard off', () => {
  it('are asked about if Codex starts an interpreter with nothing to run, also with the gate off', async () => {
    const rig = await rigWith([], { answers: [true, false] });
    const codex = (command: string, toolCallId: string) => bash(command, { agent: 'codex', toolCallId });
    assert.deepEqual(await rig.answer(codex('bash', 't1')), {});
    const { deny } = await rig.answer(codex('python3 -i', 't2'));
    assert.match(deny ?? '', /python3 takes commands later that no hook sees/);
    assert.deepEqual(await rig.answer(codex('bash build.sh', 't3')), {});
    assert.deepEqual(await rig.answer(bash('bash', { toolCallId: 't4' })), {}, 'Claude Code writes to no program');
    assert.equal(rig.asked.length, 2);
  });

  it('are not asked about twice if a hook asked', async () => {
    const rig = await rigWith([confirming], { answers: [true] });
    assert.deepEqual(await rig.answer(bash('bash', { agent: 'codex' })), {});
    assert.equal(rig.asked.length, 1);
  });

  it('are denied where nobody can be asked', async () => {
    const rig = await rigWith([], { ...NOBODY, guardedFiles: () => 'gate-off' });
    const started = await rig.answer(bash('bash', { agent: 'codex' }));
    assert.match(started.deny ?? '', /nobody could be asked/);
    const written = callOf('write', { path: '.claude/settings.json', content: '{}' }, { isAttended: false });
    const { deny } = await rig.answer(written);
    assert.match(
      deny ?? '',
      /This turns the gate off: \S*[\\/]work[\\/]\.claude[\\/]settings\.json\. .*nobody could be asked/,
    );
  });

  it('are asked about if they change the hooks of an agent, even if a hook asked', async () => {
    const paths: string[] = [];
    const guardedFiles = (path: string): 'gate-off' | undefined => {
      paths.push(path);
      return path.endsWith('settings.json') ? 'gate-off' : undefined;
    };
    const rig = await rigWith([confirming], { answers: [true, false, true], guardedFiles });
    const edit = (path: string, toolCallId: string) => callOf('edit', { path, edits: [] }, { toolCallId });
    const { deny } = await rig.answer(edit('.claude/settings.json', 't1'));
    assert.match(deny ?? '', /The user did not allow this call\. This turns the gate off/);
    assert.deepEqual(await rig.answer(edit('a.ts', 't2')), {});
    assert.deepEqual(
      paths,
      ['/work/.claude/settings.json', '/work/a.ts'].map(path => resolve(path)),
    );
    assert.match(rig.asked[1]?.message ?? '', /This turns the gate off/);
  });
});
