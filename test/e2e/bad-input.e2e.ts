import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** The folder of the workspace's sessions below the test's home. */
function sessionsOf(workbench: Workbench): string {
  const name = workbench.workspace.replace(/^\//, '').replaceAll('/', '-');
  return join(workbench.place.home, '.pi', 'agent', 'sessions', `--${name}--`);
}

/** The files of the sessions, the oldest first: their names begin with the time. */
function sessionFiles(workbench: Workbench): readonly string[] {
  const dir = sessionsOf(workbench);
  const names = readdirSync(dir).filter(name => name.endsWith('.jsonl'));
  return names.sort().map(name => join(dir, name));
}

function onlySession(workbench: Workbench): string {
  const files = sessionFiles(workbench);
  assert.equal(files.length, 1);
  return files[0]!;
}

/** Resolves when no living process writes to a session file; one that was killed leaves its lock behind. */
async function isFree(file: string): Promise<void> {
  const holder = (): number | undefined => {
    try {
      return (JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as { readonly pid: number }).pid;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };
  await waitFor(
    () => {
      const pid = holder();
      return pid === undefined || !existsSync(`/proc/${pid}`) ? true : undefined;
    },
    { what: `process ${holder() ?? 'unknown'} to let go of the session file`, timeout: 80_000 },
  );
}

const HOOKS = {
  '.pi/hooks/no-default.ts': 'export const nothing = 1;\n',
  '.pi/hooks/bad-factory.ts': 'export default function () {\n  throw new Error("factory gave up");\n}\n',
  '.pi/hooks/throws.ts':
    'export default function (pi: any) {\n  pi.on("tool_call", (event: any) => {\n    if (event.toolName === "find") throw new Error("judge is ill");\n  });\n}\n',
  '.pi/hooks/hangs.ts':
    'export default function (pi: any) {\n  pi.on("tool_call", (event: any) => (event.toolName === "grep" ? new Promise(() => {}) : undefined));\n}\n',
};

describe('what providers and hooks do wrong', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    const base = llm.model('anthropic-messages').baseUrl;
    const model = { id: 'scripted', name: 'Scripted', contextWindow: 100_000, maxTokens: 1000, input: ['text'] };
    const providers = {
      scripted: { baseUrl: base, apiKey: 'literal-key', api: 'anthropic-messages', models: [model] },
      nokey: { baseUrl: base, api: 'anthropic-messages', models: [{ ...model, id: 'locked', name: 'Locked' }] },
      gone: {
        baseUrl: 'http://127.0.0.1:9',
        apiKey: 'k',
        api: 'anthropic-messages',
        models: [{ ...model, id: 'away' }],
      },
    };
    const settings = {
      defaultProvider: 'nokey',
      defaultModel: 'locked',
      retry: { enabled: true, maxRetries: 1, baseDelayMs: 50 },
    };
    workbench = await openWorkbench({
      homeFiles: {
        '.pi/agent/models.json': JSON.stringify({ providers }),
        '.pi/agent/settings.json': JSON.stringify(settings),
      },
      files: HOOKS,
    });
    chat = await Chat.open(workbench);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const useScripted = async (): Promise<void> => {
    await chat.ask('/model scripted/scripted');
    await chat.frame.getByRole('button', { name: 'Choose model: Scripted' }).waitFor();
  };
  /** Asks for a call of a tool. */
  const askFor = async (name: string, args: Readonly<Record<string, string>>): Promise<void> => {
    llm.reply({ toolCalls: [{ name, arguments: args }] });
    await chat.ask(`use ${name}`);
  };
  const list = async (): Promise<void> => {
    await askFor('ls', { path: '.' });
    await chat.tool('ls', 'done');
    await chat.idle();
  };

  describe('a chosen model without a key', () => {
    it('is named, with a way to set one, and the text is not lost', async () => {
      await chat.ask('words to keep');
      await chat.says(/No API key is known for nokey, the provider of /);
      assert.equal(await chat.composer.inputValue(), 'words to keep');
      await chat.frame.getByRole('button', { name: 'Set API Key' }).click();
      await workbench.quickInput.opened();
      const providers = await workbench.quickInput.text();
      assert.match(providers, /nokey/);
      assert.match(providers, /Anthropic\s*anthropic/);
      await workbench.quickInput.type('anthropic');
      await waitFor(
        async () => ((await workbench.quickInput.activeItem())?.startsWith('Anthropic') === true ? true : undefined),
        { what: 'Anthropic as what Enter takes' },
      );
      await workbench.quickInput.accept();
      await waitFor(
        async () => (/^API key for Anthropic$/.test((await workbench.quickInput.title()).trim()) ? true : undefined),
        { what: 'the question for the key, by the name of the provider' },
      );
      await workbench.quickInput.cancel();
    });
  });

  describe('what providers do wrong', () => {
    before(useScripted);

    const expectError = async (...said: readonly RegExp[]): Promise<void> => {
      for (const text of said) await chat.says(text);
      await chat.idle();
    };

    it('answers over a real client when all is well', async () => {
      llm.reply({ text: 'Hello from the wire' });
      await chat.ask('hi');
      await chat.says('Hello from the wire');
      await chat.idle();
    });

    it('401: names the provider and the way to set a key', async () => {
      llm.fail(401, { message: 'bad key 401x' });
      await chat.ask('who are you');
      await expectError(/scripted.*refused the API key \(401\)/, /Hookline: Set API Key/);
    });

    it('429 and 500: tries again by itself, then gives up with the status', async () => {
      llm.fail(429);
      llm.reply({ text: 'second try worked' });
      await chat.ask('once more');
      await chat.says('second try worked');
      await chat.idle();
      llm.fail(500);
      llm.fail(500);
      await chat.ask('and now');
      await expectError(/failed on its own side \(500\)/);
    });

    it('a stream cut in the middle: what came stays, the cut is told', async () => {
      llm.cut({ text: 'half a sent' }, 4);
      llm.cut({ text: 'half a sent' }, 4);
      await chat.ask('tell me');
      await expectError(/was cut in the middle/);
    });

    it('arguments that fail the schema: the model is told, nothing runs', async () => {
      llm.reply({ toolCalls: [{ name: 'bash', arguments: { cmd: 'touch made' } }] }, { text: 'I see, sorry' });
      await chat.ask('do it wrongly');
      await chat.says('I see, sorry');
      await chat.idle();
      const card = await chat.tool('bash', 'failed');
      assert.match(await card.innerText(), /command/);
      assert.equal(existsSync(join(workbench.workspace, 'made')), false);
    });

    it('an unreachable provider: named with its address, told once for all tries and once as the error', async () => {
      await chat.send('/model');
      await workbench.quickInput.type('away');
      await workbench.quickInput.accept();
      await waitFor(async () => ((await chat.composer.count()) === 1 ? true : undefined), { what: 'the composer' });
      await chat.ask('anybody there');
      await expectError(/could not be reached at http:\/\/127.0.0.1:9/);
      await chat.idle();
      assert.equal((await chat.text()).split('could not be reached').length - 1, 2);
    });
  });

  describe('what hooks do wrong', () => {
    before(async () => {
      await useScripted();
      llm.otherwise(() => ({ text: 'I see.' }));
    });

    it('a file without a default export and a throwing factory are named; the others live', async () => {
      await chat.says(/no-default\.ts fails to load.*must export a default function/);
      await chat.says(/bad-factory\.ts fails to load.*factory gave up/);
      await askFor('bash', { command: 'sudo true' });
      await openQuestion(workbench);
      await workbench.quickInput.cancel();
      await chat.tool('bash', 'blocked');
      await chat.idle();
    });

    it('a throwing tool_call handler blocks its tool with its reason', async () => {
      await askFor('find', { pattern: '*.ts' });
      const card = await chat.tool('find', 'blocked');
      assert.match(await card.innerText(), /judge is ill/);
      assert.match(await card.innerText(), /throws\.ts/);
      await chat.idle();
    });

    it('one that never answers can be stopped, and the tool has not run', async () => {
      await askFor('grep', { pattern: 'greet' });
      await chat.tool('grep', 'checking');
      await workbench.runCommand('Hookline: Stop');
      await chat.idle();
      await list();
    });
  });
});

describe('what happens to session files', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench();
    chat = await Chat.open(workbench);
    await list();
  });
  after(() => workbench.close());

  const list = async (): Promise<void> => {
    await chat.ask('list');
    await chat.tool('ls', 'done');
    await chat.idle();
  };

  it('a torn last line is closed and continued after; what stood before is shown', async () => {
    const file = onlySession(workbench);
    await workbench.page.goto('about:blank');
    await isFree(file);
    appendFileSync(file, '{"type":"message","id":"torn');
    const torn = readFileSync(file, 'utf8');
    await workbench.load();
    chat = await Chat.open(workbench);
    await chat.tool('ls', 'done');
    await chat.ask('read notes.txt');
    await chat.tool('read', 'done');
    await chat.idle();
    const after = readFileSync(file, 'utf8');
    assert.ok(after.startsWith(torn), 'nothing that stood there was changed');
    assert.ok(after.length > torn.length);
  });

  for (const [what, damage] of [
    ['a torn first line', (text: string): string => text.slice(40)],
    [
      'binary rubbish',
      (): string => Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7) % 256)).toString('latin1'),
    ],
  ] as const) {
    it(`${what}: never rewritten, the problem shown, a new conversation possible`, async () => {
      const file = onlySession(workbench);
      await workbench.page.goto('about:blank');
      await isFree(file);
      const broken = damage(readFileSync(file, 'utf8'));
      writeFileSync(file, broken, 'latin1');
      const bytes = readFileSync(file);
      await workbench.load();
      chat = await Chat.open(workbench);
      await chat.says(/can only be read|cannot be read|no session header|damaged|unreadable/i);
      await workbench.runCommand('Hookline: New Session');
      await chat.isNew();
      await list();
      assert.deepEqual(readFileSync(file), bytes);
      // The next case damages the session that was begun last.
      for (const older of sessionFiles(workbench).slice(0, -1)) rmSync(older);
    });
  }
});

