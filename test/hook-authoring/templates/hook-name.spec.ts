import assert from 'node:assert/strict';
import { freeHookName, hookNameProblem } from '../../../src/hook-authoring/templates';

describe('the name of a new hook', () => {
  const taken = (name: string): boolean => ['gate', 'gate-2'].includes(name);

  it('may be any file name that all systems take', () => {
    for (const name of ['a', 'ask-before', 'größe_2', 'v1.gate']) assert.equal(hookNameProblem(name, taken), undefined);
  });

  it('is refused with the reason', () => {
    for (const [name, reason] of [
      ['', /needed/],
      ['a/b', /only letters/],
      ['..', /only letters/],
      ['.hidden', /only letters/],
      ['a b', /only letters/],
      ['types.d', /declarations/],
      ['CON', /Windows/],
      ['x'.repeat(61), /more than 60/],
      ['gate', /already exists/],
    ] as const) {
      assert.match(hookNameProblem(name, taken) ?? 'no problem', reason, name);
    }
  });

  it('is proposed so that it is free', () => {
    assert.equal(freeHookName('notes', taken), 'notes');
    assert.equal(freeHookName('gate', taken), 'gate-3');
  });
});
