import assert from 'node:assert/strict';
import type { EventAnswer, GuardedEvent, WrittenAnswer } from '../../../src/guard/agents/agent';
import { contractOf } from '../../../src/guard/agents';
import type { AgentCall } from '../../../src/guard/protocol/agent-call';
import { answered } from './agent-calls';

/** What the documentation of Cursor names for all events. */
const COMMON = {
  ...{ conversation_id: 'conv-1', generation_id: 'gen-1', model: 'claude-opus-4-7', model_id: 'claude-opus-4-7' },
  ...{ cursor_version: '3.14.7', workspace_roots: ['/work/shop'], user_email: null, transcript_path: null },
};
const SHELL = { tool_name: 'Shell', tool_input: { command: 'rm x', working_directory: '/work/shop' } };
/** Hooks of the user run there. */
const OWN_FOLDER = '/home/me/.cursor';

function callOf(event: string, members: object, agent: 'cursor' | 'claude' = 'cursor'): AgentCall {
  const payload = JSON.stringify({ ...COMMON, hook_event_name: event, ...members });
  return { agent, event, payload, parentPid: 0, cwd: OWN_FOLDER, variables: { CLAUDE_PROJECT_DIR: '/work/shop' } };
}

function read(event: string, members: object = {}): GuardedEvent {
  return contractOf('cursor').read(callOf(event, members));
}

function write(event: GuardedEvent, answer: EventAnswer): [Record<string, unknown> | undefined, WrittenAnswer] {
  const written = contractOf('cursor').write(event, answer);
  return [answered(written.output), written];
}

describe('an event of Cursor', () => {
  it('belongs to its conversation and to the first folder of the workspace', () => {
    const event = read('beforeSubmitPrompt', { prompt: 'hi', attachments: [] });
    const { agent, type, sessionId, cwd, projectDir, version, model, turnId } = event;
    assert.deepEqual(
      { agent, type, sessionId, cwd, projectDir, version, model, turnId },
      {
        ...{ agent: 'cursor', type: 'prompt', sessionId: 'conv-1', cwd: '/work/shop', projectDir: '/work/shop' },
        ...{ version: '3.14.7', model: 'claude-opus-4-7', turnId: 'gen-1' },
      },
    );
    assert.equal(read('preToolUse', { ...SHELL, tool_use_id: 't1', cwd: '/work/shop/sub' }).cwd, '/work/shop/sub');
    assert.equal(read('preToolUse', { ...SHELL, tool_use_id: 't1', cwd: '' }).cwd, '/work/shop');
    const nowhere = read('sessionStart', { session_id: 'conv-1', workspace_roots: [], is_background_agent: false });
    assert.deepEqual([nowhere.cwd, nowhere.projectDir], [OWN_FOLDER, '/work/shop']);
  });

  it('of a subagent names it, and is one of the main conversation', () => {
    const members = { subagent_id: 'a1', subagent_type: 'explore', parent_conversation_id: 'conv-0', task: 'look' };
    const { sessionId, subagent } = read('subagentStart', members);
    assert.deepEqual([sessionId, subagent], ['conv-0', { id: 'a1', type: 'explore' }]);
  });

  it('is a call with pi’s names of the tool and its arguments', () => {
    const seen = (tool_name: string, tool_input: object | string): unknown => {
      const event = read('preToolUse', { tool_name, tool_input, tool_use_id: 't1', cwd: '/work/shop' });
      return event.type === 'tool_call' && event.calls.map(({ toolName, input }) => [toolName, input]);
    };
    assert.deepEqual(seen('Shell', SHELL.tool_input), [['bash', SHELL.tool_input]]);
    assert.deepEqual(seen('Read', { file_path: 'a.ts' }), [['read', { path: '/work/shop/a.ts' }]]);
    assert.deepEqual(seen('Read', { path: '/a.ts' }), [['read', { path: '/a.ts' }]]);
    const write = [['write', { path: '/work/shop/a.ts', content: 'x' }]];
    assert.deepEqual(seen('Write', { file_path: 'a.ts', contents: 'x' }), write);
    assert.deepEqual(seen('Write', { path: 'a.ts', content: 'x' }), write);
    assert.deepEqual(seen('StrReplace', { path: '/a.ts', old_string: 'x', new_string: 'y' }), [
      ['edit', { path: '/a.ts', edits: [{ oldText: 'x', newText: 'y' }] }],
    ]);
    assert.deepEqual(seen('MCP:wipe', '{"all":true}'), [['MCP:wipe', { all: true }]]);
  });

  it('has the text of a result, and whether the call failed', () => {
    const result = (event: string, members: object): unknown => {
      const read_ = read(event, { ...SHELL, tool_use_id: 't1', ...members });
      return read_.type === 'tool_result' && [read_.toolCallId, read_.text, read_.isError];
    };
    const of = (tool_output: string): unknown => result('postToolUse', { tool_output, duration: 5 });
    assert.deepEqual(of('{"exitCode":0,"stdout":"All tests passed"}'), ['t1', 'All tests passed', false]);
    assert.deepEqual(of('{"stdout":"a","stderr":"b"}'), ['t1', 'a\nb', false]);
    assert.deepEqual(of('{"content":[{"type":"text","text":"a"}]}'), ['t1', 'a', false]);
    assert.deepEqual(of('{"files":2}'), ['t1', '{"files":2}', false]);
    assert.deepEqual(of('plain'), ['t1', 'plain', false]);
    const failed = { error_message: 'timed out', failure_type: 'timeout', is_interrupt: false };
    assert.deepEqual(result('postToolUseFailure', failed), ['t1', 'timed out', true]);
  });

  it('says whether a hook already let it go on', () => {
    const goesOn = (loop_count: number): unknown => {
      const event = read('stop', { status: 'completed', loop_count });
      return event.type === 'stop' && event.isContinued;
    };
    assert.deepEqual([goesOn(0), goesOn(1)], [false, true]);
  });
});

