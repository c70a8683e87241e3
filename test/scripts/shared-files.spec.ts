import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { MochaReport } from '../../scripts/support/mocha-run.ts';
import { ROOT } from '../../scripts/support/paths.ts';
import { longestFirst } from '../../scripts/support/shared-files.ts';

describe('test files that processes share', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-share-'));
    mkdirSync(join(root, 'claims'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (name: string, text: string): string => {
    const file = join(root, `${name}.mjs`);
    writeFileSync(file, text);
    return file;
  };
  /** Runs files in a process that claims them. Resolves with its report. */
  const run = async (files: readonly string[], id: string, grep?: string): Promise<MochaReport> => {
    const resultFile = join(root, `${id}.json`);
    const options = { files, grep, timeout: 30_000, resultFile, claims: join(root, 'claims') };
    const program = join(ROOT, 'scripts', 'support', 'mocha-process.ts');
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: 'ignore' });
    await once(child, 'exit');
    return JSON.parse(readFileSync(resultFile, 'utf8')) as MochaReport; // Written by runMocha.
  };
  const ranIn = ({ byFile }: MochaReport): readonly string[] => Object.keys(byFile).map(file => basename(file, '.mjs'));

  it('run once each, in whichever process is free, with the hooks of all files', async () => {
    /** A test that ends when another file has begun. */
    const meets = (own: string, other: string): string => `
      import { existsSync, writeFileSync } from 'node:fs';
      describe('${own}', () => it('meets ${other}', async () => {
        writeFileSync(${JSON.stringify(join(root, own))}, '');
        while (!existsSync(${JSON.stringify(join(root, other))})) await new Promise(done => setTimeout(done, 5));
      }));`;
    const ends = `
      import { writeFileSync } from 'node:fs';
      after(() => writeFileSync(${JSON.stringify(root)} + '/ended-' + process.pid, ''));`;
    const fails = `describe('c', () => { before(() => { throw new Error('no'); }); it('never runs', () => {}); });`;
    const two = `describe('d', () => it('is one', () => {})); describe('e', () => it('is two', () => {}));`;
    const files = [write('hooks', ends), write('a', meets('a', 'b')), write('b', meets('b', 'a'))];
    files.push(write('c', fails), write('d', two), write('none', ''));
    const reports = await Promise.all([run(files, 'first'), run(files, 'second')]);
    assert.deepEqual(reports.flatMap(ranIn).sort(), ['a', 'b', 'c', 'd']);
    assert.ok(reports.every(report => ranIn(report).some(name => name === 'a' || name === 'b')));
    assert.deepEqual([sum(reports, 'passed'), sum(reports, 'failed')], [4, 1]);
    assert.equal(readdirSync(root).filter(name => name.startsWith('ended-')).length, 2);
  });

  it('are passed over when no title is like the text that is searched', async () => {
    const files = ['one', 'two', 'three'].map(name => write(name, `describe('${name}', () => it('runs', () => {}));`));
    const report = await run(files, 'only', 'two');
    assert.deepEqual([ranIn(report), report.passed], [['two'], 1]);
    assert.ok(!existsSync(join(root, 'claims', 'one.mjs')), 'another process could take it');
  });

  it('come the longest first, and a window counts as many lines', () => {
    const files = [
      write('short', 'x'),
      write('windows', 'await openWorkbench(); await workbench.reload();'),
      write('long', 'x'.repeat(7000)),
      write('window', 'await openWorkbench();'),
    ];
    assert.deepEqual(
      longestFirst(files).map(file => basename(file, '.mjs')),
      ['windows', 'long', 'window', 'short'],
    );
  });
});

function sum(reports: readonly MochaReport[], key: 'passed' | 'failed'): number {
  return reports.reduce((total, report) => total + report[key], 0);
}
