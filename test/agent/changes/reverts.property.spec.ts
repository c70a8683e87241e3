import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { lastRevert, type Moment } from '../../../src/agent/changes/net-changes';
import { Ground, repository, run, tree } from './support';
import { runs } from '../../support/long-run';
import { itWith } from '../../support/platform';

const NAMES = ['a.txt', 'b.bin', 'dir/c.txt', 'dir/d/e.txt', 'dir', 'ä ö.txt', '.gitignore'];

const content = fc.oneof(
  fc.constantFrom('', 'one\n', 'two\r\n', 'three\r\nfour\n', '$Id$\n'),
  fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes)),
);
const name = fc.constantFrom(...NAMES);
const change = fc.oneof(
  fc.record({ type: fc.constant('put' as const), name, content }),
  fc.record({ type: fc.constant('remove' as const), name }),
  fc.record({ type: fc.constant('link' as const), name }),
  fc.record({ type: fc.constant('flip' as const), name }),
);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('bash' as const),
      changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('edit' as const),
      name: fc.constantFrom('a.txt', 'new/f.txt', 'ä ö.txt'),
      content,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('back' as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('undo' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(ground: Ground, { type, name: at, ...more }: Change): void {
  const path = ground.path(at);
  // The ignore rules stay, so that what is covered stays the same.
  if (at === '.gitignore') return;
  switch (type) {
    case 'put':
      clear(ground, path);
      ground.put(at, (more as { content: string | Buffer }).content);
      return;
    case 'remove':
      if (existsSync(path)) rmSync(path, { recursive: true });
      return;
    case 'link':
      clear(ground, path);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync('somewhere', path);
      return;
    case 'flip': {
      const info = existsSync(path) ? lstatSync(path) : undefined;
      if (info?.isFile() === true) chmodSync(path, (info.mode & 0o100) === 0 ? 0o755 : 0o644);
    }
  }
}

/** Makes room: a folder at the place, or a file where a folder must be. */
function clear(ground: Ground, path: string): void {
  for (let above = dirname(path); above.startsWith(`${ground.work}/`); above = dirname(above)) {
    if (isOther(above)) rmSync(above);
  }
  if (existsSync(path) || isOther(path)) rmSync(path, { recursive: true });
}

/** Something that is no folder. */
function isOther(path: string): boolean {
  try {
    return !lstatSync(path).isDirectory();
  } catch {
    return false; // Nothing there, or a file above it.
  }
}

describe('any sequence of edits, commands and reverts', () => {
  itWith(
    'git',
    'can be taken back to any moment, byte by byte, and leaves the repository as it was',
    async function () {
      this.timeout(120_000);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async steps => {
          const ground = await Ground.open({
            '.gitattributes': '* text=auto\n*.txt ident\n',
            '.gitignore': 'ignored\n',
            'a.txt': 'first\r\n',
            'dir/c.txt': 'c\n',
            ignored: 'not ours',
          });
          try {
            const moments: Kept[] = [];
            run(ground.work, 'stash', 'list');
            const git = repository(ground.work);
            for (const one of steps) await take(ground, one, moments);
            for (const { moment, files } of moments.toReversed()) {
              const { refused } = await ground.revertTo(moment);
              assert.deepEqual(refused, []);
              assert.deepEqual(tree(ground.work), files);
            }
            assert.deepEqual(repository(ground.work), git);
          } finally {
            await ground.close();
          }
        }),
        runs(5, 60),
      );
    },
  );
});

interface Kept {
  readonly moment: Moment;
  readonly files: Readonly<Record<string, string>>;
}

async function take(ground: Ground, one: Step, moments: Kept[]): Promise<void> {
  const kept = { moment: ground.now, files: tree(ground.work) };
  switch (one.type) {
    case 'bash':
      moments.push(kept);
      await ground.bash(() => {
        for (const part of one.changes) apply(ground, part);
      });
      return;
    case 'edit': {
      const [file = ''] = one.name.split('/');
      const standing = lstatSync(ground.path(file), { throwIfNoEntry: false });
      if (standing?.isSymbolicLink() === true) return; // An edit would follow the link and change another file.
      moments.push(kept);
      await ground.edit(one.name, one.content);
      return;
    }
    case 'back': {
      const to = moments[one.to % Math.max(1, moments.length)];
      if (to !== undefined) await ground.revertTo(to.moment);
      return;
    }
    case 'undo':
      await ground.revert(lastRevert(ground.records));
  }
}
