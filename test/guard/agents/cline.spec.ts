import assert from 'node:assert/strict';
import { contractOf } from '../../../src/guard/agents';
import type { GuardedEventOf } from '../../../src/guard/agents/agent';
import { agentCall, answered, CWD, readCall, toolCall, toolResult } from './agent-calls';

const CLINE = contractOf('cline');

/** A call whose arguments may be of any form. */
function callOf(tool_name: string, tool_input: unknown): GuardedEventOf<'tool_call'> {
  const event = readCall('cline', 'PreToolUse', { tool_name, tool_input, tool_use_id: 'call_1' });
  assert.equal(event.type, 'tool_call');
  return event;
}

const seen = (tool: string, input: unknown): unknown =>
  callOf(tool, input).calls.map(call => [call.toolName, call.input]);
const commands = (input: unknown): unknown =>
  callOf('run_commands', input).calls.map(call => (call.toolName === 'bash' ? call.input['command'] : call));
const changed = (tool: string, before: unknown, after: readonly Readonly<Record<string, unknown>>[]): unknown => {
  const { output, denied } = CLINE.write(callOf(tool, before), { input: after });
  return denied ?? answered(output)?.['overrideInput'];
};

describe('a call of Cline', () => {
  it('is a call of bash for each command, in each form that Cline takes', () => {
    for (const input of [
      { commands: ['a b', 'c'] },
      ['a b', 'c'],
      { commands: ['a b', { command: 'c' }] },
      { commands: [{ command: 'a', args: ['b'] }, 'c'] },
    ]) {
      assert.deepEqual(commands(input), ['a b', 'c'], JSON.stringify(input));
    }
    for (const input of [
      'a b',
      { commands: 'a b' },
      { command: 'a b' },
      { cmd: 'a b' },
      { commands: { command: 'a', args: ['b'] } },
      { command: 'a', args: ['b'] },
      [{ command: 'a', args: ['b'] }],
      { commands: 5, command: 'a b' },
    ]) {
      assert.deepEqual(commands(input), ['a b'], JSON.stringify(input));
    }
    assert.deepEqual(commands({ command: 'rm', args: ['-rf', "it's; b"] }), [String.raw`rm -rf 'it'\''s; b'`]);
  });

  it('keeps its name and arguments where Cline does not take them', () => {
    assert.deepEqual(seen('run_commands', { commands: [5] }), [['run_commands', { commands: [5] }]]);
    assert.deepEqual(seen('read_files', 7), [['read_files', { files: 7 }]]);
    assert.deepEqual(seen('editor', { path: 'a' }), [['editor', { path: 'a' }]]);
  });

  it("has pi's names and absolute paths", () => {
    const files = { files: [{ path: 'a', start_line: 3, end_line: 5 }, 'b', { file_path: 'c' }] };
    assert.deepEqual(seen('read_files', files), [
      ['read', { path: `${CWD}/a`, offset: 3, limit: 3 }],
      ['read', { path: `${CWD}/b` }],
      ['read', { path: `${CWD}/c` }],
    ]);
    for (const input of [
      'a',
      ['a'],
      { path: 'a' },
      { paths: 'a' },
      { file_paths: ['a'] },
      { files: { filePath: 'a' } },
    ]) {
      assert.deepEqual(seen('read_files', input), [['read', { path: `${CWD}/a` }]], JSON.stringify(input));
    }
    assert.deepEqual(seen('search_codebase', { queries: ['x', 'y'] }), [
      ['grep', { pattern: 'x' }],
      ['grep', { pattern: 'y' }],
    ]);
    assert.deepEqual(seen('editor', { path: 'a', new_text: 'x' }), [['write', { path: `${CWD}/a`, content: 'x' }]]);
    const edit = (oldText: string): unknown => [['edit', { path: `${CWD}/a`, edits: [{ oldText, newText: 'x' }] }]];
    assert.deepEqual(seen('editor', { path: 'a', old_text: 'o', new_text: 'x' }), edit('o'));
    assert.deepEqual(seen('editor', { path: 'a', new_text: 'x', insert_line: 2 }), edit(''));
    assert.deepEqual(seen('apply_patch', '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch'), [
      ['write', { path: `${CWD}/a`, content: 'x\n' }],
    ]);
    assert.deepEqual(seen('my-srv__wipe_all', { what: 'x' }), [['mcp__my_srv__wipe_all', { what: 'x' }]]);
  });

  it('gets new arguments for each part that hooks changed', () => {
    const two = [{ command: 'a' }, { command: 'c' }];
    assert.deepEqual(changed('run_commands', { commands: ['a', 'b'] }, two), { commands: ['a', 'c'] });
    assert.equal(changed('run_commands', { commands: ['a', 'c'] }, two), undefined);
    const lines = [{ path: `${CWD}/a`, offset: 2, limit: 4 }];
    assert.deepEqual(changed('read_files', { files: ['a'] }, lines), {
      files: [{ path: `${CWD}/a`, start_line: 2, end_line: 5 }],
    });
    assert.deepEqual(changed('search_codebase', { queries: ['x'] }, [{ pattern: 'y' }]), { queries: ['y'] });
    const edits = (oldText: string, newText: string): unknown => ({ path: `${CWD}/b`, edits: [{ oldText, newText }] });
    assert.deepEqual(
      changed('editor', { path: 'a', old_text: 'o', new_text: 'x' }, [edits('p', 'y') as Record<string, unknown>]),
      { path: `${CWD}/b`, old_text: 'p', new_text: 'y' },
    );
    assert.deepEqual(changed('editor', { path: 'a', new_text: 'x' }, [{ path: `${CWD}/a`, content: 'y' }]), {
      path: `${CWD}/a`,
      new_text: 'y',
    });
    assert.deepEqual(changed('my-srv__wipe', { what: 'x' }, [{ what: 'y' }]), { what: 'y' });
  });

  it('is denied where it cannot be changed so, or where a hook asks', () => {
    assert.match(String(changed('run_commands', ['a'], [{ command: 'a', timeout: 3 }])), /argument "timeout"/);
    assert.match(String(changed('run_commands', ['a'], [])), /how many things/);
    const edit = { oldText: 'o', newText: 'x' };
    const twice = [{ path: `${CWD}/a`, edits: [edit, edit] }];
    assert.match(String(changed('editor', { path: 'a', old_text: 'o', new_text: 'x' }, twice)), /not exactly one edit/);
    const { denied, output } = CLINE.write(callOf('run_commands', ['a']), { ask: 'Run it?' });
    assert.match(denied ?? '', /Nobody could be asked.*Run it\?/);
    assert.equal(answered(output)?.['cancel'], true);
  });

  it('says its session, its folder and its version, and the subagent that makes it', () => {
    const { sessionId, projectDir, version, subagent } = readCall('cline', 'PreToolUse', {
      ...{ tool_name: 'x', tool_input: {}, tool_use_id: '1', clineVersion: '3.0.65' },
      ...{ agent_id: 'agent_2', parent_agent_id: 'agent_1' },
    });
    assert.deepEqual([sessionId, projectDir, version, subagent], ['s1', CWD, '3.0.65', { id: 'agent_2' }]);
    assert.equal(toolCall('cline', 'x', {}).subagent, undefined);
  });

  it('is an error where a member is missing or wrong', () => {
    const tool = { name: 'run_commands', input: { commands: ['ls'] }, id: '1' };
    for (const [members, name] of [
      [{ sessionContext: undefined, taskId: undefined }, 'session_id'],
      [{ sessionContext: { rootSessionId: 7 } }, 'session_id'],
      [{ tool_call: undefined }, 'tool_name'],
      [{ tool_call: { ...tool, name: '' } }, 'tool_name'],
      [{ tool_call: { ...tool, input: undefined } }, 'tool_input'],
      [{ tool_call: { ...tool, id: 7 } }, 'tool_use_id'],
    ] as const) {
      const call = agentCall('cline', 'PreToolUse', { tool_call: tool, ...members });
      assert.throws(() => CLINE.read(call), new RegExp(`Cline sent PreToolUse.*"${name}"`), name);
    }
  });

  it('is an error where the payload is of another event', () => {
    assert.throws(
      () => CLINE.read(agentCall('cline', 'PreToolUse', { hookName: 'tool_result' })),
      /sent PostToolUse to the hook of PreToolUse/,
    );
  });
});

