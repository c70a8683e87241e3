import assert from 'node:assert/strict';
import type { Script } from '../support/scripted-stream';
import { Stage } from './support';

const file = (members: string, more = ''): string => `// @pi-dialect pi
  export default pi => {
    const tool = (name, members) => pi.registerTool({ name, label: name, description: 'As it was.',
      parameters: { type: 'object', properties: {} },
      execute: async () => ({ content: [{ type: 'text', text: name + ' ran' }], details: undefined }), ...members });
    tool('plain', { promptGuidelines: ['Be plain.'] });
    tool('stands-for-others', { ${members} });
    ${more}
  };\n`;

describe('a tool that stands for others', () => {
  let stage: Stage | undefined;

  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(text: string, script: readonly Script[] = [{ text: 'ok' }]): Promise<Stage> {
    stage = await Stage.open(script, { extensions: { 'a.ts': text }, realPrompt: true });
    return stage;
  }

  const told = (on: Stage, name: string, at = 0): string | undefined =>
    on.rig.model.requests[at]?.tools?.find(tool => tool.name === name)?.description;

  it('tells of them in its own words, and keeps them from the model, which can call them', async () => {
    const on = await open(
      file(`prepareLoadout: ({ declared }) => ({
        descriptions: { 'stands-for-others': declared.map(({ name }) => name).join() },
        hiddenDeclarations: ['plain'],
      })`),
      [{ calls: [{ id: 'a', name: 'plain', args: {} }] }, { text: 'ok' }],
    );
    await on.chat.submit('go');
    assert.match(told(on, 'stands-for-others') ?? '', /plain,stands-for-others/);
    assert.equal(told(on, 'plain'), undefined);
    assert.ok(!on.rig.model.requests[0]?.systemPrompt?.includes('Be plain.'));
    assert.ok(on.chat.conversation.toolset.activeNames().includes('plain'));
    assert.equal(on.tool(0).output, 'plain ran');
  });

  it('is asked when other tools become active, and not while it is not', async () => {
    const on = await open(
      file(
        `prepareLoadout: () => { (globalThis.asked ??= []).push('asked'); return undefined; }`,
        `globalThis.asked = [];
         pi.on('turn_end', event => { if (event.turnIndex === 0) pi.setActiveTools(['plain']); });`,
      ),
      [
        { calls: [{ id: 'a', name: 'plain', args: {} }] },
        { calls: [{ id: 'b', name: 'plain', args: {} }] },
        { text: 'ok' },
      ],
    );
    await on.chat.submit('go');
    assert.deepEqual(Reflect.get(globalThis, 'asked'), ['asked']);
    on.chat.conversation.toolset.setActive(['plain', 'stands-for-others']);
    on.chat.conversation.toolset.gated();
    on.chat.conversation.toolset.gated();
    assert.deepEqual(Reflect.get(globalThis, 'asked'), ['asked', 'asked']);
  });

  for (const [what, code, problem] of [
    ['throws', "throw new Error('no loadout')", /no loadout/],
    ['gives no object', 'return 7', /"stands-for-others" must give an object/],
    ['gives what is no text', 'return { descriptions: { plain: 5 } }', /"descriptions" must hold a text for each name/],
    ['gives no list', "return { hiddenDeclarations: 'plain' }", /"hiddenDeclarations" must be a list of names/],
  ] as const) {
    it(`changes nothing when it ${what}, and is named`, async () => {
      const on = await open(file(`prepareLoadout() { ${code}; }`));
      await on.chat.submit('go');
      assert.equal(told(on, 'plain'), 'As it was.');
      const [error, ...others] = on.errors.splice(0);
      assert.match(error?.message ?? '', problem);
      assert.match(error?.hookPath ?? '', /a\.ts$/);
      assert.deepEqual(others, []);
    });
  }

  it('gives providers what they know to keep models to the parameters', async () => {
    const on = await open(
      file(
        "constrainedSampling: { type: 'json_schema', strict: 'prefer' }",
        "tool('rubbish', { constrainedSampling: { type: 'magic' } });",
      ),
    );
    await on.chat.submit('go');
    const of = (name: string): unknown =>
      on.rig.model.requests[0]?.tools?.find(tool => tool.name === name)?.constrainedSampling;
    assert.deepEqual(of('stands-for-others'), { type: 'json_schema', strict: 'prefer' });
    assert.equal(of('rubbish'), undefined);
  });
});
