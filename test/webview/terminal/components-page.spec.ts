import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { HostToWebview } from '../../../src/protocol/messages';
import type { HookComponent, ComponentFrame } from '../../../src/protocol/items/hook-component';
import { gate, snapshot, tool, user } from '../harness/demo';
import { seriousFindings } from '../../support/axe';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, HarnessOptions } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const HOOK = { path: '/work/demo/.pi/hooks/game.ts', name: 'game.ts' };

function component(id: string, change: Partial<HookComponent> = {}): HookComponent {
  return { id, place: 'panel', hook: HOOK, takesKeys: true, label: '/game', ...change };
}

function frame(id: string, lines: readonly string[], change: Partial<ComponentFrame> = {}): HostToWebview {
  const changes = lines.map((line, row) => [row, line] as const);
  return {
    type: 'frame',
    frame: { component: id, sequence: 1, height: lines.length, changes, wantsReleases: false, ...change },
  };
}

const list = (...components: readonly HookComponent[]): HostToWebview => ({ type: 'components', components });

describe('components of hooks on the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;

  before(() => {
    mkdirSync(PICTURES, { recursive: true });
  });

  const begin = eachInBrowser(opened => {
    chat = opened;
  });
  const open = (first = snapshot([]), options?: HarnessOptions): Promise<void> => begin(first, options);

  const at = (id: string): Locator => chat.page.locator(`[data-component="${id}"]`);
  const rows = (id: string): Promise<string[]> => at(id).locator('.term-row').allInnerTexts();
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const keys = async (): Promise<string[]> => (await chat.sentOf('key')).map(({ data }) => data);
  const hasFocus = (id: string): Promise<boolean> =>
    at(id).evaluate(element => element.contains(document.activeElement));

  it('tells the host of room and colours at once', async () => {
    await open();
    const [cells] = await chat.sentOf('cells');
    assert.ok(cells && cells.cells.columns > 30 && cells.cells.columns < 80, JSON.stringify(cells));
    assert.ok(cells.cells.cardColumns <= cells.cells.columns);
    const theme = (await chat.sentOf('theme')).at(-1);
    assert.equal(theme?.kind, 'dark');
    assert.match(theme.colors['accent'] ?? '', /^#[0-9a-f]{6}$/);
    await chat.page.setViewportSize({ width: 800, height: 800 });
    await chat.page.waitForFunction(
      () =>
        (window as unknown as { inside: { sent: { type: string }[] } }).inside.sent.filter(
          ({ type }) => type === 'cells',
        ).length > 1,
    );
    const wider = (await chat.sentOf('cells')).at(-1);
    assert.ok(wider && wider.cells.columns > cells.cells.columns);
  });

  it('tells of new colours when VS Code changes its theme', async () => {
    await open();
    await chat.page.evaluate(() => {
      document.body.classList.replace('vscode-dark', 'vscode-light');
      document.documentElement.style.setProperty('--vscode-textLink-foreground', '#010203');
    });
    await chat.page.waitForFunction(() =>
      (window as unknown as { inside: { sent: { kind?: string }[] } }).inside.sent.some(({ kind }) => kind === 'light'),
    );
    assert.equal((await chat.sentOf('theme')).at(-1)?.colors['accent'], '#010203');
  });

  it('paints frames, row by row, and acknowledges each', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['\x1b[31mred\x1b[0m plain', '\x1b[1;4mbold\x1b[0m', '漢字 ok']));
    assert.deepEqual(
      await rows('s'),
      ['red plain', 'bold', '漢字 ok'].map(text => text),
    );
    assert.equal(await at('s').locator('.ansi-fg-1').innerText(), 'red');
    const kept = await at('s').locator('.term-row').nth(2).elementHandle();
    await chat.post(frame('s', [], { sequence: 2, height: 3, changes: [[1, 'changed']] }));
    assert.deepEqual(await rows('s'), ['red plain', 'changed', '漢字 ok']);
    assert.equal(await kept.evaluate(node => node.isConnected), true, 'other rows are left alone');
    await chat.post(frame('s', [], { sequence: 3, height: 1, changes: [] }));
    assert.deepEqual(await rows('s'), ['red plain']);
    assert.deepEqual(
      (await chat.sentOf('ack')).map(({ sequence }) => sequence),
      [1, 2, 3],
    );
  });

  it('keeps every character in its column, whatever the font', async () => {
    await open();
    const lines = ['|漢字|', '|☆★♥|', '|😀👍|', '|──██|', '|abcd|', '|é⠿ä·|'];
    const cells = [4, 3, 4, 4, 4, 4];
    await chat.post(list(component('s')), frame('s', lines));
    const ends = await at('s')
      .locator('.term-row')
      .evaluateAll(elements =>
        elements.map(element => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return range.getBoundingClientRect().width;
        }),
      );
    const cell = (ends[4] ?? 0) / 6;
    ends.forEach((end, index) => {
      const wanted = (cells[index]! + 2) * cell;
      assert.ok(Math.abs(end - wanted) < 1, `${lines[index]}: ${end} px instead of ${wanted}`);
    });
  });

  it('runs nothing of hostile text', async () => {
    await open();
    const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    const linked = '\x1b]8;;javascript:window.hacked=1\x07click\x1b]8;;\x07';
    await chat.post(
      list(
        component('s', { label: evil, hook: { path: evil, name: evil } }),
        component('w', { place: 'above', takesKeys: false, text: [evil] }),
      ),
      frame('s', [evil, linked, `\x1b[38;2;1;2;3m${evil}`]),
    );
    assert.equal((await rows('s'))[0], evil);
    assert.equal(await at('s').locator('[data-href]').count(), 0);
    assert.equal(await chat.page.evaluate(() => 'hacked' in window), false);
  });

  it('has the keyboard at once, sends what a terminal would, and gives it back', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['game']));
    assert.equal(await hasFocus('s'), true);
    for (const key of ['ArrowUp', 'a', 'Enter', 'Shift+Enter', 'Tab', 'Escape', 'Control+c']) await press(key);
    assert.deepEqual(await keys(), ['\x1b[A', 'a', '\r', '\x1b[13;2u', '\t', '\x1b', '\x03']);
    assert.deepEqual(await chat.sentOf('stop'), [], 'Escape is the component’s');
    await chat.post(list());
    assert.equal(await composer().evaluate(area => area === document.activeElement), true);
  });

  it('keeps keys from VS Code, but for F1 and the Command Palette', async () => {
    await open();
    await chat.page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      window.addEventListener('keydown', event => {
        seen.push(`${event.key}${event.defaultPrevented ? ' prevented' : ''}`);
      });
    });
    await chat.post(list(component('s')), frame('s', ['game']));
    for (const key of ['ArrowUp', 'Control+b', 'F1', 'Control+Shift+P', 'F5']) await press(key);
    const seen = await chat.page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    assert.deepEqual(
      seen.filter(key => !/^(Control|Shift)/.test(key)),
      ['F1', 'P'],
    );
    assert.deepEqual(await keys(), ['\x1b[A', '\x02', '\x1b[15~']);
  });

  it('sends releases where they are wanted, also of keys held when the focus goes', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['game']));
    await press('a');
    await chat.post(frame('s', ['game'], { sequence: 2, wantsReleases: true }));
    await press('ArrowLeft');
    await chat.page.keyboard.down('d');
    await composer().focus();
    assert.deepEqual(await keys(), ['a', '\x1b[D', '\x1b[1;1:3D', 'd', '\x1b[100;1:3u']);
    await chat.page.keyboard.up('d');
  });

  it('takes pasted text as one piece, and composed text as it comes', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['edit']));
    await at('s')
      .locator('textarea')
      .evaluate((area: HTMLTextAreaElement) => {
        const data = new DataTransfer();
        data.setData('text/plain', 'one\ntwo');
        area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        area.value = '漢';
        area.dispatchEvent(new CompositionEvent('compositionend', { data: '漢' }));
      });
    assert.deepEqual(await keys(), ['\x1b[200~one\ntwo\x1b[201~', '漢']);
  });

  it('shows what an input method composes, and sends it when it is done', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['> abc'], { cursor: { row: 0, column: 5 } }));
    const session = await chat.page.context().newCDPSession(chat.page);
    const compose = (text: string): Promise<unknown> =>
      session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    const field = at('s').locator('textarea');
    const look = (): Promise<readonly [string, boolean]> =>
      field.evaluate((area: HTMLTextAreaElement) => {
        const { opacity } = getComputedStyle(area);
        return [area.value, opacity === '1' && area.clientWidth > 20 && area.scrollWidth <= area.clientWidth];
      });
    await compose('にほん');
    await chat.page.screenshot({ path: join(PICTURES, 'composed-text.png') });
    assert.deepEqual(await look(), ['にほん', true]);
    const [box, text] = [await field.boundingBox(), await at('s').locator('.term-row').boundingBox()];
    const width = await chat.page.locator('.term-probe').evaluate(probe => probe.getBoundingClientRect().width / 20);
    assert.ok(box && text && Math.abs(box.x - text.x - 5 * width) < 1 && Math.abs(box.y - text.y) < 1, 'at the cursor');
    assert.deepEqual(await keys(), []);
    await session.send('Input.insertText', { text: '日本' });
    assert.deepEqual(await keys(), ['日本']);
    assert.deepEqual(await look(), ['', false]);
  });

  it('comes back with the focus after a click or when the window is entered again', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['game']));
    await composer().focus();
    await at('s').locator('.term-row').first().click();
    assert.equal(await hasFocus('s'), true);
    await chat.page.evaluate(() => {
      (document.activeElement as HTMLElement).blur();
      window.dispatchEvent(new Event('focus'));
    });
    assert.equal(await hasFocus('s'), true);
  });

  it('gets the keys after text of it was selected, and Ctrl+C copies the text', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['some words to copy']));
    const row = await at('s').locator('.term-row').first().boundingBox();
    assert.ok(row);
    const { mouse } = chat.page;
    await mouse.move(row.x + 2, row.y + 5);
    await mouse.down();
    await mouse.move(row.x + 90, row.y + 5, { steps: 4 });
    await mouse.up();
    const selected = (): Promise<string> => chat.page.evaluate(() => String(document.getSelection()));
    assert.notEqual(await selected(), '');
    await press('Control+c');
    assert.notEqual(await selected(), '');
    assert.deepEqual(await keys(), []);
    for (const key of ['ArrowDown', 'x']) await press(key);
    assert.deepEqual(await keys(), ['\x1b[B', 'x']);
    assert.equal(await hasFocus('s'), true);
  });

  it('shows texts in the order of their characters, with a mark that takes no cell where one hides', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['rm \u202etxt.\u2066e\u200bxe\u202c |']));
    assert.deepEqual(await rows('s'), ['rm txt.exe |']);
    const marks = chat.page.locator('.hidden-character');
    const shown = await marks.evaluateAll(all =>
      all.map(mark => [mark.getAttribute('title'), mark.getBoundingClientRect().height > 0]),
    );
    assert.deepEqual(
      shown,
      ['U+202E', 'U+2066', 'U+200B', 'U+202C'].map(code => [`⟦${code}⟧`, true]),
    );
  });

  it('waits for the keyboard while it is in another part of VS Code', async () => {
    await open();
    await composer().focus();
    await chat.page.evaluate(() => {
      document.hasFocus = () => false;
    });
    await chat.post(list(component('s')), frame('s', ['game']));
    assert.equal(await hasFocus('s'), false);
    assert.deepEqual(await chat.sentOf('unfocused'), [{ type: 'unfocused', component: 's' }]);
    await chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    assert.equal(await hasFocus('s'), true);
  });

  it('shows the latest of several panels and can close each', async () => {
    await open();
    await chat.post(
      list(component('s'), component('t', { label: '/other' })),
      frame('s', ['first']),
      frame('t', ['second']),
    );
    assert.equal(await at('s').isVisible(), false);
    assert.equal(await hasFocus('t'), true);
    await chat.page.getByRole('button', { name: 'Close /other' }).click();
    assert.deepEqual(await chat.sentOf('closeComponent'), [{ type: 'closeComponent', component: 't' }]);
    await chat.post(list(component('s')));
    assert.equal(await at('s').isVisible(), true);
    assert.equal(await hasFocus('s'), true);
  });

  it('shows everything again after the page was loaded anew', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['before']));
    await chat.reload(snapshot([]));
    assert.equal(await at('s').count(), 0);
    await chat.post(list(component('s')), frame('s', ['after'], { sequence: 7 }));
    assert.deepEqual(await rows('s'), ['after']);
  });

  it('shows a picture of fixed width smaller rather than cut', async () => {
    await open();
    await chat.post(list(component('s')), frame('s', ['#'.repeat(78)], { columns: 78 }));
    const room = await at('s').locator('.term').boundingBox();
    const width = await at('s')
      .locator('.term-row')
      .first()
      .evaluate(element => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().width;
      });
    assert.ok(room && width <= room.width, `${width} px in ${room?.width}`);
    assert.ok(width > room.width * 0.85);
  });

  it('puts overlays where their box says, over the conversation', async () => {
    await open(snapshot([user('u', 'What is behind?')]));
    const box = { width: 20, columns: 50, rows: 40 };
    await chat.post(
      list(component('a', { place: 'overlay' }), component('b', { place: 'overlay', takesKeys: false })),
      frame('a', ['top left'], { overlay: { ...box, row: 0, column: 0 } }),
      frame('b', ['bottom right'], { overlay: { ...box, row: 39, column: 30 } }),
    );
    const log = await chat.page.locator('[role="log"]').boundingBox();
    const [a, b] = [await at('a').boundingBox(), await at('b').boundingBox()];
    assert.ok(log && a && b);
    assert.ok(a.y - log.y < 12 && a.x - log.x < 12, 'at the top left');
    assert.ok(log.y + log.height - (b.y + b.height) < 12, 'at the bottom');
    assert.ok(log.x + log.width - (b.x + b.width) < 12, 'at the right');
    assert.equal(await hasFocus('a'), true, 'the one that takes keys has them');
    await chat.page.screenshot({ path: join(PICTURES, 'overlays.png') });
  });

  it('puts widgets, header and footer around the composer, and an input box in its place', async () => {
    await open();
    const still = { takesKeys: false } as const;
    await chat.post(
      list(
        component('h', { place: 'header', ...still }),
        component('a', { place: 'above', ...still, text: ['\x1b[36mabove\x1b[0m', 'x'.repeat(300)] }),
        component('b', { place: 'below', ...still }),
        component('f', { place: 'footer', ...still }),
      ),
      frame('h', ['header']),
      frame('b', ['below']),
      frame('f', ['footer']),
    );
    const tops = await Promise.all(
      [at('h'), at('a'), composer(), at('b'), at('f')].map(async part => (await part.boundingBox())?.y ?? 0),
    );
    assert.deepEqual(
      tops,
      [...tops].sort((x, y) => x - y),
    );
    assert.equal(await composer().evaluate(area => area === document.activeElement), true, 'what takes no keys');
    await chat.page.screenshot({ path: join(PICTURES, 'widgets.png') });
    await chat.post(list(component('e', { place: 'editor' })), frame('e', ['> my own editor']));
    assert.equal(await composer().isVisible(), false);
    await press('x');
    assert.deepEqual(await keys(), ['x']);
    await chat.post(list());
    assert.equal(await composer().isVisible(), true);
  });

  it('runs shortcuts of hooks from the composer, but not from a component', async () => {
    await open();
    await chat.post({ type: 'keys', shortcuts: ['ctrl+shift+x', 'alt+g'], listening: false });
    await composer().focus();
    await press('Control+Shift+X');
    await press('Alt+g');
    await press('Control+Shift+Y');
    assert.deepEqual(
      (await chat.sentOf('shortcut')).map(({ key }) => key),
      ['ctrl+shift+x', 'alt+g'],
    );
    await chat.post(list(component('s')), frame('s', ['game']));
    await press('Alt+g');
    assert.equal((await chat.sentOf('shortcut')).length, 2);
    assert.deepEqual(await keys(), ['\x1bg']);
  });

  it('lets a listening hook keep a key, and types what it does not keep', async () => {
    await open();
    await chat.post({ type: 'keys', shortcuts: [], listening: true });
    await composer().focus();
    for (const key of ['a', 'b', 'c', 'Backspace', 'ArrowLeft', 'Shift+Enter']) await press(key);
    const asked = await chat.sentOf('rawKey');
    assert.deepEqual(
      asked.map(({ data }) => data),
      ['a', 'b', 'c', '\x7f', '\x1b[D', '\x1b[13;2u'],
    );
    assert.equal(await composer().inputValue(), '');
    for (const { id, data } of asked) await chat.post({ type: 'rawKeyDone', id, consumed: data === 'b' });
    assert.equal(await composer().inputValue(), 'a\n');
    await press('Enter');
    const last = (await chat.sentOf('rawKey')).at(-1)!;
    await chat.post({ type: 'rawKeyDone', id: last.id, consumed: false });
    assert.equal((await chat.sentOf('submit')).length, 1);
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] as const) {
    it(`has no serious finding of axe in ${theme}`, async () => {
      const drawing = { lines: ['\x1b[35m[deploy]\x1b[39m green'], expanded: false };
      await open(snapshot([{ kind: 'custom', id: 'c', customType: 'deploy', text: '', drawing }]), { theme });
      await chat.post(
        list(
          component('a', { place: 'above', takesKeys: false, text: ['plan \x1b[32m✔\x1b[39m one'] }),
          component('s'),
          component('o', { place: 'overlay', label: '/over' }),
        ),
        frame('s', ['\x1b[33m漢 words\x1b[0m', '\x1b[7m inverse \x1b[27m', '\x1b[1;34mblue\x1b[0m']),
        frame('o', ['over'], { overlay: { row: 0, column: 40, width: 20, columns: 60, rows: 40 } }),
      );
      await chat.page.screenshot({ path: join(PICTURES, `hook-components-${theme}.png`) });
      assert.deepEqual(await seriousFindings(chat.page), []);
    });
  }

  it('draws messages and tools of hooks as they draw them, in short or in full', async () => {
    const lines = ['\x1b[35m[deploy]\x1b[39m green', '\x1b[2mtook 3 s\x1b[22m'];
    await open(
      snapshot([
        { kind: 'custom', id: 'c', customType: 'deploy', text: 'plain', drawing: { lines, expanded: false } },
        tool(
          'tool:1',
          'todo',
          'add',
          { type: 'done', durationMs: 2 },
          {
            output: 'raw',
            drawing: { head: ['\x1b[1mtodo\x1b[22m add'], lines: ['☐ buy paint'], expanded: true },
          },
        ),
        gate('g'),
      ]),
    );
    const custom = chat.page.locator('[data-item-id="c"]');
    assert.match(await custom.innerText(), /\[deploy\] green\s+took 3 s/);
    assert.doesNotMatch(await custom.innerText(), /plain/);
    assert.match(await chat.page.locator('[data-item-id="tool:1"]').innerText(), /☐ buy paint/);
    await custom.hover();
    await custom.getByRole('button', { name: 'Show All' }).click();
    assert.deepEqual(await chat.sentOf('expandItem'), [{ type: 'expandItem', id: 'c', expanded: true }]);
    await chat.page.screenshot({ path: join(PICTURES, 'drawings.png') });
  });

  it('shows entries of hooks only as they draw them', async () => {
    const drawing = { lines: ['\x1b[32m[status]\x1b[39m all green'], expanded: false };
    await open(
      snapshot([
        user('u', 'hello'),
        { kind: 'entry', id: 'seen', drawing },
        { kind: 'entry', id: 'unseen' },
        tool(
          'tool:1',
          'mine',
          '',
          { type: 'done' },
          { drawing: { head: ['own frame'], lines: [], expanded: false, unframed: true } },
        ),
      ]),
    );
    assert.match(await chat.page.locator('[data-item-id="seen"]').innerText(), /\[status\] all green/);
    assert.equal(await chat.page.locator('[data-item-id="unseen"]').count(), 0);
    const border = chat.page.locator('[data-item-id="tool:1"] .card');
    assert.equal(await border.evaluate(card => getComputedStyle(card).borderTopColor), 'rgba(0, 0, 0, 0)');
    await chat.post({
      revision: 1,
      type: 'item',
      item: { kind: 'entry', id: 'unseen', drawing: { ...drawing, lines: ['late'] } },
    });
    await chat.page.locator('[data-item-id="unseen"]', { hasText: 'late' }).waitFor();
    const ids = await chat.page
      .locator('[data-item-id]')
      .evaluateAll(all => all.map(one => (one as HTMLElement).dataset['itemId']));
    assert.deepEqual(ids, ['u', 'seen', 'unseen', 'tool:1']);
    await chat.page.getByRole('button', { name: 'Show All' }).first().click();
    assert.deepEqual(await chat.sentOf('expandItem'), [{ type: 'expandItem', id: 'seen', expanded: true }]);
    await chat.page.screenshot({ path: join(PICTURES, 'entries.png') });
  });

  it('shows texts as hooks want them, while they grow too, and gives back what was written', async () => {
    await open(
      snapshot([
        { kind: 'user', id: 'u', text: 'a --> b', displayText: 'a → b', images: [], state: 'sent' },
        { kind: 'assistant', id: 'a', blocks: [], model: 'Demo', state: 'streaming' },
      ]),
    );
    assert.match(await chat.page.locator('[data-item-id="u"]').innerText(), /a → b/);
    const answer = chat.page.locator('[data-item-id="a"] hookline-markdown');
    await chat.post({ revision: 1, type: 'text', id: 'a', block: 0, blockType: 'text', append: 'one -->' });
    await chat.post({ revision: 2, type: 'displayText', id: 'a', block: 0, keep: 0, append: 'one →' });
    await chat.post({ revision: 3, type: 'text', id: 'a', block: 0, blockType: 'text', append: ' two' });
    await chat.post({ revision: 4, type: 'displayText', id: 'a', block: 0, keep: 4, append: '⇒ two' });
    await answer.getByText('one ⇒ two').waitFor();
    await chat.page.locator('[data-hookline="composer"]').click();
    await press('ArrowUp');
    assert.equal(await composer().inputValue(), 'a --> b');
  });
});
