import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findTests } from '../../scripts/bundle-tests.ts';
import { forwardingDll } from '../../scripts/support/forwarding-dll.ts';
import { ROOT } from '../../scripts/support/paths.ts';
import { NOT_ON_WINDOWS, ON_WINDOWS } from '../../scripts/support/windows-tests.ts';
import { linuxPath, windowsPath } from '../../scripts/support/wine.ts';

describe('the tests in Node for Windows', () => {
  it('are those of the named folders, without what is left out with a reason', () => {
    for (const path of [...ON_WINDOWS, ...Object.keys(NOT_ON_WINDOWS)]) {
      assert.ok(existsSync(join(ROOT, 'test', path)), `test/${path} exists`);
    }
    const { tests } = findTests('windows');
    for (const path of Object.keys(NOT_ON_WINDOWS)) {
      assert.ok(
        ON_WINDOWS.some(folder => path.startsWith(`${folder}/`)),
        `${path} would run otherwise`,
      );
      assert.deepEqual(
        tests.filter(test => test.startsWith(join('test', path))),
        [],
      );
    }
    assert.ok(tests.length > 150 && tests.some(test => test.endsWith('.win.ts')), `${tests.length} files`);
  });

  it('get the paths that Wine gives to those of Linux', () => {
    assert.equal(windowsPath('/tmp/a b/c.mjs'), 'Z:\\tmp\\a b\\c.mjs');
    assert.equal(linuxPath(windowsPath('/tmp/a b/c.mjs')), '/tmp/a b/c.mjs');
    assert.equal(linuxPath('C:\\x'), 'C:\\x');
  });

  it('have a library that leads to a function of another one', () => {
    const bytes = forwardingDll({ dll: 'one.dll', name: 'Mine', target: 'two.Theirs' });
    const header = bytes.readUInt32LE(0x3c);
    assert.equal(bytes.toString('latin1', header, header + 4), 'PE\0\0');
    const [offset, rva] = [0x200, 0x1000];
    const textAt = (place: number): string => {
      const at = bytes.readUInt32LE(place) - rva + offset;
      return bytes.toString('latin1', at, bytes.indexOf(0, at));
    };
    const tableAt = (place: number): number => bytes.readUInt32LE(offset + place) - rva + offset;
    assert.deepEqual(
      [textAt(offset + 12), textAt(tableAt(32)), textAt(tableAt(28))],
      ['one.dll', 'Mine', 'two.Theirs'],
    );
  });
});
