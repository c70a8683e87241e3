import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { wholePrompt } from '../../src/agent/prompt/system-prompt';
import { SystemPrompt } from '../../src/startup/system-prompt';
import { itWith } from '../support/platform';

describe('the system prompt of a place', () => {
  let root: string;
  let trusted: boolean;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline prompt ü-')));
    trusted = true;
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const file = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const place = () => ({
    agentDir: join(root, 'agent'),
    cwd: join(root, 'outer', 'work'),
    includeProject: () => trusted,
  });
  const textOf = (prompt: SystemPrompt): string => wholePrompt(prompt.for({ active: [], all: [] }));
  const order = (text: string, words: readonly string[]): string[] =>
    words.filter(word => text.includes(word)).sort((a, b) => text.indexOf(a) - text.indexOf(b));

  it('tells the date of the time zone of the person', async () => {
    const before = process.env['TZ'];
    const prompt = await SystemPrompt.open(place());
    try {
      const dates = ['Etc/GMT+12', 'Etc/GMT-14'].map(zone => {
        process.env['TZ'] = zone;
        return prompt.for({ active: [], all: [] }).date;
      });
      const hoursFromUtc = (hours: number): string =>
        new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10);
      assert.deepEqual(dates, [hoursFromUtc(-12), hoursFromUtc(14)]);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('is read again one after the other: what was read in a trusted folder does not come back later', async () => {
    file('outer/work/AGENTS.md', `from the workspace${' '.repeat(4_000_000)}`);
    const prompt = await SystemPrompt.open(place());
    const first = prompt.reload();
    trusted = false;
    await Promise.all([first, prompt.reload()]);
    assert.ok(!textOf(prompt).includes('from the workspace'));
  });

  it('holds the instruction files of the agent folder, then from the outermost folder in, one of each folder', async () => {
    file('agent/AGENTS.md', 'from the agent folder');
    file('outer/CLAUDE.md', 'from outside');
    file('outer/work/AGENTS.md', 'from the workspace');
    file('outer/work/CLAUDE.md', 'not this one');
    const words = ['from the workspace', 'not this one', 'from outside', 'from the agent folder'];
    const prompt = await SystemPrompt.open(place());
    assert.deepEqual(order(textOf(prompt), words), ['from the agent folder', 'from outside', 'from the workspace']);
    trusted = false;
    await prompt.reload();
    assert.deepEqual(order(textOf(prompt), words), ['from the agent folder']);
  });

  for (const [present, counts] of [
    [['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md'], 'AGENTS.override.md'],
    [['AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD'], 'AGENTS.MD'],
    [['CLAUDE.MD'], 'CLAUDE.MD'],
    [['agents.txt'], undefined],
  ] as const) {
    it(`takes ${counts ?? 'none'} of ${present.join(', ')}`, async () => {
      for (const name of present) file(`outer/work/${name}`, `words of ${name}.`);
      const prompt = textOf(await SystemPrompt.open(place()));
      const found = [...prompt.matchAll(/words of (\S+)\./g)].map(([, name]) => name);
      assert.deepEqual(found, counts === undefined ? [] : [counts]);
    });
  }

  it('tells once of an instruction file that cannot be read, also where two names in other case are one file', async () => {
    const path = join(root, 'outer', 'work', 'AGENTS.md');
    file('outer/work/AGENTS.md', '\0');
    file('outer/work/CLAUDE.md', 'words of the next.');
    // As on a disk that does not distinguish upper and lower case.
    const other = join(root, 'outer', 'work', 'AGENTS.MD');
    if (!existsSync(other)) linkSync(path, other);
    const prompt = await SystemPrompt.open(place());
    assert.deepEqual(
      prompt.problems.map(problem => problem.file),
      [path],
    );
    assert.ok(textOf(prompt).includes('words of the next.'));
  });

  it('holds each instruction file once, wherever it is reached, and without its byte order mark', async () => {
    file('agent/AGENTS.md', '\uFEFFfrom the agent folder');
    mkdirSync(join(root, 'agent', 'sub'));
    symlinkSync(join(root, 'agent', 'AGENTS.md'), join(root, 'agent', 'sub', 'AGENTS.md'));
    const here = { agentDir: join(root, 'agent'), cwd: join(root, 'agent', 'sub'), includeProject: () => true };
    const prompt = textOf(await SystemPrompt.open(here));
    assert.equal(prompt.split('from the agent folder').length, 2);
    assert.ok(!prompt.includes('\uFEFF'));
  });

  itWith('git', "leaves out the repository's file where a worktree inside it has its own", async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: join(root, 'outer'), stdio: 'ignore' });
    file('outer/AGENTS.md', 'of the repository');
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'one');
    git('worktree', 'add', '-q', join(root, 'outer', 'work'));
    file('outer/work/AGENTS.md', 'of the worktree');
    const words = ['of the repository', 'of the worktree'];
    const prompt = await SystemPrompt.open(place());
    assert.deepEqual(order(textOf(prompt), words), ['of the worktree']);
    rmSync(join(root, 'outer', 'work', 'AGENTS.md'));
    await prompt.reload();
    assert.deepEqual(order(textOf(prompt), words), ['of the repository']);
  });

  it('takes SYSTEM.md and APPEND_SYSTEM.md of the workspace, else of the agent folder, as pi does', async () => {
    const prompt = await SystemPrompt.open(place());
    assert.match(textOf(prompt), /^You are a coding agent/);
    file('agent/SYSTEM.md', 'You are mine.\n');
    file('agent/APPEND_SYSTEM.md', 'Be brief.\n');
    await prompt.reload();
    assert.match(textOf(prompt), /^You are mine\.\n\n<addendum>\nBe brief\.\n<\/addendum>\n\n/);
    file('outer/work/.pi/SYSTEM.md', 'You are ours.');
    await prompt.reload();
    assert.match(textOf(prompt), /^You are ours\.\n\n<addendum>\nBe brief\.\n<\/addendum>\n\n/);
    file('outer/work/.pi/APPEND_SYSTEM.md', ' \n');
    await prompt.reload();
    assert.match(textOf(prompt), /^You are ours\.\n\n(?!<addendum>)/);
    trusted = false;
    await prompt.reload();
    assert.match(textOf(prompt), /^You are mine\./);
    const byHand = await SystemPrompt.open(place(), { custom: 'You are somebody else.' });
    assert.match(textOf(byHand), /^You are somebody else\.\n\n<addendum>\nBe brief\.\n<\/addendum>\n\n/);
  });
});
