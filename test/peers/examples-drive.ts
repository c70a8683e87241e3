import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost, type Message } from '../modes/support/rpc';
import { ScriptedLlm, type ScriptedReply } from '../support/scripted-llm';
import { PLANS } from './examples-plans';
import { peerFolder, TODAY } from './peers';
import { masked } from './rpc-mask';

/** What one program did with an example. */
export interface Driven {
  /** Records of RPC mode: events, questions and notices. */
  readonly told: unknown;
  /** What the model got, without the texts that the programs write themselves. */
  readonly requests: unknown;
  /** Files of the folder that was worked in, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly code: number | null;
  readonly stderr: string;
}

/** How an example is driven beyond what all of them are. */
export interface ExamplePlan {
  /** A file of the example that is named instead of its folder. */
  readonly entry?: string;
  /** Flags of the command line. */
  readonly args?: readonly string[];
  /** The workspace is a git repository with its files committed. */
  readonly git?: true;
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Tools that the model calls, with their arguments. */
  readonly calls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  /** Arguments of its commands, where those matter. */
  readonly commandArgs?: Readonly<Record<string, string>>;
  /** What a timer of the example draws: by the method of its record. */
  readonly timed?: string;
  /** Prompts, in order; one plain one when absent. */
  readonly prompts?: readonly string[];
  /** What is chosen: by title, the option or text; else the first option, yes and a word. */
  readonly answers?: Readonly<Record<string, string | boolean>>;
}

/** What the model does in the first run: one call of each kind that examples look at. */
const CALLS: NonNullable<ExamplePlan['calls']> = [
  { name: 'bash', arguments: { command: 'echo hi' } },
  { name: 'read', arguments: { path: 'notes.txt' } },
  { name: 'write', arguments: { path: 'out.txt', content: 'written' } },
];

/** Runs one example in one program, in a folder of its own, and gives what could be seen of it. */
export async function driveExample(path: string, program: Program): Promise<Driven> {
  const plan = PLANS[basename(path)] ?? {};
  const place = await CliPlace.make();
  const llm = await ScriptedLlm.start();
  try {
    // Without a choice, Hookline offers more tools than pi does.
    place.useLlm(llm, { defaultThinkingLevel: 'low', defaultTools: ['read', 'bash', 'edit', 'write'] });
    place.file('work/notes.txt', 'three little words\n');
    for (const [name, text] of Object.entries(plan.files ?? {})) place.file(join('work', name), text);
    if (plan.git === true) makeRepository(place.cwd);
    const steps = (plan.calls ?? CALLS).map((call): ScriptedReply => ({ toolCalls: [call] }));
    steps.push({ text: 'done' });
    // Agents that an example starts ask the same server.
    llm.otherwise(({ body }) => (isTask(body['messages']) ? undefined : steps.shift()) ?? { text: 'an answer' });
    return await drive({ path, plan, place, llm, program: { ...program, env: { ...program.env, ...modules() } } });
  } finally {
    await place.remove();
    await llm.stop();
  }
}

function isTask(messages: unknown): boolean {
  return JSON.stringify(messages).includes('"Task: ');
}

function makeRepository(cwd: string): void {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...who, 'commit', '-qm', 'first'],
  ]) {
    execFileSync('git', args, { cwd });
  }
}

/** Packages that some examples depend on are installed beside pi. */
function modules(): Readonly<Record<string, string>> {
  return { NODE_PATH: resolve(peerFolder(TODAY), '..', '..') };
}

interface Drive {
  readonly path: string;
  readonly plan: ExamplePlan;
  readonly place: CliPlace;
  readonly llm: ScriptedLlm;
  readonly program: Program;
}

