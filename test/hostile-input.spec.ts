import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { convertToLlm } from '../src/agent/llm-messages';
import { parseModelsFile } from '../src/agent/models/files/models-file';
import { SettingsContent } from '../src/agent/settings/setting-keys';
import { readSettingsFile } from '../src/agent/settings/settings-file';
import { decisionsIn, nearestDecision } from '../src/agent/settings/trust-file';
import { buildContext } from '../src/agent/session/context';
import { encodeLine, rereadEntry, SessionDecoder } from '../src/agent/session/file/codec';
import { EntryTree } from '../src/agent/session/tree';
import { isRecord } from '../src/base/json/is-record';
import { keepFitting } from '../src/base/json/schema';
import type { Problem } from '../src/base/result';
import { exportItems } from '../src/export/items';
import { checkServerConfig } from '../src/mcp/config/server-config';
import { readPrompts, readTools } from '../src/mcp/connection/server-offer';
import { MessageLines } from '../src/mcp/connection/message-lines';
import { toolResult } from '../src/mcp/tools/server-tool';
import { readCommand } from '../src/modes/rpc/fields';
import { readDeclarations } from '../src/packages/declared';
import { readManifest } from '../src/packages/manifest';
import { readHostMessage, readPageMessage } from '../src/protocol/messages';
import { runs } from './support/long-run';
import { mutated } from './support/mutations';

const HEADER = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
const usage = {
  ...{ input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const call = { type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'ls' } };
const MESSAGES = [
  { role: 'user', content: 'hi', timestamp: 1 },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
    ],
    timestamp: 1,
  },
  {
    role: 'assistant',
    content: [{ type: 'thinking', thinking: 'hm', thinkingSignature: 's' }, { type: 'text', text: 'b' }, call],
    ...{ api: 'x', provider: 'p', model: 'm', stopReason: 'toolUse', timestamp: 2, usage },
  },
  {
    role: 'toolResult',
    toolCallId: 'c',
    toolName: 'bash',
    content: [{ type: 'text', text: 'r' }],
    isError: false,
    timestamp: 3,
  },
  { role: 'bashExecution', command: 'ls', output: 'x', exitCode: 0, cancelled: false, truncated: false, timestamp: 4 },
  { role: 'system', content: [{ type: 'text', text: 'be short' }], timestamp: 5 },
  { role: 'of-tomorrow', content: { a: 1 }, timestamp: 6 },
];
const ENTRIES = [
  ...MESSAGES.map((message, index) => ({ type: 'message', id: `m${index}`, parentId: 'm0', timestamp: 't', message })),
  {
    type: 'compaction',
    id: 'k',
    parentId: 'm1',
    timestamp: 't',
    summary: 's',
    firstKeptEntryId: 'm1',
    tokensBefore: 9,
  },
  { type: 'branch_summary', id: 'b', parentId: 'm1', timestamp: 't', fromId: 'm1', summary: 's' },
  { type: 'custom', id: 'u', parentId: 'k', timestamp: 't', customType: 'x', data: { a: [1] } },
  { type: 'custom_message', id: 'w', parentId: 'k', timestamp: 't', customType: 'x', content: 'y', display: true },
  { type: 'model_change', id: 'mc', parentId: null, timestamp: 't', provider: 'p', modelId: 'm' },
  { type: 'thinking_level_change', id: 'tc', parentId: 'mc', timestamp: 't', thinkingLevel: 'high' },
  { type: 'label', id: 'l', parentId: 'tc', timestamp: 't', targetId: 'm1', label: 'here' },
  { type: 'session_info', id: 'i', parentId: 'l', timestamp: 't', name: 'n' },
  { type: 'context_edit', id: 'e', parentId: 'i', timestamp: 't', edits: [{ entryId: 'm1', content: 'redacted' }] },
  { type: 'of_tomorrow', id: 'o', parentId: 'i', timestamp: 't', whatever: { deep: [{}] } },
];

const SETTINGS = {
  ...{ defaultProvider: 'p', defaultModel: 'm', defaultThinkingLevel: 'high', steeringMode: 'all', theme: 'dark' },
  ...{ compaction: { enabled: true, reserveTokens: 1 }, retry: { maxRetries: 3, provider: { maxRetryDelayMs: 5 } } },
  ...{ hooks: ['./a.ts'], extensions: ['b.ts', '!c.ts'], packages: ['npm:x', { source: 'git:y', skills: ['s'] }] },
  ...{ enabledModels: ['a/*'], skills: { enableSkillCommands: true }, images: { autoResize: false }, hookTimeout: 5 },
};

const MODELS = {
  providers: {
    local: {
      ...{ baseUrl: 'http://127.0.0.1:1', api: 'openai-completions', apiKey: '$KEY', headers: { a: '!cmd' } },
      models: [{ id: 'm', cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }, input: ['text'], compat: {} }],
      modelOverrides: { m: { name: 'n', cost: { input: 2 } } },
    },
  },
};

