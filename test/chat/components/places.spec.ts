import assert from 'node:assert/strict';
import { bench, mountOf, ORIGIN, Probe, until } from './support';

describe('overlays', () => {
  it('stand where their options say, on a screen of the page’s size', async () => {
    const { components, page } = bench();
    const options = { width: '50%', anchor: 'bottom-right', margin: 1, maxHeight: 3 };
    components.custom(
      mountOf(new Probe(width => Array.from({ length: 9 }, () => '#'.repeat(width))), {
        overlay: true,
        overlayOptions: options,
      }),
      ORIGIN,
    );
    await until(() => page.frames.length === 1, 'a frame');
    assert.equal(page.components[0]?.place, 'overlay');
    assert.deepEqual(page.frames[0]?.overlay, { row: 36, column: 29, width: 30, columns: 60, rows: 40 });
    assert.deepEqual(
      page.lines(),
      Array.from({ length: 3 }, () => '#'.repeat(30)),
    );
  });

  it('hide, come back, give up the keys and take them', async () => {
    const { components, page } = bench();
    const handle = components.custom(
      mountOf(new Probe(), { overlay: true, overlayOptions: () => ({ nonCapturing: true, width: 20 }) }),
      ORIGIN,
    );
    await until(() => page.frames.length === 1, 'a frame');
    assert.equal(page.components[0]?.takesKeys, false);
    handle.focus?.();
    assert.equal(page.components[0].takesKeys, true);
    assert.equal(handle.isFocused?.(), true);
    handle.unfocus?.();
    handle.setHidden?.(true);
    assert.deepEqual(page.components, []);
    assert.equal(handle.isHidden?.(), true);
    handle.setHidden?.(false);
    await until(() => page.components.length === 1 && page.frames.length > 1, 'it again');
  });

  it('tell where an overlay was drawn, and which of several has the keys, and hand these over', async () => {
    const { components, page } = bench();
    const [below, above] = [new Probe(() => ['one', 'two']), new Probe(() => ['over'])];
    const overlayOptions = { anchor: 'top-left', width: 20 };
    const first = components.custom(mountOf(below, { overlay: true, overlayOptions }), ORIGIN);
    assert.equal(first.bounds?.(), undefined);
    await until(() => page.components.length === 1, 'the first');
    await until(() => first.bounds?.() !== undefined, 'its place');
    assert.deepEqual(first.bounds?.(), { row: 0, col: 0, width: 20, height: 2 });
    const second = components.custom(mountOf(above, { overlay: true, overlayOptions: () => overlayOptions }), ORIGIN);
    await until(() => page.components.length === 2, 'the second');
    assert.deepEqual([first.isFocused?.(), second.isFocused?.()], [false, true]);
    second.unfocus?.(below);
    assert.deepEqual([first.isFocused?.(), second.isFocused?.()], [true, false]);
    first.unfocus?.(null);
    assert.deepEqual([first.isFocused?.(), second.isFocused?.()], [false, false]);
    second.focus?.();
    second.setHidden?.(true);
    assert.deepEqual([second.isFocused?.(), second.bounds?.()], [false, undefined]);
    components.dispose();
  });

  it('are seen only where they say they fit', async () => {
    const { components, page } = bench();
    components.custom(
      mountOf(new Probe(), { overlay: true, overlayOptions: { visible: (columns: number) => columns >= 50 } }),
      ORIGIN,
    );
    await until(() => page.components.length === 1, 'the overlay');
    components.receive({ type: 'cells', cells: { columns: 40, rows: 20, cardColumns: 30 } }, page.post);
    assert.deepEqual(page.components, []);
  });

  it('that a component opens on its own screen are drawn over it', async () => {
    const { components, page } = bench();
    const over = new Probe(() => ['over']);
    const under = new Probe(() => Array.from({ length: 40 }, () => '.'.repeat(60)));
    components.custom(
      mountOf(tui => {
        tui.showOverlay(over, { width: 10, row: 1, col: 5 });
        return under;
      }),
      ORIGIN,
    );
    await until(() => page.lines().length === 40, 'a frame');
    assert.equal(page.lines()[1], `.....over      ${'.'.repeat(45)}`);
  });
});

describe('widgets, header and footer', () => {
  it('show text and components above and below the composer, in the order of their keys', async () => {
    const { components, page } = bench();
    components.setWidget('a', ['first'], 'aboveEditor', ORIGIN);
    components.setWidget('b', mountOf(new Probe(() => ['second'])), 'belowEditor', ORIGIN);
    components.setPlace('header', mountOf(new Probe(() => ['top'])), ORIGIN);
    components.setPlace('footer', mountOf(new Probe(() => ['bottom'])), ORIGIN);
    await until(() => page.components.length === 4 && page.frames.length === 3, 'all four');
    components.setWidget('a', ['first again'], 'aboveEditor', ORIGIN);
    assert.deepEqual(
      page.components.map(({ place, text, takesKeys }) => [place, text ?? page.frames.length > 0, takesKeys]),
      [
        ['above', ['first again'], false],
        ['below', true, false],
        ['header', true, false],
        ['footer', true, false],
      ],
    );
    components.setWidget('b', undefined, 'aboveEditor', ORIGIN);
    components.setPlace('header', undefined, ORIGIN);
    assert.deepEqual(
      page.components.map(({ place }) => place),
      ['above', 'footer'],
    );
  });

  it('cut a widget of many lines after ten', () => {
    const { components, page } = bench();
    components.setWidget(
      'a',
      Array.from({ length: 30 }, (_, index) => `line ${index}`),
      'aboveEditor',
      ORIGIN,
    );
    assert.equal(page.components[0]?.text?.length, 11);
  });
});

describe('keys of the chat', () => {
  it('are told to the page: shortcuts, and whether somebody listens', () => {
    const { components, page, reports } = bench({ shortcuts: ['ctrl+shift+x'] });
    assert.deepEqual(page.keys, { type: 'keys', shortcuts: ['ctrl+shift+x'], listening: false });
    components.receive({ type: 'shortcut', key: 'ctrl+shift+x' }, page.post);
    components.receive({ type: 'shortcut', key: 'ctrl+q' }, page.post);
    assert.deepEqual(reports, ['shortcut ctrl+shift+x'], 'a key nobody registered runs nothing');
    const listening = components.listen(data => data === 'a');
    assert.equal(page.keys.listening, true);
    components.receive({ type: 'rawKey', id: 1, data: 'a' }, page.post);
    components.receive({ type: 'rawKey', id: 2, data: 'b' }, page.post);
    assert.deepEqual(
      page.answers.map(({ id, consumed }) => [id, consumed]),
      [
        [1, true],
        [2, false],
      ],
    );
    listening.dispose();
    assert.equal(page.keys.listening, false);
  });

  it('that a listener keeps do not reach a component', async () => {
    const { components, page } = bench();
    const probe = new Probe();
    components.custom(mountOf(probe), ORIGIN);
    await until(() => page.frames.length > 0, 'a frame');
    components.listen(data => data === 'a');
    page.press('a');
    page.press('b');
    assert.deepEqual(probe.keys, ['b']);
  });
});
