import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { scriptedHome } from './support/scripted-home';
import { openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const EXAMPLES = [
  'entry-renderer.ts',
  'handoff.ts',
  'plan-mode',
  'qna.ts',
  'question.ts',
  'questionnaire.ts',
  'snake.ts',
  'subagent',
  'todo.ts',
  'working-indicator.ts',
];
const SCOUT = '---\nname: scout\ndescription: Looks around\ntools: read\n---\nYou look around.\n';

/** Texts of the examples that today's pi ships, unmodified, as files of a workspace. */
function examples(): Readonly<Record<string, string>> {
  const folder = process.env['HOOKLINE_TEST_PI_EXAMPLES'];
  if (folder === undefined) throw new Error('end-to-end tests run through `npm test -- --suite e2e`');
  const files = EXAMPLES.flatMap(name => {
    const path = join(folder, name);
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter(file => file.endsWith('.ts'))
      .map(file => join(path, file));
  });
  const place = (file: string): string => `.pi/extensions/${relative(folder, file).replaceAll('\\', '/')}`;
  return Object.fromEntries(files.map(file => [place(file), readFileSync(file, 'utf8')]));
}

describe('examples of pi in VS Code', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'examples of pi',
      homeFiles: { ...scriptedHome(llm), '.pi/agent/agents/scout.md': SCOUT },
      files: { ...examples(), 'notes.txt': 'notes\n' },
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
  /** What the model was told last. */
  const told = (): string => JSON.stringify(llm.requests.at(-1)?.body);
  const card = (name: string, text: string): Locator =>
    chat.frame.locator(`[data-tool="${name}"] .term-row`, { hasText: text }).first();

  it('load, all of them', async () => {
    await chat.frame.locator('[data-hookline="hooks"]', { hasText: `${EXAMPLES.length} hooks` }).waitFor();
  });

  it('working-indicator: its frames turn while the agent works', async () => {
    const held = llm.hold({ text: 'Which colour, and how big?' }, 1);
    await chat.ask('what do you need to know?');
    await held.reached;
    await chat.frame.locator('hookline-frames').waitFor();
    await workbench.screenshot('pi-working-indicator');
    held.release();
    await chat.says('Which colour, and how big?');
    await chat.idle();
    await chat.ask('/working-indicator none');
    await chat.says('Working indicator set to: hidden');
  });

  it('qna: puts the questions of the last answer into the composer', async () => {
    llm.reply({ text: 'Q: Which colour?\nA: \n\nQ: How big?\nA: ' });
    await chat.ask('/qna');
    await chat.says('Questions loaded');
    await waitFor(async () => ((await chat.composer.inputValue()).includes('Q: How big?') ? true : undefined), {
      what: 'the questions in the composer',
    });
    assert.match(told(), /You are a question extractor/);
    await workbench.screenshot('pi-qna');
    await chat.composer.fill('');
  });

  it('question: is answered by keys, and the model is told the answer', async () => {
    const options = [{ label: 'Red' }, { label: 'Blue', description: 'as the sea' }];
    const ask = { name: 'question', arguments: { question: 'Which colour?', options } };
    llm.reply({ toolCalls: [ask] }, { text: 'Blue it is.' });
    await chat.ask('ask me');
    await chat.shows('panel', '> 1. Red');
    await press('ArrowDown');
    await chat.shows('panel', '> 2. Blue');
    await workbench.screenshot('pi-question');
    await press('Enter');
    await chat.says('Blue it is.');
    await chat.gone('panel');
    assert.match(told(), /User selected: 2\. Blue/);
    await card('question', '✓ 2. Blue').waitFor();
    await chat.idle();
  });

  it('questionnaire: goes through its tabs and submits', async () => {
    const option = (label: string) => ({ value: label.toLowerCase(), label });
    const questions = [
      { id: 'size', label: 'Size', prompt: 'How big?', options: [option('Small'), option('Large')] },
      { id: 'shape', label: 'Shape', prompt: 'Which shape?', options: [option('Round'), option('Square')] },
    ];
    llm.reply({ toolCalls: [{ name: 'questionnaire', arguments: { questions } }] }, { text: 'Thanks for both.' });
    await chat.ask('ask me more');
    await chat.shows('panel', 'How big?');
    await press('ArrowDown', 'Enter');
    await chat.shows('panel', 'Which shape?');
    await workbench.screenshot('pi-questionnaire');
    await press('Enter');
    await chat.shows('panel', 'Ready to submit');
    await press('Enter');
    await chat.says('Thanks for both.');
    assert.match(told(), /Large/);
    assert.match(told(), /Round/);
    await chat.idle();
  });

  it('todo: keeps a list, which a command of a name that two files have shows', async () => {
    const add = (text: string) => ({ name: 'todo', arguments: { action: 'add', text } });
    llm.reply({ toolCalls: [add('Paint it')] }, { toolCalls: [add('Dry it')] }, { text: 'Two to do.' });
    await chat.ask('note both');
    await chat.says('Two to do.');
    await chat.idle();
    // plan-mode has a /todos as well, and comes first.
    await chat.ask('/todos:2');
    await chat.shows('panel', '#2 Dry it');
    await workbench.screenshot('pi-todo');
    await press('Escape');
    await chat.gone('panel');
    await chat.ask('/todos:1');
    await chat.says('No todos. Create a plan first');
  });

  it('plan-mode: refuses what changes something, and follows the plan', async () => {
    await chat.ask('/plan');
    await chat.says('Plan mode enabled');
    llm.reply(
      { toolCalls: [{ name: 'bash', arguments: { command: 'rm notes.txt' } }] },
      { text: 'Plan:\n1. Read the notes\n2. Write a summary of them\n' },
    );
    await chat.ask('plan it');
    await chat.tool('bash', 'blocked');
    await openQuestion(workbench);
    assert.match((await workbench.statusBar()).join(' '), /Waiting for your answer/);
    await workbench.screenshot('pi-plan-mode');
    assert.match(told(), /PLAN MODE ACTIVE/);
    assert.ok(existsSync(join(workbench.workspace, 'notes.txt')));
    // Two follow-ups wait: the list of steps, and the order to go on.
    llm.reply({ text: 'Two steps.' }, { text: 'I read them. [DONE:1]' });
    await workbench.quickInput.chooseByKeyboard('Execute the plan (track progress)');
    await chat.shows('above', '☑');
    await chat.idle();
    await workbench.screenshot('pi-plan-mode-progress');
    llm.reply({ text: 'Written. [DONE:2]' });
    await chat.ask('go on');
    await chat.gone('above');
    await chat.idle();
  });

  it('subagent: a task comes back from an agent of its own', async () => {
    const task = { agent: 'scout', task: 'Look at the notes' };
    llm.reply(
      { toolCalls: [{ name: 'subagent', arguments: task }] },
      { text: 'There is one line of notes.' },
      { text: 'The scout is back.' },
    );
    await chat.ask('send the scout');
    await chat.says('The scout is back.');
    assert.match(told(), /There is one line of notes\./);
    await card('subagent', 'scout').waitFor();
    await workbench.screenshot('pi-subagent');
    await chat.idle();
  });

  it('entry-renderer: draws a card that the model is not told', async () => {
    await chat.ask('/status-card all is well');
    const entry = chat.frame.locator('[data-kind="entry"] .term-row', { hasText: '[status] all is well' });
    await entry.waitFor();
    await workbench.screenshot('pi-entry-renderer');
  });

  it('snake: is played with the keyboard, and goes on where it was left', async () => {
    await chat.ask('/snake');
    await chat.shows('panel', 'SNAKE');
    await press('ArrowDown');
    await workbench.screenshot('pi-snake');
    await press('Escape');
    await chat.gone('panel');
    await chat.ask('/snake');
    await chat.shows('panel', 'PAUSED');
    await press('q');
    await chat.gone('panel');
  });

  it('handoff: lets the prompt be edited, and begins a session with it', async () => {
    llm.reply({ text: '## Context\nA blue one was wanted.' });
    await chat.ask('/handoff build it');
    const editor = workbench.page.locator('.editor-instance .view-lines', { hasText: 'A blue one was wanted.' });
    await editor.waitFor();
    await workbench.screenshot('pi-handoff');
    await workbench.runCommand('Hookline: Submit Answer');
    await chat.says('Handoff ready');
    await waitFor(
      async () => ((await chat.composer.inputValue()).includes('A blue one was wanted.') ? true : undefined),
      { what: 'the prompt in the composer of the new session' },
    );
    await chat.gone('panel');
    assert.equal(await chat.frame.locator('[data-kind="user"]').count(), 0);
    await workbench.screenshot('pi-handoff-session');
  });
});
