import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createEditTool } from '../../../../src/agent/tools/files/editing/edit';
import { createLsTool } from '../../../../src/agent/tools/files/ls';
import { createReadTool } from '../../../../src/agent/tools/files/read';
import { createWriteTool } from '../../../../src/agent/tools/files/writing/write';
import { createFindTool } from '../../../../src/agent/tools/search/find';
import { createGrepTool } from '../../../../src/agent/tools/search/grep';
import type { AnyTool } from '../../../../src/agent/tools/tool';
import { putSpecial, SAID, SPECIAL_KINDS, type SpecialKind } from '../../../support/special-files';
import { call, inFolder, textFrom, type TempFolder } from '../fixture';
import { itOnPosix } from '../../../support/platform';

const edits = [{ oldText: 'a', newText: 'b' }];

/** Each file tool, pointed at the path `x`. */
const TOOLS: readonly (readonly [name: string, make: (cwd: string) => AnyTool, args: object])[] = [
  ['read', createReadTool, {}],
  ['write', createWriteTool, { content: 'new' }],
  ['edit', createEditTool, { edits }],
  ['ls', createLsTool, {}],
  ['find', createFindTool, { pattern: '*' }],
  ['grep', createGrepTool, { pattern: 'a' }],
];

/** From the folder that is searched. */
const IGNORE_PLACES = ['.gitignore', '.ignore', '.rgignore', '../.ignore', 'sub/.gitignore', '.git/info/exclude'];

/** Lists and searches take a folder, and say of everything else that it is none. */
function expected(tool: string, kind: SpecialKind): RegExp | undefined {
  const takesFolders = /^(?:ls|find|grep)/.test(tool);
  if (kind === 'folder') return takesFolders ? undefined : SAID.folder;
  return /^(?:ls|find)/.test(tool) ? /^Not a directory: / : SAID[kind];
}

async function withSpecial(kind: SpecialKind, test: (folder: TempFolder) => Promise<void>): Promise<void> {
  await inFolder({ 'plain.txt': 'a plain text' }, async folder => {
    const remove = await putSpecial(join(folder.path, 'x'), kind);
    try {
      await test(folder);
    } finally {
      await remove();
    }
  });
}

describe('special files', function () {
  this.timeout(30_000);

  for (const kind of SPECIAL_KINDS) {
    for (const [name, make, args] of TOOLS) {
      itOnPosix(`${name} of a ${kind}: says what it is, and other files go on`, () =>
        withSpecial(kind, async folder => {
          const tool = make(folder.path);
          const before = statSync(join(folder.path, 'x'));
          // More at once than Node has threads for files.
          const calls = Array.from({ length: 6 }, () => call(tool, { path: 'x', ...args }));
          const said = expected(name, kind);
          const checked = calls.map(each => (said === undefined ? each : assert.rejects(each, { message: said })));
          await Promise.all<unknown>(checked);
          assert.equal(await textFrom(createReadTool(folder.path), { path: 'plain.txt' }), 'a plain text');
          assert.equal(statSync(join(folder.path, 'x')).mode, before.mode, 'it is what it was');
          const aborted = call(tool, { path: 'x', ...args }, { signal: AbortSignal.abort() });
          await assert.rejects(aborted, { message: 'Operation aborted' });
        }),
      );
    }

    itOnPosix(`a search skips a ${kind} in its folder`, () =>
      withSpecial(kind, async folder => {
        const { path } = folder;
        assert.equal(await textFrom(createGrepTool(path), { pattern: 'plain' }), 'plain.txt:1: a plain text');
        assert.match(await textFrom(createFindTool(path), { pattern: 'p*' }), /^plain/);
        assert.match(await textFrom(createLsTool(path), {}), /^plain\.txt\nx/);
      }),
    );

    for (const place of IGNORE_PLACES) {
      itOnPosix(`a search skips or names an ignore file that is a ${kind}: ${place}`, () =>
        inFolder({ 'in/.git/HEAD': '', 'in/a.txt': 'needle', 'in/sub/b.txt': 'needle' }, async folder => {
          const cwd = join(folder.path, 'in');
          const remove = await putSpecial(join(cwd, place), kind);
          try {
            for (const searching of [
              textFrom(createFindTool(cwd), { pattern: '*.txt' }),
              textFrom(createGrepTool(cwd), { pattern: 'needle', glob: '*.txt' }),
            ]) {
              if (kind === 'folder' || kind === 'socket') assert.match(await searching, /^a\.txt.*\nsub\/b\.txt/);
              else await assert.rejects(searching, { message: /^Cannot search: .* may have no end/ });
            }
          } finally {
            await remove();
          }
        }),
      );
    }
  }

  itOnPosix('a pipe that has a reader is not written to either', () =>
    withSpecial('named pipe', async folder => {
      const { open } = await import('node:fs/promises');
      const { constants } = await import('node:fs');
      const reader = await open(join(folder.path, 'x'), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        await assert.rejects(call(createWriteTool(folder.path), { path: 'x', content: 'new' }), {
          message: SAID['named pipe'],
        });
        const { bytesRead } = await reader.read(Buffer.alloc(8), 0, 8, null);
        assert.equal(bytesRead, 0);
      } finally {
        await reader.close();
      }
    }),
  );
});
