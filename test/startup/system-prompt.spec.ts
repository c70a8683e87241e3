import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SystemPrompt } from '../../src/startup/system-prompt';

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
  const order = (text: string, words: readonly string[]): string[] =>
    words.filter(word => text.includes(word)).sort((a, b) => text.indexOf(a) - text.indexOf(b));

  it('holds the instruction files of the agent folder, then from the outermost folder in, one of each folder', async () => {
    file('agent/AGENTS.md', 'from the agent folder');
    file('outer/CLAUDE.md', 'from outside');
    file('outer/work/AGENTS.md', 'from the workspace');
    file('outer/work/CLAUDE.md', 'not this one');
    const words = ['from the workspace', 'not this one', 'from outside', 'from the agent folder'];
    const prompt = await SystemPrompt.open(place());
    assert.deepEqual(order(prompt.for([]), words), ['from the agent folder', 'from outside', 'from the workspace']);
    trusted = false;
    await prompt.reload();
    assert.deepEqual(order(prompt.for([]), words), ['from the agent folder']);
  });

  it('takes SYSTEM.md and APPEND_SYSTEM.md of the workspace, else of the agent folder, as pi does', async () => {
    const prompt = await SystemPrompt.open(place());
    assert.match(prompt.for([]), /^You are a coding agent/);
    file('agent/SYSTEM.md', 'You are mine.\n');
    file('agent/APPEND_SYSTEM.md', 'Be brief.\n');
    await prompt.reload();
    assert.match(prompt.for([]), /^You are mine\.\n\nBe brief\.\n\n/);
    file('outer/work/.pi/SYSTEM.md', 'You are ours.');
    file('outer/work/.pi/APPEND_SYSTEM.md', ' \n');
    await prompt.reload();
    assert.match(prompt.for([]), /^You are ours\.\n\nBe brief\.\n\n/);
    trusted = false;
    await prompt.reload();
    assert.match(prompt.for([]), /^You are mine\./);
    const byHand = await SystemPrompt.open(place(), { custom: 'You are somebody else.' });
    assert.match(byHand.for([]), /^You are somebody else\.\n\nBe brief\.\n\n/);
  });
});
