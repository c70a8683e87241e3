import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from './support/chat';
import { answerOnCard, openCard, openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Longer than the time without keys after which a question opens, and an arrow key counts. */
const QUIET_MS = 2_300;
/** Between two keys of a person who types steadily. */
const KEY_MS = 200;

/** Asks about each command in the way that its comment names. */
const HOOK = `import { writeFileSync } from 'node:fs';
export default pi => {
  pi.on('tool_call', async ({ input }, { ui }) => {
    const kind = String(input.command).split(' # ')[1];
    if (kind === 'confirm') return (await ui.confirm('Run it?', input.command)) ? undefined : { block: true, reason: 'no' };
    if (kind === 'select') return (await ui.select('Run it?', ['Yes', 'No'])) === 'Yes' ? undefined : { block: true, reason: 'no' };
    if (kind === 'input') return (await ui.input('Which branch?')) ? undefined : { block: true, reason: 'no' };
    if (kind === 'editor') return (await ui.editor('Which text?')) ? undefined : { block: true, reason: 'no' };
  });
  pi.on('agent_end', async ({ messages }, { ui, cwd }) => {
    if (!JSON.stringify(messages).includes('ask me')) return;
    writeFileSync(cwd + '/answer.txt', String(await ui.input('What is your name?')));
  });
  pi.registerCommand('wizard', {
    description: 'Asks twice',
    handler: async (_args, { ui, cwd }) => {
      const fruit = await ui.select('Which fruit?', ['apple', 'banana', 'cherry']);
      writeFileSync(cwd + '/wizard.txt', fruit + ' ' + (await ui.input('How many?')));
    },
  });
};
`;

describe('a question of a hook', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'questions',
      files: { '.pi/hooks/asks.ts': HOOK, 'notes.txt': '' },
    });
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  const keys = (text: string): Promise<void> => workbench.page.keyboard.type(text, { delay: KEY_MS });
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const pause = (): Promise<void> => workbench.page.waitForTimeout(QUIET_MS);
  const inWorkspace = (name: string): string => join(workbench.workspace, name);
  const hasAnswer = (answer: string): Promise<true> =>
    waitFor(
      () => {
        const file = inWorkspace('answer.txt');
        return existsSync(file) && readFileSync(file, 'utf8') === answer ? true : undefined;
      },
      { what: `the answer ${answer}` },
    );
  const openedByItself = (): Promise<true> =>
    waitFor(async () => ((await workbench.quickInput.isQuestion('byItself')) ? true : undefined), {
      what: 'a question that opens by itself',
    });
  const isOffered = async (): Promise<boolean> =>
    (await workbench.notifications()).some(text => text.includes('is waiting for your'));
  const run = (command: string): Promise<void> => chat.ask(`run \`${command}\``);
  const noneIsActive = (): Promise<true> =>
    waitFor(async () => ((await workbench.quickInput.activeItem()) === undefined ? true : undefined), {
      what: 'a pick without an active item',
    });
  /** The question still waits, in a pick that opened by itself, and the command did not run. */
  const stillAsks = async (): Promise<void> => {
    assert.ok(await workbench.quickInput.isQuestion('byItself'));
    assert.ok(await openCard(chat).isVisible());
    assert.equal(existsSync(inWorkspace('ran')), false);
  };

  it('opens when nobody types, and takes nothing that is typed: it stays in the box', async () => {
    await run('touch ran # confirm');
    await openedByItself();
    await noneIsActive();
    const shown = await chat.frame.locator('[data-kind="tool"], [data-kind="gate"]').allInnerTexts();
    assert.equal(shown.join('\n').split('touch ran').length, 2, 'the command stands once');
    await workbench.screenshot('question-by-itself');
    await keys('yes\nyes\n');
    await workbench.screenshot('question-typed-into');
    assert.equal(await workbench.quickInput.value(), 'yesyes');
    const items = await workbench.quickInput.items();
    assert.deepEqual(
      items.map(item => item.trim()),
      ['Yes', 'No', 'Deny with message…'],
    );
    await noneIsActive();
    await stillAsks();
  });

  it('is only closed by Escape; by the key for it, it comes back with what was typed, which answers nothing', async () => {
    await press('Escape');
    await workbench.quickInput.closed();
    await openCard(chat).waitFor();
    await pause();
    await workbench.screenshot('question-closed-by-escape');
    assert.equal(await isOffered(), false, 'its card can be seen');
    await openQuestion(workbench);
    assert.equal(await workbench.quickInput.value(), 'yesyes');
    await workbench.screenshot('question-by-answer');
    await press('Enter');
    assert.ok(await workbench.quickInput.isQuestion('expected'));
    await workbench.quickInput.cancel();
    await chat.tool('bash', 'blocked');
    await chat.idle();
    assert.equal(existsSync(inWorkspace('ran')), false);
  });

  it('is offered by a notification while the chat is not seen', async () => {
    await run('touch ran # input');
    await openCard(chat).waitFor();
    await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
    await waitFor(async () => ((await isOffered()) ? true : undefined), { what: 'the notification' });
    const toast = workbench.page.locator('.notification-toast', { hasText: 'is waiting for your' });
    assert.equal(await toast.locator('.monaco-button').count(), 0, 'no button is the prominent one');
    await toast
      .getByRole('link', { name: 'Answer', exact: true })
      .or(toast.getByText('Answer', { exact: true }))
      .first()
      .waitFor();
    await workbench.screenshot('question-notification');
    await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
    chat = await Chat.attach(workbench);
    await waitFor(async () => ((await isOffered()) ? undefined : true), { what: 'no notification beside the card' });
    await openCard(chat).getByRole('button', { name: 'Cancel' }).click();
    await chat.tool('bash', 'blocked');
    await chat.idle();
    assert.equal(existsSync(inWorkspace('ran')), false);
  });

  it('is not denied with a message by someone who types words with Enter', async () => {
    await run('touch ran # select');
    await openedByItself();
    await keys('word5\nand more\n');
    assert.equal(await workbench.quickInput.value(), 'word5and more');
    await stillAsks();
  });

  it('is not answered by arrow keys with Enter again and again, as in a terminal; a click chooses at once', async () => {
    await workbench.quickInput.type('');
    for (let times = 0; times < 8; times++) {
      await press(times % 2 === 0 ? 'ArrowUp' : 'ArrowDown');
      await workbench.page.waitForTimeout(KEY_MS);
      await press('Enter');
      await workbench.page.waitForTimeout(KEY_MS);
    }
    await stillAsks();
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'No' }).first().click();
    await chat.tool('bash', 'blocked');
    await chat.idle();
  });

  it('is answered by an arrow key and Enter two seconds after the last key', async () => {
    await run('touch ran # confirm');
    await openedByItself();
    await press('ArrowDown');
    await noneIsActive();
    await pause();
    await press('ArrowDown');
    await waitFor(async () => ((await workbench.quickInput.activeItem())?.trim() === 'Yes' ? true : undefined), {
      what: 'the first item as the active one',
    });
    await press('Enter');
    await chat.tool('bash', 'done');
    await chat.idle();
    assert.ok(existsSync(inWorkspace('ran')));
  });

  it('waits for someone who types in the composer, and no letter of theirs is lost', async () => {
    await run('touch ran-again # confirm');
    await openCard(chat).waitFor();
    await chat.composer.focus();
    await keys('I am still writing this');
    assert.equal(await workbench.quickInput.isOpen(), false);
    assert.equal(await chat.composer.inputValue(), 'I am still writing this');
    assert.equal(await isOffered(), false);
    await workbench.screenshot('question-waits-for-typing');
    await openedByItself();
    await chat.composer.fill('');
    await answerOnCard(chat, 'No');
    await chat.tool('bash', 'blocked');
    await chat.idle();
  });

  for (const kind of ['input', 'editor']) {
    it(`that could let a call run opens no ${kind} by itself`, async () => {
      await run(`touch ran-again # ${kind}`);
      await openCard(chat).waitFor();
      await pause();
      assert.equal(await isOffered(), false);
      assert.equal(await workbench.quickInput.isOpen(), false);
      assert.equal(await workbench.page.locator('.tab').count(), 0);
      await keys('yes');
      assert.equal(await chat.composer.inputValue(), 'yes');
      await chat.composer.fill('');
      await openCard(chat).getByRole('button', { name: 'Cancel' }).click();
      await chat.tool('bash', 'blocked');
      await chat.idle();
    });
  }

  it('of a handler that changes nothing opens an input box, which takes only what is typed after a pause', async () => {
    await chat.ask('ask me');
    await openedByItself();
    await keys('ls\n');
    await workbench.screenshot('question-input-typed-into');
    assert.equal(await workbench.quickInput.value(), 'ls');
    assert.equal(existsSync(inWorkspace('answer.txt')), false);
    await press('Escape');
    await workbench.quickInput.closed();
    assert.equal(existsSync(inWorkspace('answer.txt')), false);
    await openQuestion(workbench);
    assert.equal(await workbench.quickInput.value(), 'ls');
    await workbench.quickInput.type('Ada');
    await press('Enter');
    await hasAnswer('Ada');
    await chat.ask('ask me again');
    await openedByItself();
    await pause();
    await keys('Bob\n');
    await hasAnswer('Bob');
    await chat.idle();
  });

  it('of a command that was just started opens at once, filters, and the next one follows at once', async () => {
    await chat.send('/wizard');
    await waitFor(async () => ((await workbench.quickInput.isQuestion('expected')) ? true : undefined), {
      what: 'the pick of the command',
    });
    await noneIsActive();
    await keys('cher');
    assert.deepEqual(
      (await workbench.quickInput.items()).map(item => item.trim()),
      ['cherry'],
    );
    await press('Enter');
    await waitFor(async () => ((await workbench.quickInput.text()).includes('How many?') ? true : undefined), {
      what: 'the next question of the command',
    });
    await keys('12\n');
    await waitFor(() => (existsSync(inWorkspace('wizard.txt')) ? true : undefined), { what: 'the answers' });
    assert.equal(readFileSync(inWorkspace('wizard.txt'), 'utf8'), 'cherry 12');
  });
});

