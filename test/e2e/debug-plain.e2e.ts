import { Chat } from './support/chat';
import { openWorkbench, type Workbench } from './support/workbench';

/** What `npm start` is: a server without the flag that lets a browser's window be debugged. */
describe('debugging hooks on a plain server', () => {
  let workbench: Workbench;
  let chat: Chat;
  before(async () => {
    workbench = await openWorkbench();
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  it('starts by the launch.json of the example, and says in the chat why no breakpoint is hit', async () => {
    const { page } = workbench;
    await workbench.windowOpenedBy(() => page.keyboard.press('F5'));
    await page.bringToFront();
    await chat.says(/does not reach the second window/);
    await workbench.screenshot('debug-plain-server');
  });
});
