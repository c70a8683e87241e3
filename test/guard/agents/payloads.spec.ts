import assert from 'node:assert/strict';
import { BadPayloadError } from '../../../src/guard/agents/agent';
import { CONTRACTS, contractOf } from '../../../src/guard/agents';
import type { AgentId } from '../../../src/guard/protocol/agent-call';
import { agentCall, answered, CWD, eventName, readCall, toolCall, toolResult } from './agent-calls';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: '1' };

describe('an event of another agent', () => {
  it('says its session, place and person, as far as the agent does', () => {
    const variables = { CLAUDE_PROJECT_DIR: '/work', CLAUDE_CODE_SESSION_ATTENDED: '0' };
    const event = readCall('claude', 'PreToolUse', { ...CALL, agent_id: 'a1', agent_type: 'Explore' }, variables);
    const { agent, name, sessionId, cwd, projectDir, isAttended, subagent } = event;
    assert.deepEqual(
      { agent, name, sessionId, cwd, projectDir, isAttended, subagent },
      {
        agent: 'claude',
        name: 'PreToolUse',
        sessionId: 's1',
        cwd: CWD,
        projectDir: '/work',
        isAttended: false,
        subagent: { id: 'a1', type: 'Explore' },
      },
    );
    assert.ok(!('isAttended' in readCall('claude', 'PreToolUse', CALL)));
    assert.equal(readCall('codex', 'PreToolUse', { ...CALL, model: 'gpt-6' }).model, 'gpt-6');
    const copilot = { COPILOT_CLI_BINARY_VERSION: '1.0.102', COPILOT_PROJECT_DIR: '/work' };
    const other = readCall('copilot', 'PreToolUse', { ...CALL, agent_id: 'a1', parent_agent_id: 'main' }, copilot);
    assert.deepEqual([other.sessionId, other.subagent, other.version], ['main', { id: 'a1' }, '1.0.102']);
  });

  it('has one form for all agents', () => {
    for (const agent of ['claude', 'copilot', 'codex', 'gemini', 'qwen'] as const) {
      const typed = (name: string, members: object): Record<string, unknown> => ({
        ...readCall(agent, eventName(agent, name), { ...members }),
      });
      assert.equal(typed('SessionStart', { source: 'resume' })['reason'], 'resume');
      assert.equal(typed('SessionStart', { source: 'new' })['reason'], 'startup');
      assert.equal(typed('UserPromptSubmit', { prompt: 'hi' })['text'], 'hi');
      assert.equal(typed('Stop', { stop_hook_active: true })['isContinued'], true);
      if (agent !== 'gemini') assert.equal(typed('SubagentStop', {})['type'], 'subagent_stop');
      assert.equal(typed('PreCompact', { trigger: 'manual', custom_instructions: 'short' })['instructions'], 'short');
      assert.equal(typed('SessionEnd', { reason: 'clear' })['reason'], 'clear');
      assert.equal(typed('Tomorrow', { anything: [1] })['type'], 'other');
    }
    const { lastText } = readCall('claude', 'Stop', { last_assistant_message: 'bye' }) as { lastText?: string };
    assert.equal(lastText, 'bye');
    const gemini = readCall('gemini', 'AfterAgent', { prompt: 'hi', prompt_response: 'bye' }) as { lastText?: string };
    assert.equal(gemini.lastText, 'bye');
    const qwen = { QWEN_PROJECT_DIR: '/work', QWEN_CODE_STARTUP_VERSION: '0.24.4' };
    const started = readCall('qwen', 'SessionStart', { model: 'm' }, qwen);
    assert.deepEqual([started.projectDir, started.version, started.model], ['/work', '0.24.4', 'm']);
    const project = { GEMINI_PROJECT_DIR: '/work' };
    assert.equal(readCall('gemini', 'SessionStart', {}, project).projectDir, '/work');
  });

  it('has the text of a result, and whether the call failed', () => {
    const text = (agent: AgentId, members: object): unknown => {
      const { text, isError } = toolResult(agent, 'Bash', { ...members });
      return [text, isError];
    };
    assert.deepEqual(text('claude', { tool_response: { stdout: 'a', stderr: 'b' } }), ['a\nb', false]);
    assert.deepEqual(text('claude', { error: 'Exit code 3' }), ['Exit code 3', true]);
    assert.deepEqual(text('codex', { tool_response: 'a' }), ['a', false]);
    assert.deepEqual(text('codex', { tool_response: { content: [{ type: 'text', text: 'a' }] } }), ['a', false]);
    const result = { result_type: 'failure', text_result_for_llm: 'a' };
    assert.deepEqual(text('copilot', { tool_result: result }), ['a', true]);
    assert.deepEqual(text('copilot', { error: 'gone' }), ['gone', true]);
    assert.deepEqual(text('qwen', { error: 'gone' }), ['gone', true]);
    assert.deepEqual(text('qwen', { tool_response: { llmContent: 'a', returnDisplay: 'b' } }), ['a', false]);
    assert.deepEqual(text('gemini', { tool_response: { llmContent: 'a', returnDisplay: 'b' } }), ['a', false]);
    assert.deepEqual(text('gemini', { tool_response: { llmContent: [{ text: 'a' }] } }), ['a', false]);
    assert.deepEqual(text('gemini', { tool_response: { llmContent: { text: 'a' }, error: { message: 'b' } } }), [
      'a',
      true,
    ]);
    assert.ok(!JSON.stringify(text('claude', { tool_response: undefined })).includes('undefined'));
  });
});

