import assert from 'node:assert/strict';
import { noUi } from '../../../../src/hook-contract/ui/ui';
import { acpHookUi } from '../../../../src/modes/acp/questions/hook-ui';
import { AskedClient, PROFILES } from '../support/asked-client';

const ORIGIN = { hookPath: '/h.ts', event: 'tool_call' };

describe('the UI of hooks in a client of the Agent Client Protocol', () => {
  const said: unknown[] = [];
  const uiFor = (client: AskedClient): ReturnType<typeof acpHookUi> =>
    acpHookUi(() => Promise.resolve('asked'), { client, say: (...words) => said.push(words) });

  it('passes questions on, and tells notices with their hook', async () => {
    const client = new AskedClient(PROFILES.nothing);
    const ui = uiFor(client);
    assert.equal(await ui.ask({} as never), 'asked');
    ui.notify('saved', 'info', ORIGIN);
    assert.deepEqual(said, [['info', 'saved', '/h.ts']]);
  });

  it('sets and removes the title of the session', () => {
    const client = new AskedClient(PROFILES.nothing);
    uiFor(client).setTitle('mine');
    uiFor(client).setTitle('');
    assert.deepEqual(client.updates, [
      { sessionUpdate: 'session_info_update', title: 'mine' },
      { sessionUpdate: 'session_info_update', title: null },
    ]);
  });

  it('sends what hooks show only to a client that asks for it', () => {
    for (const profile of [PROFILES.nothing, PROFILES.noForms, PROFILES.everything]) {
      const client = new AskedClient(profile);
      const ui = uiFor(client);
      ui.setStatus('k', 'busy', ORIGIN);
      ui.setWidget('w', ['a'], 'aboveEditor', ORIGIN);
      ui.setWidget('w', { overlay: false, create: () => assert.fail() }, 'aboveEditor', ORIGIN);
      ui.setEditorText('typed');
      const sent = [
        { sessionId: 's-1', method: 'setStatus', statusKey: 'k', statusText: 'busy' },
        { sessionId: 's-1', method: 'setWidget', widgetKey: 'w', widgetLines: ['a'], widgetPlacement: 'aboveEditor' },
        { sessionId: 's-1', method: 'set_editor_text', text: 'typed' },
      ].map(params => ({ method: '_hookline/ui', params }));
      assert.deepEqual(client.notifications, profile === PROFILES.everything ? sent : []);
      assert.deepEqual(client.updates, []);
    }
  });

  it('shows no components', async () => {
    const mount = { overlay: false, create: () => assert.fail() };
    assert.equal(await uiFor(new AskedClient()).custom(mount, ORIGIN).closed, undefined);
    assert.equal(uiFor(new AskedClient()).getEditorText(), noUi.getEditorText());
  });
});
