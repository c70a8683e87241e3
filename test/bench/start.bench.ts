import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bench, benchCase, type Figures } from '../support/bench';
import { openHooks, runtime, WORKER_FILE, writeHooks, type OpenHooks } from '../support/bench-hooks';
import { cpuMs, wallMs } from '../support/bench-measure';
import { importPi, type PiExtensions } from '../support/bench-peer';
import { FakeConversation } from '../support/fake-conversation';

const HOOKS = 50;

/** A hook as people write them: typed, with helpers, a gate and an observer. */
function hookText(at: number): string {
  return `import type { HookAPI, ToolCallEvent } from '@mariozechner/pi-coding-agent/hooks';

interface Rule { readonly pattern: RegExp; readonly reason: string }
type Seen = Record<string, number>;

const rules: readonly Rule[] = [
  { pattern: /\\brm\\s+-rf?\\b/, reason: 'deletes (${at})' },
  { pattern: /\\bgit\\s+push\\b/, reason: 'publishes' },
  { pattern: /\\bsudo\\b/, reason: 'asks for too much' },
];

function commandOf(event: ToolCallEvent): string {
  const input = event.input as { command?: unknown };
  return typeof input.command === 'string' ? input.command : '';
}

function firstRule(command: string): Rule | undefined {
  for (const rule of rules) if (rule.pattern.test(command)) return rule;
  return undefined;
}

class Counter {
  private readonly seen: Seen = {};
  private readonly limit: number = ${10 + at};
  add(name: string): boolean {
    this.seen[name] = (this.seen[name] ?? 0) + 1;
    return this.seen[name]! <= this.limit;
  }
  get names(): string[] {
    return Object.keys(this.seen).sort((a: string, b: string) => a.localeCompare(b));
  }
}

export default function (pi: HookAPI): void {
  const counter = new Counter();
  pi.on('tool_call', async (event, ctx) => {
    counter.add(event.toolName);
    if (event.toolName !== 'bash') return undefined;
    const rule = firstRule(commandOf(event));
    if (rule === undefined) return undefined;
    if (!ctx.hasUI) return { block: true, reason: rule.reason };
    const answer = await ctx.ui.select(\`Run \${commandOf(event)}?\`, ['Yes', 'No']);
    return answer === 'Yes' ? undefined : { block: true, reason: rule.reason };
  });
  pi.on('tool_result', async event => {
    if (event.isError) counter.add(\`failed \${event.toolName}\`);
    return undefined;
  });
}
`;
}

interface Place {
  readonly cwd: string;
  readonly files: readonly string[];
}

/** CPU of this thread from nothing to all hooks registered; the import of the runtime is told apart. */
async function start(cwd: string, cacheDir: string, workerFile: string | undefined): Promise<Figures> {
  const imported = await cpuMs(runtime);
  let hooks: OpenHooks | undefined;
  const cpu = await cpuMs(async () => {
    hooks = await openHooks({ cwd, cacheDir, ...(workerFile === undefined ? {} : { workerFile }) });
  });
  if (hooks?.host.infos().length !== HOOKS) throw new Error('not all hooks were loaded');
  return { cpu, imported };
}

async function rawStart(files: readonly string[]): Promise<Figures> {
  const handlers: unknown[] = [];
  const api = { on: (name: string, handler: unknown) => handlers.push([name, handler]) };
  const cpu = await cpuMs(async () => {
    for (const file of files) {
      const module = (await import(pathToFileURL(file).href)) as { default: (pi: typeof api) => void };
      module.default(api);
    }
  });
  return { cpu, imported: 0 };
}

function place(folder: string): Place {
  const texts = Array.from({ length: HOOKS }, (_, at) => hookText(at));
  return { cwd: folder, files: writeHooks(folder, texts) };
}

const freshCache = (cwd: string): string => join(cwd, `cache-${process.pid}`);

