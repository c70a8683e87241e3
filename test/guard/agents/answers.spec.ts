import assert from 'node:assert/strict';
import { Type, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { AgentContract, EventAnswer, GuardedEvent, WrittenAnswer } from '../../../src/guard/agents/agent';
import { CONTRACTS, contractOf } from '../../../src/guard/agents';
import type { AgentId } from '../../../src/guard/protocol/agent-call';
import { answered, readCall, toolCall, toolResult } from './agent-calls';

const Reason = Type.String({ pattern: '\\S' });
const Text = Type.Optional(Reason);
const strict = (members: Record<string, TSchema>): TSchema => Type.Object(members, { additionalProperties: false });
const specific = (event: string, members: Record<string, TSchema>): TSchema =>
  strict({ hookSpecificOutput: strict({ hookEventName: Type.Literal(event), ...members }) });
const Block = strict({ decision: Type.Literal('block'), reason: Reason });
const Deny = strict({ decision: Type.Literal('deny'), reason: Reason });
const Stop = strict({ continue: Type.Literal(false), stopReason: Reason });
const Cancel = strict({ cancel: Type.Literal(true), errorMessage: Reason });
const Input = Type.Record(Type.String(), Type.Unknown());
const Nothing = Type.Never();

const decision = (...kinds: readonly string[]): Record<string, TSchema> => ({
  permissionDecision: Type.Optional(Type.Union(kinds.map(kind => Type.Literal(kind)))),
  permissionDecisionReason: Text,
  updatedInput: Type.Optional(Input),
  additionalContext: Text,
});
const context = (event: string): TSchema => specific(event, { additionalContext: Reason });

/** Our plugin in opencode, and in programs made from it. */
const OPENCODE_ANSWERS = {
  SessionStart: context('SessionStart'),
  UserPromptSubmit: Type.Union([Block, context('UserPromptSubmit')]),
  PreToolUse: Type.Union([
    specific('PreToolUse', { permissionDecision: Type.Literal('deny'), permissionDecisionReason: Reason }),
    specific('PreToolUse', { updatedInput: Input }),
  ]),
  PostToolUse: Type.Union([
    Block,
    specific('PostToolUse', { updatedToolOutput: Type.Optional(Type.String()), additionalContext: Text }),
  ]),
  PostToolUseFailure: Nothing,
  Stop: Nothing,
  SubagentStart: context('SubagentStart'),
  SubagentStop: Nothing,
  PreCompact: Block,
  PostCompact: Nothing,
  SessionEnd: Nothing,
};

/** What each agent accepts as the answer to an event, from its contract: any other member may void the whole answer. */
const ACCEPTED: { readonly [I in AgentId]: Readonly<Record<string, TSchema>> } = {
  claude: {
    SessionStart: context('SessionStart'),
    UserPromptSubmit: Type.Union([Block, context('UserPromptSubmit')]),
    PreToolUse: specific('PreToolUse', decision('deny', 'ask')),
    PostToolUse: Type.Union([
      Stop,
      specific('PostToolUse', { updatedToolOutput: Type.Optional(Type.Unknown()), additionalContext: Text }),
    ]),
    PostToolUseFailure: context('PostToolUseFailure'),
    Stop: Block,
    SubagentStart: context('SubagentStart'),
    SubagentStop: Block,
    PreCompact: Block,
    PostCompact: Nothing,
    SessionEnd: Nothing,
  },
  copilot: {
    SessionStart: strict({ additionalContext: Reason }),
    UserPromptSubmit: Type.Union([Block, strict({ additionalContext: Reason })]),
    PreToolUse: specific('PreToolUse', decision('deny', 'ask')),
    PostToolUse: Type.Union([
      Block,
      strict({
        modifiedResult: Type.Optional(
          strict({
            resultType: Type.Union([Type.Literal('success'), Type.Literal('failure')]),
            textResultForLlm: Type.String(),
          }),
        ),
        additionalContext: Text,
      }),
    ]),
    PostToolUseFailure: strict({ additionalContext: Reason }),
    Stop: Block,
    SubagentStart: strict({ additionalContext: Reason }),
    SubagentStop: Block,
    PreCompact: Nothing,
    SessionEnd: Nothing,
  },
  codex: {
    SessionStart: context('SessionStart'),
    UserPromptSubmit: Type.Union([Block, context('UserPromptSubmit')]),
    // `allow` only with arguments, and arguments only with `allow`.
    PreToolUse: Type.Union([
      specific('PreToolUse', { permissionDecision: Type.Literal('deny'), permissionDecisionReason: Reason }),
      specific('PreToolUse', {
        permissionDecision: Type.Literal('allow'),
        updatedInput: Input,
        additionalContext: Text,
      }),
      context('PreToolUse'),
    ]),
    PostToolUse: Type.Union([
      context('PostToolUse'),
      strict({
        decision: Type.Literal('block'),
        reason: Reason,
        hookSpecificOutput: Type.Optional(
          strict({ hookEventName: Type.Literal('PostToolUse'), additionalContext: Reason }),
        ),
      }),
    ]),
    Stop: Block,
    SubagentStart: context('SubagentStart'),
    SubagentStop: Block,
    PreCompact: Stop,
    PostCompact: Nothing,
    SessionEnd: Nothing,
  },
  droid: {
    SessionStart: context('SessionStart'),
    UserPromptSubmit: Type.Union([Stop, context('UserPromptSubmit')]),
    PreToolUse: Type.Union([
      specific('PreToolUse', { permissionDecision: Type.Literal('deny'), permissionDecisionReason: Reason }),
      specific('PreToolUse', { updatedInput: Input }),
    ]),
    PostToolUse: Type.Union([Stop, context('PostToolUse')]),
    Stop: Block,
    SubagentStop: Block,
    PreCompact: Nothing,
    SessionEnd: Nothing,
  },
  gemini: {
    SessionStart: context('SessionStart'),
    BeforeAgent: Type.Union([Deny, context('BeforeAgent')]),
    BeforeTool: Type.Union([Deny, specific('BeforeTool', { tool_input: Input })]),
    AfterTool: Type.Union([
      context('AfterTool'),
      strict({
        decision: Type.Literal('deny'),
        reason: Reason,
        hookSpecificOutput: Type.Optional(
          strict({ hookEventName: Type.Literal('AfterTool'), additionalContext: Reason }),
        ),
      }),
    ]),
    AfterAgent: Block,
    PreCompress: Nothing,
    SessionEnd: Nothing,
  },
  cline: {
    TaskStart: Nothing,
    TaskResume: Nothing,
    PreToolUse: Type.Union([Cancel, strict({ overrideInput: Type.Optional(Input), contextModification: Text })]),
    PostToolUse: Type.Union([Cancel, strict({ contextModification: Reason })]),
    TaskComplete: Nothing,
    TaskCancel: Nothing,
    TaskError: Nothing,
    SessionShutdown: Nothing,
  },
  qwen: {
    SessionStart: context('SessionStart'),
    UserPromptSubmit: Type.Union([Block, context('UserPromptSubmit')]),
    PreToolUse: specific('PreToolUse', {
      permissionDecision: Type.Union([Type.Literal('deny'), Type.Literal('ask')]),
      permissionDecisionReason: Reason,
    }),
    PostToolUse: Type.Union([
      context('PostToolUse'),
      strict({
        continue: Type.Literal(false),
        stopReason: Reason,
        hookSpecificOutput: Type.Optional(
          strict({ hookEventName: Type.Literal('PostToolUse'), additionalContext: Reason }),
        ),
      }),
    ]),
    PostToolUseFailure: context('PostToolUseFailure'),
    Stop: Block,
    SubagentStart: context('SubagentStart'),
    SubagentStop: Block,
    PreCompact: Nothing,
    PostCompact: Nothing,
    SessionEnd: Nothing,
  },
  opencode: OPENCODE_ANSWERS,
  kilo: OPENCODE_ANSWERS,
  cursor: {
    sessionStart: strict({ additional_context: Text }),
    beforeSubmitPrompt: Type.Union([
      strict({ continue: Type.Literal(false), user_message: Reason }),
      strict({ continue: Type.Literal(true) }),
    ]),
    preToolUse: Type.Union([
      strict({ permission: Type.Literal('deny'), user_message: Reason, agent_message: Reason }),
      strict({ permission: Type.Literal('allow'), updated_input: Type.Optional(Input) }),
    ]),
    postToolUse: strict({ updated_mcp_tool_output: Type.Optional(Input), additional_context: Text }),
    postToolUseFailure: strict({}),
    stop: strict({ followup_message: Text }),
    subagentStart: strict({ additional_context: Text }),
    subagentStop: strict({ followup_message: Text }),
    preCompact: strict({}),
    sessionEnd: strict({}),
  },
};

/** Answers of all kinds, also those that no event takes. */
const ANSWERS: readonly EventAnswer[] = [
  {},
  { deny: 'no' },
  { deny: '' },
  { deny: ' \n' },
  { ask: 'Really?' },
  { ask: 'Really?', input: [{ command: 'ls' }], context: 'note' },
  { input: [{ command: 'ls' }] },
  { input: [{ command: 'ls', shell: 'fish' }] },
  { input: [] },
  { input: [{ command: 1n }] },
  { context: 'note' },
  { context: '' },
  { context: 'a\0b \ud800 "quoted"' },
  { deny: 'cut: \ud83d' },
  { input: [{ command: 'echo \udc00' }] },
  { goOn: 'on \ud800', result: { text: '\ud800', isError: false } },
  { result: { text: 'other', isError: false } },
  { result: { text: '', isError: true }, context: 'note' },
  { result: { text: 'withheld', isError: true, isWithheld: true } },
  { goOn: 'not yet' },
  { goOn: '' },
  { deny: 'no', ask: 'Really?', input: [{ command: 'ls' }], context: 'note', goOn: 'on' },
  { context: 'x'.repeat(1024 * 1024), result: { text: 'y'.repeat(1024 * 1024), isError: false } },
];

const MEMBERS: Readonly<Record<string, object>> = {
  UserPromptSubmit: { prompt: 'hi' },
  PreToolUse: { tool_name: 'Bash', tool_input: { command: 'rm x' }, tool_use_id: '1' },
  PostToolUse: { tool_name: 'Bash', tool_input: { command: 'rm x' }, tool_use_id: '1', tool_response: 'done' },
  PostToolUseFailure: { tool_name: 'Bash', tool_input: { command: 'rm x' }, tool_use_id: '1', error: 'broken' },
  BeforeAgent: { prompt: 'hi' },
  BeforeTool: { tool_name: 'run_shell_command', tool_input: { command: 'rm x' } },
  AfterTool: {
    tool_name: 'run_shell_command',
    tool_input: { command: 'rm x' },
    tool_response: { llmContent: 'done', returnDisplay: 'done' },
  },
  beforeSubmitPrompt: { prompt: 'hi' },
  preToolUse: { tool_name: 'Shell', tool_input: { command: 'rm x' }, tool_use_id: '1' },
  postToolUse: { tool_name: 'MCP:rm', tool_input: { command: 'rm x' }, tool_use_id: '1', tool_output: '"done"' },
  postToolUseFailure: {
    tool_name: 'Shell',
    tool_input: { command: 'rm x' },
    tool_use_id: '1',
    error_message: 'broken',
  },
};

function eventOf(agent: AgentId, name: string): GuardedEvent {
  const result = { tool_result: { result_type: 'success', text_result_for_llm: 'done' } };
  const own = agent === 'copilot' && name === 'PostToolUse' ? result : {};
  return readCall(agent, name, { ...MEMBERS[name], ...own });
}

/** Whether an answer is in a form that stops what the event is about. */
function stops(agent: AgentId, eventName: string, output: string): boolean {
  const members = answered(output) ?? {};
  if (agent === 'cursor') {
    const { permission, continue: goes, updated_mcp_tool_output: withheld } = members;
    return permission === 'deny' || goes === false || withheld !== undefined;
  }
  const specific = (members['hookSpecificOutput'] ?? {}) as Record<string, unknown>;
  if (eventName === 'PreToolUse' && agent !== 'cline') return specific['permissionDecision'] === 'deny';
  if (eventName === 'PostToolUse' && (agent === 'claude' || agent === 'qwen')) return members['continue'] === false;
  if (agent === 'droid') return members['continue'] === false;
  if (agent === 'cline') return members['cancel'] === true;
  return members['decision'] === (agent === 'gemini' ? 'deny' : 'block');
}

describe('the answers to other agents', () => {
  for (const contract of CONTRACTS) {
    const { id, name, events } = contract;
    it(`are for ${name} empty or one object with only the members that it takes for the event`, () => {
      for (const { name: event } of events) {
        const schema = ACCEPTED[id][event] ?? assert.fail(`${event} of ${name} has no schema`);
        for (const answer of ANSWERS) {
          const { output } = contract.write(eventOf(id, event), answer);
          const what = `${event} ${Object.keys(answer).join()} ${output.slice(0, 200)}`;
          if (output !== '') assert.ok(Value.Check(schema, JSON.parse(output)), what);
          // `JSON.stringify` escapes halves of characters, which not every reader of JSON takes.
          assert.doesNotMatch(output, /\\ud[89a-f]/, what);
        }
        const refusal = contract.refuse(event, '');
        if (refusal !== '') assert.ok(Value.Check(schema, JSON.parse(refusal)), refusal);
        assert.doesNotMatch(contract.refuse(event, 'cut: \ud83d'), /\\ud[89a-f]/);
      }
    });

    it(`refuse for ${name} in the form that stops, wherever an event gates`, () => {
      for (const { name: event, gates } of events) {
        if (!gates) continue;
        for (const deny of ['no', '', ' ']) {
          const written = contract.write(eventOf(id, event), { deny, context: 'note' });
          assert.ok(stops(id, event, written.output), `${event} ${written.output}`);
        }
        assert.ok(stops(id, event, contract.refuse(event, 'why')));
        assert.match(contract.refuse(event, 'why'), /why/);
      }
      assert.equal(contract.refuse('SessionEnd', 'why'), '');
      assert.equal(contract.refuse('Tomorrow', 'why'), '');
    });

    it(`are no decision for ${name} where hooks decided nothing`, () => {
      for (const { name: event } of events) {
        const { output, unsupported } = contract.write(eventOf(id, event), {});
        // Cursor takes no output for a failed hook.
        const nothing = ['', '{}', '{"continue":true}', '{"permission":"allow"}'].slice(
          ...(id === 'cursor' ? [1] : [0, 1]),
        );
        assert.ok(nothing.includes(output), `${event} ${output}`);
        assert.deepEqual(unsupported, []);
      }
    });
  }
});

describe('an answer that an agent cannot take', () => {
  it('is a denial where it guards something', () => {
    const call = toolCall('codex', 'Bash', { command: 'rm x' });
    const asked = contractOf('codex').write(call, { ask: 'Remove x?' });
    assert.ok(stops('codex', 'PreToolUse', asked.output));
    assert.match(asked.denied ?? '', /Nobody could be asked.*Remove x\?/);
    const result = toolResult('claude', 'WebFetch', { tool_response: { bytes: 1, result: 'secret' } });
    for (const isWithheld of [true, undefined] as const) {
      const answer = { text: 'clean', isError: false, ...(isWithheld === undefined ? {} : { isWithheld }) };
      const written = contractOf('claude').write(result, { result: answer });
      assert.ok(stops('claude', 'PostToolUse', written.output));
      assert.ok(written.denied !== undefined && !written.output.includes('secret'));
    }
  });

  it('is said, where nothing can be denied', () => {
    const failure = toolResult('claude', 'Bash', { error: 'secret' });
    assert.deepEqual(contractOf('claude').write(failure, { result: { text: 'clean', isError: true } }), {
      output: '',
      unsupported: ['a replaced result of a failed call'],
    });
    assert.deepEqual(contractOf('copilot').write(eventOf('copilot', 'PreCompact'), { deny: 'no' }), {
      output: '',
      unsupported: ['a refusal'],
    });
    const stop = eventOf('codex', 'Stop');
    assert.deepEqual(contractOf('codex').write(stop, { context: 'note' }).unsupported, ['added text']);
  });
});

describe('a result that a hook changed', () => {
  const written = (agent: AgentId, tool: string, members: object, text: string): unknown => {
    const event = toolResult(agent, tool, { ...members });
    return answered(contractOf(agent).write(event, { result: { text, isError: false } }).output);
  };

  it('has for Claude Code the form of the output of the tool', () => {
    const output = (tool: string, tool_response: unknown): unknown => {
      const members = written('claude', tool, { tool_response }, 'clean') as { hookSpecificOutput: object };
      return members.hookSpecificOutput;
    };
    const hookEventName = 'PostToolUse';
    const bash = { stdout: 'a', stderr: 'b', interrupted: false, isImage: false, persistedOutputPath: '/tmp/all' };
    assert.deepEqual(output('Bash', bash), {
      hookEventName,
      updatedToolOutput: { stdout: 'clean', stderr: '', interrupted: false, isImage: false },
    });
    const file = { filePath: '/a', content: 'x\ny\n', numLines: 3, startLine: 1, totalLines: 3 };
    assert.deepEqual(output('Read', { type: 'text', file }), {
      hookEventName,
      updatedToolOutput: { type: 'text', file: { ...file, content: 'clean', numLines: 1, totalLines: 1 } },
    });
    assert.deepEqual(output('mcp__srv__wipe', [{ type: 'text', text: 'x' }]), {
      hookEventName,
      updatedToolOutput: [{ type: 'text', text: 'clean' }],
    });
    assert.deepEqual(output('Edit', { filePath: '/a', originalFile: 'x' }), {
      hookEventName,
      additionalContext: 'A hook replaced the result of this call by: clean',
    });
  });

  it('takes the place of the result in Copilot, and of a block in Codex', () => {
    const result = { tool_result: { result_type: 'success', text_result_for_llm: 'x' } };
    assert.deepEqual(written('copilot', 'Bash', result, 'clean'), {
      modifiedResult: { resultType: 'success', textResultForLlm: 'clean' },
    });
    assert.deepEqual(written('codex', 'Bash', { tool_response: 'x' }, 'clean'), { decision: 'block', reason: 'clean' });
  });

  it('by adding to its end is only added to', () => {
    const added = { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'more' } };
    for (const agent of ['claude', 'codex'] as const) {
      assert.deepEqual(written(agent, 'Bash', { tool_response: 'x' }, 'x\nmore'), added);
    }
    const result = { tool_result: { result_type: 'success', text_result_for_llm: 'x' } };
    assert.deepEqual(written('copilot', 'Bash', result, 'x\nmore'), { additionalContext: 'more' });
  });
});

