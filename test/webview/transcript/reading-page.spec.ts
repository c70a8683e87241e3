import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { HostToWebview } from '../../../src/protocol/messages';
import { assistant, snapshot } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('reading in the chat page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });
  const delta = (revision: number, append: string): HostToWebview => ({
    type: 'text',
    revision,
    id: 'a',
    block: 0,
    blockType: 'text',
    append,
  });
  const streaming = assistant('a', '', { state: 'streaming', blocks: [] });
  const chunksLoaded = (): Promise<number> =>
    chat.page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => /chunk-katex/.test(name)).length,
    );

  it('marks what a search led to until the person does something, also when VS Code moves the focus', async () => {
    await open(snapshot(['a', 'b', 'c'].map(id => assistant(id, `words of ${id}`))));
    const marked = chat.page.locator('.item.revealed');
    await chat.post({ type: 'reveal', revision: 1, id: 'b' });
    await chat.post({ type: 'navigate', to: 'composer' });
    assert.equal(await marked.getAttribute('data-item-id'), 'b');
    assert.equal(await chat.page.locator('[data-hookline="composer"]:focus').count(), 1);
    await chat.post({ type: 'reveal', revision: 2, id: 'a' });
    assert.equal(await marked.getAttribute('data-item-id'), 'a', 'the mark goes along');
    await chat.page.keyboard.press('ArrowDown');
    assert.equal(await marked.count(), 0);
    await chat.post({ type: 'reveal', revision: 3, id: 'c' });
    await item('a').click();
    assert.equal(await marked.count(), 0);
  });

  describe('formulas', () => {
    it('are set as MathML by code that is loaded when the first one comes, without their annotation', async () => {
      await open(snapshot([assistant('a', 'No formula, but $5 and $6.')]));
      assert.equal(await chunksLoaded(), 0);
      await chat.post({
        type: 'item',
        revision: 1,
        item: assistant(
          'b',
          'Energy is $E = mc^2$:\n\n$$\n\\frac{a}{b} = \\sqrt{x}\n$$\n\n\\[ \\sum_{i=1}^{n} i \\]\n',
        ),
      });
      await item('b').locator('math mfrac').waitFor();
      assert.equal(await chunksLoaded(), 1);
      assert.equal(await item('b').locator('math').count(), 3);
      assert.equal(await item('b').locator('.math-display math[display="block"]').count(), 2);
      assert.equal(await item('b').locator('annotation, [style]').count(), 0);
      const letter = item('b').locator('.math-letter', { hasText: 'm' }).first();
      assert.deepEqual(
        await letter.evaluate(mi => [getComputedStyle(mi).textTransform, getComputedStyle(mi).fontStyle]),
        ['none', 'italic'],
      );
      assert.equal(await item('a').locator('math').count(), 0);
    });

    it('that are wrong stay source and say why', async () => {
      await open(snapshot([assistant('a', 'Broken $\\frac{a$ here, and right $x$.')]));
      await item('a').locator('math').waitFor();
      const wrong = item('a').locator('.math-error');
      assert.equal(await wrong.innerText(), '$\\frac{a$');
      assert.match((await wrong.getAttribute('title')) ?? '', /KaTeX parse error/);
    });

    it('of finished blocks are not set again while more comes', async () => {
      await open(snapshot([streaming]));
      await chat.post(delta(1, '$$\na^2\n$$\n\nThen $b$\nis'));
      await item('a').locator('math').nth(1).waitFor();
      const first = await item('a').locator('math').first().elementHandle();
      await chat.post(delta(2, ' larger than $c$\n'));
      await item('a').locator('math').nth(2).waitFor();
      assert.equal(await first.evaluate(node => node.isConnected), true);
    });

    it('bring in no markup, link or picture of their own', async () => {
      const evil = [
        '$\\href{javascript:window.hacked=1}{x}$',
        '$\\includegraphics{https://evil.test/p.png}$',
        '$\\htmlStyle{color:red}{x}$ $\\url{command:evil}$',
        '$\\text{</math><img src=x onerror=window.hacked=1>}$',
        '$a</annotation><script>window.hacked=1</script>$ and $fine$',
      ];
      await open(snapshot([assistant('a', evil.join('\n\n'))]));
      await item('a').locator('math').last().waitFor();
      assert.equal(await item('a').locator('[href], img, script, [style], [src]').count(), 0);
      assert.equal(await chat.page.evaluate(() => 'hacked' in window), false);
    });
  });

  it('shows pictures that come as data, however large, and no others', async () => {
    const large = 'A'.repeat(60_000);
    const text = [
      `![a dot](data:image/png;base64,${PIXEL})`,
      `Big: ![big](data:image/png;base64,${large})`,
      `![svg](data:image/svg+xml;base64,${PIXEL}) ![far](https://evil.test/p.png)`,
      `[link](data:image/png;base64,${PIXEL})`,
    ];
    await open(snapshot([assistant('a', text.join('\n\n'))]));
    assert.equal(
      await item('a')
        .getByRole('img', { name: 'a dot' })
        .evaluate((img: HTMLImageElement) => img.naturalWidth),
      1,
    );
    assert.equal(await item('a').locator('img').count(), 2);
    await item('a').getByText('link').click();
    assert.deepEqual((await chat.sentOf('openLink')).length, 0);
  });

  it('offers Mermaid code as a diagram, and no other code', async () => {
    await open(snapshot([assistant('a', '```mermaid\ngraph TD; A-->B\n```\n\n```ts\nlet a;\n```\n')]));
    assert.equal(await button('Open as Diagram').count(), 1);
    await button('Open as Diagram').click();
    assert.deepEqual(await chat.sentOf('openDiagram'), [{ type: 'openDiagram', text: 'graph TD; A-->B' }]);
  });
});