async function drive({ path, plan, place, llm, program }: Drive): Promise<Driven> {
  const host = RpcHost.start(
    place,
    ['--approve', '-e', plan.entry === undefined ? path : join(path, plan.entry), ...(plan.args ?? [])],
    program,
  );
  const answering = new Answers(host, plan.answers ?? {});
  let names: readonly string[] = [];
  const use = async (): Promise<void> => {
    names = await ownCommands(host);
    const commands = names.map(name => `/${name} ${plan.commandArgs?.[name] ?? ''}`.trimEnd());
    for (const message of [...(plan.prompts ?? ['a question']), ...commands]) {
      await host.ask('prompt', { message });
      await idle(host);
    }
  };
  // An example may end the process; then what it does to the rest is no answer.
  const using = use();
  using.catch(() => undefined);
  await Promise.race([using, host.ended]);
  answering.stop();
  // What pi clears on the client's screen when it ends is of no use to anybody.
  const events = host.messages
    .filter(({ type, method }) => type !== 'response' && (method === undefined || method !== plan.timed))
    .map(withDefaults);
  const { code, stderr } = await host.close();
  return {
    told: plain({ commands: [...names].sort(), ...masked(events, place.root) }),
    requests: plain(llm.requests.map(({ body }) => masked([asRecord(body['messages'])], place.root).told)),
    files: filesIn(place.cwd),
    code,
    // Errors of hooks are records; ours tells them on stderr as well.
    stderr: code === 0 ? '' : firstLine(stderr).replaceAll(place.root, 'ROOT'),
  };
}

/** Commands of the example, without those that pi itself registers. */
async function ownCommands(host: RpcHost): Promise<readonly string[]> {
  const { commands } = await host.data<{ readonly commands: readonly Record<string, unknown>[] }>('get_commands');
  const own = commands.filter(({ source, sourceInfo }) => {
    const from = (sourceInfo as { readonly source?: string } | undefined)?.source;
    return source === 'extension' && from !== 'builtin';
  });
  return own.map(({ name }) => String(name));
}

/** Only what is said is compared: instructions and descriptions of tools are other texts. */
function asRecord(messages: unknown): Message {
  return { type: 'request', messages };
}

/** Waits until nothing runs and nothing waits. */
async function idle(host: RpcHost): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    const state = await host.data<Readonly<Record<string, unknown>>>('get_state');
    const busy = state['isStreaming'] === true || state['isCompacting'] === true || state['pendingMessageCount'] !== 0;
    quiet = busy ? 0 : quiet + 1;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** Answers each question at once. */
class Answers {
  private seen = 0;
  private readonly timer = setInterval(() => this.look(), 5);

  constructor(
    private readonly host: RpcHost,
    private readonly chosen: Readonly<Record<string, string | boolean>>,
  ) {}

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const message of this.host.messages.slice(this.seen)) {
      this.seen += 1;
      const { type, method, title, options } = message;
      if (type !== 'extension_ui_request') continue;
      const answer = this.chosen[String(title)];
      if (method === 'confirm') this.host.answer(message, { confirmed: answer ?? true });
      else if (method === 'select') this.host.answer(message, { value: answer ?? (options as string[])[0] });
      else if (method === 'input' || method === 'editor') this.host.answer(message, { value: answer ?? 'a word' });
    }
  }
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile() && !entry.parentPath.includes('.git'));
  return Object.fromEntries(
    files.map(entry => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')] as const).sort(),
  );
}

/** What a client takes for granted is said by us and left out by pi. */
function withDefaults(record: Message): Message {
  const { method } = record;
  if (method === 'notify') return { notifyType: 'info', ...record };
  return method === 'setWidget' ? { widgetPlacement: 'aboveEditor', ...record } : record;
}

/** Texts of examples hold the time in milliseconds, the length of the instructions, and colours of the theme. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\b1[7-9]\d{11}\b/g, '0')
    .replaceAll(/System: \d+ chars/g, 'System: some chars')
    .replaceAll(/\\u001b\[[\d;]*m/g, '');
  return JSON.parse(text);
}

function firstLine(text: string): string {
  return text.split('\n').find(line => line.trim() !== '') ?? '';
}
