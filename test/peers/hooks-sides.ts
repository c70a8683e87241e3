import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createStreamFn } from '../../src/agent/models/requests/stream';
import { heardIn, type Heard } from '../support/recorder';
import { Rig, until } from '../support/conversation-rig';
import { ScriptedLlm, type ScriptedReply } from '../support/scripted-llm';

/** What a person does, in words that both sides know. */
export type Step =
  | { readonly do: 'prompt'; readonly text: string }
  | { readonly do: 'new' | 'resume first' | 'branch from first message' }
  | { readonly do: 'compact'; readonly instructions?: string };

/** What the model answers: a reply, or a failure that both clients pass on at once. */
export type Answer = ScriptedReply | { readonly fail: string };

export interface Scenario {
  readonly steps: readonly Step[];
  readonly answers: readonly Answer[];
  /** Files of the workspace, hooks included. */
  readonly files: Readonly<Record<string, string>>;
}

/** Where one run of a scenario takes place: a home with models and settings, a workspace, a model. */
class Place {
  readonly root = mkdtempSync(join(tmpdir(), 'hookline peer '));
  readonly cwd = join(this.root, 'work');
  readonly agentDir = join(this.root, 'home', '.pi', 'agent');
  readonly record = join(this.root, 'heard.jsonl');

  private constructor(readonly llm: ScriptedLlm) {}

  static async make({ files, answers }: Scenario): Promise<Place> {
    const llm = await ScriptedLlm.start();
    const place = new Place(llm);
    for (const answer of answers) {
      if ('fail' in answer) llm.fail(400, { message: answer.fail });
      else llm.reply(answer);
    }
    llm.otherwise(() => ({ text: ['summary by the model'] }));
    const { baseUrl, ...model } = place.model;
    const { id, name, reasoning, input, cost, contextWindow, maxTokens } = model;
    const models = [{ id, name, reasoning, input, cost, contextWindow, maxTokens }];
    place.write({
      'home/.pi/agent/models.json': JSON.stringify({
        providers: { scripted: { baseUrl, apiKey: llm.apiKey, api: model.api, models } },
      }),
      'home/.pi/agent/settings.json': JSON.stringify(SETTINGS),
    });
    place.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`work/${path}`, text])));
    return place;
  }

  get model(): ReturnType<ScriptedLlm['model']> {
    return this.llm.model('openai-completions', { reasoning: false, input: ['text'] });
  }

  heard(): readonly Heard[] {
    return heardIn(this.record);
  }

  async remove(): Promise<void> {
    await this.llm.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  private write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text.replaceAll('RECORD_FILE', this.record));
    }
  }
}

const SETTINGS = {
  compaction: { enabled: true, reserveTokens: 16384, keepRecentTokens: 5 },
  retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 },
};

/** Runs a scenario in our conversation and gives what the recording hook heard. */
export async function ours(scenario: Scenario): Promise<readonly Heard[]> {
  const place = await Place.make(scenario);
  try {
    const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: place.llm.apiKey }) });
    const rig = await Rig.open([], { root: place.root, models: [place.model], stream });
    for (const info of rig.host.infos()) assert.deepEqual(info.state, { type: 'live' });
    const first = rig.conversation.store.getSessionFile()!;
    for (const step of scenario.steps) await takeStep(rig, step, first);
    await rig.close(true);
    return place.heard();
  } finally {
    await place.remove();
  }
}

async function takeStep(rig: Rig, step: Step, first: string): Promise<void> {
  const { chat } = rig;
  switch (step.do) {
    case 'prompt':
      await chat.submit(step.text);
      await until(() => (chat.conversation.run.isIdle ? true : undefined), 'the end of the run');
      return;
    case 'new':
      await chat.conversation.sessions.newSession();
      return;
    case 'resume first':
      await chat.conversation.sessions.switchTo(first);
      return;
    case 'branch from first message':
      await chat.edits.branchFrom(rig.items('user')[0]!.id);
      return;
    case 'compact':
      await chat.conversation.run.compact(step.instructions).catch(() => undefined);
      return;
  }
}

/** Which commands of its RPC mode a version knows. */
export interface PeerCommands {
  readonly newSession: 'reset' | 'new_session';
  readonly branch: 'branch' | 'fork';
  /** How the message to branch from is named. */
  readonly target: 'entryIndex' | 'entryId';
  /** It ends when nothing more can come in; else it has to be told by a signal. */
  readonly endsWithInput: boolean;
}

