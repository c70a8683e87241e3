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
    await chat.frame.locator('.empty', { hasText: 'Zum Ausprobieren' }).waitFor();
    await workbench.screenshot('second-language');
  });

  it('so do the palette and what its commands say', async () => {
    await workbench.runCommand('Pi: Neue Sitzung');
  });
});