describe('the answers to Cursor', () => {
  const call = read('preToolUse', { ...SHELL, tool_use_id: 't1', cwd: '/work/shop' });

  it('stop a call and tell the reason to the user and the agent', () => {
    const [deny] = write(call, { deny: 'not here' });
    assert.deepEqual(deny, { permission: 'deny', user_message: 'not here', agent_message: 'not here' });
  });

  it('have a permission wherever a hook does not stop a call, since Cursor takes others for a failure', () => {
    assert.deepEqual(write(call, {})[0], { permission: 'allow' });
    const [changed] = write(call, { input: [{ command: 'ls', working_directory: '/work/shop' }] });
    const updated_input = { command: 'ls', working_directory: '/work/shop' };
    assert.deepEqual(changed, { permission: 'allow', updated_input });
    const [noted, { unsupported }] = write(call, { context: 'note' });
    assert.deepEqual([noted, unsupported], [{ permission: 'allow' }, ['added text']]);
  });

  it('are a denial where a hook could not ask, and where its change fits no tool', () => {
    const [asked, { denied }] = write(call, { ask: 'Really?' });
    assert.equal(asked?.['permission'], 'deny');
    assert.match(denied ?? '', /Nobody could be asked.*Really\?/);
    const [odd] = write(call, { input: [{ command: 'ls', working_directory: '/work/shop', path: 'x' }] });
    assert.equal(odd?.['permission'], 'deny');
  });

  it('stop a prompt, or let it go', () => {
    const prompt = read('beforeSubmitPrompt', { prompt: 'hi' });
    assert.deepEqual(write(prompt, { deny: 'no' })[0], { continue: false, user_message: 'no' });
    const [noted, { unsupported }] = write(prompt, { context: 'note' });
    assert.deepEqual([noted, unsupported], [{ continue: true }, ['added text']]);
  });

  it('replace the result of an MCP tool, and no other', () => {
    const result = (tool_name: string): GuardedEvent =>
      read('postToolUse', { tool_name, tool_input: {}, tool_output: '"secret"', tool_use_id: 't1' });
    const clean = { result: { text: 'clean', isError: false } };
    const [replaced] = write(result('MCP:mail'), { ...clean, context: 'note' });
    assert.deepEqual(replaced, {
      updated_mcp_tool_output: { content: [{ type: 'text', text: 'clean' }], isError: false },
      additional_context: 'note',
    });
    const [told, { unsupported }] = write(result('Shell'), clean);
    assert.deepEqual(told, { additional_context: 'A hook replaced the result of this call by: clean' });
    assert.deepEqual(unsupported, ['a replaced result']);
    const withheld = { result: { text: 'why', isError: true, isWithheld: true } } as const;
    assert.deepEqual(write(result('Shell'), withheld)[0], {});
    assert.deepEqual(write(result('Shell'), { result: { text: 'secret\nmore', isError: false } })[0], {
      additional_context: 'more',
    });
  });

  it('can do nothing about a failed call or a compaction', () => {
    const failed = read('postToolUseFailure', { ...SHELL, tool_use_id: 't1', error_message: 'no' });
    const [, { output, unsupported }] = write(failed, { result: { text: 'x', isError: true }, context: 'note' });
    assert.deepEqual([output, unsupported], ['{}', ['a replaced result', 'added text']]);
    const [, compact] = write(read('preCompact', { trigger: 'auto' }), { deny: 'no' });
    assert.deepEqual([compact.output, compact.unsupported], ['{}', ['a refusal']]);
  });

  it('add text to a session, and let a run go on', () => {
    const start = read('sessionStart', { session_id: 'conv-1', composer_mode: 'agent' });
    assert.deepEqual(write(start, { context: 'note' })[0], { additional_context: 'note' });
    const stop = read('stop', { status: 'completed', loop_count: 0 });
    assert.deepEqual(write(stop, { goOn: 'not yet' })[0], { followup_message: 'not yet' });
    assert.deepEqual(write(stop, {})[0], {});
  });
});

