import assert from 'node:assert/strict';
import { Chat } from './support/chat';
import { openWorkbench, type Workbench } from './support/workbench';

describe('in German', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({ language: 'de' });
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  it('the panel speaks it', async () => {
    await chat.says(/Zum Ausprobieren/);
    await workbench.screenshot('second-language');
  });

  it('so does the palette', async () => {
    await workbench.runCommand('Pi: Neue Sitzung');
    assert.ok(true);
  });
});
