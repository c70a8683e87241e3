import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Commands of the composer as a person types them, and what each of them shows. */
describe('slash commands in VS Code', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    const { baseUrl } = llm.model('anthropic-messages');
    const models = ['first', 'second', 'third'].map(id => ({
      id,
      name: `The ${id}`,
      reasoning: true,
      contextWindow: 9e4,
    }));
    const provider = { baseUrl, apiKey: 'literal-key', api: 'anthropic-messages', models };
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'commands ü',
      settings: { 'workbench.colorTheme': 'Dark Modern', 'workbench.editor.useModal': 'off' },
      homeFiles: {
        '.pi/agent/models.json': JSON.stringify({ providers: { scripted: provider } }),
        '.pi/agent/settings.json': JSON.stringify({
          defaultProvider: 'scripted',
          defaultModel: 'first',
          defaultThinkingLevel: 'low',
          compaction: { keepRecentTokens: 20 },
          ofAnExtension: { kept: true },
        }),
      },
    });
    chat = await Chat.open(workbench);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await workbench.page.keyboard.press(key);
  };
  const agentFile = (name: string): string => join(workbench.place.home, '.pi', 'agent', name);
  const sessionFiles = (): readonly string[] =>
    readdirSync(agentFile('sessions'), { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.jsonl'));
  const notice = (text: string | RegExp): Promise<void> =>
    chat.frame.locator('[data-kind="notice"]', { hasText: text }).last().waitFor();
  const option = (text: string | RegExp): Locator => chat.frame.locator('li[role="option"]').filter({ hasText: text });
  const model = (name: string, timeout = 60_000): Promise<void> =>
    chat.frame.getByRole('button', { name: `Choose model: ${name}` }).waitFor({ timeout });
  const thinks = (level: string): Promise<void> =>
    chat.frame.getByRole('button', { name: `Thinking level: ${level}` }).waitFor();
  const asks = async (title: string): Promise<void> => {
    await waitFor(async () => ((await workbench.quickInput.title()).includes(title) ? true : undefined), {
      what: `the pick "${title}"`,
    });
    await workbench.quickInput.opened({ withItems: true });
  };
  const news = (text: string): Promise<unknown> =>
    waitFor(async () => ((await workbench.notifications()).some(one => one.includes(text)) ? true : undefined), {
      what: `the news "${text}"`,
    });
  /** Types the text as the whole message, key by key. */
  const write = async (text: string): Promise<void> => {
    await waitFor(
      async () => {
        await chat.composer.click();
        await press('Control+a', 'Backspace');
        await workbench.page.keyboard.type(text);
        return (await chat.composer.inputValue()) === text ? true : undefined;
      },
      { what: `"${text}" in the composer` },
    );
  };

  it('/session, /name and /thinking', async () => {
    llm.reply({ text: 'A first answer.' });
    await chat.ask('a first question');
    await chat.says('A first answer.');
    await chat.idle();
    await chat.ask('/name Commands of today');
    await chat.ask('/session');
    await notice(/Session: Commands of today/);
    await notice(/Messages: [\d]+, entries: [\d]+/);
    await chat.ask('/thinking high');
    await thinks('high');
    await chat.send('/thinking');
    await asks('Choose a thinking level');
    await workbench.quickInput.cancel();
  });

  it('/model, with its name completed by the keyboard at 300 px', async () => {
    await widen(workbench, 300);
    await write('/model sec');
    await option('scripted/second').waitFor();
    await workbench.screenshot('slash-1-arguments-300px');
    await press('Tab');
    await waitFor(async () => ((await chat.composer.inputValue()) === '/model scripted/second' ? true : undefined), {
      what: 'the whole name in the composer',
    });
    await press('Enter');
    await model('The second');
    await write('/thinking ');
    await option('medium').waitFor();
    await press('ArrowDown', 'ArrowDown');
    await workbench.screenshot('slash-2-thinking-300px');
    chat = await useTheme(workbench, 'Light Modern');
    await write('/model ');
    await option('scripted/third').waitFor();
    await workbench.screenshot('slash-3-arguments-light-300px');
    await widen(workbench, 560);
    await workbench.screenshot('slash-4-arguments-light-560px');
    await press('Escape');
    chat = await useTheme(workbench, 'Dark Modern');
    await write('/model ');
    await option('scripted/third').waitFor();
    await workbench.screenshot('slash-5-arguments-560px');
    await press('Escape');
  });

  it('/scoped-models writes what is checked, and Next Model goes through it', async () => {
    await chat.send('/scoped-models');
    await asks('Models to cycle through');
    await workbench.quickInput.type('third');
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'The third' }).first().waitFor();
    await press('ArrowDown', 'Space');
    await workbench.quickInput.type('first');
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'The first' }).first().waitFor();
    await press('ArrowDown', 'Space');
    await workbench.quickInput.type('');
    await workbench.screenshot('slash-6-scoped-models');
    await workbench.quickInput.accept();
    await news('The models to cycle through are saved.');
    const settings = JSON.parse(readFileSync(agentFile('settings.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual(settings['enabledModels'], ['scripted/first', 'scripted/third']);
    assert.deepEqual(settings['ofAnExtension'], { kept: true });
    await workbench.runCommand('Hookline: Next Model');
    await model('The first');
    await workbench.runCommand('Hookline: Next Model');
    await model('The third');
    await workbench.runCommand('Hookline: Previous Model');
    await model('The first');
    // A key is lost while VS Code does not know yet that the chat has the keyboard.
    await waitFor(
      async () => {
        await chat.composer.click();
        await press('Control+Alt+m');
        return model('The third', 3000).then(
          () => true as const,
          () => undefined,
        );
      },
      { what: 'the next model by its key' },
    );
  });

  it('/fork, /clone, /resume and /new', async () => {
    await chat.send('/fork');
    await asks('Start a new session from a message');
    await workbench.screenshot('slash-7-fork');
    await workbench.quickInput.accept();
    await waitFor(async () => ((await chat.composer.inputValue()) === 'a first question' ? true : undefined), {
      what: 'the text of the message in the composer',
    });
    await chat.composer.fill('');
    await chat.ask('/resume Commands of today');
    await chat.says('A first answer.');
    const before = sessionFiles().length;
    await chat.ask('/clone');
    // What is typed before the copy is shown belongs to the session that was left.
    await waitFor(() => Promise.resolve(sessionFiles().length > before || undefined), { what: 'the copy' });
    await chat.ask('/session');
    await notice(/Session: Commands of today/);
    await chat.ask('/new');
    await chat.isNew();
    await write('/resume comm');
    await option('Commands of today').first().waitFor();
    await workbench.screenshot('slash-8-resume');
    await press('Escape');
    await chat.send('/resume no such session');
    await waitFor(
      async () => ((await workbench.quickInput.title()).includes('Sessions of this folder') ? true : undefined),
      { what: 'the list of sessions' },
    );
    assert.equal(await workbench.quickInput.value(), 'no such session');
    await workbench.quickInput.cancel();
  });

  it('/export to JSONL, /import of it, and the format in the dialog', async () => {
    await chat.ask('/new');
    await chat.isNew();
    llm.reply({ text: 'An answer to be carried about.' });
    await chat.ask('remember this');
    await chat.says('An answer to be carried about.');
    await chat.idle();
    await chat.ask('/export carried.jsonl');
    await notice(/Session exported to .*carried\.jsonl/);
    assert.ok(existsSync(join(workbench.workspace, 'carried.jsonl')));
    await chat.send('/export');
    await asks('Export Session');
    await workbench.quickInput.type('JSONL');
    assert.match((await workbench.quickInput.items()).join(), /a session file, which \/import and pi read/);
    await workbench.quickInput.cancel();
    await chat.ask('/new');
    await chat.isNew();
    await write('/import ca');
    await option('carried.jsonl').waitFor();
    await press('Tab', 'Enter');
    await chat.says('An answer to be carried about.');
  });

  it('/compact', async () => {
    llm.reply({ text: 'Many words about carrying. '.repeat(40) });
    await chat.ask('and what else?');
    await chat.says('Many words about carrying.');
    await chat.idle();
    // What came before, and the beginning of the turn that is cut.
    llm.reply({ text: 'They spoke of carrying things.' }, { text: 'More was asked for.' });
    await chat.ask('/compact keep the things');
    await waitFor(() => (JSON.stringify(llm.requests).includes('keep the things') ? true : undefined), {
      what: 'the request for a summary',
    });
    await notice('Earlier conversation summarized');
    await chat.idle();
    await chat.frame.locator('[data-kind="notice"] summary').last().press('Enter');
    await chat.frame.getByText('They spoke of carrying things.').last().waitFor();
    await workbench.screenshot('slash-9-compact');
  });

  it('/trust shows what is decided, saves it, and takes it back from its notice', async () => {
    const folder = realpathSync(workbench.workspace);
    const saved = (): unknown => JSON.parse(readFileSync(agentFile('trust.json'), 'utf8'));
    await chat.send('/trust');
    await asks('Trust in commands ü');
    assert.match(await workbench.quickInput.placeholder(), /No decision yet · now: trusted/);
    await workbench.screenshot('slash-10-trust');
    await workbench.quickInput.chooseByKeyboard('Do not trust');
    await notice(/trust\.json in the agent folder marks/);
    assert.deepEqual(saved(), { [folder]: false });
    await widen(workbench, 300);
    await workbench.screenshot('slash-11-not-trusted-300px');
    await chat.frame.getByRole('button', { name: 'Decide', exact: true }).press('Enter');
    await asks('Trust in commands ü');
    await workbench.quickInput.chooseByKeyboard('Forget the decision');
    await chat.frame.locator('[data-kind="notice"]', { hasText: 'trust.json' }).waitFor({ state: 'detached' });
    assert.deepEqual(saved(), {});
    await widen(workbench, 560);
  });

  it('/login and /logout', async () => {
    await chat.send('/login');
    await asks('Log in');
    await workbench.quickInput.cancel();
    await chat.send('/logout');
    await news('You are not logged in to any provider.');
    await workbench.runCommand('Notifications: Clear All Notifications');
    await waitFor(async () => ((await workbench.notifications()).length === 0 ? true : undefined), {
      what: 'the news to be gone',
    });
    await chat.send('/logout anthropic');
    await news('You are not logged in to any provider.');
  });

  it('/settings, /hotkeys and /changelog', async () => {
    const shows = (selector: string): Promise<void> => workbench.page.locator(selector).first().waitFor();
    await chat.send('/settings');
    await shows('.settings-editor .setting-item-label:text("Thinking Level")');
    await workbench.runCommand('View: Close All Editors');
    chat = await Chat.open(workbench);
    await chat.send('/hotkeys');
    await shows('.keybindings-editor .monaco-list-row:has-text("Next Model")');
    await workbench.runCommand('View: Close All Editors');
    chat = await Chat.open(workbench);
    await chat.send('/changelog');
    await shows('.tab:has-text("Preview CHANGELOG.md")');
  });
});
