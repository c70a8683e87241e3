import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { PhotonImage } from '@silvia-odwyer/photon-node';
import fc from 'fast-check';
import { describeImage } from '../../../../src/agent/images/describe-image';
import { createReadTool, type ReadToolDetails } from '../../../../src/agent/tools/files/read';
import { call, inFolder, textFrom, textOf } from '../fixture';
import { runs } from '../../../support/long-run';
import { itOnPosix } from '../../../support/platform';

const lines = (count: number, text = 'line'): string =>
  Array.from({ length: count }, (_, i) => `${text} ${i + 1}`).join('\n');

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAgADAIAAAAAAAP///yH5BAEAAAAALAAAAAACAAMAAAICRAoAOw==', 'base64');
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108000400050301220002110103110100ffd9', 'hex');
const WEBP = Buffer.from('524946461a000000574542505650384c0d0000002f00000010071011118888fe0700', 'hex');

describe('read', () => {
  it('gives a file as it is: final newline or none, CRLF, BOM, empty', () =>
    inFolder(
      { a: 'x\ny\n', b: 'x\ny', c: 'x\r\ny\r\n', d: '', e: '\ufeffx', 'mit Leer\u00a0zeichen ü': '✓' },
      async folder => {
        const tool = createReadTool(folder.path);
        for (const name of ['a', 'b', 'c', 'd', 'e', 'mit Leer\u00a0zeichen ü']) {
          const result = await call(tool, { path: name });
          assert.equal(textOf(result), folder.text(name));
          assert.equal(result.details, undefined);
        }
      },
    ));

  for (const [order, code] of [
    ['little', (text: string): Buffer => Buffer.from(text, 'utf16le')],
    ['big', (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()],
  ] as const) {
    it(`reads UTF-16 with a mark as text, short and long, the ${order} end first`, () => {
      const short = 'eins ü\r\n\u0a0a\u010a😀\r\n';
      const long = `${short}${'x\n'.repeat(60_000)}`;
      const half = Buffer.concat([code(`\ufeff${short}`), Buffer.from([0x61])]);
      return inFolder({ short: code(`\ufeff${short}`), long: code(`\ufeff${long}`), half }, async folder => {
        const tool = createReadTool(folder.path);
        for (const path of ['short', 'half']) assert.equal(await textFrom(tool, { path }), short);
        const start = await textFrom(tool, { path: 'long' });
        assert.ok(start.startsWith(short));
        assert.match(start, /\[Showing lines 1-2000 of 60002\. Use offset=2001 to continue\.\]$/);
        const operations = { readFile: () => Promise.resolve(folder.bytes('short')), access: () => Promise.resolve() };
        assert.equal(await textFrom(createReadTool(folder.path, { operations }), { path: 'x' }), short);
      });
    });
  }

  it('shows 2000 lines whole and of 2001 the first 2000', () =>
    inFolder(
      { exact: lines(2000), ended: `${lines(2000)}\n`, over: lines(2001), overEnded: `${lines(2001)}\n` },
      async folder => {
        const tool = createReadTool(folder.path);
        assert.equal(await textFrom(tool, { path: 'exact' }), lines(2000));
        assert.equal(await textFrom(tool, { path: 'ended' }), `${lines(2000)}\n`);
        for (const path of ['over', 'overEnded']) {
          const result = await call(tool, { path });
          assert.equal(
            textOf(result),
            `${lines(2000)}\n\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue.]`,
          );
          const { truncation } = result.details as ReadToolDetails;
          assert.deepEqual(
            [truncation?.truncatedBy, truncation?.totalLines, truncation?.outputLines, truncation?.maxLines],
            ['lines', 2001, 2000, 2000],
          );
          assert.equal(await textFrom(tool, { path, offset: 2001 }), path === 'over' ? 'line 2001' : 'line 2001\n');
        }
      },
    ));

  it('stops at 50 KB, at whole lines', () =>
    inFolder({ big: `${'x'.repeat(99)}\n`.repeat(1000) }, async folder => {
      const result = await call(createReadTool(folder.path), { path: 'big' });
      const text = `${'x'.repeat(99)}\n`.repeat(512).slice(0, -1);
      assert.equal(
        textOf(result),
        `${text}\n\n[Showing lines 1-512 of 1000 (50.0KB limit). Use offset=513 to continue.]`,
      );
      const { truncation } = result.details as ReadToolDetails;
      assert.deepEqual(
        [truncation?.truncatedBy, truncation?.totalBytes, truncation?.outputBytes],
        ['bytes', 100_000, 51_199],
      );
    }));

  it('reads from an offset and up to a limit', () =>
    inFolder({ f: lines(100), ended: 'a\nb\n' }, async folder => {
      const tool = createReadTool(folder.path);
      assert.equal(
        await textFrom(tool, { path: 'f', offset: 41, limit: 2 }),
        'line 41\nline 42\n\n[58 more lines in file. Use offset=43 to continue.]',
      );
      assert.equal(await textFrom(tool, { path: 'f', offset: 99, limit: 2 }), 'line 99\nline 100');
      assert.equal(await textFrom(tool, { path: 'f', offset: 100 }), 'line 100');
      assert.equal(
        await textFrom(tool, { path: 'f', offset: -3, limit: 1 }),
        'line 1\n\n[99 more lines in file. Use offset=2 to continue.]',
      );
      assert.equal(await textFrom(tool, { path: 'ended', limit: 2 }), 'a\nb\n');
      assert.equal(
        await textFrom(tool, { path: 'ended', limit: 1 }),
        'a\n\n[1 more lines in file. Use offset=2 to continue.]',
      );
      await assert.rejects(call(tool, { path: 'f', offset: 101 }), {
        message: 'Offset 101 is beyond end of file (100 lines total)',
      });
      await assert.rejects(call(tool, { path: 'ended', offset: 3 }), {
        message: 'Offset 3 is beyond end of file (2 lines total)',
      });
    }));

  it('tells how to see a line that is too long', () =>
    inFolder({ 'a b.txt': `short\n${'€'.repeat(20_000)}\nlast` }, async folder => {
      const tool = createReadTool(folder.path);
      const result = await call(tool, { path: 'a b.txt', offset: 2 });
      assert.equal(
        textOf(result),
        `[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' 'a b.txt' | head -c 51200]`,
      );
      assert.equal((result.details as ReadToolDetails).truncation?.firstLineExceedsLimit, true);
      assert.equal(
        await textFrom(tool, { path: 'a b.txt' }),
        'short\n\n[Showing lines 1-1 of 3 (50.0KB limit). Use offset=2 to continue.]',
      );
    }));

  it('agrees with the definition for any file, offset and limit', () =>
    inFolder({}, async folder => {
      const tool = createReadTool(folder.path);
      const content = fc
        .array(fc.constantFrom('a', 'bb', '€', '\n', '\r\n', ''), { maxLength: 30 })
        .map(parts => parts.join(''));
      const optional = (min: number): fc.Arbitrary<number | undefined> =>
        fc.option(fc.integer({ min, max: 12 }), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(content, optional(1), optional(0), async (text, offset, limit) => {
          folder.put('f', text);
          const all = text === '' ? [] : text.replace(/\n$/, '').split('\n');
          const first = (offset ?? 1) - 1;
          if (first > 0 && first >= all.length) {
            await assert.rejects(call(tool, { path: 'f', offset, limit }), /is beyond end of file/);
            return;
          }
          const picked = all.slice(first, limit === undefined ? undefined : first + limit);
          const left = all.length - first - picked.length;
          const end = left === 0 && text.endsWith('\n') && picked.length > 0 ? '\n' : '';
          const notice =
            left > 0 ? `\n\n[${left} more lines in file. Use offset=${first + picked.length + 1} to continue.]` : '';
          assert.equal(await textFrom(tool, { path: 'f', offset, limit }), picked.join('\n') + end + notice);
        }),
        runs(50, 1_500),
      );
    }));

  it('counts the lines of a large file without keeping it', () =>
    inFolder({}, async folder => {
      const line = `${'0123456789'.repeat(5)}\n`;
      folder.put('large', line.repeat(400_000));
      const before = process.memoryUsage().arrayBuffers;
      const text = await textFrom(createReadTool(folder.path), { path: 'large', offset: 200_001 });
      assert.match(
        text,
        /\[Showing lines 200001-201003 of 400000 \(50\.0KB limit\)\. Use offset=201004 to continue\.\]$/,
      );
      assert.ok(process.memoryUsage().arrayBuffers - before < 10 * 1024 * 1024);
    }));

  it('attaches pictures by content, whatever their name', () =>
    inFolder({ 'a.txt': PNG, 'b.png': GIF, c: JPEG, d: WEBP }, async folder => {
      const tool = createReadTool(folder.path);
      const expected = [
        ['a.txt', PNG, 'image/png'],
        ['b.png', GIF, 'image/gif'],
        ['c', JPEG, 'image/jpeg'],
        ['d', WEBP, 'image/webp'],
      ] as const;
      for (const [path, bytes, mimeType] of expected) {
        assert.deepEqual(await call(tool, { path }), {
          content: [
            { type: 'text', text: `Read image file [${mimeType}]` },
            { type: 'image', data: bytes.toString('base64'), mimeType },
          ],
          details: undefined,
          structuredContent: {
            type: 'image',
            data: bytes.toString('base64'),
            mimeType,
            note: `Read image file [${mimeType}]`,
          },
        });
      }
    }));

  it('measures pictures', () => {
    assert.deepEqual([PNG, GIF, JPEG, WEBP].map(describeImage), [
      { mimeType: 'image/png', width: 1, height: 1 },
      { mimeType: 'image/gif', width: 2, height: 3 },
      { mimeType: 'image/jpeg', width: 5, height: 4 },
      { mimeType: 'image/webp', width: 1, height: 1 },
    ]);
    assert.equal(describeImage(Buffer.from('GIF89, he said')), undefined);
    assert.equal(describeImage(Buffer.alloc(0)), undefined);
  });

  it('does not attach pictures that providers refuse, when they are not to be made smaller', () => {
    const wide = Buffer.from(PNG);
    wide.writeUInt32BE(9000, 16);
    const heavy = Buffer.concat([PNG, Buffer.alloc(4 * 1024 * 1024)]);
    return inFolder({ 'wide.png': wide, 'heavy.png': heavy }, async folder => {
      const tool = createReadTool(folder.path, { autoResizeImages: false });
      assert.match(
        await textFrom(tool, { path: 'wide.png' }),
        /^\[Image wide\.png is \d+B, 9000x1 pixels, exceeds .* Not attached\.\]$/,
      );
      assert.match(
        await textFrom(tool, { path: 'heavy.png' }),
        /^\[Image heavy\.png is 4\.0MB, exceeds the limit of 3\.5MB\. Not attached\.\]$/,
      );
    });
  });

  it('makes large pictures small enough, and tells models that see none', () =>
    inFolder(
      { 'wide.png': Buffer.from(new PhotonImage(new Uint8Array(2500 * 10 * 4), 2500, 10).get_bytes()) },
      async folder => {
        const tool = createReadTool(folder.path);
        const note =
          '[Image: original 2500x10, displayed at 2000x8. Multiply coordinates by 1.25 to map to original image.]';
        assert.equal(await textFrom(tool, { path: 'wide.png' }), `Read image file [image/png]\n${note}\n[image/png]`);
        const sessionManager = { getSessionId: () => 'id', getSessionFile: () => undefined };
        const context = { model: { provider: 'p', id: 'm', input: ['text'] }, sessionManager };
        const { content, details } = await call(tool, { path: 'wide.png' }, { context });
        assert.deepEqual(content[0], { type: 'text', text: `Read image file [image/png]\n${note}` });
        assert.deepEqual(details, { imageUnsupportedByModel: 'm' });
        assert.equal((await call(tool, { path: 'wide.png' })).details, undefined);
        const asIs = createReadTool(folder.path, { autoResizeImages: false });
        assert.equal(await textFrom(asIs, { path: 'wide.png' }), 'Read image file [image/png]\n[image/png]');
      },
    ));

  it('converts a bitmap, which models do not accept, also where pictures keep their size', () => {
    const head = Buffer.alloc(58);
    head.write('BM');
    const sizes = { 2: 58, 10: 54, 14: 40, 18: 1, 22: 1 };
    for (const [at, value] of Object.entries(sizes)) head.writeUInt32LE(value, Number(at));
    head.writeUInt16LE(1, 26);
    head.writeUInt16LE(24, 28);
    return inFolder({ 'dot.bmp': head, 'words.txt': `BM${' words'.repeat(20)}` }, async folder => {
      for (const autoResizeImages of [true, false]) {
        const tool = createReadTool(folder.path, { autoResizeImages });
        assert.equal(
          await textFrom(tool, { path: 'dot.bmp' }),
          'Read image file [image/png]\n[Image converted from image/bmp to image/png.]\n[image/png]',
        );
        assert.match(await textFrom(tool, { path: 'words.txt' }), /^BM words/);
      }
    });
  });

  it('gives a picture the type that it has, whatever a hook calls it', async () => {
    const operations = {
      access: () => Promise.resolve(),
      readFile: () => Promise.resolve(PNG),
      detectImageMimeType: () => Promise.resolve('image/jpeg'),
    };
    const tool = createReadTool('/', { autoResizeImages: false, operations });
    assert.equal(await textFrom(tool, { path: 'x.jpg' }), 'Read image file [image/png]\n[image/png]');
  });

  it('takes what is not a picture as text, binary too', () =>
    inFolder({ bin: Buffer.from([0x50, 0x00, 0xff, 0x0a, 0x51]) }, async folder =>
      assert.equal(await textFrom(createReadTool(folder.path), { path: 'bin' }), 'P\0\ufffd\nQ'),
    ));

  itOnPosix('says why a path cannot be read', () =>
    inFolder({ 'd/': '', f: 'x' }, async folder => {
      execFileSync('mkfifo', [join(folder.path, 'pipe')]);
      const tool = createReadTool(folder.path);
      const reasons = {
        'none.txt': `ENOENT: no such file or directory, access '${join(folder.path, 'none.txt')}'`,
        'f/x': `ENOTDIR: not a directory, access '${join(folder.path, 'f/x')}'`,
        d: 'EISDIR: illegal operation on a directory, read',
        pipe: 'Cannot read pipe: it is a named pipe, not a regular file.',
      };
      for (const [path, message] of Object.entries(reasons)) await assert.rejects(call(tool, { path }), { message });
    }),
  );

  it('ends with "Operation aborted", also while a hook\'s operation hangs', async () => {
    const operations = { access: () => Promise.resolve(), readFile: () => new Promise<Buffer>(() => undefined) };
    const controller = new AbortController();
    const hanging = call(createReadTool('/', { operations }), { path: 'x' }, { signal: controller.signal });
    controller.abort();
    await assert.rejects(hanging, { message: 'Operation aborted' });
    const early = call(createReadTool('/'), { path: 'x' }, { signal: AbortSignal.abort() });
    await assert.rejects(early, { message: 'Operation aborted' });
  });

  it('works through the operations of a hook', async () => {
    const operations = {
      access: (path: string) =>
        path === resolve('/r/none') ? Promise.reject(new Error('ssh: none')) : Promise.resolve(),
      readFile: (path: string) => Promise.resolve(path === resolve('/r/pic') ? PNG : Buffer.from('a\nb\nc')),
      detectImageMimeType: (path: string) => Promise.resolve(path === resolve('/r/pic') ? 'image/png' : null),
    };
    const tool = createReadTool('/r', { operations });
    assert.equal(
      await textFrom(tool, { path: 't', limit: 1 }),
      'a\n\n[2 more lines in file. Use offset=2 to continue.]',
    );
    assert.equal(await textFrom(tool, { path: 'pic' }), 'Read image file [image/png]\n[image/png]');
    await assert.rejects(call(tool, { path: 'none' }), { message: 'ssh: none' });
  });
});
