import assert from 'node:assert/strict';
import { typedHooks } from './editor';

const FILE = '.pi/extensions/readonly-lines.ts';

const FILES = {
  [FILE]: `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { Box, Container, type Component } from '@earendil-works/pi-tui';
class Fixed implements Component {
  private readonly lines: readonly string[] = Object.freeze(['one']);
  render(_width: number): readonly string[] { return this.lines; }
  invalidate(): void {}
}
class Wrapped extends Container {
  override render(width: number): string[] { return [...super.render(width), '']; }
}
export default function (pi: ExtensionAPI) {
  pi.registerMessageRenderer('own', () => new Fixed());
  pi.on('session_start', async (_event, ctx) => {
    const box = new Box(1, 1);
    box.addChild(new Fixed());
    new Wrapped().addChild(new Fixed());
    const text: readonly string[] = box.render(80);
    ctx.ui.setWidget('own', () => new Fixed());
    ctx.ui.setFooter(() => new Fixed());
    await ctx.ui.custom(() => new Fixed());
    await ctx.ui.custom<string>((_tui, _theme, _keys, done) => ({ render: () => text, invalidate: () => done('') }));
  });
}
`,
};

describe('the types for hook authors, about components', function () {
  this.timeout(120_000);
  const types = typedHooks(() => FILES);

  it('take lines that must not be changed', async () => {
    assert.deepEqual((await types()).problems(FILE), []);
  });
});
