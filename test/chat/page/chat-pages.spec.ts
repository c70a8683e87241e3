import assert from 'node:assert/strict';
import type { Chat } from '../../../src/chat/chat';
import { OPEN_LIMIT } from '../../../src/chat/window/conversations';
import type { HostToWebview } from '../../../src/protocol/messages';
import { Rig, until } from '../../support/conversation-rig';

type Page = ReturnType<Rig['page']>;
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
const CELLS = { columns: 40, rows: 20, cardColumns: 30 };

describe('pages of a window', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  const of = <T extends HostToWebview['type']>(page: Page, type: T): Extract<HostToWebview, { type: T }>[] =>
    page.got.filter((message): message is Extract<HostToWebview, { type: T }> => message.type === type);
  /** Two conversations: the first in an editor tab and the second in the side bar. */
  const two = async (...given: Parameters<typeof Rig.open>): Promise<{ first: Chat; second: Chat }> => {
    rig = await Rig.open(...given);
    const first = rig.chat;
    await rig.conversations.openBeside();
    return { first, second: rig.chat };
  };
  /** Resolves when everything that waits was sent to the pages. */
  const sent = async (...pages: readonly Page[]): Promise<void> => {
    rig.chat.model.notice('info', 'marker');
    for (const chat of rig.conversations.all) if (chat !== rig.chat) chat.model.notice('info', 'marker');
    for (const page of pages) {
      await until(() => of(page, 'item').find(({ item }) => item.kind === 'notice') && true, 'the marker');
      page.got.splice(0, page.got.length, ...page.got.filter(({ type }) => type !== 'item'));
    }
  };

  it('show the conversation of the side bar, or one of their own, which a switch in the side bar does not change', async () => {
    const { first, second } = await two([{ text: 'for the tab' }]);
    const sideBar = rig.page();
    const tab = rig.page(first);
    assert.equal(of(sideBar, 'snapshot').at(-1)?.conversation, second.conversation.state.key);
    assert.equal(of(tab, 'snapshot').at(-1)?.conversation, first.conversation.state.key);
    assert.equal(of(tab, 'conversations').length, 0, 'a tab has no strip of conversations');
    rig.conversations.show(first.id);
    rig.conversations.show(second.id);
    assert.deepEqual([of(sideBar, 'snapshot').length, of(tab, 'snapshot').length], [3, 1]);
    tab.send({ type: 'submit', text: 'hi', delivery: 'steer', images: [] });
    await until(() => (first.conversation.run.agent.messages.length === 2 ? true : undefined), 'the answer');
    assert.equal(second.conversation.run.agent.messages.length, 0);
  });

  it('make their conversation the active one when they get the focus, and give it back when a tab is closed', async () => {
    const inTab: boolean[] = [];
    const { first, second } = await two([], { editor: { chatInTab: isTab => void inTab.push(isTab) } });
    const sideBar = rig.page();
    const tab = rig.page(first);
    assert.equal(rig.conversations.active, second);
    tab.send({ type: 'focused', focused: true });
    assert.deepEqual([rig.conversations.active, rig.conversations.shown], [first, second]);
    assert.deepEqual(
      rig.conversations.tabs.map(({ shown }) => shown),
      [false, true],
      'the side bar shows what it showed',
    );
    sideBar.send({ type: 'focused', focused: true });
    assert.equal(rig.conversations.active, second);
    tab.send({ type: 'focused', focused: true });
    tab.dispose();
    assert.equal(rig.conversations.active, second);
    assert.equal(rig.conversations.all.length, 2, 'closing the tab ends nothing');
    assert.deepEqual(inTab, [false, true, false, true, false]);
  });

  it('keep their keys when a hook shows another conversation in the side bar, unless the user was in the side bar', async () => {
    const { first, second } = await two([]);
    const sideBar = rig.page();
    const tab = rig.page(first);
    const fileOf = ({ conversation }: Chat): string => conversation.store.getSessionFile()!;
    const third = await rig.conversations.openBeside();
    rig.conversations.show(second.id);
    tab.send({ type: 'focused', focused: true });
    const shownAndActive = (): unknown[] => [rig.conversations.shown.id, rig.conversations.active.id];
    await first.conversation.forHooks.switchSession(third!.store.getSessionFile()!);
    assert.deepEqual(shownAndActive(), [third!.id, first.id], 'shown by a hook of the tab');
    await third!.forHooks.switchSession(fileOf(second));
    assert.deepEqual(shownAndActive(), [second.id, first.id], 'shown by a hook of the side bar');
    // The tab and the side bar show the same conversation.
    rig.conversations.show(first.id);
    await first.conversation.forHooks.switchSession(fileOf(second));
    assert.deepEqual(shownAndActive(), [second.id, first.id], 'the tab still has it');
    sideBar.send({ type: 'focused', focused: true });
    await second.conversation.forHooks.switchSession(fileOf(first));
    assert.deepEqual(shownAndActive(), [first.id, first.id]);
    await first.conversation.forHooks.switchSession(fileOf(second));
    assert.deepEqual(shownAndActive(), [second.id, second.id], 'the page that has the focus shows another one');
  });

  it('have the focus until none has it, in whichever order they tell it', async () => {
    const told: boolean[] = [];
    const { first } = await two([], { editor: { chatFocused: focused => void told.push(focused) } });
    const sideBar = rig.page();
    const tab = rig.page(first);
    sideBar.send({ type: 'focused', focused: true });
    tab.send({ type: 'focused', focused: true });
    sideBar.send({ type: 'focused', focused: false });
    assert.deepEqual(told, [true, true]);
    tab.send({ type: 'focused', focused: false });
    assert.deepEqual(told, [true, true, false]);
  });

  it('have one draft: what one page tells, the others get, and not the one that told it', async () => {
    rig = await Rig.open([]);
    const { key } = rig.conversation.state;
    const { chat } = rig;
    const sideBar = rig.page();
    const tab = rig.page(chat);
    tab.send({ type: 'draft', text: 'hello', conversation: key, was: '' });
    tab.send({ type: 'attachments', images: [IMAGE], files: [{ name: 'a.txt', text: 'a' }], conversation: key });
    await sent(sideBar, tab);
    const told = of(sideBar, 'draft').map(({ text, images, files }) => ({ text, images: images?.length, files }));
    assert.deepEqual(told, [
      { text: 'hello', images: undefined, files: undefined },
      { text: undefined, images: 1, files: [{ name: 'a.txt', text: 'a' }] },
    ]);
    assert.equal(of(tab, 'draft').length, 0);
  });

  it('take no draft and no attachments that name no session', async () => {
    rig = await Rig.open([]);
    const page = rig.page();
    page.send({ type: 'draft', text: 'for whom?', was: '' });
    page.send({ type: 'attachments', images: [IMAGE] });
    assert.deepEqual([rig.chat.composer.text, rig.chat.composer.draft.images], ['', []]);
  });

  it('lose nothing when they are typed into at once, and all get the same', async () => {
    rig = await Rig.open([]);
    const { key } = rig.conversation.state;
    const sideBar = rig.page();
    const tab = rig.page(rig.chat);
    tab.send({ type: 'draft', text: 'fix', conversation: key, was: '' });
    await sent(sideBar, tab);
    tab.send({ type: 'draft', text: 'please fix', conversation: key, was: 'fix' });
    sideBar.send({ type: 'draft', text: 'fix it', conversation: key, was: 'fix' });
    await sent(sideBar, tab);
    assert.equal(rig.chat.composer.text, 'please fix it');
    assert.equal(of(tab, 'draft').at(-1)?.text, 'please fix it');
    assert.equal(of(sideBar, 'draft').at(-1)?.text, 'please fix it', 'the page that came second gets it, too');
  });

  it('are emptied when one of them sends the draft', async () => {
    rig = await Rig.open([{ text: 'done' }]);
    const { key } = rig.conversation.state;
    const sideBar = rig.page();
    const tab = rig.page(rig.chat);
    tab.send({ type: 'draft', text: 'hello', conversation: key, was: '' });
    tab.send({ type: 'submit', text: 'hello', delivery: 'steer', images: [] });
    await sent(sideBar, tab);
    assert.deepEqual(of(sideBar, 'draft').at(-1), {
      type: 'draft',
      text: '',
      images: [],
      files: [],
      editing: null,
      revision: of(sideBar, 'draft').at(-1)?.revision,
    });
    assert.equal(of(tab, 'draft').length, 0, 'it has emptied itself, and the next text may be there already');
  });

  it('get a text to insert only where the user was last; the others get the draft', async () => {
    rig = await Rig.open([]);
    const { chat } = rig;
    const sideBar = rig.page();
    const tab = rig.page(chat);
    tab.send({ type: 'focused', focused: true });
    chat.composer.insert('@a.ts ');
    await sent(sideBar, tab);
    assert.deepEqual([of(tab, 'composer').length, of(sideBar, 'composer').length], [1, 0]);
    assert.equal(of(sideBar, 'draft').at(-1)?.text, '@a.ts ');
    sideBar.send({ type: 'focused', focused: true });
    chat.composer.insert('@b.ts ');
    await sent(sideBar, tab);
    assert.deepEqual([of(tab, 'composer').length, of(sideBar, 'composer').length], [1, 1]);
  });

  it('go somewhere one by one, and not while they are not ready', async () => {
    rig = await Rig.open([]);
    const steps: string[] = [];
    const connect = (name: string, own?: Chat) =>
      rig.connectPage(message => message.type === 'navigate' && steps.push(`${name} ${message.to}`), own);
    const sideBar = connect('side bar');
    const tab = connect('tab', rig.chat);
    sideBar.go('composer');
    tab.receive({ type: 'ready' });
    sideBar.receive({ type: 'ready' });
    tab.receive({ type: 'focused', focused: true });
    assert.equal(rig.pages.focused, tab);
    sideBar.go('composer');
    tab.go('find');
    tab.hidden();
    tab.go('find');
    assert.deepEqual(steps, ['side bar composer', 'tab find']);
    assert.equal(rig.pages.focused, undefined);
    for (const page of [sideBar, tab]) page.dispose();
  });

  it('are scrolled each for itself', async () => {
    rig = await Rig.open([]);
    const { key } = rig.conversation.state;
    const sideBar = rig.page();
    const tab = rig.page(rig.chat);
    sideBar.send({ type: 'scrolled', conversation: key, scroll: { id: 'user:1', offset: 3 } });
    for (const page of [sideBar, tab]) page.send({ type: 'ready' });
    assert.deepEqual(of(sideBar, 'snapshot').at(-1)?.scroll, { id: 'user:1', offset: 3 });
    assert.equal(of(tab, 'snapshot').at(-1)?.scroll, undefined);
  });

  it('have a question on both, and its first answer counts', async () => {
    rig = await Rig.open([], {
      hooks: {
        'ask.ts': `export default pi => pi.registerCommand('ask', {
          handler: async (_args, ctx) => ctx.ui.notify(String(await ctx.ui.confirm('Sure?', ''))),
        });`,
      },
    });
    const sideBar = rig.page();
    const tab = rig.page(rig.chat);
    const asked = rig.chat.submit('/ask');
    const id = await until(() => rig.items('gate')[0]?.id, 'the question');
    tab.send({ type: 'answer', id, answer: true });
    sideBar.send({ type: 'answer', id, answer: false });
    await asked;
    assert.deepEqual(rig.items('gate')[0]?.state, { type: 'answered', answer: 'Yes' });
    assert.equal(rig.editorCalls.filter(call => call.startsWith('notify')).join(), 'notify true info');
  });

  it('draw a component of a hook on both, as large as fits into the smaller one, until that is hidden', async () => {
    rig = await Rig.open([], {
      hooks: {
        'wide.ts': `export default pi => pi.registerCommand('wide', {
          handler: (_args, ctx) => ctx.ui.setWidget('w', () => ({ render: width => ['width ' + width], invalidate() {} })),
        });`,
      },
    });
    const sideBar = rig.page();
    const other: HostToWebview[] = [];
    const tab = rig.connectPage(message => void other.push(message), rig.chat);
    tab.receive({ type: 'ready' });
    sideBar.send({ type: 'cells', cells: { ...CELLS, columns: 90 } });
    tab.receive({ type: 'cells', cells: CELLS });
    await rig.chat.submit('/wide');
    const widthOn = (got: readonly HostToWebview[]): string | undefined =>
      got.flatMap(message => (message.type === 'frame' ? message.frame.changes.map(([, text]) => text) : [])).at(-1);
    const acknowledge = (): void => {
      for (const { frame } of of(sideBar, 'frame')) {
        sideBar.send({ type: 'ack', component: frame.component, sequence: frame.sequence });
      }
    };
    const shows = (got: readonly HostToWebview[], text: string): Promise<true> =>
      until(() => {
        acknowledge();
        return widthOn(got)?.includes(text) === true ? true : undefined;
      }, text);
    await shows(sideBar.got, 'width 40');
    await shows(other, 'width 40');
    tab.hidden();
    await shows(sideBar.got, 'width 90');
    tab.dispose();
  });

  it('leave it to a notification to tell of a component while they are hidden or the user is in another one', async () => {
    const { first, second } = await two([], {
      hooks: {
        'pick.ts': `export default pi => {
          const pick = ctx => ctx.ui.custom(() => ({ render: () => ['pick'], invalidate() {} }));
          pi.registerCommand('pick', { handler: (_args, ctx) => pick(ctx) });
          pi.on('input', (_event, ctx) => void pick(ctx));
        };`,
      },
    });
    const told = (): string[] =>
      rig.editorCalls.splice(0).filter(call => call.startsWith('revealChat') || call.startsWith('offerConversation'));
    const sideBar = rig.connectPage(() => undefined);
    const tab = rig.connectPage(() => undefined, first);
    for (const page of [sideBar, tab]) page.receive({ type: 'ready' });
    sideBar.receive({ type: 'focused', focused: true });
    await first.conversation.inbox.submit('text of the hidden one');
    assert.deepEqual(told(), [], 'the tab shows it');
    tab.hidden();
    await first.conversation.inbox.submit('text');
    assert.deepEqual(told(), [`offerConversation ${first.id} text of the hidden one`]);
    void first.submit('/pick');
    assert.match(await until(() => told()[0], 'the notification'), /^offerConversation/);
    assert.equal(rig.conversations.active, second, 'the user stays where they are');
    sideBar.hidden();
    void second.submit('/pick');
    assert.equal(await until(() => told()[0], 'the focus'), `revealChat ${second.id}`);
    sideBar.receive({ type: 'ready' });
    for (const page of [sideBar, tab]) page.dispose();
  });

  it('keep a conversation in an editor tab open when there are too many, and count it as seen', async () => {
    const { first } = await two([{ text: 'done' }, { text: 'again' }]);
    rig.conversations.setEditorTab(first.id, 'visible');
    await first.submit('hi');
    for (let index = 0; index <= OPEN_LIMIT; index++) await rig.conversations.openBeside();
    const state = (): string | undefined => rig.conversations.tabs.find(({ id }) => id === first.id)?.state;
    assert.equal(state(), 'idle', 'it was seen in its tab');
    rig.conversations.setEditorTab(first.id, 'behind');
    await first.submit('hi');
    assert.equal(state(), 'unread');
    rig.conversations.setEditorTab(first.id, 'visible');
    assert.equal(state(), 'idle');
    rig.conversations.setEditorTab(first.id, undefined);
    await rig.conversations.openBeside();
    assert.equal(rig.conversations.find(first.id), undefined, 'without its tab it makes room again');
  });

  it('find the session of a tab from before a reload, also if its conversation was not open', async () => {
    rig = await Rig.open([{ text: 'done' }, { text: 'again' }]);
    await rig.chat.submit('hi');
    const { key } = rig.conversation.state;
    assert.equal(await rig.conversations.withStoredSession(key), rig.chat);
    await rig.conversations.newSession();
    const { active } = rig.conversations;
    const both = await Promise.all([
      rig.conversations.withStoredSession(key),
      rig.conversations.withStoredSession(key),
    ]);
    assert.equal(both[0]?.conversation.state.key, key);
    assert.equal(both[0], both[1]);
    assert.deepEqual([rig.conversations.active, rig.conversations.all.length], [active, 2], 'it opened behind');
    for (const gone of ['gone.jsonl', '../../../work', '']) {
      assert.equal(await rig.conversations.withStoredSession(gone), undefined, gone);
    }
  });
});
