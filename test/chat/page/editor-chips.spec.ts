import assert from 'node:assert/strict';
import type { EditorChip } from '../../../src/protocol/composer/editor-chip';
import type { EditorText } from '../../../src/session/attachments/editor-texts';
import { toDisposable } from '../../../src/base/disposable';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';

const CHIP: EditorChip = {
  kind: 'selection',
  name: 'a.ts',
  path: '/work/a.ts',
  lines: [{ first: 3, last: 4 }],
  isOn: true,
};
const SELECTION: EditorText = { name: 'selection of a.ts:3-4', text: 'SELECTED TEXT' };

describe('chips of the editor', () => {
  let rig: Rig;
  /** What pages asked of the editor, in order. */
  let asked: string[];
  let tell: (chips: readonly EditorChip[]) => void;
  let offered: { readonly texts: readonly EditorText[]; readonly problems: readonly string[] };

  const open = async (script: Parameters<typeof Rig.open>[0], options: Parameters<typeof Rig.open>[1] = {}) => {
    asked = [];
    offered = { texts: [SELECTION], problems: [] };
    const editorChips: RigOptions['editorChips'] = {
      follow: listener => {
        asked.push('follow');
        tell = listener;
        listener([CHIP]);
        return toDisposable(() => asked.push('end'));
      },
      switchChip: (kind, path, isOn) => asked.push(`switch ${kind} ${path} ${isOn}`),
      capture: () => {
        asked.push('capture');
        const captured = offered;
        return () => {
          asked.push('check');
          return Promise.resolve(captured);
        };
      },
    };
    rig = await Rig.open(script, { ...options, editorChips });
  };

  afterEach(() => rig.close());

  const submit = (page: ReturnType<Rig['page']>, text: string, more: object = {}): void =>
    page.send({ type: 'submit', text, delivery: 'steer', images: [], ...more });
  const sentTo = async (request: number): Promise<string> =>
    JSON.stringify((await until(() => rig.model.requests[request], 'the request')).messages);
  const times = (text: string, part: string): number => text.split(part).length - 1;

  it('are followed while a page is there', async () => {
    await open([]);
    const connection = rig.connectPage(() => undefined);
    assert.deepEqual(asked, []);
    connection.receive({ type: 'ready' });
    connection.hidden();
    assert.deepEqual(asked, ['follow', 'end']);
    connection.receive({ type: 'ready' });
    connection.dispose();
    assert.deepEqual(asked, ['follow', 'end', 'follow', 'end']);
  });

  it('reach the page, and its switches reach the editor', async () => {
    await open([]);
    const page = rig.page();
    const told = (): unknown[] => page.got.filter(({ type }) => type === 'editorChips');
    assert.deepEqual(told(), [{ type: 'editorChips', chips: [CHIP] }]);
    tell([]);
    assert.deepEqual(told().at(-1), { type: 'editorChips', chips: [] });
    page.send({ type: 'switchChip', kind: 'file', path: '/work/a.ts', isOn: true });
    page.send({ type: 'switchChip', kind: 'folder', path: '/work/a.ts', isOn: true });
    assert.deepEqual(asked, ['follow', 'switch file /work/a.ts true']);
    page.dispose();
  });

  it('are sent with a prompt, and shown with it', async () => {
    await open([{ text: 'ok' }]);
    submit(rig.page(), 'explain this');
    const sent = await sentTo(0);
    assert.match(sent, /explain this.*<file name=\\"selection of a\.ts:3-4\\">\\nSELECTED TEXT\\n<\/file>/);
    const [message] = rig.items('user');
    assert.equal(message?.text, 'explain this');
    assert.deepEqual(
      message.attached?.map(({ name }) => name),
      ['selection of a.ts:3-4'],
    );
  });

  it('are sent as the editor was when the message was sent', async () => {
    await open([{ text: 'ok' }]);
    const page = rig.page();
    submit(page, 'explain this');
    offered = { texts: [{ name: 'selection of b.ts:1', text: 'LATER TEXT' }], problems: [] };
    const sent = await sentTo(0);
    assert.ok(sent.includes('SELECTED TEXT') && !sent.includes('LATER TEXT'));
  });

  it('do not go with commands, of which none is asked about', async () => {
    await open([{ text: 'ok' }]);
    const page = rig.page();
    submit(page, '!echo hello');
    await until(() => rig.items('bash').find(({ state }) => state !== 'running'), 'the command');
    submit(page, '/name of the session');
    await rig.conversation.run.waitForIdle();
    assert.ok(!asked.includes('check'), asked.join());
    assert.equal(rig.model.requests.length, 0);
  });

  it('say why something is missing, and the prompt goes on', async () => {
    await open([{ text: 'ok' }]);
    offered = { texts: [], problems: ['a.ts was not sent.'] };
    submit(rig.page(), 'explain this');
    assert.ok(!(await sentTo(0)).includes('SELECTED'));
    assert.ok(rig.items('notice').some(({ level, text }) => level === 'warning' && text === 'a.ts was not sent.'));
  });

  it('are sent once with a message that is edited, whose texts return to the composer', async () => {
    await open([{ text: 'one' }, { text: 'two' }]);
    const page = rig.page();
    submit(page, 'explain this');
    await sentTo(0);
    await rig.conversation.run.waitForIdle();
    page.send({ type: 'editMessage', id: rig.items('user')[0]?.id });
    const { editing, files = [] } = rig.chat.composer.draft;
    assert.deepEqual(files, [{ name: SELECTION.name, text: SELECTION.text }]);
    submit(page, 'explain this again', { edits: editing?.entry, files });
    const sent = await sentTo(1);
    assert.ok(sent.includes('explain this again'));
    assert.equal(times(sent, 'SELECTED TEXT'), 1);
  });

  it('return with a message that waited', async () => {
    await open(['hang']);
    const page = rig.page();
    submit(page, 'first');
    await sentTo(0);
    submit(page, 'second', { delivery: 'followUp' });
    const waiting = await until(() => rig.items('user').find(({ text }) => text === 'second'), 'the waiting message');
    page.send({ type: 'editQueued', id: waiting.id });
    assert.deepEqual(rig.chat.composer.draft.files, [{ name: SELECTION.name, text: SELECTION.text }]);
    await rig.conversation.run.stop();
  });

  it('reach hooks as other attached texts do', async () => {
    const hook = `export default function (pi) {
      pi.on('input', event => { globalThis.hooklineInput = JSON.stringify(event); });
      pi.on('context', event => { globalThis.hooklineContext = JSON.stringify(event.messages); });
    }`;
    await open([{ text: 'ok' }], { extensions: { 'see.ts': hook } });
    submit(rig.page(), 'explain this');
    await sentTo(0);
    const { hooklineInput: seen, hooklineContext: context } = globalThis as unknown as Partial<Record<string, string>>;
    assert.ok(seen?.includes('explain this') === true && !seen.includes('SELECTED'));
    assert.ok(context?.includes('SELECTED TEXT'));
  });
});
