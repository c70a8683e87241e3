import assert from 'node:assert/strict';
import { Box, Container, CURSOR_MARKER, SelectList } from '@mariozechner/pi-tui';
import { bench, mountOf, ORIGIN, Page, Probe, settle, until } from './support';

describe('what hooks mount', () => {
  it('is shown as lines, gets keys, and ends with the value it closes with', async () => {
    const { components, page } = bench();
    const probe = new Probe();
    let close: (value: unknown) => void = () => undefined;
    const handle = components.custom(
      mountOf((_tui, done) => {
        close = done;
        return probe;
      }),
      ORIGIN,
    );
    await until(() => page.lines()[0] === 'hello', 'the first frame');
    assert.deepEqual(page.components, [
      {
        id: page.components[0]!.id,
        place: 'panel',
        hook: { path: ORIGIN.hookPath, name: 'game.ts' },
        takesKeys: true,
        label: '/game',
      },
    ]);
    assert.equal(probe.widths[0], 60);
    page.press('\x1b[A');
    assert.deepEqual(probe.keys, ['\x1b[A']);
    close('score 7');
    assert.equal(await handle.closed, 'score 7');
    assert.deepEqual(page.components, []);
    assert.equal(probe.disposed, 1);
    handle.close('again');
    assert.equal(probe.disposed, 1);
  });

  it('tells components of 40 rows at least, and of the page’s columns', async () => {
    const { components, page } = bench();
    const mount = mountOf(new Probe());
    components.custom(mount, ORIGIN);
    await until(() => page.frames.length > 0, 'a frame');
    assert.deepEqual([mount.tui?.terminal.columns, mount.tui?.terminal.rows], [60, 40]);
    components.receive({ type: 'cells', cells: { columns: 30, rows: 55, cardColumns: 20 } }, page.post);
    assert.deepEqual([mount.tui?.terminal.columns, mount.tui?.terminal.rows], [30, 55]);
  });

  it('sends only the lines that changed, and one frame at a time', async () => {
    const { components, page } = bench();
    let count = 0;
    const probe = new Probe(() => ['same', `count ${count}`, 'end']);
    const mount = mountOf(probe);
    components.custom(mount, ORIGIN);
    await until(() => page.frames.length === 1, 'the first frame');
    assert.equal(page.frames[0]?.changes.length, 3);
    await settle();
    page.acknowledges = false;
    count = 1;
    mount.tui?.requestRender();
    await until(() => page.frames.length === 2, 'the second frame');
    assert.deepEqual(
      page.frames[1]?.changes.map(([row]) => row),
      [1],
    );
    const drawn = probe.widths.length;
    for (count = 2; count < 20; count++) mount.tui?.requestRender();
    await settle();
    assert.equal(page.frames.length, 2, 'the next frame waits for the acknowledgement');
    assert.equal(probe.widths.length, drawn, 'and nothing is drawn for nobody');
    page.acknowledge();
    await until(() => page.frames.length === 3, 'the newest state');
    assert.equal(page.lines()[1], 'count 20');
  });

  it('holds back a component that asks for ever more frames, with the host free between', async () => {
    const { components, page } = bench();
    const probe: Probe = new Probe(() => {
      mount.tui?.requestRender();
      return [`frame ${probe.widths.length}`];
    });
    const mount = mountOf(probe);
    const handle = components.custom(mount, ORIGIN);
    await until(() => page.frames.length > 3, 'some frames');
    page.acknowledges = false;
    await settle();
    const drawn = probe.widths.length;
    await settle();
    assert.equal(probe.widths.length, drawn);
    handle.close();
  });

  it('draws nothing without a page, and all of it for a new page', async () => {
    const { components, page, told } = bench({ watched: false });
    const probe = new Probe();
    components.custom(mountOf(probe), ORIGIN);
    assert.deepEqual(told, ['reveal'], 'the chat is brought to the front');
    await settle();
    assert.equal(probe.widths.length, 0);
    const watching = components.watch(page.post);
    components.receive({ type: 'cells', cells: { columns: 60, rows: 20, cardColumns: 50 } }, page.post);
    await until(() => page.lines()[0] === 'hello', 'the first page');
    // The page is reloaded while a frame is under way.
    watching.dispose();
    const second = new Page(components);
    components.watch(second.post);
    await until(() => second.lines()[0] === 'hello', 'the second page');
    assert.equal(second.components.length, 1);
  });

  it('takes the keyboard from elsewhere only when a person has called for it', async () => {
    const { components, page, told } = bench();
    components.custom(mountOf(new Probe()), { ...ORIGIN, event: 'agent_end' });
    await until(() => page.components.length === 1, 'the component');
    components.receive({ type: 'unfocused', component: page.components[0]!.id }, page.post);
    assert.deepEqual(told, []);
    components.custom(mountOf(new Probe()), ORIGIN);
    await until(() => page.components.length === 2, 'the next');
    components.receive({ type: 'unfocused', component: page.components[1]!.id }, page.post);
    assert.deepEqual(told, ['reveal']);
  });

  it('is told of when no page shows it and the user has not called for it, or has gone elsewhere', () => {
    const { components, told } = bench({ watched: false });
    components.custom(mountOf(new Probe()), { ...ORIGIN, event: 'agent_end' });
    assert.deepEqual(told, ['offer']);
    const elsewhere = bench({ watched: false, userIsElsewhere: true });
    elsewhere.components.custom(mountOf(new Probe()), ORIGIN);
    assert.deepEqual(elsewhere.told, ['offer']);
    components.setWidget('w', mountOf(new Probe()), 'aboveEditor', ORIGIN);
    assert.deepEqual(told, ['offer'], 'a widget waits for nobody');
  });

  it('cuts lines that are too long, and splits those with line breaks', async () => {
    const { components, page } = bench();
    const mount = mountOf(new Probe(() => ['x'.repeat(500), `\x1b[31m${'漢'.repeat(100)}\x1b[0m`, 'one\ntwo']));
    components.custom(mount, ORIGIN);
    await until(() => page.lines().length === 4, 'four lines');
    assert.deepEqual(page.lines(), ['x'.repeat(60), '漢'.repeat(30), 'one', 'two']);
    assert.deepEqual(mount.failures, []);
  });

  for (const [what, draw, message] of [
    [
      'throws',
      () => {
        throw new Error('out of paint');
      },
      'out of paint',
    ],
    ['gives no list', () => 'text' as unknown as string[], 'render(width) must return an array of lines'],
    [
      'throws what has no words',
      () => {
        const circle: Record<string, unknown> = {};
        circle['self'] = circle;
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- foreign code does
        throw circle;
      },
      'an error that cannot be read',
    ],
  ] as const) {
    it(`says so when a component ${what}, and Escape closes it`, async () => {
      const { components, page } = bench();
      const mount = mountOf(new Probe(draw));
      const handle = components.custom(mount, ORIGIN);
      await until(() => page.lines().join(' ').includes(message), 'the failure on the screen');
      mount.tui?.requestRender();
      await settle();
      assert.equal(mount.failures.length, 1, 'told once');
      page.press('\x1b');
      assert.equal(await handle.closed, undefined);
    });
  }

  it('leaves the lines that components return as they are, also inside of others', async () => {
    const { components, page } = bench();
    const lines = Object.freeze([`${'x'.repeat(100)}${CURSOR_MARKER}`, 'two']);
    const box = new Box(1, 0);
    const container = new Container();
    for (const outer of [box, container]) outer.addChild(new Probe(() => lines as string[]));
    container.addChild(box);
    const mount = mountOf(container);
    components.custom(mount, ORIGIN);
    await until(() => page.lines().length === 4, 'the lines');
    assert.deepEqual(page.lines()[1], 'two');
    components.custom(mountOf(new Probe(() => lines as string[])), ORIGIN);
    await until(() => page.lines().length === 2, 'the lines alone');
    assert.deepEqual(mount.failures, []);
    assert.deepEqual(lines, [`${'x'.repeat(100)}${CURSOR_MARKER}`, 'two']);
  });

  it('goes on after a failure that passes', async () => {
    const { components, page } = bench();
    let broken = true;
    const probe = new Probe(() => {
      if (broken) throw new Error('too narrow');
      return ['fine'];
    });
    const mount = mountOf(probe);
    components.custom(mount, ORIGIN);
    await until(() => mount.failures.length === 1, 'the failure');
    broken = false;
    mount.tui?.requestRender();
    await until(() => page.lines()[0] === 'fine', 'the component');
    page.press('\x1b');
    assert.deepEqual(probe.keys, ['\x1b'], 'Escape is the component’s again');
  });

  it('tells of what a component throws at a key or at its end', async () => {
    const { components, page } = bench();
    const probe = new Probe();
    probe.handleInput = () => {
      throw new Error('no such key');
    };
    probe.dispose = () => {
      throw new Error('cannot end');
    };
    const mount = mountOf(probe);
    const handle = components.custom(mount, ORIGIN);
    await until(() => page.frames.length > 0, 'a frame');
    page.press('x');
    handle.close();
    assert.equal(await handle.closed, undefined);
    assert.deepEqual(mount.failures.map(String), ['Error: no such key', 'Error: cannot end']);
  });

  it('ends a component that throws at Escape', async () => {
    const { components, page } = bench();
    const probe = new Probe();
    probe.handleInput = () => {
      throw new Error('no such key');
    };
    const handle = components.custom(mountOf(probe), ORIGIN);
    await until(() => page.frames.length > 0, 'a frame');
    page.press('\x1b');
    assert.equal(await handle.closed, undefined);
  });

  it('closes what cannot be made, and lets go of what comes too late', async () => {
    const { components, page } = bench();
    const broken = mountOf(() => Promise.reject(new Error('no component')));
    assert.equal(await components.custom(broken, ORIGIN).closed, undefined);
    assert.deepEqual(broken.failures.map(String), ['Error: no component']);
    const probe = new Probe();
    const early = mountOf((_tui, close) => {
      close('at once');
      return probe;
    });
    assert.equal(await components.custom(early, ORIGIN).closed, 'at once');
    await settle();
    assert.equal(probe.disposed, 1);
    assert.deepEqual(page.components, []);
  });

  it('sends no frame before the page knows of the component, however long a component takes', async () => {
    const { components, page } = bench();
    page.acknowledges = false;
    let make: (probe: Probe) => void = () => undefined;
    components.custom(
      mountOf(() => new Promise(resolve => (make = resolve))),
      ORIGIN,
    );
    await settle();
    assert.equal(page.frames.length, 0);
    make(new Probe());
    await until(() => page.lines()[0] === 'hello', 'the component');
    assert.equal(page.frames[0]?.sequence, 1);
  });

  it('never shows what is never made, and is closed all the same', async () => {
    const { components, page } = bench();
    const handle = components.custom(
      mountOf(() => new Promise(() => undefined)),
      ORIGIN,
    );
    await settle();
    assert.deepEqual(page.components, []);
    handle.close();
    assert.equal(await handle.closed, undefined);
  });

  it('can be closed by the person, whatever the component does', async () => {
    const { components, page } = bench();
    const handle = components.custom(mountOf(new Probe()), ORIGIN);
    await until(() => page.components.length === 1, 'the component');
    components.receive({ type: 'closeComponent', component: page.components[0]!.id }, page.post);
    assert.equal(await handle.closed, undefined);
  });

  it('shows several panels in turn: the latest has the keys', async () => {
    const { components, page } = bench();
    const [first, second] = [new Probe(), new Probe()];
    components.custom(mountOf(first), ORIGIN);
    await until(() => page.components.length === 1, 'the first');
    const handle = components.custom(mountOf(second), ORIGIN);
    await until(() => page.components.length === 2, 'the second');
    page.press('a');
    handle.close();
    page.press('b');
    assert.deepEqual([first.keys, second.keys], [['b'], ['a']]);
  });

  it('runs the real components of pi-tui: a list is walked and chosen from', async () => {
    const { components, page } = bench();
    const same = (text: string): string => text;
    const theme = { selectedPrefix: same, selectedText: same, description: same, scrollInfo: same, noMatch: same };
    const handle = components.custom(
      mountOf((_tui, close) => {
        const list = new SelectList(
          ['red', 'green', 'blue'].map(value => ({ value, label: value })),
          5,
          theme,
        );
        list.onSelect = item => close(item.value);
        return list;
      }),
      ORIGIN,
    );
    await until(() => page.lines().length === 3, 'the list');
    assert.match(page.lines()[0] ?? '', /→ red/);
    page.press('\x1b[B');
    await until(() => page.lines()[1]?.includes('→ green') === true, 'the next entry');
    page.press('\r');
    assert.equal(await handle.closed, 'green');
  });

  it('asks the page for key releases only where a component wants them', async () => {
    const { components, page } = bench();
    const probe = new Probe();
    const mount = mountOf(probe);
    components.custom(mount, ORIGIN);
    await until(() => page.frames.length === 1, 'a frame');
    assert.equal(page.frames[0]?.wantsReleases, false);
    page.press('\x1b[1;1:3A');
    assert.deepEqual(probe.keys, [], 'a release is kept from those that do not ask');
    probe.wantsKeyRelease = true;
    mount.tui?.requestRender();
    await until(() => page.frames.length === 2, 'the wish');
    assert.equal(page.frames[1]?.wantsReleases, true);
    page.press('\x1b[1;1:3A');
    assert.deepEqual(probe.keys, ['\x1b[1;1:3A']);
  });

  it('says where the cursor stands, and draws anew when the colours change', async () => {
    const { components, page } = bench();
    const probe = new Probe(() => ['ab\x1b_pi:c\x07cd']);
    components.custom(mountOf(probe), ORIGIN);
    await until(() => page.frames.length === 1, 'a frame');
    assert.deepEqual(page.frames[0]?.cursor, { row: 0, column: 2 });
    assert.equal(page.lines()[0], 'abcd');
    components.restyle();
    assert.equal(probe.invalidated, 1);
  });

  it('ends everything when the conversation does', async () => {
    const { components } = bench();
    const handle = components.custom(mountOf(new Probe()), ORIGIN);
    components.dispose();
    assert.equal(await handle.closed, undefined);
    assert.equal(await components.custom(mountOf(new Probe()), ORIGIN).closed, undefined);
  });
});