describe('an event that Cursor sends to a hook of Claude Code', () => {
  const claude = contractOf('claude');
  const readClaudes = (call: AgentCall): GuardedEvent => claude.read(call);

  it('is Cursor’s, with its own name or that of Claude Code', () => {
    for (const hook_event_name of ['preToolUse', 'PreToolUse']) {
      const members = { ...SHELL, tool_use_id: 't1', cwd: '/work/shop', hook_event_name };
      const event = readClaudes(callOf('PreToolUse', members, 'claude'));
      assert.deepEqual(event, read('preToolUse', { ...SHELL, tool_use_id: 't1', cwd: '/work/shop' }));
      assert.deepEqual(answered(claude.write(event, {}).output), { permission: 'allow' });
    }
    const prompt = readClaudes(callOf('UserPromptSubmit', { prompt: 'hi' }, 'claude'));
    assert.deepEqual([prompt.agent, prompt.name], ['cursor', 'beforeSubmitPrompt']);
    const older = { ...COMMON, cursor_version: undefined, hook_event_name: 'stop', loop_count: 0 };
    const call = { ...callOf('Stop', {}, 'claude'), payload: JSON.stringify(older) };
    assert.equal(readClaudes(call).agent, 'cursor');
  });

  it('of another event than that of the hook is an error', () => {
    const members = { ...SHELL, tool_use_id: 't1', hook_event_name: 'postToolUse' };
    assert.throws(
      () => readClaudes(callOf('PreToolUse', members, 'claude')),
      /sent postToolUse to the hook of preToolUse/,
    );
  });

  it('is told from one of Claude Code itself', () => {
    const payload = JSON.stringify({
      session_id: 's1',
      transcript_path: '/t',
      cwd: '/work',
      ...SHELL,
      tool_use_id: '1',
    });
    assert.equal(readClaudes({ ...callOf('PreToolUse', {}, 'claude'), payload }).agent, 'claude');
  });

  it('is refused in the form of Cursor, also by the name of Claude Code', () => {
    const refusal = contractOf('cursor').refuse('PreToolUse', 'why');
    assert.deepEqual(answered(refusal), { permission: 'deny', user_message: 'why', agent_message: 'why' });
  });
});
