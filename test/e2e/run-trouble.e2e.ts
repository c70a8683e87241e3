import assert from 'node:assert/strict';
import { seriousFindings } from '../support/axe';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, type Workbench } from './support/workbench';

describe('trouble during a run in VS Code', function () {
  this.timeout(180_000);
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    const home = scriptedHome(llm);
    const settings = JSON.parse(home['.pi/agent/settings.json'] ?? '{}') as object;
    const quick = JSON.stringify({ ...settings, retry: { baseDelayMs: 10 } });
    workbench = await openWorkbench({ homeFiles: { ...home, '.pi/agent/settings.json': quick } });
    chat = await Chat.open(workbench);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const isAccessible = async (): Promise<void> => {
    await chat.frame.evaluate('document.body.style.background = "var(--vscode-sideBar-background)"');
    assert.deepEqual(await seriousFindings(chat.frame), []);
  };

  it('leaves one line of tries that failed, also after a reload', async () => {
    llm.fail(503, { message: 'overloaded' });
    llm.fail(503, { message: 'overloaded' });
    llm.reply({ text: 'There I am.' });
    await chat.ask('Are you there?');
    await chat.says('There I am.');
    await chat.idle();
    const tries = chat.frame.locator('[data-kind="notice"]', { hasText: 'Retried after 2 failures' });
    assert.equal(await tries.count(), 1);
    chat = await useTheme(workbench, 'Dark High Contrast');
    await widen(workbench, 300);
    await tries.locator('summary').press('Enter');
    await workbench.screenshot('trouble-tries-300-hc');
    await isAccessible();
    await workbench.reload();
    chat = await Chat.attach(workbench);
    await chat.frame.locator('[data-kind="notice"]', { hasText: 'Retried after 2 failures' }).waitFor();
    assert.equal(await chat.frame.locator('[data-kind="assistant"][data-state="error"]').count(), 0);
  });

  it('tells of a silent model, and Retry asks it again', async () => {
    chat = await useTheme(workbench, 'Light Modern');
    await widen(workbench, 300);
    const held = llm.hold({ text: 'Never to be read.' }, 5);
    llm.reply({ text: 'Awake again.' });
    await chat.ask('Say something.');
    await held.reached;
    const again = chat.frame.locator('[data-hookline="ask-again"]');
    await again.waitFor({ timeout: 60_000 });
    await workbench.screenshot('trouble-silent-300-light');
    await isAccessible();
    await again.press('Enter');
    await chat.says('Awake again.');
    held.release();
    await chat.idle();
    await chat.says(/Retried after a failure: The model said nothing/);
  });

  it('goes on where it was stopped, by keyboard', async () => {
    chat = await useTheme(workbench, 'Dark Modern');
    await widen(workbench, 560);
    const held = llm.hold({ text: 'Half of an answer.' }, 10);
    llm.reply({ text: 'The whole answer.' });
    await chat.ask('Tell me.');
    await held.reached;
    await chat.composer.press('Escape');
    await chat.idle();
    held.release();
    const goOn = chat.frame.getByRole('button', { name: 'Continue' });
    await goOn.waitFor();
    await workbench.screenshot('trouble-stopped-560-dark');
    await isAccessible();
    await goOn.press('Enter');
    await chat.says('The whole answer.');
    await chat.idle();
    assert.equal(await goOn.count(), 0);
  });
});
