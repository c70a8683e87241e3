import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eachWithUnknownModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

const IMPORTS = `import { createAgentSession, createExtensionRuntime, DefaultResourceLoader, ModelRuntime, resolveCliModel, SessionManager }
  from '@earendil-works/pi-coding-agent';`;

/** How a case makes its session; all of it is code. */
interface Making {
  /** Further options of the session. */
  readonly options?: string;
  /** Further options of its loader. */
  readonly loader?: string;
  /** What is done with `session`; gives what the tool answers. */
  readonly use?: string;
}

/** A function `make(ctx)` that gives a session, and one that uses it. */
function making({ options = '', loader = '', use = PROMPT }: Making = {}): string {
  return `${IMPORTS}
const make = async ctx => {
  const loader = new DefaultResourceLoader({ cwd: ctx.cwd, agentDir: '', noExtensions: true, noContextFiles: true, ${loader} });
  await loader.reload();
  const { session } = await createAgentSession({
    cwd: ctx.cwd, resourceLoader: loader, sessionManager: SessionManager.inMemory(ctx.cwd), ${options}
  });
  await session.bindExtensions({ mode: 'print' });
  return session;
};
const use = async (session, ctx) => { ${use} };`;
}

const PROMPT = `
  await session.prompt('clean up');
  const said = session.getLastAssistantText();
  session.dispose();
  return said;`;

/** A tool \`delegate\` that makes a session of an agent in this process and uses it. */
function delegating(how: Making = {}, name = 'delegate'): string {
  return `${making(how)}
export default (pi) => pi.registerTool({
  name: '${name}', label: 'Delegate', description: 'Makes a session.',
  parameters: { type: 'object', properties: {} },
  execute: async (id, params, signal, onUpdate, ctx) =>
    ({ content: [{ type: 'text', text: String(await use(await make(ctx), ctx)) }] }),
});`;
}

/** Commands \`start\`, which leaves a session at work, and \`reload\`. */
function leaving(how: Making = {}): string {
  return `${making({ use: "session.prompt('go on for long').catch(() => {});", ...how })}
export default (pi) => {
  pi.registerCommand('start', { handler: async (args, ctx) => { await use(await make(ctx), ctx); } });
  pi.registerCommand('reload', { handler: (args, ctx) => ctx.reload() });
};`;
}

/** A resource loader in the form of pi, for a session that knows only what the hook says. */
const OWN_LOADER = `{
  getExtensions: () => ({ extensions: [], errors: [], runtime: createExtensionRuntime() }),
  getSkills: () => ({ skills: [], diagnostics: [] }),
  getPrompts: () => ({ prompts: [], diagnostics: [] }),
  getThemes: () => ({ themes: [], diagnostics: [] }),
  getAgentsFiles: () => ({ agentsFiles: [{ path: '/rules.md', content: 'Weigh twice.' }] }),
  getSystemPrompt: () => 'You weigh parcels.',
  getAppendSystemPrompt: () => ['Be brief.', 'Be kind.'],
  extendResources() {},
  async reload() {},
}`;

/** A tool \`delegate\` that makes its session as older pi did. */
const OLDER = `import {
  AuthStorage, createAgentSession, createReadOnlyTools, discoverAuthStorage, discoverContextFiles, discoverModels, ModelRegistry,
  readTool, SessionManager } from '@mariozechner/pi-coding-agent';
const budget = pi => pi.on('tool_result', event => ({ content: [...event.content, { type: 'text', text: 'one turn left' }] }));
const count = { name: 'count', label: 'Count', description: 'x', parameters: { type: 'object', properties: {} }, execute() {} };
const older = cwd => {
  const authStorage = discoverAuthStorage();
  const contextFiles = discoverContextFiles(cwd).map(file => ({ ...file, content: file.content.replace('Never', 'Always') }));
  return { authStorage, modelRegistry: discoverModels(authStorage), tools: createReadOnlyTools(cwd), customTools: [{ tool: count }],
    hooks: [{ path: 'budget', factory: budget }], skills: [], slashCommands: [], contextFiles, systemPrompt: 'You weigh parcels.' };
};
const old = cwd => {
  const authStorage = AuthStorage.create();
  return { authStorage, modelRegistry: new ModelRegistry(authStorage), tools: [readTool], extensions: [budget],
    systemPrompt: found => found + ' Be kind.' };
};
export default (pi) => {
  AuthStorage.create();
  pi.registerTool({
    name: 'delegate', label: 'Delegate', description: 'x', parameters: { type: 'object', properties: {} },
    execute: async (id, params, signal, onUpdate, ctx) => {
      const options = OPTIONS(ctx.cwd);
      const model = (await options.modelRegistry.getAvailable()).find(each => each.id === 'two');
      const { session } = await createAgentSession({ cwd: ctx.cwd, sessionManager: SessionManager.inMemory(ctx.cwd), model, ...options });
      await session.prompt('/look', { expandSlashCommands: false });
      const text = session.getLastAssistantText();
      session.dispose();
      return { content: [{ type: 'text', text }] };
    },
  });
};`;

