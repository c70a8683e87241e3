import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliPlace, type Ended, type Program } from '../modes/support/cli';
import { ScriptedLlm, type ScriptedRequest } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const HEADER = (id: string, cwd: string): string =>
  JSON.stringify({ type: 'session', version: 3, id, timestamp: '2026-01-02T03:04:05.678Z', cwd });
const OLD = { type: 'message', id: 'aaaaaaaa', parentId: null, timestamp: '2026-01-02T03:04:06.678Z' };

/** One command line; what it does is compared in every case. */
interface Case {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Compare which tools the model was offered as well. */
  readonly tools?: boolean;
  /** Compare what stands on stdout as well. */
  readonly stdout?: boolean;
  readonly fails?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const CASES: Readonly<Record<string, Case>> = {
  'a prompt': { args: ['-p', 'hi'], stdout: true },
  'a prompt without -p': { args: ['hi'], stdout: true },
  'several prompts': { args: ['-p', 'one', 'two', 'three'], stdout: true },
  'no prompt': { args: ['-p'], stdout: true },
  'piped text alone': { args: ['-p'], stdin: '  piped\n' },
  'piped text in front': { args: ['-p', 'sum up', 'and again'], stdin: 'piped\n\n' },
  'piped text, file and prompt': { args: ['-p', '@notes.md', 'sum up'], stdin: 'piped' },
  'a file alone': { args: ['-p', '@notes.md'] },
  'several files, one empty': { args: ['-p', '@notes.md', '@empty.md', '@notes.md', 'x'] },
  'a picture': { args: ['-p', '@dot.png', 'what is it'] },
  'a file that is not there': { args: ['-p', '@no.md', 'x'] },
  'a folder as file': { args: ['-p', '@.', 'x'] },
  'a prompt with three dashes': { args: ['-p', '---\na: b\n---\ntext'] },
  'a prompt with a dash': { args: ['-p', '- a list'] },
  'a prompt with a dash behind --': { args: ['-p', '--', '- a list', '@notes.md'] },
  'an unknown long flag': { args: ['-p', 'x', '--frobnicate'] },
  'an unknown short flag': { args: ['-z', '-p', 'x'] },
  'a flag of an extension': { args: ['-e', 'flag.ts', '--preset', 'other', '-p', 'x'] },
  'a text flag without its text': { args: ['-e', 'flag.ts', '-p', 'x', '--preset'] },
  'an extension that is not there': { args: ['-e', 'no.ts', '-p', 'x'] },
  'an extension that throws': { args: ['-e', 'bad.ts', '-p', 'x'] },
  'a broken mode': { args: ['--mode', 'xml', 'x'] },
  'a broken level': { args: ['--thinking', 'hard', '-p', 'x'] },
  'flags of the terminal': {
    args: ['--no-themes', '--theme', 'a.json', '--use-theme', 'dark', '--tui-mode', 'regular', '-p', 'x'],
  },
  'a broken terminal mode': { args: ['--tui-mode', 'odd', '-p', 'x'] },
  'flags that turn things off': { args: ['--offline', '-ne', '-ns', '-np', '-nc', '--no-mcp', '-na', '-p', 'x'] },
  'a model': { args: ['--model', 'two', '-p', 'x'] },
  'a model of a provider': { args: ['--model', 'scripted/two:low', '-p', 'x'] },
  'provider and model': { args: ['--provider', 'scripted', '--model', 'two', '-p', 'x'] },
  'a model that is not there': { args: ['--model', 'zzz', '-p', 'x'] },
  'a model that its provider does not list': { args: ['--model', 'scripted/zzz:high', '-p', 'x'] },
  'the same by two flags': { args: ['--provider', 'scripted', '--model', 'zzz', '-p', 'x'] },
  'a part of a name': { args: ['--model', 'tw', '-p', 'x'] },
  'a provider that is not there': { args: ['--provider', 'nobody', '--model', 'two', '-p', 'x'] },
  'a key': { args: ['--model', 'two', '--api-key', 'mine', '-p', 'x'] },
  'a list of models': { args: ['--list-models', 'scripted'], stdout: true },
  'a list of no models': { args: ['--list-models', 'qqqq'], stdout: true },
  'some tools': { args: ['-t', 'read,ls', '-p', 'x'], tools: true },
  'tools by pattern': { args: ['-t', 'gr*,my_*', '-e', 'tool.ts', '-p', 'x'], tools: true },
  'tools and one that is not there': { args: ['-t', 'read,fly', '-p', 'x'], tools: true },
  'tools without one': { args: ['-t', 'read,ls,bash', '-xt', 'b*', '-p', 'x'], tools: true },
  'no tools': { args: ['-nt', '-e', 'tool.ts', '-p', 'x'], tools: true },
  'no tools but one': { args: ['-nt', '-t', '+read', '-p', 'x'], tools: true },
  'no built-in tools': { args: ['-nbt', '-e', 'tool.ts', '-p', 'x'], tools: true },
  'names and changes of tools': { args: ['-t', 'read,+ls', '-p', 'x'] },
  'a system prompt': { args: ['--system-prompt', 'MARK-own', '-p', 'x'] },
  'an empty system prompt': { args: ['--system-prompt', '', '-p', 'x'] },
  'a system prompt in a file': { args: ['--system-prompt', 'notes.md', '-p', 'x'] },
  'more for the system prompt': {
    args: ['--append-system-prompt', 'MARK-one', '--append-system-prompt', 'MARK-two', '-p', 'x'],
  },
  'no context files': { args: ['-nc', '-p', 'x'] },
  'a skill': { args: ['--skill', 'named', '-p', 'x'] },
  'only that skill': { args: ['--skill', 'named', '-ns', '-p', '/skill:named go'] },
  'a template': { args: ['--prompt-template', 'wave.md', '-p', '/wave you', '/greet'] },
  'only that template': { args: ['--prompt-template', 'wave.md', '-np', '-p', '/wave you', '/greet'] },
  'no session': { args: ['--no-session', '-p', 'x'] },
  'a name': { args: ['-n', ' My work ', '-p', 'x'] },
  'an empty name': { args: ['-n', ' ', '-p', 'x'] },
  'the latest session': { args: ['-c', '-p', 'x'] },
  'a session by id': { args: ['--session', 'old-sess', '-p', 'x'] },
  'a session by file': { args: ['--session', 'SESSION', '-p', 'x'] },
  'a session that is not there': { args: ['--session', 'nowhere', '-p', 'x'] },
  'a session file that is not there': { args: ['--session', './new.jsonl', '-p', 'x'] },
  'a session whose folder is gone': { args: ['--session', 'GONE', '-p', 'x'] },
  'a session whose folder is gone in RPC mode': { args: ['--mode', 'rpc', '--session', 'GONE'] },
  'a new id': { args: ['--session-id', 'fresh.1', '-p', 'x'] },
  'a known id': { args: ['--session-id', 'old-session', '-p', 'x'] },
  'an id of one sign': { args: ['--session-id', 'a', '-p', 'x'] },
  'an id that ends with a dot': { args: ['--session-id', 'fresh.', '-p', 'x'] },
  'an id that begins with a dash': { args: ['--session-id', '-fresh', '-p', 'x'] },
  'an id with a space': { args: ['--session-id', 'fresh one', '-p', 'x'] },
  'an empty id': { args: ['--session-id', '', '-p', 'x'] },
  'a long id': { args: ['--session-id', `fresh${'-1'.repeat(80)}`, '-p', 'x'] },
  'a broken id': { args: ['--session-id', '../x', '-p', 'x'] },
  'an id and a session': { args: ['--session-id', 'a', '-c', '-p', 'x'] },
  'a fork': { args: ['--fork', 'old-session', '-p', 'x'] },
  'a fork of a file with an id': { args: ['--fork', 'GONE', '--session-id', 'copy', '-p', 'x'] },
  'a fork with an id that is taken': { args: ['--fork', 'GONE', '--session-id', 'old-session', '-p', 'x'] },
  'a fork of nothing': { args: ['--fork', 'nowhere', '-p', 'x'] },
  'a fork and the latest': { args: ['--fork', 'old-session', '-c', '-p', 'x'] },
  'sessions elsewhere': { args: ['--session-dir', 'there', '-c', '-p', 'x'] },
  'sessions where the environment says': { args: ['-c', '-p', 'x'], env: { PI_CODING_AGENT_SESSION_DIR: '~/there' } },
  'a failed request': { args: ['-p', 'x'], fails: 401 },
  'a failed request in JSON mode': { args: ['--mode', 'json', 'x'], fails: 401 },
  'a session to export that is not there': { args: ['--export', 'no.jsonl'] },
  'a session to export': { args: ['--export', 'SESSION', 'out.html'], stdout: true },
  'a prompt in RPC mode': { args: ['--mode', 'rpc', 'x'] },
  'a file in RPC mode': { args: ['--mode', 'rpc', '@notes.md'] },
  'a check of a provider': { args: ['auth', 'check', '--provider', 'scripted', '--json'], stdout: true },
  'a check of a model': { args: ['auth', 'check', '--model', 'two'], stdout: true },
  'a check of a provider without a key': { args: ['auth', 'check', '--provider', 'groq', '--json'], stdout: true },
  'a check of a provider that is not there': { args: ['auth', 'check', '--provider', 'none', '--json'], stdout: true },
  'a check of nothing': { args: ['auth', 'check'], stdout: true },
  'a check that gives the key': { args: ['auth', 'check', '--provider', 'scripted', '--credentials'], stdout: true },
  'a key to print': { args: ['auth', 'print-api-key', '--provider', 'scripted'], stdout: true },
  'no key to print': { args: ['auth', 'print-api-key', '--provider', 'groq'], stdout: true },
  'no token to print': { args: ['auth', 'print-bearer-token', '--provider', 'scripted'], stdout: true },
  'a credential of nobody': { args: ['auth', 'print-api-key'], stdout: true },
  'a logout where nothing is stored': { args: ['auth', 'logout', 'scripted'] },
  'a logout by a flag': { args: ['auth', 'logout', '--provider', 'scripted'], stdout: true },
  'a logout of nobody': { args: ['auth', 'logout'], stdout: true },
  'an unknown auth command': { args: ['auth', 'dance'], stdout: true },
  'the version': { args: ['-v'] },
  help: { args: ['-h'] },
  'help beside a flag': { args: ['-p', '--help'] },
};

/** What a command line led to. */
interface Effect {
  readonly code: number | null;
  readonly hasComplaint: boolean;
  readonly prompts: readonly unknown[];
  readonly models: readonly unknown[];
  readonly keys: readonly unknown[];
  readonly marks: readonly (readonly string[])[];
  readonly tools: readonly (readonly string[])[];
  readonly sessions: readonly object[];
  readonly besideSessions: readonly string[];
  readonly stdout: string;
}

describePeer('flags', TODAY, folder => {
  let place: CliPlace;
  let llm: ScriptedLlm;

  const furnish = (): void => {
    place.useLlm(llm, { retry: { enabled: false }, images: { autoResize: false } }, [
      { id: 'one', input: ['text', 'image'] },
      { id: 'two' },
    ]);
    const files: Readonly<Record<string, string>> = {
      'work/notes.md': 'MARK-notes\nsecond line\n',
      'work/empty.md': '',
      'work/AGENTS.md': 'MARK-rules',
      'work/flag.ts': `export default pi => {
        pi.registerFlag('preset', { type: 'string' });
        pi.on('before_agent_start', () => ({ message: { customType: 'f', content: 'MARK-' + pi.getFlag('preset'), display: false } }));
      };`,
      'work/tool.ts': `export default pi => pi.registerTool({ name: 'my_tool', label: 'my', description: 'my',
        parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [] }) });`,
      'work/bad.ts': "export default () => { throw new Error('no'); };",
      'work/named/SKILL.md': '---\nname: named\ndescription: MARK-named\n---\nMARK-body\n',
      'work/wave.md': 'MARK-wave $1',
      'agent/prompts/greet.md': 'MARK-greet',
      'agent/skills/found/SKILL.md': '---\nname: found\ndescription: MARK-found\n---\nbody\n',
    };
    for (const [path, text] of Object.entries(files)) place.file(path, text);
    writeFileSync(join(place.cwd, 'dot.png'), Buffer.from(PIXEL, 'base64'));
    for (const [path, id, cwd] of [
      [sessionPath(), 'old-session', place.cwd],
      [join(place.root, 'gone.jsonl'), 'gone-session', join(place.root, 'gone')],
    ] as const) {
      mkdirSync(dirname(path), { recursive: true });
      const message = { role: 'user', content: [{ type: 'text', text: 'MARK-old' }], timestamp: 1 };
      writeFileSync(path, `${HEADER(id, cwd)}\n${JSON.stringify({ ...OLD, message })}\n`);
    }
  };
  const sessionPath = (): string => {
    const name = place.cwd.replace(/^\//, '').replaceAll('/', '-');
    return join(place.agentDir, 'sessions', `--${name}--`, '2026-01-02T03-04-05-678Z_old-session.jsonl');
  };

  const texts = (message: unknown): unknown => {
    const { content } = message as { readonly content: unknown };
    if (typeof content === 'string') return content;
    return (content as readonly Record<string, unknown>[]).map(part => part['text'] ?? part['type']);
  };
  const requestEffect = ({ body }: ScriptedRequest): Pick<Effect, 'prompts' | 'models' | 'marks' | 'tools'> => {
    const all = JSON.stringify(body);
    return {
      prompts: [texts((body['messages'] as readonly unknown[]).at(-1))],
      models: [body['model']],
      marks: [[...new Set(all.match(/MARK-\w+/g))].sort()],
      tools: [((body['tools'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name).sort()],
    };
  };
  const sessionEffect = (file: string): object => {
    const [header = {}, ...entries] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
    const own = /session|fresh|copy/.test(String(header['id'])) ? header['id'] : 'new';
    return {
      file: basename(file)
        .replace(/^[\d-]+T[\d-]+Z_/, 'time_')
        .replace(/_[\da-f]{8}-[\da-f-]{27}\./, '_new.'),
      members: Object.keys(header),
      version: header['version'],
      id: own,
      cwd: header['cwd'],
      parent: header['parentSession'],
      name: entries.findLast(({ type }) => type === 'session_info')?.['name'],
      texts: entries.flatMap(({ type, message }) =>
        type === 'message' && (message as { role: string }).role === 'user' ? [texts(message)] : [],
      ),
    };
  };

  /** Runs a case on one side, in a place of its own. */
  const run = async (given: Case, program: Program): Promise<Effect> => {
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
    try {
      furnish();
      if (given.fails !== undefined) llm.fail(given.fails, { message: 'refused' });
      llm.otherwise(() => ({ text: 'an answer' }));
      const named: Readonly<Record<string, string>> = { SESSION: sessionPath(), GONE: join(place.root, 'gone.jsonl') };
      const args = given.args.map(arg => named[arg] ?? arg);
      const env = { ...program.env, ...given.env };
      const ended: Ended = await place.run(args, { ...program, env, stdin: given.stdin ?? '' });
      const effects = llm.requests.map(requestEffect);
      const effect: Effect = {
        code: ended.code,
        hasComplaint: ended.code !== 0 && ended.stderr.trim() !== '',
        prompts: effects.flatMap(({ prompts }) => prompts),
        models: effects.flatMap(({ models }) => models),
        keys: llm.requests.map(({ headers }) => headers['x-api-key']),
        marks: effects.flatMap(({ marks }) => marks),
        tools: given.tools === true ? effects.flatMap(({ tools }) => tools) : [],
        sessions: [...place.sessionFiles()].sort().map(sessionEffect),
        besideSessions: otherFilesBelow(join(place.agentDir, 'sessions')),
        stdout: given.stdout === true ? ended.stdout : '',
      };
      return JSON.parse(
        JSON.stringify(effect)
          .replaceAll(place.root, '<root>')
          .replaceAll(basename(dirname(sessionPath())), '<work>'),
      ) as Effect;
    } finally {
      await place.remove();
      await llm.stop();
    }
  };

  for (const [what, given] of Object.entries(CASES)) {
    it(`do what pi does with ${what}`, async () => {
      const pi = await run(given, piToday(folder));
      const ours = await run(given, {});
      assert.deepEqual(ours, pi);
    });
  }
});

function otherFilesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile() && !entry.name.endsWith('.jsonl')).map(({ name }) => name);
}
