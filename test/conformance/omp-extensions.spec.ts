import assert from 'node:assert/strict';
import { Rig } from '../support/conversation-rig';
import { call } from './support';

/** What extensions for oh-my-pi use besides the hooks, driven through the agent. */
describe('extensions for oh-my-pi', () => {
  let rig: Rig;

  afterEach(() => rig.close());

  async function open(code: string, script: Parameters<typeof Rig.open>[0] = [{ text: 'ok' }]): Promise<void> {
    const text = `import type { ExtensionAPI } from '@oh-my-pi/pi-coding-agent';
      export default (pi: ExtensionAPI) => { ${code} };`;
    rig = await Rig.open(script, { extensions: { 'omp.ts': text } });
    assert.deepEqual(rig.host.infos()[0]?.state, { type: 'live' });
  }
  const WEIGH = `
    const { z } = pi.zod;
    pi.registerTool({
      name: 'weigh', label: 'Weigh', description: 'Weighs parcels.',
      parameters: z.object({
        grams: z.array(pi.zod.number().min(1)).describe('One number a parcel'),
        unit: z.enum(['g', 'kg']).default('g'),
      }),
      async execute(_id, { grams, unit }) {
        return { content: [{ type: 'text', text: grams.reduce((a, b) => a + b, 0) + unit }] };
      },
    });`;

  it('declare tools with pi.zod, which the model sees as JSON Schema', async () => {
    await open(WEIGH);
    await rig.chat.submit('go');
    const tool = rig.model.requests[0]?.tools?.find(({ name }) => name === 'weigh');
    assert.deepEqual(JSON.parse(JSON.stringify(tool?.parameters)), {
      type: 'object',
      properties: {
        grams: { description: 'One number a parcel', type: 'array', items: { type: 'number', minimum: 1 } },
        unit: { default: 'g', type: 'string', enum: ['g', 'kg'] },
      },
      required: ['grams'],
    });
  });

  it('get the arguments as zod reads them, with defaults', async () => {
    await open(WEIGH, [call('weigh', { grams: [200, 300] }), { text: 'ok' }]);
    await rig.chat.submit('go');
    assert.equal(rig.items('tool')[0]?.output, '500g');
  });

  it('are not called with arguments that do not fit, nor with those that only zod can refuse', async () => {
    await open(
      `const z = pi.zod;
       pi.registerTool({
         name: 'open', label: 'Open', description: 'Opens a door.',
         parameters: z.object({ door: z.string().refine(door => door !== 'locked', 'is locked') }),
         execute: async (_id, { door }) => ({ content: [{ type: 'text', text: 'opened ' + door }] }),
       });`,
      [
        call('open', { door: 'locked' }),
        call('open', {}, 'second'),
        call('open', { door: 'red' }, 'third'),
        { text: 'ok' },
      ],
    );
    await rig.chat.submit('go');
    const [locked, missing, red] = rig.items('tool').map(({ state, output }) => ({ state: state.type, output }));
    assert.equal(locked?.state, 'failed');
    assert.match(locked.output, /^The arguments do not fit:\n- door: is locked$/m);
    assert.equal(missing?.state, 'failed');
    assert.equal(red?.output, 'opened red');
  });

  it('name themselves with setLabel while they load', async () => {
    await open(
      `pi.setLabel('Parcels'); pi.registerCommand('hi', { handler: async (_args, ctx) => ctx.ui.notify('hi') });`,
    );
    await rig.chat.submit('/hi');
    assert.deepEqual(
      rig.items('notice').map(({ text }) => text),
      ['hi'],
    );
    assert.deepEqual(
      rig.conversation.store.getEntries().filter(({ type }) => type === 'label'),
      [],
    );
  });
});