describe('the own names of Copilot', () => {
  const own = (event: string, members: object): ReturnType<typeof agentCall> => ({
    ...agentCall('copilot', event),
    payload: JSON.stringify({ sessionId: 's1', timestamp: 1795997719761, cwd: CWD, ...members }),
  });

  it('are read and answered like those of Claude Code', () => {
    const copilot = contractOf('copilot');
    for (const toolArgs of [{ command: 'rm x' }, JSON.stringify({ command: 'rm x' })]) {
      const event = copilot.read(own('preToolUse', { toolName: 'bash', toolArgs }));
      assert.deepEqual(event.type === 'tool_call' && event.calls, [{ toolName: 'bash', input: { command: 'rm x' } }]);
      assert.deepEqual(answered(copilot.write(event, { deny: 'no' }).output), {
        permissionDecision: 'deny',
        permissionDecisionReason: 'no',
      });
      assert.deepEqual(answered(copilot.write(event, { input: [{ command: 'ls' }], context: 'note' }).output), {
        modifiedArgs: { command: 'ls' },
        additionalContext: 'note',
      });
    }
    const toolResult = { resultType: 'success', textResultForLlm: 'done' };
    const result = copilot.read(own('postToolUse', { toolName: 'bash', toolArgs: {}, toolResult }));
    assert.equal(result.type === 'tool_result' && result.text, 'done');
    const sub = { agentId: 'a1', parentAgentId: 'main', stop_hook_active: true };
    const stop = copilot.read({ ...own('agentStop', sub) });
    assert.deepEqual([stop.type, stop.sessionId, stop.subagent?.id], ['stop', 'main', 'a1']);
    assert.deepEqual(answered(copilot.write(stop, { goOn: 'not yet' }).output), {
      decision: 'block',
      reason: 'not yet',
    });
  });
});

describe('an event that Copilot sends to a hook of Claude Code', () => {
  it('is Copilot’s, and gets an answer in its form', () => {
    const { payload } = agentCall('copilot', 'PreToolUse', {
      tool_name: 'Write',
      tool_input: { path: 'a', file_text: 'x' },
    });
    const event = contractOf('claude').read({ ...agentCall('claude', 'PreToolUse'), payload });
    assert.equal(event.agent, 'copilot');
    assert.deepEqual(event.type === 'tool_call' && event.calls, [
      { toolName: 'write', input: { path: `${CWD}/a`, content: 'x' } },
    ]);
    const { payload: result } = agentCall('copilot', 'PostToolUse', {
      ...CALL,
      tool_result: { text_result_for_llm: 'x' },
    });
    const after = contractOf('claude').read({ ...agentCall('claude', 'PostToolUse'), payload: result });
    assert.deepEqual(answered(contractOf('claude').write(after, { deny: 'no' }).output), {
      decision: 'block',
      reason: 'no',
    });
  });

  it('is Claude Code’s own, when Claude Code begins to tell the time', () => {
    const event = readCall('claude', 'PreToolUse', { ...CALL, timestamp: '2027-01-01T00:00:00Z' });
    assert.equal(event.agent, 'claude');
  });
});

