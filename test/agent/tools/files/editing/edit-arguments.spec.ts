import assert from 'node:assert/strict';
import { prepareEditArguments } from '../../../../../src/agent/tools/files/editing/edit-arguments';

const EDIT = { oldText: 'a', newText: 'b' };
const OTHER = { oldText: 'c', newText: 'd' };

describe('prepareEditArguments', () => {
  const cases: readonly (readonly [name: string, given: unknown, prepared: unknown])[] = [
    ['a list', { path: 'f', edits: [EDIT, OTHER] }, { path: 'f', edits: [EDIT, OTHER] }],
    ['one edit', { path: 'f', edits: EDIT }, { path: 'f', edits: [EDIT] }],
    ['a list as JSON', { path: 'f', edits: JSON.stringify([EDIT, OTHER]) }, { path: 'f', edits: [EDIT, OTHER] }],
    ['one edit as JSON', { path: 'f', edits: JSON.stringify(EDIT) }, { path: 'f', edits: [EDIT] }],
    ['the older form', { path: 'f', ...EDIT }, { path: 'f', edits: [EDIT] }],
    ['both forms', { path: 'f', edits: [OTHER], ...EDIT }, { path: 'f', edits: [OTHER, EDIT] }],
    ['half of the older form', { path: 'f', oldText: 'a' }, { path: 'f', oldText: 'a' }],
    ['a text that is no JSON', { path: 'f', edits: '[{' }, { path: 'f', edits: '[{' }],
    ['JSON of something else', { path: 'f', edits: '7' }, { path: 'f', edits: '7' }],
    ['no arguments', undefined, undefined],
  ];
  for (const [name, given, prepared] of cases) {
    it(`takes ${name}`, () => assert.deepEqual(prepareEditArguments(given), prepared));
  }
});
