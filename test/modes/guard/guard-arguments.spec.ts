import assert from 'node:assert/strict';
import { UsageError } from '../../../src/modes/arguments/usage-error';
import { AGENT_IDS } from '../../../src/guard/protocol/agent-call';
import { GUARD_COMMANDS, guardHelp, readGuardArguments } from '../../../src/modes/guard/guard-arguments';

const refused = (words: readonly string[], message: RegExp): void => {
  assert.throws(
    () => readGuardArguments(words),
    error => error instanceof UsageError && message.test(error.message),
  );
};

describe('the arguments of guard', () => {
  it('name agents, each once, and "all" stands for every one', () => {
    assert.deepEqual(readGuardArguments(['add', 'codex', 'claude', 'codex'])?.agents, ['codex', 'claude']);
    assert.deepEqual(readGuardArguments(['remove', 'codex', 'all'])?.agents, [...AGENT_IDS]);
    assert.deepEqual(readGuardArguments(['status'])?.agents, []);
  });

  it('have options with values', () => {
    const { gate, yes, system, lines, json, fire } = { ...readGuardArguments(['add', 'claude', '--gate=ask', '-y']) };
    assert.deepEqual(
      { gate, yes, system, lines, json, fire },
      {
        gate: 'ask',
        yes: true,
        system: false,
        lines: 50,
        json: false,
        fire: false,
      },
    );
    assert.equal(readGuardArguments(['log', '-n', '7'])?.lines, 7);
    assert.equal(readGuardArguments(['check', '--fire'])?.fire, true);
    assert.equal(readGuardArguments(['status', '--json'])?.json, true);
  });

  it('ask for the help with or without a command', () => {
    for (const words of [[], ['help'], ['-h'], ['add', '--help'], ['status', '-h']]) {
      assert.equal(readGuardArguments(words), undefined, words.join(' '));
    }
  });

  it('are refused by name where they are wrong', () => {
    refused(['adds'], /no command "guard adds"/);
    refused(['toString'], /no command "guard toString"/);
    refused(['add'], /^"guard add" needs the name of an agent \(claude, copilot, codex,.*\)/);
    refused(['add', 'windsurf'], /no agent "windsurf"/);
    refused(['add', 'claude', '--gate', 'plan'], /--gate takes off, ask, edits, auto, not "plan"/);
    refused(['add', 'claude', '--gate'], /--gate/);
    refused(['add', 'claude', '--fire'], /^Unknown option '--fire'\.\nUsage: hookline guard add/);
    refused(['remove', 'claude', '--gate', 'ask'], /--gate/);
    refused(['watch', 'claude'], /^"guard watch" takes no "claude"/);
    for (const number of ['0', '-3', 'ten', '1.5']) refused(['log', `-n${number}`], /-n takes a number of lines/);
  });

  it('say which commands decide something, and so are not for agents', () => {
    const deciding = Object.keys(GUARD_COMMANDS).filter(
      name => readGuardArguments([name, ...(['add', 'remove'].includes(name) ? ['all'] : [])])?.decides !== undefined,
    );
    assert.deepEqual(deciding, ['add', 'remove', 'watch']);
  });

  it('are explained in the help, but for what only the client uses', () => {
    for (const { usage } of Object.values(GUARD_COMMANDS)) assert.ok(guardHelp().includes(`hookline guard ${usage}`));
    assert.ok(!/guard start/.test(guardHelp()));
  });
});
