import assert from 'node:assert/strict';
import { shippedModules } from '../../../src/hook-load/modules/shipped-modules';
import { DARK_PALETTE, HookTheme } from '../../../src/hook-contract/ui/theme';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import { RUNTIME_EXPORTS } from '../../../src/hook-run/tool-call/runtime-exports';

const PREFIX = 'import { Box, Container, Markdown, Text } from "@earendil-works/pi-tui";\n';

describe('lines that components of pi-tui keep', () => {
  let loading: Loading;
  const run = (code: string): Promise<unknown> => {
    const modules = shippedModules({
      runtime: RUNTIME_EXPORTS,
      agentDir: () => '/agent',
      theme: () => new HookTheme('dark', DARK_PALETTE),
    });
    loading = new Loading(new TempFiles({ 'h.ts': PREFIX + code }), { modules: () => modules });
    return loading.run('h.ts');
  };
  afterEach(() => loading.end());

  for (const [name, made] of [
    ['Text', 'new Text("mine", 0, 0)'],
    ['Container', '(() => { const all = new Container(); all.addChild(new Text("mine", 0, 0)); return all; })()'],
    ['Box', '(() => { const all = new Box(0, 0); all.addChild(new Text("mine", 0, 0)); return all; })()'],
  ] as const) {
    it(`are not changed by a hook that changes what it got: ${name}`, async () => {
      const seen = await run(`export default () => {
        const shared = ${made};
        const wrapper = { render: width => { const lines = shared.render(width); lines.unshift("top"); lines[1] = "changed"; return lines; } };
        const seen = () => shared.render(20).map(line => line.trim());
        return [seen(), wrapper.render(20), seen(), wrapper.render(20).length, seen()];
      };`);
      assert.deepEqual(seen, [['mine'], ['top', 'changed'], ['mine'], 2, ['mine']]);
    });
  }

  it('are not changed through super.render()', async () => {
    const seen = await run(`export default () => {
      class Framed extends Container { render(width) { const lines = super.render(width); lines.push("end"); return lines; } }
      const framed = new Framed(); framed.addChild(new Text("mine", 0, 0));
      return [1, 2, 3].map(() => framed.render(20).map(line => line.trim()));
    };`);
    assert.deepEqual(seen, Array(3).fill(['mine', 'end']));
  });

  it('are drawn again where a hook changes a list that it gave before', async () => {
    const seen = await run(`export default () => {
      const list = ["one"]; const all = [new Container(), new Box(0, 0)];
      for (const each of all) each.addChild({ render: () => list, invalidate() {} });
      const seen = () => all.map(each => each.render(20).map(line => line.trim()).join(" "));
      const before = seen(); list.push("two");
      return [before, seen()];
    };`);
    assert.deepEqual(seen, [
      ['one', 'one'],
      ['one two', 'one two'],
    ]);
  });
});
