import assert from 'node:assert/strict';
import { format } from 'prettier';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { NEWEST_FIRST, shapeOf, TEMPLATES, writeHook, type HookTemplate } from '../../../src/hook-authoring/templates';
import { CURSOR, namesFrom } from '../../../src/hook-authoring/templates/template';
import { Rig } from '../../support/conversation-rig';
import { typedHooks } from '../../typings/editor';

const STYLE = { parser: 'typescript', printWidth: 120, singleQuote: true, arrowParens: 'avoid' } as const;

const ALL: readonly { readonly template: HookTemplate; readonly dialect: DialectId; readonly title: string }[] =
  TEMPLATES.flatMap(template =>
    template.dialects.map(dialect => ({ template, dialect, title: `${template.fileName} in ${dialect}` })),
  );

describe('templates of hooks', () => {
  const path = ({ template, dialect }: (typeof ALL)[number]): string => `.pi/hooks/${template.fileName}-${dialect}.ts`;
  const types = typedHooks(() =>
    Object.fromEntries(ALL.map(each => [path(each), writeHook(each.template, each.dialect, 'my-hook').text])),
  );

  for (const { template, dialect, title } of ALL) {
    it(`${title}: loads as that dialect, without complaints`, async () => {
      const { text } = writeHook(template, dialect, `my-${template.fileName}`);
      const rig = await Rig.open([], { hooks: { 'new.ts': text } });
      try {
        const [info] = rig.host.infos();
        assert.deepEqual(info?.state, { type: 'live' });
        assert.equal(info.dialect?.id, dialect, info.dialect?.because);
        assert.deepEqual(rig.host.problems(), []);
      } finally {
        await rig.close();
      }
    });

    it(`${title}: is laid out well, with the cursor in it`, async () => {
      const { text, line, column } = writeHook(template, dialect, `my-${template.fileName}`);
      if (template.fileName !== 'hook') assert.equal(text, await format(text, STYLE));
      assert.ok(!text.includes(CURSOR));
      const lines = text.split('\n');
      assert.ok(line > 2 && line < lines.length - 2 && column <= (lines[line]?.length ?? 0));
    });
  }

  it('have the types that they need', async function () {
    this.timeout(180_000);
    const hooks = await types();
    const before = hooks.program.getInstantiationCount();
    for (const each of ALL) assert.deepEqual(hooks.problems(path(each)), [], each.title);
    // Over a million when the compiler infers a schema from what `execute` takes, which an editor takes seconds for.
    assert.ok(hooks.program.getInstantiationCount() - before < 200_000);
  });

  it('offer the newest dialect for everything, and name all of them', () => {
    for (const template of TEMPLATES) assert.equal(template.dialects[0], NEWEST_FIRST[0], template.label);
    assert.deepEqual([...NEWEST_FIRST].sort(), ['ext', 'omp', 'pi', 'tree', 'v1', 'v2']);
    for (const dialect of NEWEST_FIRST) assert.notEqual(shapeOf(dialect).detail, '');
    assert.equal(new Set(TEMPLATES.map(({ fileName }) => fileName)).size, TEMPLATES.length);
  });

  it('are refused in a dialect that cannot do it', () => {
    const tool = TEMPLATES.find(({ label }) => label === 'Custom tool');
    assert.ok(tool);
    assert.throws(() => writeHook(tool, 'v1', 'x'), /cannot be written in v1/);
  });

  it('give every name a form that is fit for code', () => {
    assert.deepEqual(namesFrom('ask-Before.push'), {
      file: 'ask-Before.push',
      camel: 'askBeforePush',
      snake: 'ask_before_push',
      kebab: 'ask-before-push',
    });
    assert.equal(namesFrom('2nd').camel, 'hook2nd');
    assert.equal(namesFrom('default').camel, 'hookDefault');
    assert.equal(namesFrom('größe').camel, 'größe');
  });
});
