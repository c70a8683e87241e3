import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

/** Notes all that it hears of sessions and what its commands came to, in a file; `fate` tells whether a call is refused. */
const EXTENSION = `// @pi-dialect pi
import { appendFileSync } from 'node:fs';
const note = (...line) => appendFileSync('NOTES', JSON.stringify(line) + '\\n');
const fate = act => { try { act(); return 'works'; } catch (error) { return error.message.includes('stale') ? 'stale' : error.message; } };
const later = async act => { try { return await act(); } catch (error) { return 'rejected'; } };
const session = ctx => ctx.sessionManager.getSessionId();
const roles = ctx => ctx.sessionManager.getBranch().flatMap(({ message }) => (message && message.role !== 'system' ? [message.role] : []));
/** Each says for itself which model was used, and its prompt. */
const isShared = kind => !['system', 'model_change', 'thinking_level_change'].includes(kind);
const user = (ctx, at = 0) => ctx.sessionManager.getBranch().filter(({ message }) => message?.role === 'user').at(at).id;
export default pi => {
  pi.registerFlag('tint', { type: 'string', default: 'grey' });
  note('factory', pi.getFlag('tint'), fate(() => pi.registerFlag('odd', { type: 'string', default: true })) === 'works');
  for (const name of ['session_start', 'session_before_switch', 'session_before_fork', 'session_shutdown', 'session_before_tree',
    'session_tree', 'resources_discover'])
    pi.on(name, (event, ctx) => note(name, event.reason, event.position, event.previousSessionFile, event.targetSessionFile,
      session(ctx)));
  pi.on('session_before_tree', event => event.preparation.label === 'other' ? { label: 'set by a handler' } : undefined);
  const command = (name, handler) => pi.registerCommand(name, { handler });
  command('flag', async () => note('flag', pi.getFlag('tint'), pi.getFlag('nobody')));
  command('fresh', async (args, ctx) => {
    const { ui } = ctx;
    const result = await ctx.newSession({ parentSession: ctx.sessionManager.getSessionFile(), withSession: async own => {
      note('own', session(own), roles(own), own.sessionManager.getHeader().parentSession, fate(() => own.ui), own.isIdle());
      await own.sendUserMessage('and now?');
      note('answered', roles(own), own.isIdle());
    } });
    note('back', result, fate(() => ctx.ui), fate(() => ctx.isIdle()), fate(() => ctx.newSession()), fate(() => ui.notify('x')));
  });
  command('take', async (args, ctx) => {
    const result = await later(() => ctx.fork(args.startsWith('none') ? 'none' : user(ctx, -1), {
      position: args.endsWith('at') ? 'at' : 'before', withSession: own => note('own', session(own), roles(own)),
    }));
    note('took', result);
  });
  command('go', async (args, ctx) => {
    const result = await later(() => ctx.switchSession(args, { withSession: own => note('own', session(own), roles(own)) }));
    note('went', result, fate(() => ctx.cwd));
  });
  command('move', async (args, ctx) => {
    const id = args === 'nowhere' ? 'nowhere' : user(ctx);
    const label = args === '' ? undefined : args;
    note('moved', await later(() => ctx.navigateTree(id, { label })), roles(ctx), ctx.sessionManager.getLabel(id));
  });
  command('again', async (args, ctx) => {
    await ctx.reload();
    note('reloaded', fate(() => ctx.ui), fate(() => pi.getSessionName()), fate(() => pi.events.emit('x')));
  });
  command('twin', async args => note('first twin', args));
  command('names', async () => note('names', pi.getCommands().filter(({ sourceInfo }) => sourceInfo.source !== 'builtin').map(({ name, source, sourceInfo }) => [name, source, sourceInfo])));
  command('reads', async (args, { sessionManager: session }) => {
    const kind = entry => entry.message?.role ?? entry.type;
    const { entries, messages, model, thinkingLevel } = session.buildSessionProjection();
    note('context', session.buildContextEntries().map(kind).filter(isShared));
    note('projection', entries.map(entry => [kind(entry.sourceEntry), entry.messages.map(({ role }) => role)])
      .filter(([of]) => isShared(of)), messages.map(({ role }) => role).filter(isShared), model, thinkingLevel);
    note('session', session.isPersisted(), session.getSessionName(), kind(session.getLeafEntry()));
  });
  command('ask', async (args, ctx) => note('idle', ctx.isIdle()));
  command('run', async (args, ctx) => {
    const ran = await pi.exec('sh', ['-c', 'printf 0123456789; printf abcdef >&2; sleep 0.2'], { maxBuffer: 12 });
    note('ran', ran.killed, ran.truncated, ran.code !== 0, ran.stdout.length + ran.stderr.length <= 12);
    const short = await pi.exec('sh', ['-c', 'printf ok'], { maxBuffer: 2 });
    note('ran', short);
  });
};
`;

const TWIN = `// @pi-dialect pi
import { appendFileSync } from 'node:fs';
export default pi => {
  pi.registerCommand('twin', { handler: async args => appendFileSync('NOTES', JSON.stringify(['second twin', args]) + '\\n') });
};
`;

type Step = (talk: Talk) => Promise<unknown>;

/** A client of one program, and what the extension noted there. */
class Talk {
  private constructor(
    readonly place: CliPlace,
    readonly llm: ScriptedLlm,
    readonly host: RpcHost,
    private readonly notes: string,
  ) {}

