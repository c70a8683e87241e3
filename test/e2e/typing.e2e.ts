import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { scriptedHome } from './support/scripted-home';
import { Typist } from './support/typist';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/**
 * `/drive <ms>` waits for the file `go` and then asks questions of all kinds: in runs that it starts, in handlers that decide
 * about their calls and in those that listen, and in its own dialogs. Those that can open by themselves stay for `ms`, the
 * others for half a second. Each run is aborted while the built-in gate asks. It ends when there is a file `enough`, and writes
 * down what it asked and what it was answered.
 */
const HOOK = `
import { existsSync, writeFileSync } from 'node:fs';
const DECIDING = ['select', 'confirm', 'input', 'editor', 'nothing'];
const LISTENING = ['select', 'confirm', 'input'];
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
export default pi => {
  let cwd = '', ms = 0, asked = 0, calls = 0, runs = 0, isAborted = false;
  const answers = [];
  const note = () => writeFileSync(cwd + '/asked.json', JSON.stringify({ asked, answers }));
  const ask = async (kind, ui, opens = true) => {
    if (kind === 'nothing') return;
    const title = 'Q' + ++asked + ': ' + kind + '?';
    const options = { timeout: opens ? ms : 500 };
    const answer = kind === 'select' ? await ui.select(title, ['Allow', 'Allow always', 'Deny'], options)
      : kind === 'confirm' ? await ui.confirm(title, '', options)
      : kind === 'input' ? await ui.input(title, title, options)
      : await ui.editor(title, '', options);
    if (answer !== undefined && answer !== null && answer !== false) answers.push([title, answer]);
    note();
  };
  pi.on('tool_call', async (_event, ctx) => {
    if (ms === 0) {
      setTimeout(() => ctx.abort(), 500);
      return;
    }
    const kind = DECIDING[calls++ % DECIDING.length];
    await ask(kind, ctx.ui, kind === 'select' || kind === 'confirm');
    asked += 1; // The built-in gate asks now, or a plan does.
    note();
    isAborted = true;
    setTimeout(() => ctx.abort(), 500);
  });
  pi.on('agent_end', async (_event, ctx) => {
    // The dialogs of a run that is aborted close with it.
    if (ms > 0 && !isAborted) await ask(LISTENING[runs++ % LISTENING.length], ctx.ui);
    isAborted = false;
  });
  pi.registerCommand('drive', {
    description: 'Asks questions',
    handler: async (args, ctx) => {
      const begun = Date.now();
      while (!existsSync(ctx.cwd + '/go') || Date.now() - begun < 6000) await sleep(50);
      cwd = ctx.cwd;
      ms = Number(args);
      for (let cycle = 0; !existsSync(ctx.cwd + '/enough'); cycle++) {
        pi.sendUserMessage('go on', { deliverAs: 'followUp' });
        await sleep(100);
        await ctx.waitForIdle();
        await sleep(300);
        await ask(LISTENING[cycle % LISTENING.length], ctx.ui);
      }
      ms = 0;
      writeFileSync(ctx.cwd + '/done', '');
    },
  });
};
`;

/** How many questions come and go while the person types in one place; the last of them are about plans. */
interface Place {
  readonly prefix: string;
  readonly questions: number;
  /** How long those questions stay that can open by themselves, ms. */
  readonly openMs: number;
  /** Keys after each word. */
  readonly between?: readonly string[];
}
const PLANS = 4;

interface Drive {
  readonly asked: number;
  readonly answers: readonly (readonly [title: string, answer: unknown])[];
}