const PAGE_MESSAGES = [
  { type: 'ready' },
  {
    type: 'submit',
    text: 'x',
    images: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }],
    files: [{ path: 'a' }],
  },
  { type: 'answer', id: 'q', answer: { type: 'choice', index: 0 } },
  { type: 'stop', conversation: 'demo' },
];
const HOST_MESSAGES = [
  { type: 'item', revision: 1, item: { kind: 'user', id: 'u', text: 'x', images: [] } },
  { type: 'delta', revision: 2, id: 'a', part: 0, text: 'y' },
  { type: 'items', revision: 3, items: [{ kind: 'notice', id: 'n', level: 'info', text: 'z' }] },
];

const SERVER_LINES = [
  { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 't', inputSchema: { type: 'object', properties: {} } }] } },
  { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info' } },
  { jsonrpc: '2.0', id: 2, error: { code: -1, message: 'no' } },
];
const OFFERS = [
  { name: 't', title: 'T', description: 'd', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
  { name: 'u', inputSchema: { type: 'object' }, outputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'p', description: 'd', arguments: [{ name: 'a', description: 'x', required: true }] },
];
const RESULTS = [
  {
    content: [
      { type: 'text', text: 'x' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
    ],
    isError: false,
  },
  { content: [{ type: 'resource_link', uri: 'file:///a', name: 'a', size: 3, mimeType: 'text/plain' }] },
  {
    content: [
      { type: 'resource', resource: { uri: 'x:/a', text: 'y' } },
      { type: 'audio', data: 'AQ==', mimeType: 'a/b' },
    ],
  },
  { content: [], structuredContent: { a: 1 }, isError: true, _meta: {} },
];
const SERVERS = [
  {
    command: 'node',
    args: ['a'],
    env: { A: '${B}' },
    cwd: '.',
    timeoutMs: 5,
    exposure: 'direct',
    toolExposure: { t: 'hidden' },
  },
  { url: 'https://a.example', headers: { a: 'b' }, auth: { type: 'oauth', clientId: 'x', scopes: ['s'] } },
];

const MANIFESTS = [
  {
    ...{ name: '@a/b', version: '1.0.0', description: 'd', dependencies: { x: '1' } },
    pi: {
      extensions: ['src/*.ts', '!src/no.ts'],
      skills: ['s'],
      prompts: [],
      themes: ['t'],
      image: 'i',
      changelogPath: 'c',
    },
  },
];
const PACKAGES = [{ list: ['npm:a@1.0.0', 'git:github.com/a/b@v1', '../x', 'https://a.example/b.git', '~/y', '@a/b'] }];

const COMMANDS = [
  { type: 'prompt', id: '1', message: 'x', images: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }] },
  { type: 'set_model', id: '2', provider: 'p', modelId: 'm' },
];

