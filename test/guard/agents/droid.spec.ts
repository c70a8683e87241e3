import assert from 'node:assert/strict';
import { contractOf } from '../../../src/guard/agents';
import { answered, CWD, readCall, toolCall, toolResult } from './agent-calls';

const DROID = contractOf('droid');
const seen = (tool: string, input: object): unknown =>
  toolCall('droid', tool, input).calls.map(call => [call.toolName, call.input]);
const changed = (tool: string, before: object, after: Readonly<Record<string, unknown>>): unknown => {
  const { output, denied } = DROID.write(toolCall('droid', tool, before), { input: [after] });
  const { hookSpecificOutput } = answered(output) as { hookSpecificOutput: Record<string, unknown> };
  return denied ?? hookSpecificOutput['updatedInput'];
};

describe('a call of Factory Droid', () => {
  it("has pi's names and absolute paths", () => {
    assert.deepEqual(seen('Execute', { command: 'ls', summary: 'List' }), [
      ['bash', { command: 'ls', summary: 'List' }],
    ]);
    assert.deepEqual(seen('Read', { file_path: 'a.ts' }), [['read', { path: `${CWD}/a.ts` }]]);
    assert.deepEqual(seen('LS', { directory_path: 'src' }), [['ls', { path: `${CWD}/src` }]]);
    assert.deepEqual(seen('Create', { file_path: 'a', content: 'x' }), [['write', { path: `${CWD}/a`, content: 'x' }]]);
    assert.deepEqual(seen('Edit', { file_path: 'a', old_str: 'x', new_str: 'y', change_all: true }), [
      ['edit', { path: `${CWD}/a`, edits: [{ oldText: 'x', newText: 'y' }], change_all: true }],
    ]);
    assert.deepEqual(seen('Grep', { pattern: 'x', glob_pattern: '*.ts', case_insensitive: true }), [
      ['grep', { pattern: 'x', glob: '*.ts', ignoreCase: true }],
    ]);
    assert.deepEqual(seen('my-srv___wipe_all', { what: 'x' }), [['mcp__my_srv__wipe_all', { what: 'x' }]]);
  });

  it('for files of several patterns has one pattern', () => {
    assert.deepEqual(seen('Glob', { patterns: ['*.ts'], folder: 'src' }), [
      ['find', { pattern: '*.ts', path: `${CWD}/src` }],
    ]);
    assert.deepEqual(seen('Glob', { patterns: ['*.ts', '*.md'] }), [['find', { pattern: '{*.ts,*.md}' }]]);
    assert.deepEqual(changed('Glob', { patterns: ['*.ts'] }, { pattern: '*.md' }), { patterns: '*.md' });
  });

  it('with a patch is a call for each file', () => {
    const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch';
    assert.deepEqual(seen('ApplyPatch', { input: patch }), [
      ['write', { path: `${CWD}/a`, content: 'x\n' }],
      ['edit', { path: `${CWD}/b`, edits: [{ oldText: '', newText: '' }] }],
    ]);
    assert.deepEqual(seen('ApplyPatch', { input: 'no patch' }), [['apply_patch', { input: 'no patch' }]]);
    const one = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';
    assert.deepEqual(changed('ApplyPatch', { input: one }, { path: `${CWD}/c`, content: 'x\n' }), {
      input: `*** Begin Patch\n*** Add File: ${CWD}/c\n+x\n*** End Patch\n`,
    });
  });

  it('in seconds stays in seconds', () => {
    assert.deepEqual(seen('Execute', { command: 'ls', timeout: 5 }), [['bash', { command: 'ls', timeout: 5 }]]);
    assert.deepEqual(changed('Execute', { command: 'ls' }, { command: 'ls', timeout: 7 }), {
      command: 'ls',
      timeout: 7,
    });
  });

  it('is denied where a hook takes an argument away, since droid would keep it', () => {
    assert.match(
      String(changed('Execute', { command: 'ls', timeout: 5 }, { command: 'ls' })),
      /took "timeout" from Execute/,
    );
  });

  it('is denied where a hook asks and nobody can be asked', () => {
    const { denied } = DROID.write(toolCall('droid', 'Execute', { command: 'ls' }), { ask: 'Run it?' });
    assert.match(denied ?? '', /Nobody could be asked.*Run it\?/);
  });

  it('has a made id, which its result has, too, also when a hook changed the command', () => {
    const idOf = (name: 'PreToolUse' | 'PostToolUse', tool_input: object): unknown => {
      const event = readCall('droid', name, { tool_name: 'Execute', tool_input });
      return 'toolCallId' in event && event.isMadeId === true ? event.toolCallId : undefined;
    };
    const given = { command: 'rm x', summary: 's', riskLevel: 'low', riskLevelReason: 'r' };
    assert.notEqual(idOf('PreToolUse', given), undefined);
    assert.equal(idOf('PostToolUse', given), idOf('PreToolUse', given));
    const event = readCall('droid', 'PreToolUse', { tool_name: 'Execute', tool_input: given });
    // droid takes the estimated risk out of a command that a hook changed.
    const { resultId } = DROID.write(event, { input: [{ ...given, command: 'ls' }] });
    assert.equal(resultId, idOf('PostToolUse', { command: 'ls', summary: 's' }));
    const timed = DROID.write(event, { input: [{ ...given, timeout: 3 }] });
    assert.equal(timed.resultId, idOf('PostToolUse', { ...given, timeout: 3 }));
  });
});

describe('a result of Factory Droid', () => {
  const result = toolResult('droid', 'Execute', { tool_response: 'secret' });

  it('that a hook replaces ends the run', () => {
    const { output, denied } = DROID.write(result, { result: { text: 'clean', isError: false } });
    assert.equal(answered(output)?.['continue'], false);
    assert.match(denied ?? '', /cannot replace a result.*clean/);
    assert.ok(!output.includes('secret'));
  });

  it('takes text beside it', () => {
    const added = { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'more' } };
    assert.deepEqual(answered(DROID.write(result, { context: 'more' }).output), added);
    assert.deepEqual(answered(DROID.write(result, { result: { text: 'secret\nmore', isError: false } }).output), added);
  });
});
