import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readModelsFile } from '../../src/agent/models/files/models-file';
import { loadResources } from '../../src/agent/resources/load';
import { loadSettings } from '../../src/agent/settings/load-settings';
import { TrustFile } from '../../src/agent/settings/trust-file';
import { writeSetting } from '../../src/agent/settings/write-setting';
import { messageOf } from '../../src/base/errors';
import { discoverHooks } from '../../src/hook-load/files/discover';
import { findGate } from '../../src/hook-load/files/find-gate';
import { SessionList } from '../../src/agent/session/library/session-list';
import { SystemPrompt } from '../../src/startup/system-prompt';
import { inFolder, type TempFolder } from '../agent/tools/fixture';
import { Loading } from '../hook-load/support/loading';
import { TempFiles } from '../hook-load/support/temp-files';
import { putSpecial, SAID, SPECIAL_KINDS } from '../support/special-files';

/** What reads a file when Hookline starts or reloads; each gives what it says about the file. */
const READERS: Readonly<
  Record<string, readonly [path: string, read: (folder: TempFolder) => Promise<readonly string[]>]>
> = {
  settings: ['.pi/settings.json', async folder => messages((await settingsOf(folder)).problems)],
  'a setting that is written': [
    'agent/settings.json',
    folder => refusal(writeSetting(at(folder, 'agent/settings.json'), 'defaultModel', 'x')),
  ],
  'AGENTS.md': ['AGENTS.md', promptProblems],
  'CLAUDE.md': ['CLAUDE.md', promptProblems],
  'SYSTEM.md': ['.pi/SYSTEM.md', promptProblems],
  'a prompt': ['.pi/prompts/p.md', resourceProblems],
  'a skill': ['.pi/skills/s.md', resourceProblems],
  'a rule': ['.pi/rules/r.md', resourceProblems],
  'models.json': [
    'agent/models.json',
    async folder => messages((await readModelsFile(at(folder, 'agent/models.json'))).problems),
  ],
  'trust.json': ['agent/trust.json', folder => refusal(new TrustFile(at(folder, 'agent')).nearest(folder.path))],
  "a hook package's manifest": [
    '.pi/extensions/p/package.json',
    folder => Promise.resolve(messages(discovered(folder).problems)),
  ],
};

/** Folders are looked into, or are no resource of this name. */
const FOLDERS_ARE_FINE = new Set(['a prompt', 'a skill', 'a rule']);

describe('special files where Hookline reads at its start', function () {
  this.timeout(30_000);

  for (const kind of SPECIAL_KINDS) {
    for (const [name, [path, read]] of Object.entries(READERS)) {
      it(`${name} as a ${kind}`, () =>
        inFolder({ 'agent/': '' }, async folder => {
          const remove = await putSpecial(at(folder, path), kind);
          try {
            const said = await read(folder);
            if (kind === 'folder' && FOLDERS_ARE_FINE.has(name)) return;
            assert.equal(said.length, 1, said.join('\n'));
            assert.match(said[0] ?? '', SAID[kind]);
          } finally {
            await remove();
          }
        }));
    }

    it(`a hook as a ${kind} is listed, does not load, and counts as an unknown gate`, () =>
      inFolder({ '.pi/hooks/': '' }, async folder => {
        const path = at(folder, '.pi/hooks/gate.ts');
        const remove = await putSpecial(path, kind);
        try {
          const { files } = discovered(folder);
          assert.equal(files.length, kind === 'folder' ? 0 : 1);
          assert.equal(await findGate(path), 'unknown');
        } finally {
          await remove();
        }
        const loading = new Loading(new TempFiles({}));
        const again = await putSpecial(loading.files.path('h.ts'), kind);
        try {
          assert.match((await loading.problem('h.ts')).message, SAID[kind]);
        } finally {
          await again();
          await loading.end();
        }
      }));

    it(`a session file as a ${kind} is listed with the reason`, () =>
      inFolder({ 'sessions/': '' }, async folder => {
        const remove = await putSpecial(at(folder, 'sessions/s.jsonl'), kind);
        try {
          const listed = await new SessionList(at(folder, 'sessions')).list();
          assert.equal(listed.length, 1);
          assert.match(listed[0]?.problem ?? '', SAID[kind]);
        } finally {
          await remove();
        }
      }));
  }

  it('an AGENTS.md that is no file leaves the next name of its folder to be read', () =>
    inFolder({ 'CLAUDE.md': 'from the other', 'agent/': '' }, async folder => {
      await putSpecial(at(folder, 'AGENTS.md'), 'named pipe');
      const prompt = await openPrompt(folder);
      const { contextFiles } = prompt.for({ active: [], all: [] });
      assert.match(JSON.stringify(contextFiles), /from the other/);
    }));

  for (const [what, bytes] of [
    ['Shift-JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b])],
    ['UTF-16 with a mark', Buffer.from('\ufeffwords', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('words', 'utf16le')],
  ] as const) {
    it(`an AGENTS.md that is ${what} is named, and the next name of its folder is read`, () =>
      inFolder({ 'AGENTS.md': bytes, 'CLAUDE.md': 'from the other', 'agent/': '' }, async folder => {
        const prompt = await openPrompt(folder);
        assert.deepEqual(
          prompt.for({ active: [], all: [] }).contextFiles.map(({ content }) => content),
          ['from the other'],
        );
        assert.deepEqual(prompt.problems, [
          { file: at(folder, 'AGENTS.md'), message: 'Instructions cannot be read: the file is not UTF-8 text.' },
        ]);
      }));
  }

  it('a hook of 200 MB is not read', async () => {
    const loading = new Loading(new TempFiles({ 'h.ts': '' }));
    try {
      const { truncateSync } = await import('node:fs');
      truncateSync(loading.files.path('h.ts'), 200 * 1024 * 1024);
      assert.match((await loading.problem('h.ts')).message, /h\.ts is larger than 16 MB/);
    } finally {
      await loading.end();
    }
  });
});

function at(folder: TempFolder, name: string): string {
  return join(folder.path, name);
}

function messages(problems: readonly { readonly message: string }[]): readonly string[] {
  return problems.map(({ message }) => message);
}

async function refusal(work: Promise<unknown>): Promise<readonly string[]> {
  return work.then(
    () => [],
    (error: unknown) => [messageOf(error)],
  );
}

function settingsOf(folder: TempFolder): ReturnType<typeof loadSettings> {
  return loadSettings({ agentDir: at(folder, 'agent'), cwd: folder.path, includeProject: true });
}

async function resourceProblems(folder: TempFolder): Promise<readonly string[]> {
  const { settings } = await settingsOf(folder);
  const sources = { agentDir: at(folder, 'agent'), cwd: folder.path, home: at(folder, 'home'), includeProject: true };
  return messages((await loadResources({ ...sources, settings })).problems);
}

function openPrompt(folder: TempFolder): Promise<SystemPrompt> {
  return SystemPrompt.open({ agentDir: at(folder, 'agent'), cwd: folder.path, includeProject: () => true });
}

async function promptProblems(folder: TempFolder): Promise<readonly string[]> {
  return messages((await openPrompt(folder)).problems);
}

function discovered(folder: TempFolder): ReturnType<typeof discoverHooks> {
  return discoverHooks({
    agentDir: at(folder, 'agent'),
    cwd: folder.path,
    home: at(folder, 'home'),
    includeProject: true,
  });
}