const GATE = `export default (pi) => pi.on('tool_call', event =>
  event.toolName === 'bash' ? { block: true, reason: 'bash is not for agents' } : undefined);`;

const DELEGATE = { toolCalls: [{ name: 'delegate', arguments: {} }] };
const bash = (command: string): object => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });

describe('a session that a hook makes', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithUnknownModel();

  const requests = (): readonly string[] => llm.requests.map(({ body }) => JSON.stringify(body));
  const messages = (): string => JSON.stringify(llm.requests.map(({ body }) => body['messages']));
  const toolsOf = (request: number): readonly string[] =>
    ((llm.requests[request]?.body['tools'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
  /** What the tool \`delegate\` answered in a run of its own, where the model of the session says these. */
  const delegated = async (how: Making, ...replies: readonly object[]): Promise<string> => {
    place.useLlm(llm);
    const tool = place.file('elsewhere/delegate.ts', delegating(how));
    llm.reply(DELEGATE, ...replies, { text: 'done' });
    const { code, stdout, stderr } = await place.run(['-p', 'go', '-e', tool]);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: 'done\n' }, stderr);
    return (
      /"tool_result".*?"content":"(.*?)","is_error"/.exec(requests().at(-1) ?? '')?.[1]?.replaceAll('\\"', '"') ?? ''
    );
  };

  it('answers a prompt and tells its events', async () => {
    const use = `
      const events = [];
      const stop = session.subscribe(event => { events.push(event); });
      await session.prompt('clean up');
      stop();
      const { userMessages, assistantMessages } = session.getSessionStats();
      const deltas = events.filter(({ assistantMessageEvent: of }) => of?.type === 'text_delta').map(({ assistantMessageEvent: of }) => of.delta);
      const end = events.find(({ type }) => type === 'agent_end');
      const answer = [session.getLastAssistantText(), [...new Set(events.map(({ type }) => type))].join(), userMessages,
        assistantMessages, deltas.join(''), end.messages.map(({ role }) => role).join(), end.willRetry,
        session.messages.length === session.state.messages.length, session.model.id, session.isStreaming].join(' | ');
      session.dispose();
      return answer;`;
    assert.equal(
      await delegated({ use }, { text: 'it is clean' }),
      'it is clean | agent_start,turn_start,message_start,message_end,message_update,turn_end,agent_end,agent_settled' +
        ' | 1 | 1 | it is clean | system,user,assistant | false | true | one | false',
    );
  });

  it('is guarded by the gates around it, with extensions and without', async () => {
    for (const loader of ['', 'noExtensions: false']) {
      place.file('work/.pi/extensions/gate.ts', GATE);
      place.file('work/kept.txt', 'kept');
      const from = llm.requests.length;
      assert.equal(await delegated({ loader }, bash('rm kept.txt'), { text: 'it said no' }), 'it said no');
      assert.match(requests()[from + 2] ?? '', /bash is not for agents/);
      assert.ok(existsSync(join(place.cwd, 'kept.txt')));
    }
  });

  it('tells gates of its start, also when the hook does not', async () => {
    place.file(
      'work/.pi/extensions/gate.ts',
      `export default (pi) => { let rules = []; pi.on('session_start', () => { rules = ['bash']; });
        pi.on('tool_call', event => rules.includes(event.toolName) ? { block: true, reason: 'by the rules' } : undefined); };`,
    );
    const use = `
      session.dispose();
      const { session: plain } = await createAgentSession({ sessionManager: SessionManager.inMemory(ctx.cwd) });
      await plain.prompt('x');
      plain.dispose();
      return 'done';`;
    await delegated({ use }, bash('true'), { text: 'yes' });
    assert.match(requests()[2] ?? '', /by the rules/);
  });

  it('has the other hooks around it only with extensions', async () => {
    place.file(
      'work/.pi/extensions/adds.ts',
      `export default (pi) => pi.on('before_agent_start', () => ({ systemPrompt: 'all mine' }));`,
    );
    for (const [loader, prompt] of [
      ['', /<tools>/],
      ['noExtensions: false', /all mine/],
    ] as const) {
      const from = llm.requests.length;
      await delegated({ loader }, { text: 'yes' });
      assert.match(JSON.stringify(llm.requests[from + 1]?.body['system']), prompt);
    }
  });

  it('has inline extensions, whose handlers come before those of gates', async () => {
    place.file('work/.pi/extensions/gate.ts', GATE);
    const loader = `extensionFactories: [{ name: 'mine', factory: pi => {
      const seen = [];
      pi.on('session_start', (event, ctx) => { seen.push(event.reason, ctx.mode, ctx.hasUI); });
      pi.on('tool_call', event => { seen.push(event.toolName); if (event.toolName === 'bash') return { block: true, reason: 'mine first' }; });
      pi.registerTool({ name: 'seen', label: 'Seen', description: 'x', parameters: { type: 'object', properties: {} },
        execute: async () => ({ content: [{ type: 'text', text: 'seen: ' + seen.join() }] }) });
    } }]`;
    const seen = { toolCalls: [{ name: 'seen', arguments: {} }] };
    await delegated({ loader }, bash('true'), seen, { text: 'yes' });
    assert.match(requests()[2] ?? '', /mine first/);
    assert.match(requests()[3] ?? '', /seen: startup,print,false,bash,seen/);
  });

  for (const [options, tools] of [
    ['tools: ["read", "ls"]', ['read', 'ls']],
    ['excludeTools: ["bash", "edit", "write"]', ['find', 'grep', 'ls', 'read']],
    ['noTools: "all"', []],
    [
      `noTools: "builtin", customTools: [{ name: 'mine', label: 'Mine', description: 'x',
       parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [] }) }]`,
      ['mine'],
    ],
  ] as const) {
    it(`has the tools of ${options.slice(0, 40)}`, async () => {
      await delegated({ options }, { text: 'yes' });
      assert.deepEqual([...toolsOf(1)].sort(), [...tools].sort());
    });
  }

  it('has the model, the level, the prompt and the folder that are wished for', async () => {
    const options = `cwd: ctx.cwd + '/sub', thinkingLevel: 'high', ...await (async () => {
      const modelRuntime = await ModelRuntime.create();
      return { modelRuntime, model: resolveCliModel({ cliModel: 'scripted/two', modelRuntime }).model };
    })()`;
    place.file('work/sub/here.txt', 'found');
    const read = { toolCalls: [{ name: 'read', arguments: { path: 'here.txt' } }] };
    await delegated({ options, loader: `systemPrompt: 'You are small.'` }, read, { text: 'yes' });
    const [, first, second] = llm.requests.map(({ body }) => body);
    assert.equal(first?.['model'], 'two');
    assert.ok(first['thinking'] !== undefined);
    assert.match(JSON.stringify(first['system']), /You are small\./);
    assert.match(JSON.stringify(second), /found/);
  });

  const system = (request: number): string => JSON.stringify(llm.requests[request]?.body['system']);

  it('has the prompt of a resource loader of the hook, and nothing of the files, but the gates', async () => {
    place.file('work/AGENTS.md', 'Never weigh.');
    place.file('agent/APPEND_SYSTEM.md', 'Be loud.');
    place.file('work/.pi/skills/scales/SKILL.md', '---\nname: scales\ndescription: Repairs scales.\n---\nRepair.');
    place.file('work/.pi/extensions/gate.ts', GATE);
    await delegated({ options: `resourceLoader: ${OWN_LOADER}` }, bash('true'), { text: 'yes' });
    for (const said of ['You weigh parcels.', 'Be brief.', 'Be kind.', 'Weigh twice.']) {
      assert.ok(system(1).includes(said), said);
    }
    for (const unsaid of ['Never weigh.', 'Be loud.', 'scales']) assert.ok(!system(1).includes(unsaid), unsaid);
    assert.match(requests()[2] ?? '', /bash is not for agents/);
  });

  it('has what overrides make of the prompt, the instructions and the skills', async () => {
    place.file('work/AGENTS.md', 'Never weigh.');
    place.file('agent/SYSTEM.md', 'You are a clerk.');
    place.file('agent/APPEND_SYSTEM.md', 'Be loud.');
    for (const name of ['scales', 'stamps']) {
      place.file(`work/.pi/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: All of ${name}.\n---\nRead.`);
    }
    const loader = `noContextFiles: false,
      systemPromptOverride: base => base + ' You also weigh.',
      appendSystemPromptOverride: base => [...base, 'Be kind.'],
      agentsFilesOverride: ({ agentsFiles }) =>
        ({ agentsFiles: agentsFiles.map(file => ({ ...file, content: file.content.replace('Never', 'Always') })) }),
      skillsOverride: ({ skills }) => ({ skills: skills.filter(({ name }) => name === 'stamps'), diagnostics: [] })`;
    await delegated({ loader }, { text: 'yes' });
    for (const said of [
      'You are a clerk. You also weigh.',
      'Be loud.',
      'Be kind.',
      'Always weigh.',
      'All of stamps.',
    ]) {
      assert.ok(system(1).includes(said), said);
    }
    for (const unsaid of ['Never weigh.', 'All of scales.']) assert.ok(!system(1).includes(unsaid), unsaid);
  });

  it('has the prompt templates that an override adds', async () => {
    const loader = `promptsOverride: () => ({ prompts: [{ name: 'count', content: 'Count $1 parcels.' }], diagnostics: [] })`;
    const use = `await session.prompt('/count seven'); session.dispose(); return 'done';`;
    await delegated({ loader, use }, { text: 'yes' });
    assert.match(JSON.stringify(llm.requests[1]?.body['messages']), /Count seven parcels\./);
  });

  const asOlderPi = async (options: 'older' | 'old'): Promise<void> => {
    place.useLlm(llm);
    place.file('work/AGENTS.md', 'Never weigh.');
    place.file('work/here.txt', 'found');
    const tool = place.file('elsewhere/delegate.ts', OLDER.replace('OPTIONS', options));
    const read = { toolCalls: [{ name: 'read', arguments: { path: 'here.txt' } }] };
    llm.reply(DELEGATE, read, { text: 'looked' }, { text: 'done' });
    const { code, stdout, stderr } = await place.run(['-p', 'go', '-e', tool]);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: 'done\n' }, stderr);
    assert.equal(llm.requests[1]?.body['model'], 'two');
    assert.match(requests()[2] ?? '', /found.*one turn left/);
    assert.match(requests()[3] ?? '', /looked/);
  };

  it('takes tools, hooks, files and a prompt of its own, as in the first versions of pi', async () => {
    await asOlderPi('older');
    assert.deepEqual([...toolsOf(1)].sort(), ['count', 'find', 'grep', 'ls', 'read']);
    assert.match(system(1), /You weigh parcels\./);
    assert.match(system(1), /Always weigh\./);
  });

  it('takes ready-made tools, and a function that makes the prompt, as in older pi', async () => {
    await asOlderPi('old');
    assert.deepEqual(toolsOf(1), ['read']);
    assert.match(system(1), /Never weigh\..* Be kind\./);
  });

  for (const [how, set] of [
    ['today', 'session.agent.state.messages = earlier'],
    ['in older pi', 'session.agent.replaceMessages(earlier)'],
  ]) {
    it(`goes on from messages that the hook gives it, as ${how}`, async () => {
      const use = `const earlier = [{ role: 'user', content: [{ type: 'text', text: 'seven parcels' }], timestamp: 1 }];
        ${set};
        const told = session.state.messages.length;
        for (const text of ['weigh them', 'and again']) await session.prompt(text);
        session.dispose();
        return told;`;
      assert.equal(
        await delegated({ use, loader: `systemPrompt: 'You weigh.'` }, { text: 'yes' }, { text: 'yes' }),
        '1',
      );
      for (const request of [1, 2]) {
        assert.match(JSON.stringify(llm.requests[request]?.body['messages']), /seven parcels.*weigh them/);
        assert.match(system(request), /You weigh\./);
      }
    });
  }

  it('is kept by its session manager, which follows it, and can be gone on with', async () => {
    const options = `sessionManager: globalThis.manager = SessionManager.create(ctx.cwd)`;
    const use = `
      const { manager } = globalThis;
      await session.prompt('remember this');
      const same = [session.sessionFile === manager.getSessionFile(), session.sessionId === manager.getSessionId()];
      const known = manager.getEntries().filter(({ type }) => type === 'message').length;
      let refused;
      try { manager.appendMessage({ role: 'user', content: 'x', timestamp: 0 }); } catch (error) { refused = error.message; }
      session.dispose();
      while (require('node:fs').existsSync(session.sessionFile + '.lock')) await new Promise(resolve => setTimeout(resolve, 5));
      const { session: next } = await createAgentSession({ sessionManager: SessionManager.open(session.sessionFile) });
      await next.prompt('and then');
      next.dispose();
      return [...same, known >= 2, /read-only/.test(refused)].join();`;
    assert.equal(await delegated({ options, use }, { text: 'first' }, { text: 'second' }), 'true,true,true,true');
    const last = JSON.stringify(llm.requests[2]?.body['messages']);
    assert.match(last, /remember this.*first.*and then/);
    const own = place
      .sessionFiles()
      .map(file => readFileSync(file, 'utf8'))
      .find(text => text.includes('and then'));
    assert.match(own ?? '', /remember this[^]*second/);
  });

  const REFUSED = [
    [
      'an extension that does not load',
      { loader: `additionalExtensionPaths: ['broken.ts']` },
      /broken\.ts was not loaded/,
    ],
    ['an extension that is not there', { loader: `additionalExtensionPaths: ['nowhere.ts']` }, /nowhere\.ts/],
    [
      'an inline extension that throws',
      { loader: `extensionFactories: [() => { throw new Error('not today'); }]` },
      /not today/,
    ],
    ['a list of models', { options: 'scopedModels: []' }, /"scopedModels" is not available in this runtime/],
    [
      'a loader that has not all methods',
      { options: 'resourceLoader: { getExtensions: () => ({ extensions: [] }) }' },
      /"resourceLoader" needs the method "getSkills"/,
    ],
    [
      'a loader with extensions of its own',
      { options: `resourceLoader: ${OWN_LOADER.replace('extensions: []', 'extensions: [{ path: "x" }]')}` },
      /"resourceLoader" must not have extensions/,
    ],
    ['an override that is not a function', { loader: 'skillsOverride: {}' }, /"skillsOverride" must be a function/],
    ['an event bus', { loader: 'eventBus: {}' }, /"eventBus" is not available/],
    ['a command', { use: `await session.executeBash('true')` }, /'AgentSession.executeBash' of '.*' is not available/],
    ['a stream of its own', { use: `session.agent.streamFunction = () => {}` }, /streamFunction/],
    ['a prompt after its end', { use: `session.dispose(); await session.prompt('x')` }, /This session was disposed/],
  ] as const;

  it('refuses what is not possible, and says so', async () => {
    place.useLlm(llm);
    place.file('work/broken.ts', 'export default (pi) => { pi.nothing.at.all(); };');
    const tools = REFUSED.map(([, how], at) =>
      place.file(`elsewhere/refused-${at}.ts`, delegating(how, `refused_${at}`)),
    );
    llm.reply({ toolCalls: tools.map((_, at) => ({ name: `refused_${at}`, arguments: {} })) }, { text: 'done' });
    await place.run(['-p', 'go', ...tools.flatMap(tool => ['-e', tool])]);
    const sent = requests().at(-1) ?? '';
    const results = [...sent.matchAll(/"tool_result".*?"content":"(.*?)","is_error"/g)].map(([, text = '']) =>
      text.replaceAll('\\"', '"'),
    );
    assert.equal(results.length, REFUSED.length);
    for (const [at, [what, , reason]] of REFUSED.entries()) assert.match(results[at] ?? '', reason, what);
  });

  it('is not made when the gate around it was changed meanwhile', async () => {
    const gate = place.file('work/.pi/extensions/gate.ts', GATE);
    const loader = `...(require('node:fs').writeFileSync(${JSON.stringify(gate)}, 'export default () => {};'), {})`;
    assert.match(await delegated({ loader }), /gate\.ts was changed after it was loaded/);
  });

  it('is not made while a gate around it does not run', async () => {
    place.file('work/.pi/extensions/gate.ts', `import 'no-such-package';\n${GATE}`);
    place.useLlm(llm);
    const command = place.file('elsewhere/start.ts', leaving());
    const host = RpcHost.start(place, ['-e', command]);
    await host.ask('prompt', { message: '/start' });
    const told = await host.event('extension_error');
    assert.match(String(told['error']), /createAgentSession: .*gate\.ts checks tool calls, but failed to load/);
    assert.equal(llm.requests.length, 0);
    await host.close();
  });

  it('asks for approvals where the conversation asks, and reads why it is denied', async () => {
    place.useLlm(llm);
    const tool = place.file('elsewhere/delegate.ts', delegating());
    const host = RpcHost.start(place, ['--approve-tools', 'ask', '-e', tool]);
    for (const confirmed of [false, true]) {
      llm.reply(DELEGATE, bash('touch made'), { text: 'tried' }, { text: 'done' });
      const from = host.messages.length;
      const over = host.prompt('go');
      const [outer] = [await host.ui('confirm', from)];
      host.answer(outer, { confirmed: true });
      const inner = await host.next(
        message => message['method'] === 'confirm' && message['id'] !== outer['id'],
        'the question about the command',
        from,
      );
      assert.match(JSON.stringify(inner), /touch made/);
      host.answer(inner, confirmed ? { confirmed } : { confirmed, reason: 'use a file tool' });
      await over;
      assert.equal(existsSync(join(place.cwd, 'made')), confirmed);
    }
    const told = requests().map(request => request.includes('The user says: use a file tool'));
    assert.deepEqual(told.slice(0, 4), [false, false, true, false], 'only the agent that was denied reads why');
    await host.close();
  });

  for (const [mode, reason] of [
    ['ask', /needs approval/],
    ['plan', /[Pp]lan mode/],
  ] as const) {
    it(`is refused what nobody can approve in the mode ${mode} of the conversation`, async () => {
      place.useLlm(llm);
      const command = place.file('elsewhere/start.ts', leaving({ use: PROMPT }));
      llm.reply(bash('touch made'), { text: 'tried' });
      await place.run(['--approve-tools', mode, '-e', command, '-p', '/start']);
      assert.match(requests()[1] ?? '', reason);
      assert.equal(existsSync(join(place.cwd, 'made')), false);
    });
  }

  it('ends its run with that of the conversation, whatever the hook does', async () => {
    place.useLlm(llm);
    const tool = place.file('elsewhere/delegate.ts', delegating());
    const host = RpcHost.start(place, ['-e', tool]);
    llm.reply(DELEGATE);
    const held = llm.hold({ text: 'for long' });
    const over = host.prompt('go');
    const request = await held.reached;
    await host.data('abort');
    assert.equal(await request.closed, true);
    await over;
    await host.close();
  });

  it('ends when its hook is loaded anew, and with the conversation', async () => {
    place.useLlm(llm);
    const command = place.file('elsewhere/start.ts', leaving());
    const host = RpcHost.start(place, ['-e', command]);
    for (const end of [() => host.data('prompt', { message: '/reload' }), () => host.close()]) {
      const held = llm.hold({ text: 'for long' });
      await host.data('prompt', { message: '/start' });
      const request = await held.reached;
      await end();
      assert.equal(await request.closed, true);
    }
    assert.equal((await host.ended).code, 0);
  });

  it('cannot change a gate for the conversation, also outside of a tool call', async () => {
    const gate = place.file(
      'work/.pi/extensions/gate.ts',
      GATE.replace(`=== 'bash'`, `=== 'bash' && event.input.command.includes('secret')`),
    );
    place.useLlm(llm);
    const command = place.file('elsewhere/start.ts', leaving({ use: PROMPT }));
    const host = RpcHost.start(place, ['-e', command]);
    llm.reply(bash(`echo 'export default () => {};' > '${gate}'`), { text: 'changed' });
    await host.data('prompt', { message: '/start' });
    assert.equal(readFileSync(gate, 'utf8'), 'export default () => {};\n');
    await host.data('prompt', { message: '/reload' });
    llm.reply(bash('touch secret'), { text: 'done' });
    await host.prompt('go');
    assert.match(messages(), /bash is not for agents/);
    assert.equal(existsSync(join(place.cwd, 'secret')), false);
    await host.close();
  });
});
