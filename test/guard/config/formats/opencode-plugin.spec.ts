import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OPENCODE } from '../../../../src/guard/agents/opencode';
import { openCodePlugin } from '../../../../src/guard/config/formats/opencode-plugin';

/** What the plugin gives the agent. */
interface Hooks {
  config(config: object): void;
  event(input: { event: { type: string; properties: object } }): Promise<void>;
  'chat.message'(input: object, output: { parts: object[] }): Promise<void>;
  'tool.execute.before'(input: object, output: { args: unknown }): Promise<void>;
  'tool.execute.after'(input: object, output: Record<string, unknown>): Promise<void>;
  'experimental.session.compacting'(input: object, output: object): Promise<void>;
  dispose(): Promise<void>;
}

/** Stands for our client: says what it got, and prints what the test left for the event. */
const CLIENT = `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const [folder, event] = process.argv.slice(2);
const file = name => folder + '/' + event + name;
appendFileSync(folder + '/got', JSON.stringify([event, JSON.parse(readFileSync(0, 'utf8'))]) + '\\n');
if (existsSync(file('.answer'))) process.stdout.write(readFileSync(file('.answer')));
if (existsSync(file('.fails'))) process.exitCode = 1;
if (existsSync(file('.dies'))) process.kill(process.pid, 'SIGKILL');
`;

const CALL = { tool: 'bash', sessionID: 's1', callID: 'c1' };

