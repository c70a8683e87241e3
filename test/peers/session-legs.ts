import { appendFileSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost } from '../modes/support/rpc';
import { ScriptedLlm, type ScriptedRequest } from '../support/scripted-llm';

/** Commands for what RPC mode has no command of its own. */
const EXTENSION = `export default pi => {
  const command = (name, run) =>
    pi.registerCommand(name, { description: name, handler: async (args, ctx) => { await run(args.split(' '), ctx); } });
  command('mark', ([id, label]) => pi.setLabel(id, label));
  command('go', ([id, how], ctx) => ctx.navigateTree(id, { summarize: how === 'summary' }));
  command('note', ([text]) => pi.sendMessage({ customType: 'note', content: text, display: true, details: { n: 1 } }));
  command('keep', ([text]) => pi.appendEntry('kept', { text }));
};
`;

/** Two red pixels above two blue ones. */
const IMAGE = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8AARAxg8j8AG/ID/fPnS7EAAAAASUVORK5CYII=',
};

/** An entry as it stands in a file. */
export type Line = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly message?: { readonly role: string; readonly content: unknown };
};

/** What a program makes of a session file. */
export interface Reading {
  readonly entries: unknown;
  readonly tree: unknown;
  readonly statistics: unknown;
  readonly name: unknown;
  readonly model: unknown;
  readonly thinkingLevel: unknown;
  /** The messages that the provider gets with the next prompt. */
  readonly sent: unknown;
}

/** A home, a scripted provider, and one session file that programs take turns to write. */
export class Legs {
  private count = 0;
  private path: string | undefined;

  private constructor(
    readonly place: CliPlace,
    readonly llm: ScriptedLlm,
  ) {}

  /** `more` goes over the settings that turns go by else. */
  static async open(more: object = {}): Promise<Legs> {
    const place = await CliPlace.make();
    const llm = await ScriptedLlm.start();
    const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 };
    const model = { input: ['text', 'image'], cost };
    // The bundle of pi alone cannot resize, and would leave the image out.
    const settings = { compaction: { keepRecentTokens: 1 }, images: { autoResize: false }, ...more };
    place.useLlm(llm, settings, [
      { id: 'one', ...model },
      { id: 'two', ...model },
    ]);
    place.file('agent/extensions/legs.ts', EXTENSION);
    let count = 0;
    llm.otherwise(() => ({
      text: `answer ${(count += 1)}`,
      usage: { input: 100 + count, output: 7, cacheRead: 3, cacheWrite: 2 },
    }));
    return new Legs(place, llm);
  }

  async close(): Promise<void> {
    await this.place.remove();
    await this.llm.stop();
  }

  /** The file that is passed to and fro. */
  get file(): string {
    this.path ??= this.place.sessionFiles()[0];
    if (this.path === undefined) throw new Error('no session was written');
    return this.path;
  }

  /** Everything that stands in the file. */
  text(): string {
    return readFileSync(this.file, 'utf8');
  }

  lines(): readonly Line[] {
    return this.text()
      .trimEnd()
      .split('\n')
      .slice(1)
      .map(line => JSON.parse(line) as Line);
  }

  /** The last line that holds a message with this text. */
  lineOf(text: string): Line {
    const found = this.lines().findLast(({ message }) => JSON.stringify(message?.content ?? '').includes(text));
    if (found === undefined) throw new Error(`no message has ${text}`);
    return found;
  }

  /** Appends an entry to the leaf, as an extension of either program or a pi of tomorrow would. */
  append(entry: Readonly<Record<string, unknown>>): void {
    this.count += 1;
    const id = `added00${this.count}`;
    const parentId = this.lines().at(-1)?.id;
    appendFileSync(this.file, `${JSON.stringify({ ...entry, id, parentId, timestamp: new Date().toISOString() })}\n`);
  }

  /** Starts a program at the session, or at a new one, lets it do something, and ends it. `others`: arguments instead. */
  async leg(program: Program, act: (host: RpcHost) => Promise<unknown>, others?: readonly string[]): Promise<void> {
    const args = others ?? (this.place.sessionFiles().length === 0 ? [] : ['--session', this.file]);
    const host = RpcHost.start(this.place, args, program);
    await act(host);
    const { code, stderr } = await host.close();
    if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`);
  }

  /** What a program makes of the file, or of another: it opens a copy and prompts once. */
  async read(program: Program, file = this.file): Promise<Reading> {
    this.count += 1;
    const copy = join(this.place.root, `copy ${this.count}.jsonl`);
    copyFileSync(file, copy);
    const host = RpcHost.start(this.place, ['--session', copy], program);
    const { entries } = await host.data<{ entries: readonly object[] }>('get_entries');
    const { tree } = await host.data<{ tree: unknown }>('get_tree');
    const statistics = await host.data<object>('get_session_stats');
    const state = await host.data<Readonly<Record<string, unknown>>>('get_state');
    await host.prompt('next');
    const request = this.llm.requests.at(-1);
    const { code, stderr } = await host.close();
    if (code !== 0 || request === undefined) throw new Error(`ended with ${code}: ${stderr}`);
    return {
      entries,
      tree,
      statistics: { ...statistics, sessionFile: undefined },
      name: state['sessionName'],
      model: (state['model'] as { readonly id?: string } | undefined)?.id,
      thinkingLevel: state['thinkingLevel'],
      sent: sentIn(request),
    };
  }
}

/** Prompts with an image. */
export async function promptWithImage(host: RpcHost, message: string): Promise<void> {
  const from = host.messages.length;
  await host.data('prompt', { message, images: [IMAGE] });
  await host.event('agent_settled', from);
}

/**
 * The messages of a request without marks for the provider's cache, and without the words that each program puts around
 * the summary of a branch or of what was compacted.
 */
export function sentIn({ body }: ScriptedRequest): unknown {
  const shown = JSON.stringify(body['messages'], (key, value: unknown) => {
    if (key === 'cache_control') return undefined;
    return typeof value === 'string' ? value.replace(/^.*<summary>\n(.*?)\n?<\/summary>$/s, 'summary: $1') : value;
  });
  return JSON.parse(shown);
}