describe('someone who types steadily while questions open and close', function () {
  this.timeout(400_000);
  let workbench: Workbench;
  let llm: ScriptedLlm;
  let chat: Chat;
  let isPlanning = false;

  before(async () => {
    llm = await ScriptedLlm.start();
    let calls = 0;
    llm.otherwise(() => {
      const n = ++calls;
      if (n % 2 === 0) return { text: 'Nothing to do.' };
      if (isPlanning) return { toolCalls: [{ name: 'present_plan', arguments: { plan: `1. touch ran-${n}` } }] };
      const write = { name: 'write', arguments: { path: `ran-${n}`, content: 'x' } };
      return { toolCalls: [n % 4 === 1 ? write : { name: 'bash', arguments: { command: `touch ran-${n}` } }] };
    });
  });
  after(() => llm.stop());

  beforeEach(async () => {
    llm.requests.length = 0;
    isPlanning = false;
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'typing',
      homeFiles: scriptedHome(llm),
      settings: {
        'hookline.approvals.defaultMode': 'ask',
        // Otherwise Enter takes VS Code's own suggestions, and not what was typed.
        'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
        'editor.wordBasedSuggestions': 'off',
      },
      files: { '.pi/hooks/drive.ts': HOOK, 'notes.txt': '' },
    });
    chat = await Chat.open(workbench);
  });
  afterEach(() => workbench.close());

  const inWorkspace = (name: string): string => join(workbench.workspace, name);
  const drive = (): Drive =>
    existsSync(inWorkspace('asked.json'))
      ? (JSON.parse(readFileSync(inWorkspace('asked.json'), 'utf8')) as Drive)
      : { asked: 0, answers: [] };

  /** Types in a place that `focus` puts the keyboard into, until all questions have come and gone. */
  async function typeThrough(place: Place, focus: () => Promise<void>): Promise<Typist> {
    const typist = new Typist(workbench.page, place.prefix);
    await chat.send(`/drive ${place.openMs}`);
    await focus();
    writeFileSync(inWorkspace('go'), '');
    await typist.type(() => drive().asked >= place.questions - PLANS, place.between);
    await chat.chooseMode('Plan');
    isPlanning = true;
    await focus();
    await typist.type(() => drive().asked >= place.questions, place.between);
    writeFileSync(inWorkspace('enough'), '');
    await typist.type(() => existsSync(inWorkspace('done')), place.between);
    await chat.idle();
    return typist;
  }

  /** The texts of all messages of the person in the session. */
  function sentTexts(): readonly string[] {
    const sessions = join(workbench.place.home, '.pi', 'agent', 'sessions');
    const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.jsonl'));
    return files
      .flatMap(name => readFileSync(join(sessions, name), 'utf8').split('\n'))
      .filter(line => line.includes('"role":"user"'));
  }

  /** No question was answered, no call ran, and no word reached the model. */
  async function nothingHappened(typist: Typist, isChat = false): Promise<void> {
    assert.deepEqual(drive().answers, []);
    assert.deepEqual(
      readdirSync(workbench.workspace).filter(name => name.startsWith('ran-')),
      [],
    );
    const questions = await chat.frame.locator('[data-gate], .answered li').all();
    const states = await Promise.all(questions.map(one => one.getAttribute('data-state')));
    assert.ok(states.length > 0);
    assert.deepEqual([...new Set(states)], ['cancelled']);
    const sent = JSON.stringify(llm.requests.map(({ body }) => body));
    const words = isChat ? [] : typist.words.filter(word => sent.includes(word));
    assert.deepEqual(words, []);
  }

  it('in an editor: no letter is lost, and no prompt opens', async () => {
    const open = async (): Promise<void> => {
      await workbench.page.locator('.explorer-folders-view [role="treeitem"]', { hasText: 'notes.txt' }).dblclick();
      await workbench.page.locator('.monaco-editor.focused').waitFor();
    };
    const typist = await typeThrough({ prefix: 'ed', questions: 28, openMs: 500 }, open);
    await workbench.screenshot('typing-editor');
    await workbench.page.keyboard.press('Control+s');
    const whole = `${typist.words.join('\n')}\n`;
    await waitFor(() => (readFileSync(inWorkspace('notes.txt'), 'utf8') === whole ? true : undefined), {
      what: 'the file with exactly what was typed',
    }).catch(() => assert.equal(readFileSync(inWorkspace('notes.txt'), 'utf8'), whole));
    assert.deepEqual([...typist.prompts], []);
    await nothingHappened(typist);
  });

  it('in the composer: no letter is lost, and no prompt opens', async () => {
    const typist = await typeThrough({ prefix: 'co', questions: 28, openMs: 500 }, () => chat.composer.focus());
    await workbench.screenshot('typing-composer');
    // Of messages that a stopped run did not get, the words are in the composer again.
    const texts = [await chat.composer.inputValue(), ...sentTexts()];
    const found = texts.flatMap(text => text.match(/co\d{3}/g) ?? []);
    assert.deepEqual(found.sort(), [...typist.words].sort());
    assert.deepEqual([...typist.prompts], []);
    await nothingHappened(typist, true);
  });

  it('in a terminal, also Up and Enter again and again: what lands in a prompt stays in its box', async () => {
    const between = ['ArrowUp', 'Enter', 'ArrowUp', 'Enter'];
    const typist = await typeThrough({ prefix: 'te', questions: 18, openMs: 4_500, between }, async () => {
      await workbench.runCommand('Terminal: Focus Terminal');
      await workbench.page.locator('.terminal.xterm.focus').waitFor();
    });
    await workbench.screenshot('typing-terminal');
    assert.ok(typist.prompts.size >= 4, `${typist.prompts.size} prompts opened`);
    for (const [id, { letters, value }] of typist.prompts) {
      // In an input box, Up moves the cursor to the start, so that the next letters stand there.
      const shown = id.endsWith('input?') ? (text: string): string => Array.from(text).sort().join('') : String;
      assert.equal(shown(value), shown(letters), id);
    }
    await nothingHappened(typist);
  });

  it('in the search of VS Code: what lands in a prompt stays in its box', async () => {
    const typist = await typeThrough({ prefix: 'se', questions: 14, openMs: 4_500 }, async () => {
      await workbench.runCommand('View: Show Search');
      await workbench.page.locator('.search-view .search-widget textarea').first().focus();
    });
    await workbench.screenshot('typing-search');
    assert.ok(typist.prompts.size >= 4, `${typist.prompts.size} prompts opened`);
    for (const [id, { letters, value }] of typist.prompts) assert.equal(value, letters, id);
    await nothingHappened(typist);
  });
});
