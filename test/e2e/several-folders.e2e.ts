import assert from 'node:assert/strict';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const GATE = `export default pi => {
  pi.on('tool_call', event => event.toolName === 'read' ? { block: true, reason: 'the gate of the second folder' } : undefined);
};
`;

describe('a workspace of several folders', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await openWorkbench({
      workspaceFile: 'both.code-workspace',
      files: {
        'both.code-workspace': JSON.stringify({ folders: [{ path: 'first' }, { path: 'second' }] }),
        'first/here.txt': 'this is the first\n',
        'first/broken.json': '{ "a": }\n',
        'second/here.txt': 'this is the second\n',
        'second/.pi/hooks/gate.ts': GATE,
      },
    });
  });
  after(() => workbench.close());

  it('says which of them is worked in, and lets another one be chosen', async () => {
    let chat = await Chat.open(workbench);
    await chat.says(/Tools, hooks and sessions belong to first, not to the other folders of this workspace: second\./);
    await chat.ask('read here.txt');
    await chat.tool('read', 'done');
    await chat.says(/this is the first/);
    await workbench.screenshot('several-folders-1-first');

    // The folder's name is no part of the path by which the agent finds the file.
    await workbench.openPalette();
    await workbench.quickInput.type('broken.json');
    await waitFor(async () => ((await workbench.quickInput.items())[0]?.includes('broken.json') ? true : undefined), {
      what: 'the file in the list',
    });
    await workbench.quickInput.accept();
    await workbench.page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await workbench.runCommand('Hookline: Fix Problem');
    await chat.says(/Fix this problem in broken\.json at line 1/);
    await chat.says(/\bbroken\.json:1:\d+ error/);
    assert.doesNotMatch(await chat.text(), /first\/broken\.json/);
    await chat.idle();

    await chat.frame.getByRole('button', { name: 'Choose Folder' }).click();
    await workbench.quickInput.opened({ withItems: true });
    await workbench.screenshot('several-folders-2-choose');
    await workbench.quickInput.chooseByKeyboard('second');
    await workbench.page.locator('.notification-toast').getByRole('button', { name: 'Reload Window' }).click();
    await workbench.page.waitForEvent('load');
    await workbench.untilReady();

    chat = await Chat.open(workbench);
    await chat.says(/Tools, hooks and sessions belong to second, not to the other folders of this workspace: first\./);
    await chat.ask('read here.txt');
    await chat.tool('read', 'blocked');
    await chat.says(/the gate of the second folder/);
    await chat.idle();
    // The conversation of the first folder stays with that.
    assert.equal(await chat.frame.getByText('this is the first').count(), 0);
    await workbench.screenshot('several-folders-3-second');
  });
});
