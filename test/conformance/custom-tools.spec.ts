import assert from 'node:assert/strict';
import { Rig } from '../support/conversation-rig';
import { call } from './support';

/** Files whose factory returns tools: those of pi before its extensions, and of oh-my-pi. */
describe('custom tools', () => {
  let rig: Rig;

  afterEach(() => rig.close());

  async function open(text: string, script: Parameters<typeof Rig.open>[0]): Promise<void> {
    rig = await Rig.open(script, { hooks: { 'tools.ts': text } });
    assert.deepEqual(rig.host.infos()[0]?.state, { type: 'live' });
    await rig.chat.submit('go');
  }
  const outputs = (): readonly string[] => rig.items('tool').map(({ output }) => output);

  it('are registered, and get what their date gave them', async () => {
    await open(
      `import type { CustomToolFactory } from '@mariozechner/pi-coding-agent';
      import { Type } from '@sinclair/typebox';
      const factory: CustomToolFactory = pi => ({
        name: 'weigh', label: 'Weigh', description: 'Weighs.', parameters: Type.Object({ grams: Type.Number() }),
        async execute(_id, { grams }, _signal, onUpdate) {
          const { stdout } = await pi.exec('node', ['-p', '1 + 1']);
          const said = [grams, pi.cwd, pi.hasUI, typeof pi.ui.notify, typeof onUpdate, stdout.trim()];
          return { content: [{ type: 'text', text: said.join(' ') }], details: undefined };
        },
      });
      export default factory;`,
      [call('weigh', { grams: 3 }), { text: 'ok' }],
    );
    assert.deepEqual(outputs(), [`3 ${rig.cwd} true function function 2`]);
  });

  it('may be several, and hear of the session before they are called', async () => {
    await open(
      `import type { CustomToolFactory } from '@oh-my-pi/pi-coding-agent';
      const tool = name => {
        const heard: string[] = [];
        return {
          name, label: name, description: name, parameters: { type: 'object', properties: {} },
          onSession(event) { heard.push(event.reason + ' ' + Array.isArray(event.entries)); },
          async execute(_id, _params, _onUpdate, ctx, signal) {
            const said = [this.name, heard.join(), ctx.cwd.length > 0, signal.aborted];
            return { content: [{ type: 'text', text: said.join(' ') }] };
          },
        };
      };
      export default ((pi) => [tool('first'), tool('second')]) satisfies CustomToolFactory;`,
      [call('first', {}), call('second', {}), { text: 'ok' }],
    );
    assert.deepEqual(outputs(), ['first start true true false', 'second start true true false']);
  });

  it('are not what any other file returns', async () => {
    await open(`export default pi => { pi.on('agent_start', () => {}); return { name: 'lost', execute() {} }; };`, [
      { text: 'ok' },
    ]);
    assert.ok(!rig.model.requests[0]?.tools?.some(({ name }) => name === 'lost'));
  });
});
