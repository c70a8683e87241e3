import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { encodeLine, peekHead } from '../../../../src/agent/session/file/codec';
import { isSessionEntry, type StoredEntry } from '../../../../src/agent/session/entry';
import { decodeSession } from '../../../support/decode-session';
import { tried } from '../../../support/tried';

const fixture = (name: string): string => readFileSync(`test/fixtures/sessions/${name}`, 'utf8');
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
const line = (id: string, parentId: string | null, text: string): string =>
  JSON.stringify({
    type: 'message',
    id,
    parentId,
    timestamp: 't',
    message: { role: 'user', content: text, timestamp: 1 },
  });
const ids = (entries: readonly StoredEntry[]): string[] => entries.map(entry => entry.id);

describe('session codec', () => {
  it('reads version 3 without a complaint and keeps unknown types and members as they are', () => {
    const session = decodeSession(fixture('v3.jsonl'));
    assert.deepEqual(session.problems, []);
    assert.equal(session.header?.cwd, '/work/projé ct');
    assert.equal(session.entries.length, 12);
    const lines = fixture('v3.jsonl').trim().split('\n').slice(1);
    for (const [index, entry] of session.entries.entries()) assert.deepEqual(entry, JSON.parse(lines[index]!));
    const unknown = session.entries.find(entry => entry.type === 'stack_pop');
    assert.ok(unknown && !isSessionEntry(unknown));
  });

  it('writes what it read: each entry survives a round trip', () => {
    const session = decodeSession(fixture('v3.jsonl'));
    const again = decodeSession([HEADER, ...session.entries.map(entry => encodeLine(entry).trim())].join('\n'));
    assert.deepEqual(again.entries, session.entries);
  });

  it('migrates version 2: hookMessage becomes custom, branchedFrom the parent session', () => {
    const session = decodeSession(fixture('v2.jsonl'));
    assert.equal(session.version, 2);
    assert.equal(session.header?.version, 3);
    assert.equal(session.header.parentSession, '/old/parent.jsonl');
    const entry = session.entries[1];
    assert.ok(entry && isSessionEntry(entry) && entry.type === 'message');
    assert.equal(entry.message.role, 'custom');
  });

  it('migrates version 1: ids in a chain, the same ones each time, indices to ids, header without cwd', () => {
    const session = decodeSession(fixture('v1.jsonl'));
    assert.deepEqual(session.problems, []);
    assert.equal(session.header?.cwd, '');
    const [first, second, pop, third, compaction, last] = session.entries;
    assert.ok(first && second && pop && third && compaction && last);
    assert.equal(first.parentId, null);
    for (const [index, entry] of session.entries.entries()) {
      assert.match(entry.id, /^[0-9a-f]{8}$/);
      assert.equal(entry.parentId, session.entries[index - 1]?.id ?? null);
    }
    assert.equal('firstKeptEntryId' in compaction && compaction.firstKeptEntryId, third.id);
    assert.ok(!('firstKeptEntryIndex' in compaction));
    assert.deepEqual(
      { ...pop, id: 0, parentId: 0 },
      {
        type: 'stack_pop',
        timestamp: '2025-12-01T00:00:02.500Z',
        backToIndex: 1,
        id: 0,
        parentId: 0,
      },
    );
    assert.deepEqual(ids(decodeSession(fixture('v1.jsonl')).entries), ids(session.entries));
  });

  for (const [what, index] of [
    ['the header', 0],
    ['its own place', 2],
    ['entries to come', 3],
  ] as const) {
    it(`a version 1 compaction whose index names ${what} keeps nothing`, () => {
      const compaction = {
        type: 'compaction',
        timestamp: 't',
        summary: 's',
        firstKeptEntryIndex: index,
        tokensBefore: 1,
      };
      const message = { type: 'message', timestamp: 't', message: { role: 'user', content: 'x', timestamp: 1 } };
      const text = [{ type: 'session', id: 's' }, message, compaction, message].map(entry => JSON.stringify(entry));
      const entry = decodeSession(text.join('\n')).entries[1];
      assert.ok(entry && 'firstKeptEntryId' in entry);
      assert.equal(entry.firstKeptEntryId, entry.id);
    });
  }

  const DAMAGE: readonly [string, string, readonly string[], RegExp | undefined][] = [
    ['an empty file', '', [], undefined],
    ['blank lines', `\n${HEADER}\n\n${line('a', null, 'x')}\n  \n`, ['a'], undefined],
    ['Windows line ends', `${HEADER}\r\n${line('a', null, 'x')}\r\n`, ['a'], undefined],
    ['no newline at the end', `${HEADER}\n${line('a', null, 'x')}`, ['a'], undefined],
    [
      'a torn last line',
      `${HEADER}\n${line('a', null, 'x')}\n${line('b', 'a', 'y').slice(0, 60)}`,
      ['a'],
      /line 3.*Unreadable/,
    ],
    ['a torn first line', `${HEADER.slice(0, 40)}\n${line('a', null, 'x')}\n`, ['a'], /line 1/],
    [
      'a header that is not first',
      `${line('a', null, 'x')}\n${HEADER}\n${line('b', 'a', 'y')}`,
      ['a', 'b'],
      /line 1.*not a session header/,
    ],
    [
      'a second header',
      `${HEADER}\n${line('a', null, 'x')}\n${HEADER.replace('"s"', '"other"')}\n${line('b', null, 'y')}`,
      ['a', 'b'],
      /line 3.*other/,
    ],
    [
      'binary rubbish',
      `\u0000\u0001\uFFFD\n${HEADER}\n\u0000{{{\n${line('a', null, 'x')}`,
      ['a'],
      /line 1.*cannot be read/,
    ],
    [
      'an entry behind a torn one',
      `${HEADER}\n${line('a', null, 'x')}\n${line('b', 'a', 'y').slice(0, 60)}${line('c', 'b', 'z')}\n`,
      ['a', 'c'],
      /line 3.*torn/,
    ],
    [
      'a message without content, as pi does: it says nothing,',
      `${HEADER}\n{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user"}}\n${line('b', 'a', 'y')}`,
      ['a', 'b'],
      undefined,
    ],
    ['a line that is no object', `${HEADER}\n[1]\n"x"\n${line('a', null, 'x')}`, ['a'], /line 2.*Unreadable/],
    ['a header without id', `{"type":"session","version":3}\n${line('a', null, 'x')}`, ['a'], /line 1.*id/],
    [
      'an entry without type',
      `${HEADER}\n{"id":"q","parentId":null}\n${line('a', null, 'x')}`,
      ['a'],
      /line 2.*without a type/,
    ],
  ];
  for (const [what, text, expected, complaint] of DAMAGE) {
    it(`reads ${what} as far as it goes`, () => {
      const session = decodeSession(text);
      assert.deepEqual(ids(session.entries), expected);
      const said = session.problems.map(problem => `line ${problem.line ?? 0}: ${problem.message}`).join('; ');
      if (complaint) assert.match(said, complaint);
      else assert.equal(said, '');
    });
  }

  it('reads a session of an earlier version whose calls have arguments that are no object, and keeps their results', () => {
    const given = [null, ['f.txt'], 'f.txt', '{"path":"f.txt"}', 7, false];
    tried(given.length);
    const at = (id: string, parentId: string | null, message: object): string =>
      JSON.stringify({ type: 'message', id, parentId, timestamp: 't', message });
    const call = { type: 'toolCall', id: 'x', name: 'ls' };
    const result = { role: 'toolResult', toolCallId: 'x', toolName: 'ls', content: [], isError: true, timestamp: 1 };
    for (const value of given) {
      const answer = { role: 'assistant', content: [{ ...call, arguments: value }], timestamp: 1 };
      const { entries, problems } = decodeSession([HEADER, at('a', null, answer), at('b', 'a', result)].join('\n'));
      assert.deepEqual(problems, []);
      assert.deepEqual(ids(entries), ['a', 'b']);
      assert.deepEqual((entries[0] as unknown as { message: { content: unknown } }).message.content, [
        {
          ...call,
          arguments: {},
          argumentsError: `Tool arguments must be a JSON object\n\nReceived arguments:\n${JSON.stringify(value)}`,
        },
      ]);
    }
  });

  it('names the entry that JSON cannot hold', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    const entry = { ...decodeSession(fixture('v3.jsonl')).entries[0]!, loop };
    assert.throws(() => encodeLine(entry), /Entry of type "model_change" cannot be saved: .*circular/);
  });

  it('peeks only at heads it can trust', () => {
    assert.deepEqual(peekHead(line('a', null, 'x')), { type: 'message', id: 'a', parentId: null });
    assert.deepEqual(peekHead('{"type":"message","id":"b","parentId":"a",...'), {
      type: 'message',
      id: 'b',
      parentId: 'a',
    });
    assert.equal(peekHead(HEADER), undefined);
    assert.equal(peekHead('{"type":"message","id":"a\\u0041","parentId":null,'), undefined);
    assert.equal(peekHead('{"id":"a","type":"message","parentId":null,'), undefined);
  });
});