  static async open(program: Program): Promise<Talk> {
    const place = await CliPlace.make();
    const llm = await ScriptedLlm.start();
    llm.otherwise(() => ({ text: 'an answer' }));
    place.useLlm(llm);
    const notes = place.file('notes.jsonl', '');
    place.file('agent/extensions/notes.ts', EXTENSION.replace('NOTES', notes));
    place.file('agent/extensions/twin.ts', TWIN.replace('NOTES', notes));
    place.file('agent/prompts/review.md', '---\ndescription: Review it\n---\nReview $1.');
    place.file('agent/skills/tidy/SKILL.md', '---\nname: tidy\ndescription: Tidies up\n---\nTidy.');
    return new Talk(place, llm, RpcHost.start(place, ['--tint', 'red'], program), notes);
  }

  command(text: string): Promise<unknown> {
    return this.host.ask('prompt', { message: text });
  }

  note(...line: readonly unknown[]): void {
    appendFileSync(this.notes, `${JSON.stringify(line)}\n`);
  }

  /** What was noted since the last call; sessions and files by their order of appearance. */
  noted(): readonly string[] {
    const text = readFileSync(this.notes, 'utf8');
    writeFileSync(this.notes, '');
    return text
      .split('\n')
      .filter(line => line !== '')
      .map(line => line.replaceAll(this.place.root, '<root>'))
      .map(line => JSON.stringify(JSON.parse(line), (_key, value: unknown) => this.named(value)));
  }

  private readonly sessions: string[] = [];
  private named(value: unknown): unknown {
    const id =
      typeof value === 'string' ? /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/.exec(basename(value))?.[0] : undefined;
    if (id === undefined) return value;
    if (!this.sessions.includes(id)) this.sessions.push(id);
    return `session ${this.sessions.indexOf(id) + 1}`;
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.place.remove();
    await this.llm.stop();
  }
}

const STEPS: Readonly<Record<string, Step>> = {
  'the start, and flags': talk => talk.command('/flag'),
  'two commands of one name': async talk => {
    await talk.command('/names');
    await talk.command('/twin:1 a');
    await talk.command('/twin:2 b');
  },
  'what can be read of a session': async talk => {
    await talk.host.prompt('a question');
    await talk.host.ask('set_session_name', { name: ' trials ' });
    await talk.host.ask('compact');
    await talk.host.prompt('after it');
    await talk.command('/reads');
  },
  'a new session that goes on by itself': async talk => {
    await talk.host.prompt('first question');
    await talk.command('/fresh');
  },
  'a fork before a message': talk => talk.command('/take before'),
  'a fork at a message': async talk => {
    await talk.host.prompt('another question');
    await talk.command('/take at');
  },
  'a fork of what is not there': talk => talk.command('/take none at'),
  'moves in the tree': async talk => {
    await talk.host.prompt('one more');
    for (const where of ['', 'nowhere', 'marked', 'other']) await talk.command(`/move ${where}`.trim());
  },
  'a move while the agent works': async talk => {
    const from = talk.host.messages.length;
    const hold = talk.llm.hold({ text: 'slow' });
    await talk.command('go');
    await hold.reached;
    await talk.command('/ask');
    await talk.command('/move');
    hold.release();
    await talk.host.event('agent_settled', from);
  },
  'another session': async talk => {
    const { sessionFile } = await talk.host.data<{ readonly sessionFile: string }>('get_state');
    await talk.host.ask('new_session');
    await talk.command(`/go ${sessionFile}`);
  },
  'commands that print too much': talk => talk.command('/run'),
  'a reload': talk => talk.command('/again'),
  'instruction files after a reload': async talk => {
    talk.place.file('work/AGENTS.md', 'Always say please.');
    await talk.host.prompt('a question');
    await talk.command('/again');
    await talk.host.prompt('another');
    talk.note(talk.llm.requests.slice(-2).map(({ body }) => JSON.stringify(body).includes('Always say please.')));
  },
  'a reload while the agent works': async talk => {
    const from = talk.host.messages.length;
    const hold = talk.llm.hold({ text: 'slow' });
    await talk.command('go');
    await hold.reached;
    const answer = (await talk.command('/again')) as { readonly success: boolean };
    hold.release();
    await talk.host.event('agent_settled', from);
    talk.note('answered', answer.success);
  },
  'the end': async talk => {
    await talk.host.close();
  },
};

describePeer('sessions that take the place of others are told as by pi:', TODAY, folder => {
  const sides: ReadonlyMap<string, readonly string[]>[] = [];

  before(async function () {
    this.timeout(120_000);
    for (const program of [piToday(folder), {}]) {
      const talk = await Talk.open(program);
      const seen = new Map<string, readonly string[]>();
      try {
        for (const [name, step] of Object.entries(STEPS)) {
          await step(talk);
          seen.set(name, talk.noted());
        }
      } finally {
        await talk.close();
      }
      sides.push(seen);
    }
  });

  for (const name of Object.keys(STEPS)) {
    it(name, () => {
      const [pi = [], ours = []] = sides.map(seen => seen.get(name));
      if (name === 'the start, and flags') assert.deepEqual(ours, pi);
      else assert.deepEqual(shared(ours), shared(pi));
    });
  }
});

/**
 * Ours loads a file once for all sessions, so neither is its factory run for each nor are resources asked for; and for a
 * session that a client begins, pi tells the start twice.
 */
function shared(lines: readonly string[]): readonly string[] {
  const compared = lines.filter(line => !/^\["(factory|resources_discover","startup)"/.test(line));
  return compared.filter((line, at) => line !== compared[at - 1]);
}
