import assert from 'node:assert/strict';
import type { Completion } from '../../../src/protocol/composer/composer';
import type { SlashCommand } from '../../../src/protocol/messages';
import {
  accepted,
  commandList,
  hostList,
  listKey,
  type Suggestion,
  type SuggestionList,
} from '../../../webview/composer/suggestions';
import { queryAt, type Query } from '../../../src/protocol/composer-query';

const COMMANDS: readonly SlashCommand[] = [
  { name: 'model', description: '', source: 'built-in' },
  { name: 'new', description: '', source: 'built-in' },
  { name: 'deploy', description: '', source: 'hook' },
];
const offer = (insert: string, change: Partial<Completion> = {}): Completion => ({
  kind: 'file',
  label: insert,
  detail: '',
  insert,
  ...change,
});

describe('suggestions of the composer', () => {
  describe('know what is typed', () => {
    /** `|` is the caret. */
    const cases: [string, Partial<Query> | undefined][] = [
      ['@|', { kind: 'mention', typed: '', start: 0, end: 1 }],
      ['see @src/ma|', { kind: 'mention', typed: 'src/ma', start: 4, end: 11 }],
      ['see @src|/main.ts', { kind: 'mention', typed: 'src', start: 4, end: 8 }],
      ['@"my fi|', { kind: 'mention', typed: 'my fi', start: 0, end: 7 }],
      ['@"my folder/|"', { kind: 'mention', typed: 'my folder/', start: 0, end: 13 }],
      ['line\n@a|', { kind: 'mention', typed: 'a', start: 5, end: 7 }],
      ['me@mail|', undefined],
      ['@a b|', undefined],
      ['@"a" b|', undefined],
      ['/mo|', { kind: 'command', typed: 'mo', start: 0, end: 3 }],
      ['/deploy |', { kind: 'arguments', typed: '', command: 'deploy', start: 8, end: 8 }],
      ['/deploy st|', { kind: 'arguments', typed: 'st', command: 'deploy', start: 8, end: 10 }],
      ['/deploy @a|', { kind: 'mention', typed: 'a' }],
      ['/model x|', { kind: 'arguments', typed: 'x', command: 'model', start: 7, end: 8 }],
      ['/nobody x|', undefined],
      ['plain|', undefined],
    ];
    for (const [marked, expected] of cases) {
      it(`in ${JSON.stringify(marked)}`, () => {
        const caret = marked.indexOf('|');
        const query = queryAt(marked.replace('|', ''), caret, COMMANDS);
        if (expected === undefined) assert.equal(query, undefined);
        else assert.deepEqual({ ...query, ...expected }, query);
      });
    }
  });

  const list = (items: readonly string[], change: Partial<SuggestionList> = {}): SuggestionList => ({
    kind: 'mention',
    items: items.map((insert): Suggestion => ({ label: insert, detail: '', insert })),
    active: 0,
    typedInFull: false,
    ...change,
  });

  it('walk in a circle', () => {
    const three = list(['a', 'b', 'c']);
    const activeAfter = (from: number, key: string): number | undefined => {
      const step = listKey({ ...three, active: from }, key);
      return step.type === 'list' ? step.list?.active : undefined;
    };
    assert.deepEqual([activeAfter(2, 'ArrowDown'), activeAfter(0, 'ArrowUp')], [0, 2]);
    assert.deepEqual([activeAfter(-1, 'ArrowDown'), activeAfter(-1, 'ArrowUp')], [0, 2]);
  });

  it('are taken by Tab and Enter, closed by Escape, and pass other keys on', () => {
    const two = list(['a', 'b'], { active: 1 });
    const taken = { type: 'accept', suggestion: two.items[1] };
    assert.deepEqual(listKey(two, 'Tab'), taken);
    assert.deepEqual(listKey(two, 'Enter'), taken);
    assert.deepEqual(listKey(two, 'Escape'), { type: 'list', list: undefined });
    assert.deepEqual(listKey(two, 'x'), { type: 'pass' });
  });

  it('let Enter send a command typed in full', () => {
    const commands = commandList(COMMANDS, 'new');
    assert.ok(commands);
    assert.deepEqual(listKey(commands, 'Enter'), { type: 'pass' });
    assert.equal(listKey(commands, 'Tab').type, 'accept');
  });

  it('propose arguments without taking the Enter that sends', () => {
    const proposed = hostList('arguments', [offer('staging'), offer('live')], undefined);
    assert.ok(proposed);
    assert.equal(proposed.active, -1);
    assert.deepEqual(listKey(proposed, 'Enter'), { type: 'pass' });
    assert.deepEqual(listKey(proposed, 'Tab'), { type: 'accept', suggestion: proposed.items[0] });
  });

  it('keep the active line when more is found', () => {
    const first = hostList('mention', [offer('a'), offer('b')], undefined);
    assert.ok(first);
    const later = hostList('mention', [offer('x'), offer('a'), offer('b')], { ...first, active: 1 });
    assert.equal(later?.active, 2);
    assert.equal(hostList('mention', [offer('z')], { ...first, active: 1 })?.active, 0);
    assert.equal(hostList('mention', [], first), undefined);
  });

  it('do not take a line that only says something', () => {
    const note = hostList('mention', [offer('', { kind: 'note', label: 'too many' })], undefined);
    assert.ok(note);
    assert.deepEqual(listKey(note, 'Enter'), { type: 'pass' });
  });

  describe('take the place of what was typed', () => {
    const take = (marked: string, insert: string, change: Partial<Suggestion> = {}): string => {
      const caretBefore = marked.indexOf('|');
      const text = marked.replace('|', '');
      const query = queryAt(text, caretBefore, COMMANDS);
      assert.ok(query);
      const result = accepted(text, query, { label: '', detail: '', insert, ...change });
      return `${result.text.slice(0, result.caret)}|${result.text.slice(result.caret)}`;
    };

    it('of a command, keeping its arguments', () => {
      assert.equal(take('/mo|', '/model'), '/model |');
      assert.equal(take('/mo| gpt', '/model'), '/model |gpt');
    });

    it('of a mention in the middle of a text', () => {
      assert.equal(take('see @ma| now', '@src/main.ts'), 'see @src/main.ts |now');
      assert.equal(take('@"my f|"', '@"my file.ts"'), '@"my file.ts" |');
    });

    it('of a folder, ready for what is inside', () => {
      assert.equal(take('@s|', '@src/', { isFolder: true }), '@src/|');
      assert.equal(take('@"my|', '@"my folder/"', { isFolder: true }), '@"my folder/|"');
    });

    it('of arguments', () => {
      assert.equal(take('/deploy st|', 'staging'), '/deploy staging|');
    });
  });
});
