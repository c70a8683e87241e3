import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { storedZip } from '../../../src/vscode/palette/stored-zip';
import { runs } from '../../support/long-run';

/** The part of yauzl (which VS Code and vsce unpack with) that is used here. */
interface Yauzl {
  fromBuffer(
    zip: Buffer,
    options: { lazyEntries: boolean; validateEntrySizes: boolean; strictFileNames: boolean },
    done: (error: Error | null, file: ZipFile) => void,
  ): void;
}
interface ZipFile {
  readonly entryCount: number;
  readEntry(): void;
  on(event: 'entry', listener: (entry: Entry) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'end', listener: () => void): void;
  openReadStream(entry: Entry, done: (error: Error | null, stream: Readable) => void): void;
}
interface Entry {
  readonly fileName: string;
  readonly crc32: number;
  readonly compressionMethod: number;
}

const require = createRequire(createRequire(import.meta.url).resolve('@vscode/vsce/package.json'));
const yauzl = require('yauzl') as Yauzl;

function unpack(zip: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  return new Promise((resolve, reject) => {
    const options = { lazyEntries: true, validateEntrySizes: true, strictFileNames: true };
    yauzl.fromBuffer(zip, options, (error, file) => {
      if (error !== null) {
        reject(error);
        return;
      }
      file.on('error', reject);
      file.on('end', () => resolve(files));
      file.on('entry', entry =>
        file.openReadStream(entry, (failed, stream) => {
          if (failed !== null) {
            reject(failed);
            return;
          }
          void buffer(stream).then(content => {
            files.set(entry.fileName, content);
            file.readEntry();
          }, reject);
        }),
      );
      file.readEntry();
    });
  });
}

describe('a stored zip', () => {
  it('is unpacked by another program to the same file', async () => {
    const content = Buffer.from(JSON.stringify({ title: '/stats — größe 漢字' }));
    const files = await unpack(storedZip('extension/package.json', content));
    assert.deepEqual([...files.keys()], ['extension/package.json']);
    assert.deepEqual(files.get('extension/package.json'), content);
  });

  it('keeps any content and any name', async () => {
    const name = fc.stringMatching(/^[\wäé漢][\w äé漢/-]{0,30}[\wé漢]$/).filter(text => !text.includes('//'));
    await fc.assert(
      fc.asyncProperty(name, fc.uint8Array({ maxLength: 4000 }), async (path, content) => {
        const files = await unpack(storedZip(path, content));
        assert.deepEqual([...files], [[path, Buffer.from(content)]]);
      }),
      runs(60, 600),
    );
  });

  it('is not unpacked when a byte of it was lost', async () => {
    const zip = storedZip('a.txt', Buffer.from('the content'));
    const other = storedZip('a.txt', Buffer.from('the cOntent'));
    assert.notDeepEqual(zip.subarray(14, 18), other.subarray(14, 18), 'the checksum depends on the content');
    await assert.rejects(unpack(zip.subarray(0, zip.length - 3)));
  });

  it('gives the same bytes for the same content', () => {
    const content = Buffer.from('x');
    assert.deepEqual(storedZip('a', content), storedZip('a', content));
  });
});