describe('the other events of Cline', () => {
  it('are of the session, or of a subagent where one tells them', () => {
    const type = (name: string, members = {}): string => readCall('cline', name, members).type;
    const below = { parent_agent_id: 'agent_0' };
    assert.deepEqual(
      ['TaskStart', 'TaskComplete', 'TaskError', 'SessionShutdown'].map(name => [type(name), type(name, below)]),
      [
        ['session_start', 'subagent_start'],
        ['stop', 'subagent_stop'],
        ['stop', 'subagent_stop'],
        ['session_end', 'subagent_stop'],
      ],
    );
    const resumed = readCall('cline', 'TaskResume');
    assert.ok(resumed.type === 'session_start' && resumed.reason === 'resume');
  });

  it('take no answer, since Cline does not wait for it', () => {
    const { output, unsupported } = CLINE.write(readCall('cline', 'TaskComplete'), { goOn: 'on' });
    assert.deepEqual([output, unsupported], ['', ['a run that goes on']]);
  });
});

describe('a result of Cline', () => {
  it('is the text of its parts, and failed where one of them did', () => {
    const part = (result: string, success: boolean): object => ({ query: 'q', result, success });
    const { text, isError } = toolResult('cline', 'run_commands', {
      tool_response: [part('a', true), part('b', false)],
    });
    assert.deepEqual([text, isError], ['a\nb', true]);
    assert.equal(toolResult('cline', 'run_commands', { tool_response: [part('a', true)] }).isError, false);
    assert.equal(toolResult('cline', 'x', { tool_response: { content: 1 } }).text, '{"content":1}');
  });

  it('takes text beside it, and ends the run where a hook replaces it', () => {
    const result = toolResult('cline', 'x', { tool_response: 'secret' });
    const added = { result: { text: 'secret\nmore', isError: false } };
    assert.deepEqual(answered(CLINE.write(result, added).output), { contextModification: 'more' });
    const { output, denied } = CLINE.write(result, { result: { text: 'clean', isError: false } });
    assert.match(denied ?? '', /cannot replace a result.*clean/);
    assert.ok(answered(output)?.['cancel'] === true && !output.includes('secret'));
  });
});