describe('the answers to Gemini CLI', () => {
  const write = (...of: Parameters<AgentContract['write']>): WrittenAnswer => contractOf('gemini').write(...of);
  const call = toolCall('gemini', 'run_shell_command', { command: 'rm x', description: 'd' });
  const result = toolResult('gemini', 'run_shell_command', { tool_response: { llmContent: 'x', returnDisplay: 'x' } });

  it('have all arguments of a changed call, and name the result by them', () => {
    const { output, resultId } = write(call, { input: [{ command: 'ls', description: 'd' }] });
    const tool_input = { command: 'ls', description: 'd' };
    assert.deepEqual(answered(output), { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } });
    assert.equal(resultId, toolCall('gemini', 'run_shell_command', tool_input).toolCallId);
  });

  it('are a denial in place of its own question, which hangs without a user', () => {
    const { output, denied } = write(call, { ask: 'Really?' });
    assert.deepEqual(answered(output), { decision: 'deny', reason: denied });
    assert.match(denied ?? '', /Nobody could be asked.*Really\?/);
  });

  it('say that text before a call was left out', () => {
    assert.deepEqual(write(call, { context: 'note' }), { output: '', unsupported: ['added text'] });
  });

  it('put the reason of a denial in the place of a result, and add to one that only got longer', () => {
    const replaced = (text: string): unknown => answered(write(result, { result: { text, isError: false } }).output);
    assert.deepEqual(replaced('clean'), { decision: 'deny', reason: 'clean' });
    assert.deepEqual(replaced(''), { decision: 'deny', reason: 'A hook of Hookline removed this result.' });
    assert.deepEqual(replaced('x\nmore'), {
      hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'more' },
    });
  });
});

