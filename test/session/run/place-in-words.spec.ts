import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SystemMessage } from '../../../src/agent/messages';
import { Rig } from '../../support/conversation-rig';

/** Replaces the folder where older pi said it. */
const REPLACES = `pi.on('before_agent_start', event => ({
  systemPrompt: event.systemPrompt.replace(/Current working directory: .*$/, 'Current working directory: /elsewhere'),
}));`;

const LISTENS = `pi.on('before_agent_start', () => undefined);`;
const CALLS = `pi.registerCommand('prompt', { handler: async (_args, ctx) => ctx.ui.notify(ctx.getSystemPrompt()) });`;
const PAYLOAD = `pi.on('before_provider_request', () => undefined);`;

const file = (dialect: string, code: string): string =>
  `// @pi-dialect ${dialect}\nexport default pi => { ${code} };\n`;

describe('the date and the folder in the system prompt', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  async function prompts(extensions: Readonly<Record<string, string>>, count = 1): Promise<readonly string[]> {
    const script = Array.from({ length: count }, () => ({ text: 'ok' }));
    rig = await Rig.open(script, { extensions, realPrompt: true });
    await rig.chat.submit('go');
    return rig.model.requests.map(({ systemPrompt = '' }) => systemPrompt);
  }
  const words = (): string => `\n\nCurrent date: 2026-01-01\nCurrent working directory: ${rig.cwd}`;
  const tags = (): string => `<date>\n2026-01-01\n</date>\n\n<cwd>\n${rig.cwd}\n</cwd>`;

  for (const [what, code] of [
    ['listens to before_agent_start', LISTENS],
    ['calls getSystemPrompt', CALLS],
    ['listens to before_provider_request', PAYLOAD],
  ] as const) {
    for (const dialect of ['v1', 'v2', 'tree', 'omp', 'ext']) {
      it(`are also sentences, at the end, while a ${dialect} file is loaded that ${what}`, async () => {
        const [prompt = ''] = await prompts({ 'a.ts': file(dialect, code) });
        assert.ok(prompt.endsWith(tags() + words()), prompt);
      });
    }
    it(`are tags only for a file of today's pi that ${what}`, async () => {
      const [prompt = ''] = await prompts({ 'a.ts': file('pi', code) });
      assert.ok(prompt.endsWith(tags()), prompt);
    });
  }

  it('are tags only for an older file that does not get the prompt, and without hooks', async () => {
    const [prompt = ''] = await prompts({ 'a.ts': file('ext', `pi.on('tool_call', () => undefined);`) });
    assert.ok(prompt.endsWith(tags()), prompt);
    await rig.close();
    const [bare = ''] = await prompts({});
    assert.ok(bare.endsWith(tags()), bare);
  });

  it('are what an older hook finds and replaces', async () => {
    const [prompt = ''] = await prompts({ 'a.ts': file('ext', REPLACES) });
    assert.ok(prompt.endsWith('\nCurrent working directory: /elsewhere'), prompt);
  });

  it('are sentences as long as the file is loaded, and then tags again', async () => {
    await prompts({}, 3);
    const path = join(rig.cwd, '.pi', 'extensions', 'late.ts');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file('ext', LISTENS));
    await rig.host.reload();
    await rig.chat.submit('go');
    rmSync(path);
    await rig.host.reload();
    await rig.chat.submit('go');
    const [before = '', during = '', after = ''] = rig.model.requests.map(({ systemPrompt }) => systemPrompt);
    assert.equal(during, before + words());
    assert.equal(after, before);
    const changes = rig.conversation.run.agent.messages.filter(({ role }) => role === 'system') as SystemMessage[];
    assert.deepEqual(
      changes.slice(1).map(({ sections }) => sections),
      [{ place_in_words: words().trimStart() }, { place_in_words: null }],
    );
  });
});