describe('a question of the built-in gate', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'gate questions',
      settings: { 'hookline.approvals.defaultMode': 'ask', 'workbench.colorTheme': 'Default High Contrast' },
      files: { 'nothing/here.txt': 'here', 'notes.txt': '' },
    });
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  const keys = (text: string): Promise<void> => workbench.page.keyboard.type(text, { delay: KEY_MS });
  const pause = (): Promise<void> => workbench.page.waitForTimeout(QUIET_MS);
  const isOffered = async (): Promise<boolean> =>
    (await workbench.notifications()).some(text => text.includes('is waiting for your decision'));

  it('stays a card while the chat is seen: what is typed in the composer three seconds later is a message', async () => {
    await chat.ask('run `rm -rf nothing`');
    await openCard(chat).waitFor();
    await workbench.page.waitForTimeout(3_000);
    await keys('yes\n');
    await workbench.page.waitForTimeout(500);
    assert.ok(existsSync(join(workbench.workspace, 'nothing', 'here.txt')));
    assert.equal(await workbench.quickInput.isOpen(), false);
    assert.equal(await isOffered(), false);
    assert.match((await workbench.statusBar()).join(' '), /Waiting for your answer/);
    assert.ok(await openCard(chat).isVisible());
    await workbench.screenshot('gate-card-high-contrast');
  });

  it('is offered by a notification while the chat is not seen, and opens no pick by itself', async () => {
    await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
    await waitFor(async () => ((await isOffered()) ? true : undefined), { what: 'the notification' });
    await pause();
    assert.equal(await workbench.quickInput.isOpen(), false);
    await workbench.screenshot('gate-notification-high-contrast');
    await workbench.page.locator('.statusbar-item', { hasText: 'Waiting for your answer' }).click();
    await waitFor(async () => ((await workbench.quickInput.isQuestion('expected')) ? true : undefined), {
      what: 'the pick from the status bar',
    });
    await workbench.screenshot('gate-pick-high-contrast');
    await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
    chat = await Chat.attach(workbench);
    await waitFor(async () => ((await isOffered()) ? undefined : true), { what: 'no notification beside the card' });
    await answerOnCard(chat, 'Deny');
    await chat.tool('bash', 'blocked');
    await chat.idle();
    assert.ok(existsSync(join(workbench.workspace, 'nothing', 'here.txt')));
  });
});