describe('the answers to Qwen Code', () => {
  const qwen = contractOf('qwen');
  const call = toolCall('qwen', 'run_shell_command', { command: 'rm x' });
  const result = toolResult('qwen', 'run_shell_command', { tool_response: { llmContent: 'x', returnDisplay: 'x' } });

  it('are a denial where a hook changed the call, which would run as it was', () => {
    const { output, denied } = qwen.write(call, { input: [{ command: 'ls' }], ask: 'Really?' });
    assert.ok(stops('qwen', 'PreToolUse', output));
    assert.match(denied ?? '', /A hook changed this call/);
    assert.equal(qwen.write(call, { input: [{ command: 'rm x' }] }).output, '');
  });

  it('put a text in the place of a result, and say that text before a call was left out', () => {
    const replaced = qwen.write(result, { result: { text: 'clean', isError: false }, context: 'note' });
    assert.deepEqual(answered(replaced.output), {
      continue: false,
      stopReason: 'clean',
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'note' },
    });
    assert.deepEqual(qwen.write(call, { context: 'note' }), { output: '', unsupported: ['added text'] });
  });

  it('are none to the prompt without text that comes with results', () => {
    assert.equal(readCall('qwen', 'UserPromptSubmit', { prompt: '' }).type, 'other');
    assert.equal(readCall('qwen', 'UserPromptSubmit', { prompt: 'hi' }).type, 'prompt');
  });
});

describe('the id of a call of Copilot, which gives none', () => {
  const idOf = (tool: string, input: object): string => toolCall('copilot', tool, input).toolCallId;

  it('is the same for the call and its result, in both kinds of names', () => {
    const result = toolResult('copilot', 'Bash', { tool_input: { command: 'ls' } });
    assert.equal(idOf('Bash', { command: 'ls' }), result.toolCallId);
    assert.equal(idOf('bash', { command: 'ls' }), result.toolCallId);
    assert.notEqual(idOf('Bash', { command: 'ls -a' }), result.toolCallId);
  });

  it('is said where changed arguments change it', () => {
    const event = toolCall('copilot', 'Bash', { command: 'rm x', description: 'd' });
    const { resultId } = contractOf('copilot').write(event, { input: [{ command: 'ls', description: 'd' }] });
    assert.equal(resultId, idOf('Bash', { command: 'ls', description: 'd' }));
  });
});
