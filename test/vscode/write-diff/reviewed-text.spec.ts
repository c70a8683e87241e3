import assert from 'node:assert/strict';
import { editorText } from '../../../src/agent/tools/files/editing/call-for-text';
import { approvalOf, type TextApproval, type TextChange } from '../../../src/vscode/write-diff/reviewed-text';

const change = (before: string | null, after: string): TextChange => ({
  ...{ type: 'change', path: '/f', line: 1 },
  before,
  after,
});
const SHOWN = change('a\r\n', 'b\r\n');

describe('approvalOf', () => {
  const of = (text: string, now: Parameters<typeof approvalOf>[2] = SHOWN, toolName = 'edit'): TextApproval['type'] =>
    approvalOf({ toolName }, { text, shown: SHOWN }, now, editorText).type;

  it('allows the call as it is for its own text, whatever its line ends are', () => assert.equal(of('b\n'), 'asItIs'));

  it('allows another text of the file that the diff shows', () => assert.equal(of('c\n'), 'edited'));

  it('allows nothing if the file is not the one that the diff shows', () => {
    for (const text of ['b\n', 'c\n']) assert.equal(of(text, change('x\r\n', 'b\r\n')), 'moved');
    assert.equal(of('c\n', change(null, 'b\r\n')), 'moved');
  });

  it('allows nothing if the call does not fit the file any more', () => {
    for (const text of ['b\n', 'c\n']) assert.equal(of(text, { type: 'unknown', path: '/f', why: 'gone' }), 'misfit');
  });

  it('allows no edit that leaves the file as it is, but a write', () => {
    assert.equal(of('a\n'), 'unchanged');
    assert.equal(of('a\n', SHOWN, 'write'), 'edited');
  });
});
