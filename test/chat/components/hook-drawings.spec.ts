import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryItem, ToolItem } from '../../../src/protocol/items/chat-item';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';
import { plain } from './support';

const CARDS = `
  import { Text } from '@earendil-works/pi-tui';
  export default pi => {
    pi.registerEntryRenderer('card', (entry, { expanded, keyHint }, theme) =>
      new Text('[' + entry.type + '] ' + entry.data.what + ' ' + (expanded ? 'in full' : keyHint('app.tools.expand', 'to expand')), 0, 0));
    pi.registerEntryRenderer('silent', () => undefined);
    pi.registerCommand('card', { handler: async args => pi.appendEntry('card', { what: args }) });
    pi.registerCommand('other', { handler: async args => { pi.appendEntry(args, { n: 1 }); pi.appendEntry(args, { n: 2 }); } });
  };`;

describe('what hooks draw in the conversation', () => {
  let rig: Rig;

  async function open(extension: string, script: readonly Script[] = [], more: RigOptions = {}): Promise<void> {
    rig = await Rig.open(script, { ...more, extensions: { 'draws.ts': extension } });
  }

  afterEach(() => rig.close());

  const errors = (): string[] => rig.items('notice').flatMap(({ level, text }) => (level === 'error' ? [text] : []));
  const entries = (): string[][] =>
    rig.items('entry').flatMap(({ drawing }) => (drawing ? [drawing.lines.map(plain)] : []));
  const tool = (id: string): ToolItem => {
    const item = rig.chat.model.get(`tool:${id}`);
    assert.ok(item?.kind === 'tool', id);
    return item;
  };
  const drawn = (id: string): unknown => {
    const { drawing } = tool(id);
    return drawing && [drawing.head?.map(plain), drawing.hasResult === true ? drawing.lines.map(plain) : undefined];
  };

  describe('entries', () => {
    it('shows entries of a hook as it draws them, folded and in full, and the model sees none of it', async () => {
      await open(CARDS, [{ text: 'ok' }]);
      const page = rig.page();
      await rig.chat.submit('/card built');
      assert.deepEqual(entries(), [['[custom] built click to expand']]);
      const item = rig.items('entry')[0] as EntryItem;
      page.send({ type: 'expandItem', id: item.id, expanded: true });
      await until(() => (entries()[0]?.[0] === '[custom] built in full' ? true : undefined), 'all of it');
      await rig.chat.submit('hello');
      assert.ok(!JSON.stringify(rig.model.requests).includes('built'));
    });

    it('shows them where they stood when the session is opened again', async () => {
      await open(CARDS, [{ text: 'first' }, { text: 'second' }]);
      await rig.chat.submit('hello');
      await rig.chat.submit('/card between');
      await rig.chat.submit('again');
      const kinds = (): string[] =>
        rig.chat.model.items.filter(({ kind }) => kind !== 'notice').map(({ kind }) => kind);
      const before = kinds();
      await rig.close(true);
      rig = await Rig.open([], { root: rig.root, resume: true });
      assert.deepEqual(kinds(), before);
      assert.deepEqual(entries(), [['[custom] between click to expand']]);
    });

    it('shows nothing of entries that nobody draws, and all of them as soon as somebody does', async () => {
      await open(CARDS);
      await rig.chat.submit('/other later');
      await rig.chat.submit('/other silent');
      assert.deepEqual(entries(), []);
      writeFileSync(
        join(rig.cwd, '.pi', 'extensions', 'later.ts'),
        `export default pi => pi.registerEntryRenderer('later', ({ data }) => ({ render: () => ['n ' + data.n], invalidate() {} }));`,
      );
      await rig.host.reload();
      await until(() => (entries().length === 2 ? true : undefined), 'the drawings');
      assert.deepEqual(entries(), [['n 1'], ['n 2']]);
      rmSync(join(rig.cwd, '.pi', 'extensions', 'later.ts'));
      await rig.host.reload();
      await until(() => (entries().length === 0 ? true : undefined), 'the hook to be gone');
    });

    for (const [what, code] of [
      ['throws', `throw new Error('no ' + entry.data.n)`],
      ['throws while it is drawn', `return { invalidate() {}, render() { throw new Error('no ' + entry.data.n); } }`],
      ['gives no component', `return { title: entry.data.n }`],
      ['never answers', `return new Promise(() => {})`],
      ['fails later', `return Promise.reject(new Error('late'))`],
      ['draws no lines', `return { invalidate() {}, render: () => 7 }`],
    ] as const) {
      it(`shows an entry as it is where its renderer ${what}, and names the hook once`, async () => {
        await open(`export default pi => {
          pi.registerEntryRenderer('bad', entry => { ${code}; });
          pi.registerCommand('bad', { handler: async () => { pi.appendEntry('bad', { n: 1 }); pi.appendEntry('bad', { n: 2 }); } });
        };`);
        await rig.chat.submit('/bad');
        assert.deepEqual(entries(), [
          ['bad', '{"n":1}'],
          ['bad', '{"n":2}'],
        ]);
        assert.equal(errors().length, 1, errors().join('\n'));
        assert.match(errors()[0] ?? '', /^Hook "draws\.ts" error in render:bad: /);
      });
    }
  });

  it('tells renderers of messages how much room is left beside them, and how keys are called', async () => {
    await open(`export default pi => {
      pi.registerMessageRenderer('m', (message, { expanded, outputPad, keyText, keyHint }) => {
        const said = JSON.stringify([expanded, outputPad, keyText('tui.select.cancel'), keyText('nobody.knows'), typeof keyHint('tui.select.confirm', 'to go on')]);
        return { invalidate() {}, render: () => [said] };
      });
      pi.registerCommand('m', { handler: async () => pi.sendMessage({ customType: 'm', content: 'x', display: true }) });
    };`);
    await rig.chat.submit('/m');
    const line = rig.items('custom')[0]?.drawing?.lines[0] ?? '[]';
    assert.deepEqual(JSON.parse(line), [false, 1, 'escape/ctrl+c', '', 'string']);
  });

  it('shows texts of the status and of the working row without the escapes of colours', async () => {
    await open(`export default pi => pi.registerCommand('s', { handler: async (args, ctx) => {
      ctx.ui.setStatus('k', ctx.ui.theme.fg('dim', 'quiet'));
      ctx.ui.setWorkingMessage(ctx.ui.theme.bold('busy'));
    } });`);
    await rig.chat.submit('/s');
    assert.deepEqual([rig.chat.ui.statusTexts, rig.chat.ui.workingMessage], [['quiet'], 'busy']);
  });

  describe('calls of tools', () => {
    const READ: Script = { calls: [{ id: 'r', name: 'read', args: { path: 'a.txt' } }] };
    const FILES = { files: { 'a.txt': 'one\ntwo' } };

    it('gives renderers of tools their last component, how long the call took, and a way to be drawn again', async () => {
      await open(
        `let calls = 0;
        const line = text => ({ invalidate() {}, render: () => [text] });
        export default pi => pi.registerTool({ name: 'job', label: 'Job', description: 'd', parameters: { type: 'object', properties: {} },
          execute: async () => ({ content: [{ type: 'text', text: 'raw' }], details: {} }),
          renderShell: 'self',
          renderCall: (args, theme, context) => {
            const own = context.lastComponent ?? line('made ' + ++calls);
            return own;
          },
          renderResult: (result, options, theme, context) => {
            context.state.drawn = (context.state.drawn ?? 0) + 1;
            if (!options.isPartial && context.state.drawn < 3) context.invalidate();
            return line([typeof context.durationMs, context.outputPad, typeof context.keyHint, context.state.drawn].join(' '));
          } });`,
        [{ calls: [{ id: 'j', name: 'job', args: {} }] }, { text: 'done' }],
      );
      await rig.chat.submit('go');
      await until(
        () => (tool('j').drawing?.lines[0] === 'number 1 function 3' ? true : undefined),
        'the third drawing',
      );
      assert.deepEqual(tool('j').drawing?.head, ['made 1']);
      assert.equal(tool('j').drawing?.unframed, true);
    });

    it('gives the theme as the second argument, as in pi, or as the third, as in oh-my-pi', async () => {
      const job = (name: string, parameters: string): string => `pi.registerTool({
        name: '${name}', label: 'Job', description: 'd', parameters: { type: 'object', properties: {} },
        execute: async () => ({ content: [{ type: 'text', text: 'raw' }], details: {} }),
        mine: '${name}',
        renderCall(${parameters}) {
          const text = [this.mine, theme.bold('').length > 0, options.expanded, options.isPartial].join(' ');
          return { invalidate() {}, render: () => [text] };
        } });`;
      await open(
        `export default pi => { ${job('ours', '_args, theme, options')} ${job('theirs', '_args, options, theme')} };`,
        [
          {
            calls: [
              { id: 'o', name: 'ours', args: {} },
              { id: 't', name: 'theirs', args: {} },
            ],
          },
          { text: 'done' },
        ],
      );
      await rig.chat.submit('go');
      assert.deepEqual(
        [tool('o').drawing?.head, tool('t').drawing?.head],
        [['ours true false false'], ['theirs true false false']],
      );
    });

    it('asks resolvers in the order of loading, each of which sees what the rest and the tool would use', async () => {
      const wrap = (name: string): string => `export default pi => pi.registerToolRenderer((toolName, next) => {
        const rest = next();
        if (toolName !== 'read') return rest;
        return { ...rest, renderCall: (args, theme, context) => ({ invalidate() {}, render: width =>
          ['${name}', ...rest.renderCall(args, theme, context).render(width)] }) };
      });`;
      rig = await Rig.open([READ, { text: 'done' }], {
        ...FILES,
        extensions: { 'a.ts': wrap('a'), 'b.ts': wrap('b') },
      });
      await rig.chat.submit('go');
      assert.deepEqual(drawn('r'), [['a', 'b', 'read a.txt'], undefined]);
    });

    it('draws any tool by a resolver, one that nobody has registered too, and leaves the others as they are', async () => {
      await open(
        `const line = text => ({ invalidate() {}, render: () => [text] });
        export default pi => {
          pi.registerTool({ name: 'own', label: 'Own', description: 'd', parameters: { type: 'object', properties: {} },
            execute: async () => ({ content: [{ type: 'text', text: 'raw' }], details: {} }),
            renderCall: () => line('own call') });
          pi.registerToolRenderer((toolName, next) => {
            if (toolName === 'gone') return next() ?? { renderCall: (args, theme) => line('gone ' + args.x), renderResult: () => line('') };
            return toolName === 'own' ? { ...next(), renderResult: result => line('result ' + result.content[0].text) } : next();
          });
        };`,
        [
          { calls: [{ id: 'g', name: 'gone', args: { x: 1 } }] },
          { calls: [{ id: 'o', name: 'own', args: {} }] },
          READ,
          { text: 'done' },
        ],
        FILES,
      );
      await rig.chat.submit('go');
      assert.deepEqual(drawn('g'), [['gone 1'], ['']]);
      assert.deepEqual(drawn('o'), [['own call'], ['result raw']]);
      assert.equal(drawn('r'), undefined);
    });

    for (const [what, code] of [
      ['throws', `throw new Error('no')`],
      ['gives rubbish', `return 'red'`],
      ['never answers', `return new Promise(() => {})`],
    ] as const) {
      it(`passes over a resolver that ${what}, and names its hook once`, async () => {
        rig = await Rig.open(
          [READ, { calls: [{ id: 's', name: 'read', args: { path: 'a.txt' } }] }, { text: 'done' }],
          {
            ...FILES,
            extensions: {
              'a.ts': `export default pi => pi.registerToolRenderer(() => { ${code}; });`,
              'b.ts': `export default pi => pi.registerToolRenderer((name, next) => ({ ...next(), renderCall: () => ({ invalidate() {}, render: () => ['b'] }) }));`,
            },
          },
        );
        await rig.chat.submit('go');
        assert.deepEqual(
          [drawn('r'), drawn('s')],
          [
            [['b'], undefined],
            [['b'], undefined],
          ],
        );
        assert.equal(errors().length, 1);
        assert.match(errors()[0] ?? '', /^Hook "a\.ts" error in registerToolRenderer: /);
      });
    }

    it('names the hook whose renderer fails, and shows the call as usual', async () => {
      rig = await Rig.open([READ, { text: 'done' }], {
        ...FILES,
        extensions: {
          'a.ts': `export default pi => pi.registerToolRenderer((name, next) => ({ ...next() }));`,
          'b.ts': `export default pi => pi.registerToolRenderer((name, next) => ({ ...next(), renderResult: () => { throw new Error('bad b'); } }));`,
        },
      });
      await rig.chat.submit('go');
      assert.equal(drawn('r'), undefined);
      assert.deepEqual(errors(), ['Hook "b.ts" error in render:read: bad b']);
    });
  });
});