describe('where nothing may run', () => {
  it('no folder open: the chat answers, tools say what they need, and one is offered to be opened', async () => {
    const workbench = await openWorkbench({ folder: false });
    try {
      const chat = await Chat.open(workbench);
      await chat.says(/No folder is open\. You can chat, but the agent cannot work on files or run commands\./);
      await chat.frame.getByRole('button', { name: 'Open Folder' }).waitFor();
      await chat.ask('hello');
      await chat.idle();
      // Nothing is asked first: the call does nothing.
      await chat.ask('run `touch planted.txt`');
      await chat.tool('bash', 'failed');
      await chat.says(/No folder is open in VS Code, so there are no files to work on/);
      await chat.idle();
      await workbench.screenshot('08-no-folder');
      await workbench.runCommand('Hookline: Add Example Hook…');
      await workbench.quickInput.opened({ withItems: true });
      await workbench.quickInput.type('status-line');
      await workbench.quickInput.accept();
      await waitFor(
        async () => ((await workbench.quickInput.title()).includes('Add status-line.ts?') ? true : undefined),
        {
          what: 'the question where to add it',
        },
      );
      const [first = '', second = ''] = await workbench.quickInput.items();
      assert.match(first, /Add to all my workspaces/);
      assert.match(second, /Cancel/);
      await workbench.quickInput.chooseByKeyboard('Cancel');
    } finally {
      await workbench.close();
    }
  });
});