const first = (name: string, workerFile: string | undefined, aims: boolean): ReturnType<typeof benchCase> =>
  benchCase<Place>({
    rows: [
      { name, figure: 'cpu', unit: 'ms', ...(aims ? { aim: { figure: 120, ratio: 120 / 36 } } : {}) },
      ...(aims ? [{ name: 'import of the hook runtime', figure: 'imported', unit: 'ms' } as const] : []),
    ],
    setUp: place,
    isolated: true,
    rounds: 3,
    measure: {
      raw: ({ files }) => rawStart(files).then(({ cpu }) => ({ cpu: cpu ?? 0 })),
      ours: ({ cwd }) => start(cwd, freshCache(cwd), workerFile),
      ...(aims ? { pi: ({ cwd, files }: Place) => piStart(cwd, files) } : {}),
    },
  });

async function piStart(cwd: string, files: readonly string[]): Promise<Figures> {
  process.env['JITI_FS_CACHE'] = 'false'; // What an earlier round compiled is on the disk otherwise.
  let pi: PiExtensions | undefined;
  const imported = await cpuMs(async () => {
    pi = await importPi<PiExtensions>('core/extensions/index.js');
  });
  return { cpu: await cpuMs(() => pi?.loadExtensions(files, cwd)), imported };
}

const next = benchCase<Place>({
  rows: [{ name: '50 hooks, next start', figure: 'cpu', unit: 'ms', aim: { figure: 50, ratio: 50 / 41 } }],
  async setUp(folder) {
    const made = place(folder);
    const hooks = await openHooks({ cwd: folder, cacheDir: join(folder, 'cache'), workerFile: WORKER_FILE });
    await hooks.close();
    return made;
  },
  isolated: true,
  rounds: 3,
  measure: {
    raw: ({ files }) => rawStart(files).then(({ cpu }) => ({ cpu: cpu ?? 0 })),
    ours: ({ cwd }) => start(cwd, join(cwd, 'cache'), WORKER_FILE),
  },
});

interface Reloading {
  readonly hooks: OpenHooks;
  readonly conversation: FakeConversation;
  readonly cwd: string;
  readonly file: string;
}

const guard = (word: string): string => `export default function (pi: any) {
  pi.on('tool_call', async (event: { toolName: string }) => {
    return { block: true, reason: '${word}' };
  });
}
`;

let saves = 0;

const reload = benchCase<Reloading>({
  rows: [{ name: 'from a save to the new handler in force, 11 hooks (host.reload)', figure: 'ms', unit: 'ms' }],
  async setUp(folder) {
    const texts = Array.from({ length: 10 }, (_, at) => hookText(at));
    const [file = ''] = writeHooks(folder, [guard('before'), ...texts]);
    const hooks = await openHooks({ cwd: folder, cacheDir: join(folder, 'cache'), workerFile: WORKER_FILE });
    const conversation = new FakeConversation();
    hooks.host.attach(conversation);
    return { hooks, conversation, cwd: folder, file };
  },
  tearDown: ({ hooks }) => hooks.close(),
  rounds: 7,
  measure: {
    async raw({ file }) {
      const word = `raw ${++saves}`;
      let handlers: (() => Promise<{ reason: string }>)[] = [];
      const ms = await wallMs(async () => {
        await writeFile(file, guard(word));
        const made: typeof handlers = [];
        const url = `${pathToFileURL(file).href}?${saves}`;
        const module = (await import(url)) as { default: (pi: object) => void };
        module.default({ on: (_name: string, handler: (typeof made)[number]) => made.push(handler) });
        handlers = made;
        if ((await handlers[0]?.())?.reason !== word) throw new Error('the old handler answered');
      });
      return { ms };
    },
    async ours({ hooks, conversation, file }) {
      const word = `ours ${++saves}`;
      const ms = await wallMs(async () => {
        await writeFile(file, guard(word));
        await hooks.host.reload();
        const call = { type: 'tool_call', toolCallId: 'c', toolName: 'ls', input: {} } as const;
        const verdict = await hooks.host.runner.emit(call, conversation);
        if (!verdict.block || verdict.reason !== word) throw new Error('the old handler answered');
      });
      return { ms };
    },
  },
});

await bench(
  first('50 hooks, first start ever, with the worker', WORKER_FILE, true),
  first('50 hooks, first start ever, without the worker', undefined, false),
  next,
  reload,
);
