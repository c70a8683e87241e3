import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { dryRunHandler } from '../../../src/hook-insight/dry-run/dry-run-handler';
import type { AssistantMessage } from '../../../src/agent/messages';
import { adapterText } from '../../../src/hook-load/shell/adapter-file';
import { answering, claude, ShellWorkspace } from './workspace';

const SETTINGS = '.claude/settings.json';
const ASSISTANT: AssistantMessage = {
  role: 'assistant',
  content: [],
  api: 'x',
  provider: 'x',
  model: 'x',
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: 'stop',
  timestamp: 1,
};

describe("Claude Code's shell hooks, through the adapter", function () {
  this.timeout(30_000);
  let work: ShellWorkspace;
  beforeEach(() => {
    work = new ShellWorkspace();
  });
  afterEach(() => work.close());

  const withAnswer = (answer: unknown, event = 'PreToolUse'): Promise<ShellWorkspace> =>
    work.open({ [SETTINGS]: claude(event, answering(answer)) });

  it('are a hook like any other: live, of the newest dialect, with lines and with their settings among its files', async () => {
    await work.open({ [SETTINGS]: claude('PreToolUse', 'true') });
    const [info] = work.host.infos();
    assert.deepEqual(info?.state, { type: 'live' });
    assert.equal(info.dialect?.id, 'pi');
    assert.ok(
      info.handlers.some(({ event, line }) => event === 'tool_call' && line === 11),
      JSON.stringify(info.handlers),
    );
    assert.ok(info.files?.includes(join(work.folder, SETTINGS)));
  });

  it('are told of a call under their own names, with what every event tells', async () => {
    await withAnswer({});
    assert.deepEqual(await work.call('edit', { path: 'src/a.ts', edits: [{ oldText: 'a', newText: 'b' }] }), {
      block: false,
    });
    assert.deepEqual(work.told('told.json'), {
      session_id: 'session-1',
      transcript_path: '/sessions/one.jsonl',
      cwd: work.folder,
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: join(work.folder, 'src/a.ts'), old_string: 'a', new_string: 'b' },
      tool_use_id: 'c1',
    });
  });

  it('know the folder of the project', async () => {
    await work.open({ [SETTINGS]: claude('PreToolUse', 'echo "$CLAUDE_PROJECT_DIR $PWD" >&2; exit 2') });
    const verdict = await work.call('bash', { command: 'ls' });
    assert.equal(verdict.block && verdict.reason, `${work.folder} ${work.folder}`);
  });

  it('are asked only about tools that their matcher names, under either name', async () => {
    await work.open({ [SETTINGS]: claude('PreToolUse', 'exit 2', { matcher: 'Bash|Wri.*' }) });
    const blocked = async (tool: string): Promise<boolean> => (await work.call(tool, { path: 'x' })).block;
    assert.deepEqual(
      [await blocked('bash'), await blocked('write'), await blocked('read'), await blocked('edit')],
      [true, true, false, false],
    );
  });

  it('block with exit code 2 and the reason on stderr', async () => {
    await work.open({ [SETTINGS]: claude('PreToolUse', 'echo "not here" >&2; exit 2') });
    const verdict = await work.call('bash', { command: 'ls' });
    assert.equal(verdict.block && verdict.reason, 'not here');
  });

  for (const [form, answer] of [
    [
      'permissionDecision',
      {
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
      },
    ],
    ['decision', { decision: 'block', reason: 'no' }],
    ['continue', { continue: false, stopReason: 'no' }],
  ] as const) {
    it(`block with ${form}`, async () => {
      await withAnswer(answer);
      const verdict = await work.call('bash', { command: 'ls' });
      assert.equal(verdict.block && verdict.reason, 'no');
      assert.deepEqual(work.conversation.actions, form === 'continue' ? [['abort']] : []);
    });
  }

  it('let a call run with "allow", and show what they say to the person', async () => {
    await withAnswer({
      systemMessage: 'careful',
      suppressOutput: true,
      hookSpecificOutput: { permissionDecision: 'allow' },
    });
    assert.deepEqual(await work.call('bash', { command: 'ls' }), { block: false });
    assert.deepEqual(work.conversation.ui.notices, [{ message: 'careful', level: 'warning' }]);
  });

  it('have the person asked, who decides', async () => {
    await withAnswer({ hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?' } });
    work.conversation.ui.answers.push(true, false);
    assert.equal((await work.call('bash', { command: 'ls' })).block, false);
    assert.equal((await work.call('bash', { command: 'ls' })).block, true);
    assert.match(work.conversation.ui.calls[0] ?? '', /confirm: A shell hook asks about bash: sure\?/);
    work.conversation.hasUI = false;
    assert.equal((await work.call('bash', { command: 'ls' })).block, true);
  });

  it('change what a tool gets, with their names turned into ours', async () => {
    await withAnswer({
      hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { file_path: 'b.ts', content: 'new' } },
    });
    const input = { path: 'a.ts', content: 'old' };
    await work.call('write', input);
    assert.deepEqual(input, { path: 'b.ts', content: 'new' });
  });

  it('say nothing with plain words, nor with members that are null', async () => {
    for (const answer of ['echo all is well', `echo '{"hookSpecificOutput":null,"updatedInput":null}'`]) {
      await work.open({ [SETTINGS]: claude('PreToolUse', answer) });
      assert.deepEqual(await work.call('bash', { command: 'ls' }), { block: false });
    }
  });

  it('judge a path by the file that the tool opens', async () => {
    const gate = `case "$(cat)" in *'${homedir()}/.bashrc"'*) echo "not yours" >&2; exit 2;; esac`;
    await work.open({ [SETTINGS]: claude('PreToolUse', gate) });
    const verdict = await work.call('write', { path: '~/.bashrc', content: 'x' });
    assert.equal(verdict.block && verdict.reason, 'not yours');
  });

  it('with a matcher that cannot be read are asked about every tool', async () => {
    await work.open({ [SETTINGS]: claude('PreToolUse', 'exit 2', { matcher: '(' }) });
    assert.equal((await work.call('bash', { command: 'ls' })).block, true);
  });

  describe('that fail', () => {
    const failures: readonly (readonly [string, unknown, RegExp])[] = [
      ['crash', claude('PreToolUse', 'echo broken >&2; exit 1'), /exit code 1: broken/],
      ['are not there', claude('PreToolUse', './no-such-script.sh'), /exit code 127/],
      ['do not end', claude('PreToolUse', 'sleep 60', { timeout: 0.2 }), /did not end in time/],
      ['say what is no JSON', claude('PreToolUse', "echo '{nonsense'"), /not JSON/],
      ['say JSON after something else', claude('PreToolUse', `echo hello; echo ' {"decision":"block"}'`), /not JSON/],
      ['say JSON that goes on', claude('PreToolUse', `printf '{"decision":"block"}\\nbye\\n'`), /not JSON/],
      ['answer with a list', claude('PreToolUse', `echo '[{"decision":"block"}]'`), /not an object/],
      [
        'wrap their decision in a text',
        claude('PreToolUse', `echo '{"hookSpecificOutput":"deny"}'`),
        /"hookSpecificOutput" is not an object: "deny"/,
      ],
      [
        'give arguments in a text',
        claude('PreToolUse', `echo '{"hookSpecificOutput":{"updatedInput":"ls"}}'`),
        /arguments it gives are not an object: "ls"/,
      ],
      [
        'give arguments in a list',
        claude('PreToolUse', `echo '{"modifiedArgs":["ls"]}'`),
        /arguments it gives are not an object/,
      ],
      ['decide what nobody knows', claude('PreToolUse', `echo '{"permissionDecision":"maybe"}'`), /is unknown: maybe/],
    ];
    for (const [how, settings, why] of failures) {
      it(`because they ${how} block the call, or let it run when the user says so`, async () => {
        await work.open({ [SETTINGS]: settings });
        const verdict = await work.call('bash', { command: 'ls' });
        assert.match(verdict.block ? verdict.reason : '', why);
        await work.open({ [SETTINGS]: settings }, 'allow');
        assert.deepEqual(await work.call('bash', { command: 'ls' }), { block: false });
        assert.match(work.conversation.ui.notices.at(-1)?.message ?? '', why);
      });
    }

    it('because their file is no JSON any more leave the last good ones running', async () => {
      await work.open({ [SETTINGS]: claude('PreToolUse', 'exit 2') });
      work.write(SETTINGS, '{ "hooks": ');
      await work.host.reload();
      assert.equal(work.host.infos()[0]?.state.type, 'stale');
      assert.equal((await work.call('bash', { command: 'ls' })).block, true);
    });

    it('from the start count as a gate that does not run', async () => {
      work.write(SETTINGS, '{ "hooks": ');
      const sources = [{ name: SETTINGS, specifier: `../../${SETTINGS}` }];
      work.write('.pi/hooks/shell-hooks.ts', adapterText({ onFailure: 'block', sources }));
      await work.host.reload();
      assert.equal(work.host.infos()[0]?.state.type, 'failed');
      assert.equal(work.host.missingGates().failed.length, 1);
    });
  });

  it('take effect as soon as their settings are saved', async () => {
    await work.open({ [SETTINGS]: claude('PreToolUse', 'exit 2') });
    assert.equal((await work.call('bash', { command: 'ls' })).block, true);
    work.write(SETTINGS, JSON.stringify(claude('PreToolUse', 'exit 0')));
    await work.host.reload();
    assert.equal((await work.call('bash', { command: 'ls' })).block, false);
  });

  it('tell the model about a result, and what they had to say about the call', async () => {
    const pre = claude('PreToolUse', `echo '{"hookSpecificOutput":{"additionalContext":"mind the gap"}}'`);
    await work.open({ 'a.json': pre, 'b.json': claude('PostToolUse', 'cat > told.json; echo "lint it" >&2; exit 2') });
    await work.call('bash', { command: 'ls' });
    const { content } = await work.result('done');
    assert.deepEqual(
      content.map(part => ('text' in part ? part.text : '')),
      ['done', 'mind the gap', 'lint it'],
    );
    assert.deepEqual(work.told('told.json')?.['tool_response'], { content: 'done', success: true });
  });

  it('hear nothing of calls that failed, and leave their results alone', async () => {
    await work.open({ [SETTINGS]: claude('PostToolUse', 'echo no >&2; exit 2') });
    const { content, isError } = await work.result('broken', { isError: true });
    assert.deepEqual([content.length, isError], [1, true]);
  });

  it('block a prompt, and add to one', async () => {
    await work.open({
      [SETTINGS]: claude(
        'UserPromptSubmit',
        'grep -q secret && { echo "say no secrets" >&2; exit 2; }; echo "It is Friday."',
      ),
    });
    const send = (text: string): Promise<unknown> => work.emit({ type: 'input', text, source: 'interactive' });
    assert.deepEqual(((await send('a secret')) as { action: string }).action, 'handled');
    assert.match(work.conversation.ui.notices.at(-1)?.message ?? '', /say no secrets/);
    assert.deepEqual(((await send('hello')) as { action: string }).action, 'continue');
    const { messages } = await work.emit({ type: 'before_agent_start', prompt: 'hello', systemPrompt: '' });
    assert.deepEqual(
      messages.map(({ content }) => content),
      ['It is Friday.'],
    );
  });

  const contextOf = async (conversation = work.conversation): Promise<readonly unknown[]> => {
    const event = { type: 'before_agent_start', prompt: 'hello', systemPrompt: '' } as const;
    return (await work.emit(event, conversation)).messages.map(({ content }) => content);
  };

  it('add to the prompts of their own conversation only', async () => {
    await work.open({ [SETTINGS]: claude('UserPromptSubmit', 'echo "It is Friday."') });
    const other = work.otherConversation('session-2');
    await work.emit({ type: 'input', text: 'hello', source: 'interactive' });
    assert.deepEqual(await contextOf(other), []);
    assert.deepEqual(await contextOf(), ['It is Friday.']);
  });

  it('add nothing to the next prompt when another of them kept a prompt from being sent', async () => {
    await work.open({
      'a.json': claude('UserPromptSubmit', 'grep -q secret && echo "About the secret."; true'),
      'b.json': claude('UserPromptSubmit', 'grep -q secret && exit 2; true'),
    });
    await work.emit({ type: 'input', text: 'a secret', source: 'interactive' });
    await work.emit({ type: 'input', text: 'hello', source: 'interactive' });
    assert.deepEqual(await contextOf(), []);
  });

  it('add to the results of their own conversation only', async () => {
    const pre = claude('PreToolUse', `echo '{"hookSpecificOutput":{"additionalContext":"mind the gap"}}'`);
    await work.open({ [SETTINGS]: pre });
    const other = work.otherConversation('session-2');
    await work.call('bash', { command: 'ls' });
    const result = {
      type: 'tool_result',
      toolCallId: 'c1',
      toolName: 'bash',
      input: { command: 'ls' },
      content: [{ type: 'text', text: 'done' }],
      details: undefined,
      isError: false,
    } as const;
    const parts = async (conversation: typeof other): Promise<number> =>
      (await work.emit({ ...result, content: [...result.content] }, conversation)).content.length;
    assert.deepEqual([await parts(other), await parts(work.conversation)], [1, 2]);
  });

  it('hear of the start of a session, not of their own reload, and of its end', async () => {
    const both = {
      hooks: {
        ...(
          claude('SessionStart', 'cat > start.json; echo "Be kind."', { matcher: 'startup|clear' }) as { hooks: object }
        ).hooks,
        ...(claude('SessionEnd', 'cat > end.json') as { hooks: object }).hooks,
      },
    };
    await work.open({ [SETTINGS]: both });
    assert.equal(work.told('start.json'), undefined);
    await work.emit({ type: 'session_start', reason: 'startup' });
    assert.equal(work.told('start.json')?.['source'], 'startup');
    const { messages } = await work.emit({ type: 'before_agent_start', prompt: 'hello', systemPrompt: '' });
    assert.deepEqual(
      messages.map(({ content }) => content),
      ['Be kind.'],
    );
    await work.emit({ type: 'session_shutdown', reason: 'new' });
    assert.equal(work.told('end.json')?.['reason'], 'clear');
    // Another session that opens beside this one does not end it.
    rmSync(join(work.folder, 'end.json'));
    await work.emit({ type: 'session_switch', reason: 'new', previousSessionFile: undefined });
    assert.equal(work.told('end.json'), undefined);
    await work.emit({ type: 'session_shutdown', reason: 'quit' });
    assert.equal(work.told('end.json')?.['reason'], 'other');
  });

  it('keep a run going until they say it may end', async () => {
    await work.open({
      [SETTINGS]: claude('Stop', 'cat > told.json; test -f green || { echo "make it green" >&2; exit 2; }'),
    });
    const end = (): Promise<unknown> => work.emit({ type: 'agent_end', messages: [ASSISTANT] });
    await end();
    assert.equal(work.told('told.json')?.['stop_hook_active'], false);
    assert.deepEqual(
      work.conversation.actions.map(([name, text]) => [name, text]),
      [['sendUserMessage', 'make it green']],
    );
    work.write('green', '');
    await end();
    assert.equal(work.told('told.json')?.['stop_hook_active'], true);
    assert.equal(work.conversation.actions.length, 1);
  });

  it('count for each conversation how often they kept a run going', async () => {
    await work.open({ [SETTINGS]: claude('Stop', 'cat > told.json; echo more >&2; exit 2') });
    const other = work.otherConversation('session-2');
    await work.emit({ type: 'agent_end', messages: [ASSISTANT] });
    await work.emit({ type: 'agent_end', messages: [ASSISTANT] }, other);
    assert.equal(work.told('told.json')?.['stop_hook_active'], false);
    await work.emit({ type: 'agent_end', messages: [ASSISTANT] });
    assert.equal(work.told('told.json')?.['stop_hook_active'], true);
  });

  it('prevent a compaction, and hear who wants it', async () => {
    await work.open({
      [SETTINGS]: claude('PreCompact', 'cat > told.json; echo later >&2; exit 2', { matcher: 'manual' }),
    });
    const compact = (conversation = work.conversation): Promise<HookResult> =>
      work.emit(
        {
          type: 'session_before_compact',
          preparation: {
            cutPoint: { firstKeptEntryIndex: 1, turnStartIndex: -1, isSplitTurn: false },
            firstKeptEntryId: 'e1',
            messagesToSummarize: [],
            messagesToKeep: [],
            turnPrefixMessages: [],
            isSplitTurn: false,
            tokensBefore: 1,
            fileOps: { read: new Set(), written: new Set(), edited: new Set() },
            settings: { enabled: true, reserveTokens: 1, keepRecentTokens: 1 },
            boundaryStart: 0,
          },
          branchEntries: [],
          previousCompactions: [],
          reason: 'manual',
          willRetry: false,
          model: { id: 'm' } as never,
          signal: new AbortController().signal,
        },
        conversation,
      );
    assert.equal((await compact()).cancelled, true);
    assert.equal(work.told('told.json')?.['trigger'], 'manual');
    await work.emit({ type: 'auto_compaction_start', reason: 'threshold', action: 'context-full' });
    assert.equal((await compact()).cancelled, false);
    assert.equal((await compact(work.otherConversation('session-2'))).cancelled, true);
  });

  it('hear that the agent waits', async () => {
    await work.open({ [SETTINGS]: claude('Notification', 'cat > told.json', { matcher: 'idle_prompt' }) });
    await work.emit({ type: 'agent_end', messages: [ASSISTANT] });
    assert.equal(work.told('told.json')?.['notification_type'], 'idle_prompt');
  });

  it('do nothing in a dry fire', async () => {
    await work.open({ [SETTINGS]: claude('PreToolUse', 'touch ran; exit 2') });
    const event = { type: 'tool_call', toolCallId: 'c1', toolName: 'bash', input: { command: 'ls' } } as const;
    const [delivery] = work.host.runner.deliveries(event);
    assert.ok(delivery);
    await dryRunHandler(delivery, event, work.conversation, work.host.runner.services);
    assert.equal(work.told('ran'), undefined);
  });
});

interface HookResult {
  readonly cancelled: boolean;
}