/** The value of a text that may be none; what is no JSON stands for itself. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readable(problems: readonly Problem[]): void {
  for (const { message } of problems) assert.ok(typeof message === 'string' && message !== '', 'a problem has words');
}

/** Each surface that others write to; a hundred thousand inputs each with `npm run test:long`. */
describe('hostile input', function () {
  this.timeout(20 * 60_000);
  const folder = mkdtempSync(join(tmpdir(), 'hookline-hostile-'));
  after(() => rmSync(folder, { recursive: true }));

  const every = (samples: Parameters<typeof mutated>[0], check: (text: string) => void): void =>
    fc.assert(fc.property(mutated(samples), check), runs(400, 100_000));
  const everyLater = (
    samples: Parameters<typeof mutated>[0],
    check: (text: string) => Promise<void>,
    examples: [string][] = [],
  ): Promise<void> => fc.assert(fc.asyncProperty(mutated(samples), check), { ...runs(200, 100_000), examples });

  it('in lines of a session: each is read, kept or named, and what is read can be sent, exported and written again', () => {
    const lines = fc.array(mutated([...ENTRIES, HEADER]), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, texts => {
        const decoder = new SessionDecoder();
        const tree = new EntryTree();
        for (const [index, text] of [JSON.stringify(HEADER), ...texts].entries()) {
          const read = decoder.read(text, index + 1);
          if (read.kind === 'unusable') readable([read.problem]);
          if (read.kind !== 'entry') continue;
          const { entry } = read;
          if (read.rereadable) assert.deepEqual(rereadEntry(text, index + 1), { ok: true, entry });
          assert.ok(encodeLine(entry).endsWith('\n'));
          tree.add({ id: entry.id, parentId: entry.parentId, type: entry.type, entry });
        }
        for (const leaf of tree.leaves()) {
          const path = tree.path(leaf.id);
          const { messages } = buildContext(path);
          assert.ok(convertToLlm(messages).length <= 2 * messages.length);
          const entries = path.flatMap(({ entry }) => entry ?? []);
          assert.ok([...exportItems(entries, () => undefined)].length <= entries.length);
        }
      }),
      runs(400, 100_000),
    );
  });

  it('in settings.json: what fits counts, the rest is named', () =>
    everyLater([SETTINGS], async text => {
      const file = join(folder, 'settings.json');
      writeFileSync(file, text);
      const problems: Problem[] = [];
      const content = await readSettingsFile(file, problems);
      readable(problems);
      assert.ok(problems.every(problem => problem.file === file));
      assert.deepEqual(keepFitting(SettingsContent, content).misfits, []);
    }));

  it('in models.json: providers that fit count, others are named with their place', () => {
    every([MODELS], text => {
      const { problems } = parseModelsFile(text, '/m.json');
      readable(problems);
      assert.ok(problems.every(({ file }) => file === '/m.json'));
    });
  });

  it('in trust.json: a decision, or an error that names the file', () => {
    every([{ '/a': true, '/b': null }], text => {
      try {
        const saved = decisionsIn(text, '/t.json');
        for (const folder of ['/a', '/b/below']) {
          const found = nearestDecision(saved, folder, '/t.json');
          assert.ok(found === undefined || typeof found.trusted === 'boolean');
        }
      } catch (error) {
        assert.match(String(error), /^Error: \/t\.json/);
      }
    });
  });

  it('in messages of the page and of the host: taken as they are, or not at all', () => {
    for (const [samples, read] of [
      [PAGE_MESSAGES, readPageMessage],
      [HOST_MESSAGES, readHostMessage],
    ] as const) {
      every(samples, text => {
        const value = valueOf(text);
        const told: string[] = [];
        const message = read(value, problem => told.push(problem));
        assert.ok(message === undefined ? told.length === 1 : message === value);
      });
    }
  });

  it('in lines of RPC: a command, or an error for the sender', () => {
    every(COMMANDS, text => {
      try {
        assert.equal(typeof readCommand(text).type, 'string');
      } catch (error) {
        assert.match(String(error), /^Error: Failed to parse command: /);
      }
    });
  });

  it('in what an MCP server prints: each line is a message or an error, however it was cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    const lines = fc.array(mutated(SERVER_LINES), { maxLength: 6 });
    fc.assert(
      fc.property(lines, cuts, (texts, sizes) => {
        let heard = 0;
        const sink = (): void => void (heard += 1);
        const reader = new MessageLines({ onMessage: sink, onError: sink, onTooLong: sink });
        const bytes = Buffer.from(texts.map(text => `${text.replaceAll('\n', ' ')}\n`).join(''));
        for (let at = 0, index = 0; at < bytes.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          reader.read(bytes.subarray(at, at + size));
          at += size;
        }
        assert.equal(heard, texts.filter(text => Buffer.from(text).toString().trim() !== '').length);
      }),
      runs(400, 100_000),
    );
  });

  it('in what an MCP server offers: what can be used is kept, the rest is named', () => {
    every(OFFERS, text => {
      const problems: string[] = [];
      const value = valueOf(text);
      const found = [...readTools([value], problems), ...readPrompts([value], problems)];
      assert.ok(found.length + problems.length >= 1);
      assert.ok(found.every(({ name }) => typeof name === 'string' && name !== ''));
    });
  });

  it('in what tools of MCP servers answer: content that a model can be shown', () =>
    everyLater(
      RESULTS,
      async text => {
        const value = valueOf(text);
        const { content } = await toolResult(isRecord(value) ? value : {}, {
          server: 's',
          tool: 't',
          readsResources: true,
        });
        for (const part of content) assert.equal(typeof (part.type === 'image' ? part.data : part.text), 'string');
      },
      [['{"content":[{"type":{"toString":1,"valueOf":1}}]}']],
    ));

  it('in the entries of mcp.json: a configuration, or a fault in words', () => {
    every(SERVERS, text => {
      const checked = checkServerConfig('s', valueOf(text));
      if (!checked.ok) readable([checked.fault]);
    });
  });

  it('in manifests of packages: what fits counts, the rest is named', () =>
    everyLater(MANIFESTS, async text => {
      writeFileSync(join(folder, 'package.json'), text);
      const problems: Problem[] = [];
      const { dependencies, parts = {} } = await readManifest(folder, problems);
      readable(problems);
      assert.ok(dependencies.every(name => typeof name === 'string'));
      assert.ok(
        Object.values(parts)
          .flat()
          .every(entry => typeof entry === 'string'),
      );
    }));

  it('in declarations of packages: folders below those of packages, or a problem in words', () => {
    const places = { agentDir: join(folder, 'agent'), cwd: join(folder, 'work') };
    every(PACKAGES, text => {
      const value = valueOf(text);
      const list = isRecord(value) && Array.isArray(value['list']) ? (value['list'] as readonly unknown[]) : [];
      const entries = list.filter(entry => typeof entry === 'string');
      const lists = [{ entries, from: '/s.json', base: places.agentDir, scope: 'user' as const }];
      const { packages, problems } = readDeclarations({ places, lists, home: folder });
      readable(problems);
      for (const { folder: at, written } of packages) {
        const isRemote = /^(?:npm|git):|^https:/.test(written);
        assert.ok(!isRemote || at.startsWith(places.agentDir), `${written} -> ${at}`);
      }
    });
  });

  it('leaves nothing behind', () => {
    assert.deepEqual(
      readdirSync(folder).filter(name => !['settings.json', 'package.json'].includes(name)),
      [],
    );
  });
});