describe('a payload', () => {
  const fails = (agent: AgentId, payload: string, pattern: RegExp): void => {
    const event = eventName(agent, 'PreToolUse');
    const call = { ...agentCall(agent, event), payload };
    assert.throws(
      () => contractOf(agent).read(call),
      (error: unknown) => {
        assert.ok(error instanceof BadPayloadError, String(error));
        assert.match(error.message, pattern);
        assert.ok(error.message.includes(event), error.message);
        return true;
      },
    );
  };

  it('that is cut anywhere is an error that names the agent and the event', () => {
    for (const { id, name } of CONTRACTS) {
      const { payload } = agentCall(id, eventName(id, 'PreToolUse'), { ...CALL, tool_input: { command: 'ü\0' } });
      for (let length = 0; length < payload.length; length += 7) {
        fails(id, payload.slice(0, length), new RegExp(`^${name} sent`));
      }
      for (const text of ['null', '[]', '"x"', '1', '\0', `${payload}{}`]) fails(id, text, new RegExp(`^${name} sent`));
    }
  });

  it('with a missing or wrong member is an error that names the member', () => {
    for (const { id } of CONTRACTS) {
      if (id === 'cline') continue; // Its payloads have other members: see `cline.spec.ts`.
      const wrong: readonly (readonly [object, RegExp])[] = [
        [{ session_id: undefined }, /"session_id"/],
        [{ session_id: '' }, /"session_id"/],
        [{ session_id: 1 }, /"session_id"/],
        [{ cwd: 'relative' }, /"cwd"/],
        [{ cwd: 1 }, /"cwd"/],
        [{ tool_name: undefined }, /"tool_name"/],
        [{ tool_name: ['Bash'] }, /"tool_name"/],
        [{ tool_input: undefined }, /"tool_input"/],
        [{ tool_input: 'ls' }, /"tool_input"/],
        [{ tool_input: null }, /"tool_input"/],
        [{ tool_use_id: 7 }, /"tool_use_id"/],
        [{ agent_id: {} }, /"agent_id"/],
        [{ hook_event_name: 'PostToolUse' }, /PostToolUse/],
      ];
      for (const [members, pattern] of wrong) {
        fails(id, agentCall(id, eventName(id, 'PreToolUse'), { ...CALL, ...members }).payload, pattern);
      }
    }
  });

  it('of a project whose folder is not absolute is an error, since nobody knows which hooks would look', () => {
    for (const agent of ['claude', 'copilot', 'gemini', 'qwen'] as const) {
      const variables = { QWEN_PROJECT_DIR: 'shop', CLAUDE_PROJECT_DIR: 'shop', GEMINI_PROJECT_DIR: 'shop' };
      const call = agentCall(agent, eventName(agent, 'PreToolUse'), CALL, variables);
      assert.throws(() => contractOf(agent).read(call), /the folder of the project is not absolute/);
    }
  });

  it('says whether the id of a call is the agent’s own', () => {
    const idOf = (members: object): unknown => ({ ...readCall('copilot', 'PreToolUse', { ...CALL, ...members }) });
    assert.equal((idOf({ tool_use_id: undefined }) as { isMadeId?: true }).isMadeId, true);
    assert.ok(!('isMadeId' in (idOf({}) as object)));
  });

  it('may have any text, size, and members of tomorrow', () => {
    for (const agent of ['claude', 'copilot', 'codex'] as const) {
      const command = `echo "\0\u202e\ud800" ${'x'.repeat(1024 * 1024)}`;
      const event = toolCall(agent, 'Bash', { command, ['__proto__x']: { polluted: true } });
      assert.equal(event.calls[0]?.input['command'], command);
      const later = { ...CALL, tool_use_id: undefined, tomorrow: { deep: [1] }, permission_mode: 7, agent_id: null };
      const read = readCall(agent, 'PreToolUse', later);
      assert.ok(read.type === 'tool_call' && read.toolCallId !== '');
      const input = JSON.parse('{"command":"ls","__proto__":{"command":"rm"},"constructor":1}') as object;
      assert.equal(toolCall(agent, 'Bash', input).calls[0]?.input['command'], 'ls');
      for (const name of ['constructor', '__proto__', 'toString']) {
        assert.equal(toolCall(agent, name, { a: 1 }).calls[0]?.toolName, name);
        assert.equal(typeof toolResult(agent, name, { tool_response: { a: 1 }, constructor: 1 }).text, 'string');
      }
      const odd = toolCall(agent, 'Edit', {
        path: 1,
        file_path: ['x'],
        old_string: {},
        edits: 'none',
        timeout: 'soon',
      });
      assert.equal(odd.calls[0]?.toolName, agent === 'codex' ? 'Edit' : 'edit');
    }
  });
});
