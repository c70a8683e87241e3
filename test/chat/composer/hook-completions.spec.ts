import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Completion } from '../../../src/protocol/composer/composer';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';

/** Issues behind `#`, as a provider in front of what is there. */
const ISSUES = `
  const issues = current => ({
    triggerCharacters: ['$'],
    async getSuggestions(lines, line, column, options) {
      const typed = /(?:^|[ \\t])([#$])([^\\s#$]*)$/.exec(lines[line].slice(0, column));
      if (typed === null) return current.getSuggestions(lines, line, column, options);
      const items = ['12', '123', '2'].filter(number => number.startsWith(typed[2]))
        .map(number => ({ value: typed[1] + number, label: typed[1] + number, description: 'issue ' + number }));
      return { items, prefix: typed[1] + typed[2] };
    },
    applyCompletion: (lines, line, column, item, prefix) => current.applyCompletion(lines, line, column, item, prefix),
  });`;
const add = (provider: string): string =>
  `export default pi => pi.on('session_start', (event, ctx) => ctx.ui.addAutocompleteProvider(${provider}));`;

describe('completion as hooks extend it', () => {
  let rig: Rig;
  let page: ReturnType<Rig['page']>;
  let question = 0;

  async function open(extensions: RigOptions['extensions'], more: RigOptions = {}): Promise<void> {
    rig = await Rig.open([], { ...more, extensions: extensions ?? {} });
    page = rig.page();
    await until(() => triggers() ?? (Object.keys(extensions ?? {}).length === 0 ? '' : undefined), 'the provider');
  }

  afterEach(() => rig.close());

  const triggers = (): string | undefined => rig.chat.status.current.completes;
  const errors = (): string[] => rig.items('notice').flatMap(({ level, text }) => (level === 'error' ? [text] : []));

  /** `|` is the caret. */
  async function offered(typed: string): Promise<readonly Completion[]> {
    const id = ++question;
    const caret = typed.indexOf('|');
    page.send({ type: 'complete', id, what: 'text', text: typed.replace('|', ''), caret });
    const answer = await until(
      () => page.got.find(message => message.type === 'completions' && message.id === id && message.final),
      `an answer to ${typed}`,
    );
    return answer.type === 'completions' ? answer.items : [];
  }

  async function taken(index: number): Promise<string> {
    page.send({ type: 'takeCompletion', id: question, index });
    const done = await until(
      () => page.got.find(message => message.type === 'completed' && message.id === question),
      'the text',
    );
    assert.ok(done.type === 'completed');
    return `${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`;
  }

  const labels = async (typed: string): Promise<string[]> => (await offered(typed)).map(({ label }) => label);

  it('asks the provider about what is typed, and puts what was chosen into the text', async () => {
    await open({ 'issues.ts': `${ISSUES} ${add('issues')}` });
    assert.equal(triggers(), '@#$');
    assert.deepEqual(await offered('see #12| there'), [
      { kind: 'hook', label: '#12', detail: 'issue 12', insert: '#12' },
      { kind: 'hook', label: '#123', detail: 'issue 123', insert: '#123' },
    ]);
    assert.equal(await taken(1), 'see #123| there');
    assert.deepEqual(await labels('one\ntwo $2|'), ['$2']);
    assert.equal(await taken(0), 'one\ntwo $2|');
  });

  it('offers what the composer completes by itself where providers leave it to that', async () => {
    await open(
      {
        'issues.ts': `${ISSUES} ${add('issues')}
          export const more = 1;`,
        'deploy.ts': `export default pi => pi.registerCommand('deploy', { handler: async () => {}, getArgumentCompletions: () => [{ value: 'staging', label: 'staging' }] });`,
      },
      { files: { 'src/main.ts': '' } },
    );
    const [file] = await offered('look @main|');
    assert.deepEqual([file?.kind, file?.insert], ['file', '@src/main.ts']);
    assert.deepEqual(await offered('/deploy s|'), [
      { kind: 'argument', label: 'staging', detail: '', insert: 'staging' },
    ]);
    assert.deepEqual(await offered('/dep|'), [], 'the page knows the commands');
    assert.deepEqual(await offered('nothing|'), []);
  });

  it('stacks providers, each in front of those that were there, and lets them go with their hooks', async () => {
    const front = (name: string): string =>
      add(`current => ({ ...current, async getSuggestions(...given) {
        const rest = await current.getSuggestions(...given);
        return { prefix: '#', items: [{ value: '${name}', label: '${name}' }, ...(rest?.items ?? [])] };
      } })`);
    await open({ 'a.ts': front('a'), 'b.ts': front('b') });
    assert.deepEqual(await labels('#|'), ['b', 'a']);
    await rig.host.reload({ freshAll: true });
    assert.deepEqual(await labels('#|'), ['b', 'a'], 'not twice after a reload');
    await rig.conversation.sessions.newSession();
    assert.deepEqual(await labels('#|'), ['b', 'a'], 'not twice in another session');
    rmSync(join(rig.cwd, '.pi', 'extensions', 'b.ts'));
    await rig.host.reload();
    assert.deepEqual(await labels('#|'), ['a']);
    rmSync(join(rig.cwd, '.pi', 'extensions', 'a.ts'));
    await rig.host.reload();
    assert.equal(triggers(), undefined);
  });

  for (const [what, provider] of [
    ['throws', `{ getSuggestions() { throw new Error('no list'); } }`],
    ['fails later', `{ async getSuggestions() { throw new Error('no list'); } }`],
    ['never answers', `{ getSuggestions: () => new Promise(() => {}) }`],
    ['gives no list', `{ getSuggestions: async () => ['#1'] }`],
    ['gives lines of another shape', `{ getSuggestions: async () => ({ prefix: '#', items: [{ value: 1 }] }) }`],
    ['has no such method', `{}`],
  ] as const) {
    it(`offers what there is without a provider that ${what}, and names its hook once`, async () => {
      await open({ 'a.ts': `${ISSUES} ${add('issues')}`, 'b.ts': add(`() => (${provider})`) }, { hookWaitMs: 50 });
      assert.deepEqual(await labels('#2|'), ['#2']);
      assert.deepEqual(await labels('#12|'), ['#12', '#123']);
      assert.equal(errors().length, 1, errors().join('\n'));
      assert.match(errors()[0] ?? '', /^Hook "b\.ts" error in addAutocompleteProvider: /);
    });
  }

  for (const [what, provider] of [
    ['throws', `() => { throw new Error('no'); }`],
    ['gives no text', `() => 'text'`],
    ['is not there', `undefined`],
  ] as const) {
    it(`puts a line into the text as usual where applyCompletion ${what}`, async () => {
      await open({
        'a.ts': add(
          `() => ({ getSuggestions: async () => ({ prefix: '#1', items: [{ value: '#12', label: 'twelve' }] }), applyCompletion: ${provider} })`,
        ),
      });
      assert.deepEqual(await labels('to #1|'), ['twelve']);
      assert.equal(await taken(0), 'to #12|');
      assert.equal(errors().length, 1);
    });
  }

  it('puts what a provider makes of the text into it, wherever that is', async () => {
    await open({
      'a.ts': add(`() => ({ getSuggestions: async () => ({ prefix: '!', items: [{ value: 'x', label: 'x' }] }),
        applyCompletion: lines => ({ lines: ['first', ...lines], cursorLine: 0, cursorCol: 99 }) })`),
    });
    await offered('rest !|');
    assert.equal(await taken(0), 'first|\nrest !');
  });

  it('names a factory that fails, and goes on without it', async () => {
    rig = await Rig.open([], {
      extensions: { 'a.ts': add(`() => { throw new Error('no provider'); }`), 'b.ts': add(`() => 7`) },
    });
    await until(() => (errors().length === 2 ? true : undefined), 'the errors');
    assert.deepEqual(
      errors()
        .map(text => text.slice(0, 48))
        .sort(),
      ['Hook "a.ts" error in addAutocompleteProvider: no', 'Hook "b.ts" error in addAutocompleteProvider: th'],
    );
    assert.equal(triggers(), undefined);
  });
});
