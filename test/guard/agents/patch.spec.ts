import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractOf } from '../../../src/guard/agents';
import { parsePatch, patchText } from '../../../src/guard/agents/patch';
import { answered, CWD, toolCall } from './agent-calls';

const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const UPDATE = ['*** Update File: a.ts', '@@ class A', ' keep', '-old', '+new', '@@', '-x', '*** End of File'];

function seen(command: string): unknown {
  return toolCall('codex', 'apply_patch', { command }).calls.map(({ toolName, input }) => [toolName, input]);
}

describe('a patch of Codex', () => {
  it('is one call for each file that it changes', () => {
    const text = patch('*** Add File: n.txt', '+one', '+', ...UPDATE, '*** Delete File: /gone');
    assert.deepEqual(seen(text), [
      ['write', { path: `${CWD}/n.txt`, content: 'one\n\n' }],
      [
        'edit',
        {
          path: `${CWD}/a.ts`,
          edits: [
            { oldText: 'keep\nold', newText: 'keep\nnew' },
            { oldText: 'x', newText: '' },
          ],
        },
      ],
      ['edit', { path: '/gone', edits: [{ oldText: '', newText: '' }] }],
    ]);
  });

  it('shows the whole text of a file that it deletes or moves', () => {
    const folder = mkdtempSync(join(tmpdir(), 'patch-'));
    try {
      const file = join(folder, 'a.txt');
      writeFileSync(file, 'one\ntwo\nthree\n');
      assert.deepEqual(seen(patch(`*** Delete File: ${file}`)), [
        ['edit', { path: file, edits: [{ oldText: 'one\ntwo\nthree\n', newText: '' }] }],
      ]);
      assert.deepEqual(seen(patch(`*** Update File: ${file}`, '*** Move to: /new', '@@', '-two', '+2')), [
        ['edit', { path: file, edits: [{ oldText: 'two', newText: '2' }] }],
        ['write', { path: '/new', content: 'one\n2\nthree\n' }],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is read with the blanks and the here-document that Codex allows', () => {
    const files = parsePatch(patch('*** Add File: a', '+x'));
    assert.deepEqual(files, [{ type: 'add', path: 'a', content: 'x\n' }]);
    assert.deepEqual(parsePatch(`<<'EOF'\n${patch('  *** Add File: a  ', '+x')}EOF\n`), files);
    assert.deepEqual(parsePatch(patch('*** Add File: a', '+x').replaceAll('\n', '\r\n')), files);
    assert.deepEqual(parsePatch(patch('*** Update File: a', ' *** Add File: b', '+x')), [
      {
        type: 'update',
        path: 'a',
        chunks: [{ oldLines: ['*** Add File: b'], newLines: ['*** Add File: b', 'x'], isEndOfFile: false }],
      },
    ]);
  });

  it('that Hookline cannot read is one call with its text, so that gates still see it', () => {
    const broken = [
      '',
      'rm -rf /',
      '*** Begin Patch\n*** Add File: a\n+x',
      patch(),
      patch('*** Rename File: a'),
      patch('*** Update File: a'),
      patch('*** Update File: a', '@@'),
      patch('*** Update File: a', '@@', '-x', 'stray'),
      patch('*** Environment ID: far', '*** Add File: a', '+x'),
    ];
    for (const command of broken) assert.deepEqual(seen(command), [['apply_patch', { command }]], command);
  });

  it('in a command of the shell is seen beside the command', () => {
    const command = `cd x && apply_patch <<'E'\n${patch('*** Add File: a', '+x')}E`;
    assert.deepEqual(toolCall('codex', 'Bash', { command }).calls, [
      { toolName: 'bash', input: { command } },
      { toolName: 'write', input: { path: `${CWD}/a`, content: 'x\n' } },
    ]);
  });

  it('is written again as it was read', () => {
    for (const lines of [
      UPDATE,
      ['*** Add File: a', '+', '+x'],
      ['*** Delete File: a'],
      ['*** Update File: a', '*** Move to: b', '-x'],
    ]) {
      const files = parsePatch(patch(...lines)) ?? [];
      assert.equal(files.length, 1);
      const again = parsePatch(patchText(files)) ?? [];
      assert.deepEqual(seen(patchText(again)), seen(patch(...lines)));
    }
  });
});

describe('a patch that a hook changed', () => {
  const write = (command: string, change: object): { readonly updated?: unknown; readonly denied?: string } => {
    const event = toolCall('codex', 'apply_patch', { command, later: 1 });
    const inputs = event.calls.map(({ input }, index) => (index === 0 ? { ...input, ...change } : input));
    const { output, denied } = contractOf('codex').write(event, { input: inputs });
    const members = answered(output)?.['hookSpecificOutput'] as Record<string, unknown>;
    assert.equal(members['permissionDecision'], denied === undefined ? 'allow' : 'deny');
    return denied === undefined ? { updated: members['updatedInput'] } : { denied };
  };

  it('is a patch of the same file', () => {
    assert.deepEqual(write(patch('*** Add File: a', '+x'), { content: 'y\nz\n', path: 'b' }), {
      updated: { command: patch(`*** Add File: ${CWD}/b`, '+y', '+z'), later: 1 },
    });
    const edits = [
      { oldText: 'keep\nold', newText: 'keep\nnewer' },
      { oldText: 'x', newText: '' },
    ];
    assert.deepEqual(write(patch(...UPDATE), { edits }), {
      updated: {
        command: patch(
          ...['*** Update File: a.ts', '@@ class A', '-keep', '-old', '+keep', '+newer', '@@', '-x', '*** End of File'],
        ),
        later: 1,
      },
    });
  });

  it('is a denial where no patch says the same', () => {
    const add = patch('*** Add File: a', '+x');
    assert.match(write(add, { content: 'no line end' }).denied ?? '', /without a line end/);
    assert.match(write(add, { path: 'a\n*** Delete File: b' }).denied ?? '', /no path/);
    assert.match(write(add, { mode: 1 }).denied ?? '', /cannot be written as a patch/);
    assert.match(write(patch(...UPDATE), { edits: [] }).denied ?? '', /how many places/);
    assert.match(write(patch('*** Delete File: a'), { path: 'b' }).denied ?? '', /cannot be written as a patch/);
    assert.match(
      write(patch('*** Add File: a', '+x', '*** Delete File: b'), { content: '\n' }).denied ?? '',
      /one of the 2 calls/,
    );
  });
});