describe('the plugin for opencode', () => {
  let folder: string;
  let hooks: Hooks;
  let shown: unknown[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'opencode-plugin-'));
    const client = join(folder, 'client.mjs');
    writeFileSync(client, CLIENT);
    const entries = OPENCODE.events.map(({ name: event }) => {
      return { event, group: { command: `"${process.execPath}" "${client}" "${folder}" ${event}` } };
    });
    const path = join(folder, 'hookline.mjs');
    writeFileSync(path, openCodePlugin('opencode').add('', entries));
    const { Hookline } = (await import(pathToFileURL(path).href)) as { Hookline: (input: object) => Promise<Hooks> };
    shown = [];
    hooks = await Hookline({
      directory: '/work/shop',
      client: { tui: { showToast: ({ body }: { body: { message: string } }) => shown.push(body.message) } },
    });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const answers = (event: string, answer: object | string): void => {
    writeFileSync(join(folder, `${event}.answer`), typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
  const decides = (event: string, members: object): void => {
    answers(event, { hookSpecificOutput: { hookEventName: event, ...members } });
  };
  /** The events that the client got, oldest first, without the members that all have. */
  const got = (): unknown[] => {
    if (!existsSync(join(folder, 'got'))) return [];
    const lines = readFileSync(join(folder, 'got'), 'utf8').trimEnd().split('\n');
    return lines.map(line => {
      const [event, payload] = JSON.parse(line) as [string, Record<string, unknown>];
      const { hook_event_name, cwd, ...rest } = payload;
      assert.deepEqual([hook_event_name, cwd], [event, '/work/shop']);
      return [event, rest];
    });
  };
  const before = async (args: Record<string, unknown>): Promise<unknown> => {
    await hooks['tool.execute.before'](CALL, { args });
    return args;
  };
  const after = async (output: Record<string, unknown>): Promise<unknown> => {
    await hooks['tool.execute.after']({ ...CALL, args: {} }, output);
    return output;
  };
  const message = async (sessionID: string, ...parts: object[]): Promise<object[]> => {
    await hooks['chat.message']({ sessionID }, { parts });
    return parts;
  };
  const event = (type: string, properties: object): Promise<void> => hooks.event({ event: { type, properties } });
  const text = { type: 'text', text: 'Go.', id: 'prt_1', messageID: 'm1', sessionID: 's1' };

  it('lets a call run as it is when hooks decide nothing', async () => {
    assert.deepEqual(await before({ command: 'ls' }), { command: 'ls' });
    const call = { tool_name: 'bash', tool_input: { command: 'ls' }, tool_use_id: 'c1' };
    assert.deepEqual(got(), [['PreToolUse', { session_id: 's1', ...call, mcp_servers: [] }]]);
  });

  it('throws the reason of a denial, and the call keeps its arguments', async () => {
    decides('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'Not now.' });
    const args = { command: 'rm x' };
    await assert.rejects(before(args), /^Error: Not now\.$/);
    assert.deepEqual(args, { command: 'rm x' });
  });

  it('changes the arguments in place, and nobody can change them after that', async () => {
    decides('PreToolUse', { updatedInput: { command: 'ls', env: { A: '1' } } });
    const args: Record<string, unknown> = { command: 'rm x', timeout: 1 };
    assert.deepEqual(await before(args), { command: 'ls', env: { A: '1' } });
    assert.throws(() => {
      args['command'] = 'rm x';
    }, TypeError);
    assert.ok(Object.isFrozen(args['env']));
  });

  const BAD = {
    'prints something else': ['answer', 'hello'],
    'prints a text as JSON': ['answer', '"allow"'],
    'prints an object of another kind': ['answer', '{"decide":"allow"}'],
    'prints the answer to another event': ['answer', '{"hookSpecificOutput":{"hookEventName":"Stop"}}'],
    'prints an unknown decision': ['answer', '{"decision":"approve"}'],
    'prints half an answer': ['answer', '{"hookSpecificOutput":{"hookEventName":'],
    'ends with another exit code': ['fails', ''],
    'is killed': ['dies', ''],
  } as const;
  for (const [what, [ending, content]] of Object.entries(BAD)) {
    it(`lets no call run, no prompt go and no result through when the client ${what}`, async () => {
      for (const name of ['PreToolUse', 'PostToolUse', 'UserPromptSubmit']) {
        writeFileSync(join(folder, `${name}.${ending}`), content);
      }
      await assert.rejects(before({ command: 'ls' }));
      await assert.rejects(after({ output: 'secret' }));
      await assert.rejects(message('s1', text));
      assert.equal(shown.length, 1);
    });
  }

  it('lets no call run when the client is gone', async () => {
    rmSync(join(folder, 'client.mjs'));
    await assert.rejects(before({ command: 'ls' }), /Hookline could not check this, because its client failed/);
  });

  it('adds to a result, and replaces one with all that the agent keeps of it', async () => {
    decides('PostToolUse', { additionalContext: 'note' });
    assert.deepEqual(await after({ output: 'out', metadata: { a: 1 } }), { output: 'out\n\nnote', metadata: { a: 1 } });
    const part = { type: 'text', text: 'out' };
    assert.deepEqual(await after({ content: [part] }), { content: [part, { type: 'text', text: 'note' }] });
    decides('PostToolUse', { updatedToolOutput: 'clean' });
    const bash = { title: 'x', output: 'secret', metadata: { output: 'secret' }, attachments: ['secret'] };
    assert.deepEqual(await after(bash), { title: 'x', output: 'clean', metadata: {} });
    const mcp = { content: [{ type: 'text', text: 'secret' }], structuredContent: { a: 'secret' } };
    assert.deepEqual(await after(mcp), { content: [{ type: 'text', text: 'clean' }] });
    const responses = got().map(each => (each as [string, { tool_response: unknown }])[1].tool_response);
    assert.deepEqual(responses, ['out', [part], 'secret', [{ type: 'text', text: 'secret' }]]);
  });

  it('withholds a result that is refused', async () => {
    answers('PostToolUse', { decision: 'block', reason: 'Nobody may see it.' });
    await assert.rejects(after({ output: 'secret' }), /^Error: Nobody may see it\.$/);
  });

  it('says what a call failed with, if it was let run', async () => {
    const failed = { type: 'tool', ...CALL, state: { status: 'error', error: 'broken' } };
    await event('message.part.updated', { part: failed });
    await before({ command: 'ls' });
    await event('message.part.updated', { part: { ...failed, sessionID: 's2' } });
    await event('message.part.updated', { part: failed });
    await event('message.part.updated', { part: failed });
    await hooks.dispose();
    const call = {
      session_id: 's1',
      tool_name: 'bash',
      tool_input: { command: 'ls' },
      tool_use_id: 'c1',
      mcp_servers: [],
    };
    assert.deepEqual(got(), [
      ['PreToolUse', call],
      ['PostToolUseFailure', { ...call, error: 'broken' }],
    ]);
  });

  it('tells the start of a session once, each prompt, its stop and its end', async () => {
    decides('SessionStart', { additionalContext: 'of the session' });
    decides('UserPromptSubmit', { additionalContext: 'of the prompt' });
    await event('session.created', { info: { id: 's1' } });
    const synthetic = { ...text, text: 'a file', synthetic: true };
    const parts = await message('s1', { ...text }, { type: 'file', id: 'prt_2' }, synthetic);
    assert.deepEqual(
      parts.slice(3).map(part => ({ ...part, id: 'any' })),
      ['of the session', 'of the prompt'].map(each => ({ ...text, id: 'any', text: each, synthetic: true })),
    );
    await message('s1', text);
    await event('session.idle', { sessionID: 's1' });
    await event('session.idle', { sessionID: 's1' });
    await message('s2', text);
    await hooks.dispose();
    const told = got().map(each => {
      const [name, { session_id, ...rest }] = each as [string, Record<string, unknown>];
      return [name, session_id, ...Object.values(rest)].join(' ');
    });
    assert.deepEqual(told.slice(0, 3), [
      'SessionStart s1 startup',
      'UserPromptSubmit s1 Go.',
      'UserPromptSubmit s1 Go.',
    ]);
    assert.deepEqual(told.slice(3).sort(), [
      'SessionEnd s1 exit',
      'SessionEnd s2 exit',
      'SessionStart s2 resume',
      'Stop s1',
      'UserPromptSubmit s2 Go.',
    ]);
  });

  it('sends no prompt that is refused, and shows why', async () => {
    answers('UserPromptSubmit', { decision: 'block', reason: 'Not today.' });
    await assert.rejects(message('s1', text), /^Error: Not today\.$/);
    assert.deepEqual(shown, ['Not today.']);
  });

  it('gives the events of a subagent the session that it belongs to, at any depth', async () => {
    await event('session.created', { info: { id: 's2', parentID: 's1', agent: 'general' } });
    await event('session.created', { info: { id: 's3', parentID: 's2', agent: 'explore' } });
    await message('s3', text);
    await hooks['tool.execute.before']({ ...CALL, sessionID: 's3' }, { args: {} });
    await event('session.idle', { sessionID: 's3' });
    await hooks.dispose();
    const about = { session_id: 's1', agent_id: 's3', agent_type: 'explore' };
    assert.deepEqual(
      got().map(each => {
        const [name, { session_id, agent_id, agent_type }] = each as [string, Record<string, unknown>];
        return [name, { session_id, agent_id, agent_type }];
      }),
      ['SubagentStart', 'PreToolUse', 'SubagentStop'].map(name => [name, about]),
    );
  });

  it('stops a compaction that is refused, and no other', async () => {
    const compact = (): Promise<void> => hooks['experimental.session.compacting']({ sessionID: 's1' }, {});
    await compact();
    writeFileSync(join(folder, 'PreCompact.fails'), '');
    await compact();
    rmSync(join(folder, 'PreCompact.fails'));
    answers('PreCompact', { decision: 'block', reason: 'Keep it.' });
    await assert.rejects(compact(), /^Error: Keep it\.$/);
  });

  it('names the MCP servers of the agent with each call', async () => {
    hooks.config({ mcp: { 'my.srv': {} } });
    await before({});
    assert.match(JSON.stringify(got()), /"mcp_servers":\["my\.srv"\]/);
  });
});