/** Runs a scenario in a real pi, in its own process, and gives what the recording hook heard. */
export async function theirs(folder: string, commands: PeerCommands, scenario: Scenario): Promise<readonly Heard[]> {
  const place = await Place.make(scenario);
  const peer = new PeerProcess(folder, place, commands.endsWithInput);
  try {
    await peer.waitUntilIdle();
    const first = await peer.sessionFile();
    for (const step of scenario.steps) {
      await peer.take(step, commands, first);
      await peer.waitUntilIdle();
    }
    await peer.end();
    return place.heard();
  } finally {
    await peer.end();
    await place.remove();
  }
}

type Reply = Readonly<Record<string, unknown>> & { readonly type?: string; readonly id?: string };

/** pi in RPC mode: JSON lines in, JSON lines out. */
class PeerProcess {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<string, (reply: Reply) => void>();
  private readonly exited: Promise<void>;
  private errors = '';
  private serial = 0;

  constructor(
    folder: string,
    private readonly place: Place,
    private readonly endsWithInput: boolean,
  ) {
    const args = [join(folder, 'dist', 'cli.js'), '--mode', 'rpc', '--provider', 'scripted', '--model', place.model.id];
    const home = join(place.root, 'home');
    this.child = spawn(process.execPath, args, {
      cwd: place.cwd,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        PI_CODING_AGENT_DIR: place.agentDir,
        PI_OFFLINE: '1',
        PI_SKIP_VERSION_CHECK: '1',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.exited = new Promise(resolve => {
      this.child.once('exit', () => resolve());
    });
    this.child.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    createInterface({ input: this.child.stdout! }).on('line', line => this.read(line));
  }

  async take(step: Step, commands: PeerCommands, first: string): Promise<void> {
    switch (step.do) {
      case 'prompt':
        await this.ask({ type: 'prompt', message: step.text });
        return;
      case 'new':
        await this.ask({ type: commands.newSession });
        return;
      case 'resume first':
        await this.ask({ type: 'switch_session', sessionPath: first });
        return;
      case 'branch from first message': {
        const listed = await this.ask({ type: `get_${commands.branch}_messages` });
        const { messages } = listed['data'] as { messages: readonly Readonly<Record<string, unknown>>[] };
        await this.ask({ type: commands.branch, [commands.target]: messages[0]?.[commands.target] });
        return;
      }
      case 'compact': {
        const { instructions } = step;
        await this.ask({
          type: 'compact',
          ...(instructions === undefined ? {} : { customInstructions: instructions }),
        });
        return;
      }
    }
  }

  async sessionFile(): Promise<string> {
    const { data } = await this.ask({ type: 'get_state' });
    return String((data as { sessionFile?: unknown }).sessionFile);
  }

  /** Asks for its state until it did nothing for a while; this is another program, and tells of no end that all share. */
  async waitUntilIdle(): Promise<void> {
    const end = Date.now() + 30_000;
    let quiet = 0;
    let heard = -1;
    while (quiet < 4) {
      if (Date.now() > end) throw new Error(`pi is not idle after 30 s. It said:\n${this.errors}`);
      const { data } = await this.ask({ type: 'get_state' });
      const { isStreaming, isCompacting } = data as { isStreaming: boolean; isCompacting: boolean };
      const now = this.place.heard().length;
      quiet = !isStreaming && !isCompacting && now === heard ? quiet + 1 : 0;
      heard = now;
      await new Promise(resolve => setTimeout(resolve, 40));
    }
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    if (this.endsWithInput) this.child.stdin?.end();
    else this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await this.exited;
    clearTimeout(timer);
  }

  private ask(command: Readonly<Record<string, unknown>>): Promise<Reply> {
    const id = `q${++this.serial}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`pi did not answer ${String(command['type'])}. It said:\n${this.errors}`)),
        30_000,
      );
      this.waiting.set(id, reply => {
        clearTimeout(timer);
        resolve(reply);
      });
      this.child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`);
    });
  }

  private read(line: string): void {
    let reply: Reply;
    try {
      reply = JSON.parse(line) as Reply;
    } catch {
      this.errors += `${line}\n`;
      return;
    }
    if (reply.type !== 'response') return;
    // A command that fails is answered without its id.
    const asked = reply.id ?? [...this.waiting.keys()][0] ?? '';
    this.waiting.get(asked)?.(reply);
    this.waiting.delete(asked);
  }
}
