import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { loadSettings } from '../../src/agent/settings/load-settings';
import { Emitter } from '../../src/base/event';
import { deferred } from '../../src/base/async/wait';
import { silentLog } from '../../src/base/log';
import { LiveResources } from '../../src/startup/resources';
import type { HostToWebview } from '../../src/protocol/messages';
import { Rig, until, type RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';

const DISCOVER = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default function (pi: ExtensionAPI) {
  pi.on("session_start", () => appendFileSync(join(__dirname, "log"), "session_start\\n"));
  pi.on("resources_discover", (event, ctx) => {
    appendFileSync(join(__dirname, "log"), event.type + " " + event.reason + " " + (event.cwd === ctx.cwd) + "\\n");
    return { skillPaths: [join(__dirname, "kit", "SKILL.md")], promptPaths: ["kit/greet.md"] };
  });
}`;

const KIT = {
  '.pi/extensions/kit/SKILL.md': '---\nname: kit\ndescription: Knows the kit.\n---\nUse the kit.',
  '.pi/extensions/kit/greet.md': 'Greet $1.',
};

describe('resources in a conversation', () => {
  let rig: Rig | undefined;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    rig = await Rig.open(script, options);
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** The text of each message of the user in a request. */
  function asked({ model }: Rig, request = -1): string[][] {
    return (model.requests.at(request)?.messages ?? [])
      .filter(message => message.role === 'user')
      .map(({ content }) =>
        typeof content === 'string'
          ? [content]
          : content.map(part => (part.type === 'text' ? part.text : part.mimeType)),
      );
  }

  const commandsOf = (got: readonly HostToWebview[]): string[] | undefined => {
    const last = got.findLast(message => message.type === 'commands');
    return last?.commands.filter(({ source }) => source === 'prompt' || source === 'skill').map(({ name }) => name);
  };

  it('hooks are asked at the start and after each reload, and what they name is used', async () => {
    const opened = await open([{ text: 'ok' }, { text: 'ok' }], {
      extensions: { 'more.ts': DISCOVER },
      files: KIT,
      realPrompt: true,
    });
    const { chat, cwd } = opened;
    const names = (): string[] =>
      chat.conversation.forHooks
        .commands()
        .map(({ name, source, location }) => `${name} ${source} ${String(location)}`);
    assert.deepEqual(names(), ['greet prompt path', 'skill:kit skill path']);
    await chat.submit('/greet you');
    assert.deepEqual(asked(opened), [['Greet you.']]);
    assert.match(opened.model.requests[0]?.systemPrompt ?? '', /- kit: Knows the kit\. \(.*kit\/SKILL\.md\)/);

    const { got } = opened.page();
    writeFileSync(join(cwd, '.pi/extensions/kit/greet.md'), 'Greet $1 anew.');
    rmSync(join(cwd, '.pi/extensions/kit/SKILL.md'));
    await chat.submit('/reload');
    assert.deepEqual(names(), ['greet prompt path']);
    await until(() => (commandsOf(got)?.join() === 'greet' ? true : undefined), 'the commands on the page');
    await chat.submit('/greet you');
    assert.deepEqual(asked(opened).at(-1), ['Greet you anew.']);
    assert.doesNotMatch(opened.model.requests[1]?.systemPrompt ?? '', /Knows the kit/);
    assert.deepEqual(readFileSync(join(cwd, '.pi/extensions/log'), 'utf8').trim().split('\n'), [
      'session_start',
      'resources_discover startup true',
      'session_start',
      'resources_discover reload true',
    ]);
  });

  it('what a hook named goes with the hook', async () => {
    const { chat, cwd } = await open([], { extensions: { 'more.ts': DISCOVER }, files: KIT });
    assert.equal(chat.conversation.forHooks.commands().length, 2);
    rmSync(join(cwd, '.pi/extensions/more.ts'));
    await chat.conversation.forHooks.reload();
    assert.deepEqual(chat.conversation.forHooks.commands(), []);
  });

  it('what a hook names after it is gone is not used', async () => {
    const [asked, named] = [deferred(), deferred<object>()];
    Object.assign(globalThis, { resourcesOfTest: { asked: () => asked.resolve(), named: named.promise } });
    const ask = `pi.on('resources_discover', () => { globalThis.resourcesOfTest.asked(); return globalThis.resourcesOfTest.named; });`;
    const opened = await open([], {
      extensions: { 'late.ts': `export default pi => { ${ask} };` },
      files: KIT,
      hookWaitMs: 1,
    });
    await asked.promise;
    rmSync(join(opened.cwd, '.pi/extensions/late.ts'));
    await opened.chat.submit('/reload');
    named.resolve({ promptPaths: [join(opened.cwd, '.pi/extensions/kit/greet.md')] });
    await setImmediate();
    await opened.resources.refresh();
    assert.deepEqual(opened.resources.current.templates, []);
  });

  it('a handler of resources_discover that throws keeps nothing from working', async () => {
    const throwing = `export default function (pi) { pi.on("resources_discover", () => { throw new Error("no kit"); }); }`;
    const { chat, items } = bound(await open([], { extensions: { 'a.ts': throwing, 'b.ts': DISCOVER }, files: KIT }));
    assert.equal(chat.conversation.forHooks.commands().length, 2);
    assert.match(
      items('notice')
        .map(item => item.text)
        .join(),
      /error in resources_discover: no kit/,
    );
  });

  it('texts that are queued stand for their skill or template as well, in the order they came', async () => {
    const opened = await open([{ text: 'ok' }], {
      files: {
        '.pi/prompts/greet.md': 'Greet $1.',
        '.pi/skills/one/SKILL.md': '---\ndescription: One.\n---\nDo one.',
        '.pi/skills/gone/SKILL.md': '---\ndescription: Gone.\n---\nNever.',
      },
      settings: { steeringMode: 'all' },
    });
    const { chat, cwd } = opened;
    rmSync(join(cwd, '.pi/skills/gone'), { recursive: true });
    await Promise.all([
      chat.conversation.inbox.queue('/skill:one now', [], 'steer'),
      chat.conversation.inbox.queue('/greet Ada', [], 'steer'),
      chat.conversation.inbox.queue('plain', [], 'steer'),
      chat.conversation.inbox.queue('/skill:gone x', [], 'steer'),
    ]);
    await chat.submit('go');
    const texts = asked(opened).flat();
    assert.equal(texts.length, 5);
    assert.match(texts[1]!, /Do one\./);
    assert.deepEqual(texts.slice(2), ['Greet Ada.', 'plain', '/skill:gone x']);
    assert.ok(opened.items('notice').some(({ text }) => /The skill "gone" cannot be read/.test(text)));
  });

  it('the order is: command of a hook, input, built-in, skill, template; an unknown command is text', async () => {
    const hook = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
export default function (pi) {
  pi.registerCommand("mine", { description: "m", handler: async args => appendFileSync(join(__dirname, "log"), "mine " + args) });
  pi.on("input", event => event.text === "alias" ? { action: "transform", text: "/greet there" } : undefined);
}`;
    const opened = await open([{ text: 'ok' }, { text: 'ok' }, { text: 'ok' }, { text: 'ok' }], {
      extensions: { 'a.ts': hook },
      files: {
        '.pi/prompts/mine.md': 'never',
        '.pi/prompts/session.md': 'never',
        '.pi/prompts/greet.md': 'Greet $1.',
        '.pi/prompts/skill:one.md': 'never',
        '.pi/skills/one/SKILL.md': '---\ndescription: One.\n---\nDo one.',
      },
    });
    const { chat } = opened;
    const { got } = opened.page();
    const snapshot = got.find(message => message.type === 'snapshot');
    assert.deepEqual(
      snapshot?.commands.filter(({ source }) => source !== 'built-in').map(({ name, source }) => `${source} ${name}`),
      ['hook mine', 'prompt greet', 'prompt skill:one', 'skill skill:one'],
    );
    await chat.submit('/mine x');
    await chat.submit('/session');
    assert.equal(opened.model.requests.length, 0);
    await chat.submit('alias');
    await chat.submit('/skill:one fast');
    await chat.submit('/nothing here');
    await chat.submit('/greet\nyou');
    const dir = join(opened.cwd, '.pi/skills/one');
    assert.deepEqual(asked(opened), [
      ['Greet there.'],
      [
        `<skill name="one" location="${dir}/SKILL.md">\nReferences are relative to ${dir}.\n\nDo one.\n</skill>\n\nfast`,
      ],
      ['/nothing here'],
      ['/greet\nyou'],
    ]);
    assert.deepEqual(
      opened.items('user').map(item => item.text),
      ['Greet there.', '/skill:one fast', '/nothing here', '/greet\nyou'],
    );
  });

  it('before_agent_start sees the expanded prompt; a skill that is gone is told and sent as typed', async () => {
    const hook = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
export default function (pi) {
  pi.on("before_agent_start", event => { appendFileSync(join(__dirname, "log"), event.prompt + "\\n"); });
}`;
    const opened = await open([{ text: 'ok' }, { text: 'ok' }], {
      extensions: { 'a.ts': hook },
      files: { '.pi/commands/do/it.md': 'Do $ARGUMENTS.', '.pi/skills/one/SKILL.md': '---\ndescription: One.\n---\n' },
    });
    await opened.chat.submit('/it "this and" that');
    rmSync(join(opened.cwd, '.pi/skills/one'), { recursive: true });
    await opened.chat.submit('/skill:one');
    assert.equal(readFileSync(join(opened.cwd, '.pi/extensions/log'), 'utf8'), 'Do this and that.\n/skill:one\n');
    assert.match(
      opened
        .items('notice')
        .map(item => item.text)
        .join('\n'),
      /^The skill "one" cannot be read: ENOENT/m,
    );
  });

  it('texts of hooks expand only when they come by send of the oldest dialect', async () => {
    const hook = `import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
export default function (pi: HookAPI) { pi.on("session", event => { if (event.reason === "start") pi.send("/greet you"); }); }`;
    const ext = `export default function (pi) {
  pi.registerCommand("say", { handler: async () => pi.sendUserMessage("/greet me @note.txt") });
}`;
    const opened = await open([{ text: 'ok' }, { text: 'ok' }], {
      hooks: { 'old.ts': hook },
      extensions: { 'new.ts': ext },
      files: { '.pi/prompts/greet.md': 'Greet $1.', 'note.txt': 'n' },
    });
    const { chat } = opened;
    await until(() => (opened.model.requests.length === 1 ? true : undefined), 'the first request');
    await chat.conversation.run.waitForIdle();
    await chat.submit('/say');
    await until(() => (opened.model.requests.length === 2 ? true : undefined), 'the second request');
    await chat.conversation.run.waitForIdle();
    assert.deepEqual(asked(opened), [['Greet you.'], ['/greet me @note.txt']]);
  });

  it('files named with @ are attached, each once; other words with @ stay as typed', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const opened = await open([{ text: 'ok' }, { text: 'ok' }], {
      files: {
        'src/a.txt': 'alpha\nbeta',
        'with blank.txt': 'gamma',
        'long.txt': 'x\n'.repeat(3000),
        'mail.com': 'never',
        '.pi/prompts/look.md': 'Look at $1 and not at @src/a.txt.',
      },
    });
    const { chat, cwd } = opened;
    writeFileSync(join(cwd, 'p.png'), png);
    mkdirSync(join(cwd, 'types'));
    const text = 'see @src/a.txt, (@nothing) @types me@mail.com @"with blank.txt" @p.png @src/a.txt and @long.txt!';
    await chat.submit(text);
    const [parts] = asked(opened);
    assert.deepEqual(parts?.slice(0, 5), [
      text,
      `<file name="${join(cwd, 'src/a.txt')}">\nalpha\nbeta\n</file>`,
      `<file name="${join(cwd, 'with blank.txt')}">\ngamma\n</file>`,
      `<file name="${join(cwd, 'p.png')}"></file>`,
      'image/png',
    ]);
    assert.equal(parts.length, 6);
    assert.match(parts[5] ?? '', /\[Showing lines 1-2000 of 3000\. Use offset=2001 to continue\.\]\n<\/file>$/);
    assert.equal(opened.items('user')[0]?.text, text);
    assert.equal(opened.items('user')[0]?.images.length, 1);

    await chat.submit('/look @src/a.txt');
    assert.deepEqual(asked(opened)[1], [
      'Look at @src/a.txt and not at @src/a.txt.',
      `<file name="${join(cwd, 'src/a.txt')}">\nalpha\nbeta\n</file>`,
    ]);
    await chat.edits.branchFrom(opened.items('user')[0]?.id ?? '');
    assert.equal(chat.composer.text, text);
  });

  function bound(opened: Rig): { chat: Rig['chat']; items: Rig['items'] } {
    return { chat: opened.chat, items: opened.items.bind(opened) };
  }

  it('themes that a hook names are not used, and the log says which', async () => {
    const warnings: string[] = [];
    const opened = await open([]);
    const place = { agentDir: join(opened.root, 'agent'), cwd: opened.cwd, includeProject: () => true };
    const found = { skillPaths: [], promptPaths: [], themePaths: ['/themes/red.json'] };
    const resources = await LiveResources.open({
      place,
      settings: {
        current: (await loadSettings({ ...place, includeProject: true })).settings,
        problems: [],
        onDidChange: new Emitter<void>().event,
      },
      packages: { files: () => [] },
      hooks: { hasHandlers: () => true, emit: () => Promise.resolve(found as never) },
      log: { ...silentLog, warn: text => warnings.push(text) },
    });
    await resources.discover('startup', opened.chat.conversation.forHooks);
    assert.deepEqual(warnings, [
      'Themes that hooks named are not used, because VS Code sets the colors: /themes/red.json',
    ]);
    resources.dispose();
  });
});
