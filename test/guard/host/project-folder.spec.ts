import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../../src/guard/host/project-folder';

describe('the folder whose hooks guard an agent', () => {
  let home: string;
  before(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'project folder ')));
    mkdirSync(join(home, '.pi', 'agent'), { recursive: true });
    for (const folder of ['shop/.pi', 'shop/api/src', 'shop/web/.pi', 'shop/web/src', 'notes/a', 'odd']) {
      mkdirSync(join(home, folder), { recursive: true });
    }
    writeFileSync(join(home, 'odd', '.pi'), 'no folder');
  });
  after(() => rmSync(home, { recursive: true }));

  for (const [started, expected] of [
    ['shop', 'shop'],
    ['shop/api/src', 'shop'],
    ['shop/web/src', 'shop/web'],
    ['notes/a', 'notes/a'],
    ['odd', 'odd'],
    ['shop/gone/src', 'shop/gone/src'],
  ] as const) {
    it(`is ${expected} for one that was started in ${started}`, () => {
      assert.equal(projectFolder(join(home, started), home), join(home, expected));
    });
  }

  it('is never the home folder because of its .pi', () => {
    assert.equal(projectFolder(home, home), home);
    assert.equal(projectFolder(join(home, 'notes'), home), join(home, 'notes'));
  });

  it('is searched up to the root outside of the home folder', () => {
    assert.equal(projectFolder(join(home, 'shop/api/src'), '/nowhere'), join(home, 'shop'));
    assert.equal(projectFolder('/', '/nowhere'), '/');
  });
});
