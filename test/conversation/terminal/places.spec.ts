import assert from 'node:assert/strict';
import { bench, mountOf, ORIGIN, Probe, until } from './support';

describe('overlays', () => {
  it('stand where their options say, on a screen of the page’s size', async () => {
    const { surfaces, page } = bench();
    const options = { width: '50%', anchor: 'bottom-right', margin: 1, maxHeight: 3 };
    surfaces.custom(
      mountOf(new Probe(width => Array.from({ length: 9 }, () => '#'.repeat(width))), {
        overlay: true,
        overlayOptions: options,
      }),
      ORIGIN,
    );
    await until(() => page.frames.length === 1, 'a frame');
    assert.equal(page.surfaces[0]?.place, 'overlay');
    assert.deepEqual(page.frames[0]?.overlay, { row: 36, column: 29, width: 30, columns: 60, rows: 40 });
    assert.deepEqual(
      page.lines(),
      Array.from({ length: 3 }, () => '#'.repeat(30)),
    );
  });

  it('hide, come back, give up the keys and take them', async () => {
    const { surfaces, page } = bench();
    const handle = surfaces.custom(
      mountOf(new Probe(), { overlay: true, overlayOptions: () => ({ nonCapturing: true, width: 20 }) }),
      ORIGIN,
    );
    await until(() => page.frames.length === 1, 'a frame');
    assert.equal(page.surfaces[0]?.takesKeys, false);
    handle.focus?.();
    assert.equal(page.surfaces[0].takesKeys, true);
    assert.equal(handle.isFocused?.(), true);
    handle.unfocus?.();
    handle.setHidden?.(true);
    assert.deepEqual(page.surfaces, []);
    assert.equal(handle.isHidden?.(), true);
    handle.setHidden?.(false);
    await until(() => page.surfaces.length === 1 && page.frames.length > 1, 'it again');
  });

  it('are seen only where they say they fit', async () => {
    const { surfaces, page } = bench();
    surfaces.custom(
      mountOf(new Probe(), { overlay: true, overlayOptions: { visible: (columns: number) => columns >= 50 } }),
      ORIGIN,
    );
    await until(() => page.surfaces.length === 1, 'the overlay');
    surfaces.receive({ type: 'cells', cells: { columns: 40, rows: 20, cardColumns: 30 } });
    assert.deepEqual(page.surfaces, []);
  });

  it('that a component opens on its own screen are drawn over it', async () => {
    const { surfaces, page } = bench();
    const over = new Probe(() => ['over']);
    const under = new Probe(() => Array.from({ length: 40 }, () => '.'.repeat(60)));
    surfaces.custom(
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
    const { surfaces, page } = bench();
    surfaces.setWidget('a', ['first'], 'aboveEditor', ORIGIN);
    surfaces.setWidget('b', mountOf(new Probe(() => ['second'])), 'belowEditor', ORIGIN);
    surfaces.setPlace('header', mountOf(new Probe(() => ['top'])), ORIGIN);
    surfaces.setPlace('footer', mountOf(new Probe(() => ['bottom'])), ORIGIN);
    await until(() => page.surfaces.length === 4 && page.frames.length === 3, 'all four');
    surfaces.setWidget('a', ['first again'], 'aboveEditor', ORIGIN);
    assert.deepEqual(
      page.surfaces.map(({ place, text, takesKeys }) => [place, text ?? page.frames.length > 0, takesKeys]),
      [
        ['above', ['first again'], false],
        ['below', true, false],
        ['header', true, false],
        ['footer', true, false],
      ],
    );
    surfaces.setWidget('b', undefined, 'aboveEditor', ORIGIN);
    surfaces.setPlace('header', undefined, ORIGIN);
    assert.deepEqual(
      page.surfaces.map(({ place }) => place),
      ['above', 'footer'],
    );
  });

  it('cut a widget of many lines after ten', () => {
    const { surfaces, page } = bench();
    surfaces.setWidget(
      'a',
      Array.from({ length: 30 }, (_, index) => `line ${index}`),
      'aboveEditor',
      ORIGIN,
    );
    assert.equal(page.surfaces[0]?.text?.length, 11);
  });
});

describe('keys of the chat', () => {
  it('are told to the page: shortcuts, and whether somebody listens', () => {
    const { surfaces, page, reports } = bench({ shortcuts: ['ctrl+shift+x'] });
    assert.deepEqual(page.keys, { type: 'keys', shortcuts: ['ctrl+shift+x'], listening: false });
    surfaces.receive({ type: 'shortcut', key: 'ctrl+shift+x' });
    surfaces.receive({ type: 'shortcut', key: 'ctrl+q' });
    assert.deepEqual(reports, ['shortcut ctrl+shift+x'], 'a key nobody registered runs nothing');
    const listening = surfaces.listen(data => data === 'a');
    assert.equal(page.keys.listening, true);
    surfaces.receive({ type: 'rawKey', id: 1, data: 'a' });
    surfaces.receive({ type: 'rawKey', id: 2, data: 'b' });
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
    const { surfaces, page } = bench();
    const probe = new Probe();
    surfaces.custom(mountOf(probe), ORIGIN);
    await until(() => page.frames.length > 0, 'a frame');
    surfaces.listen(data => data === 'a');
    page.press('a');
    page.press('b');
    assert.deepEqual(probe.keys, ['b']);
  });
});
