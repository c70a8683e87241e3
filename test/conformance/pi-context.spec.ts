import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Rig, until } from '../support/conversation-rig';
import { scriptedModel } from '../support/scripted-stream';
import { call } from './support';

/** What `ctx`, `ctx.ui` and `pi.on` have since the five descriptions (docs/dialects.md, Today's pi). */
describe("members of today's pi", () => {
  let rig: Rig;

  afterEach(() => rig.close());

  async function open(code: string, options: Parameters<typeof Rig.open>[1] = {}): Promise<void> {
    const text = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
      export default (pi: ExtensionAPI) => { ${code} };`;
    rig = await Rig.open([call('bash', { command: 'true' }), { text: 'ok' }, { text: 'ok' }], {
      ...options,
      extensions: { 'today.ts': text },
    });
  }
  const notices = (): string[] => rig.items('notice').flatMap(({ text, hook }) => (hook === undefined ? [] : [text]));

  it('tells the mode, and gives a signal only while a run goes on', async () => {
    await open(`
      for (const name of ['tool_call', 'agent_end'])
        pi.on(name, (_event, ctx) => ctx.ui.notify([name, ctx.mode, ctx.signal?.aborted].join(' ')));
      pi.registerCommand('idle', { handler: async (_args, ctx) => ctx.ui.notify('idle ' + ctx.signal) });`);
    assert.equal(rig.host.infos()[0]?.dialect?.id, 'pi');
    await rig.chat.submit('go');
    await rig.chat.submit('/idle');
    assert.deepEqual(notices(), ['tool_call tui false', 'agent_end tui false', 'idle undefined']);
  });

  it('lists the models that the person goes through', async () => {
    await open(
      `pi.registerCommand('scope', { handler: async (_args, ctx) => {
        ctx.ui.notify(JSON.stringify(ctx.scopedModels.map(({ model, thinkingLevel }) => [model.id, thinkingLevel])));
      } });`,
      { settings: { enabledModels: [`${scriptedModel.provider}/${scriptedModel.id}:high`] } },
    );
    await rig.chat.submit('/scope');
    assert.deepEqual(notices(), [JSON.stringify([[scriptedModel.id, 'high']])]);
  });

  it('takes back one handler, and lets a dispatch that is under way end with all of them', async () => {
    await open(`
      const heard = [];
      const drop = pi.on('turn_start', () => { heard.push('first'); drop(); drop(); });
      pi.on('turn_start', () => { heard.push('second'); });
      pi.on('agent_end', (_event, ctx) => ctx.ui.notify(heard.join(' ')));`);
    await rig.chat.submit('go');
    assert.deepEqual(notices(), ['first second second']);
  });

  it('draws the working row and folded thoughts as an extension wishes, until it is gone', async () => {
    await open(`
      pi.registerCommand('dress', { handler: async (_args, { ui }) => {
        ui.setWorkingIndicator({ frames: ['\\x1b[31m●\\x1b[39m', 'o'], intervalMs: 120 });
        ui.setWorkingVisible(false);
        ui.setHiddenThinkingLabel('Pondering');
      } });
      pi.registerCommand('bare', { handler: async (_args, { ui }) => {
        ui.setWorkingIndicator({ frames: [] });
        ui.setWorkingVisible(true);
        ui.setHiddenThinkingLabel();
      } });`);
    const { status } = rig.chat;
    await rig.chat.submit('/dress');
    assert.deepEqual(status.current.indicator, { hidden: true, frames: ['●', 'o'], intervalMs: 120 });
    assert.equal(status.current.thinkingLabel, 'Pondering');
    await rig.chat.submit('/bare');
    assert.deepEqual(status.current.indicator, { hidden: false, frames: [], intervalMs: 80 });
    assert.equal(status.current.thinkingLabel, undefined);
    rmSync(join(rig.cwd, '.pi/extensions/today.ts'));
    await rig.host.reload();
    assert.equal(status.current.indicator, undefined);
  });

  it('hands out the factory of the input box, so that another can wrap it', async () => {
    await open(`
      const mine = () => ({ invalidate() {}, render: () => ['mine'] });
      pi.registerCommand('mine', { handler: async (_args, { ui }) => {
        const before = ui.getEditorComponent();
        ui.setEditorComponent(mine);
        const now = ui.getEditorComponent() === mine;
        ui.setEditorComponent(undefined);
        ui.notify([before, now, ui.getEditorComponent()].join('|'));
      } });`);
    await rig.chat.submit('/mine');
    assert.deepEqual(notices(), ['|true|']);
  });

  it('settles once, after the retry, and a text sent then is the next prompt', async () => {
    const code = `
      const heard: string[] = [];
      let sent = false;
      pi.on('before_agent_start', event => { heard.push(event.messageType + ' ' + event.prompt); });
      pi.on('agent_end', () => { heard.push('end'); });
      pi.on('agent_settled', (event, ctx) => {
        heard.push('settled ' + event.aborted);
        if (!sent) { sent = true; pi.sendUserMessage('next'); }
        else ctx.ui.notify(heard.join(', '));
      });`;
    const text = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
      export default (pi: ExtensionAPI) => { ${code} };`;
    rig = await Rig.open([{ stopReason: 'error', errorMessage: '503 overloaded' }, { text: 'fine' }, { text: 'ok' }], {
      extensions: { 'today.ts': text },
      settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 0, maxAgentDelayMs: 0 } },
    });
    await rig.chat.submit('go');
    await until(() => (notices().length > 0 ? true : undefined), 'the second end');
    assert.deepEqual(notices(), ['user go, end, end, settled false, user next, end, settled false']);
  });

  it('tells how a text that comes while the agent works will reach it', async () => {
    await open(`
      pi.on('input', (event, ctx) => ctx.ui.notify(event.text + ' ' + event.streamingBehavior));
      let release = () => {};
      const held = new Promise<void>(resolve => (release = resolve));
      pi.on('tool_call', () => held);
      pi.registerCommand('release', { handler: async () => release() });`);
    const first = rig.chat.submit('one');
    await until(() => (rig.items('tool').length > 0 ? true : undefined), 'the call');
    await rig.chat.submit('two', { delivery: 'followUp' });
    await rig.chat.submit('/release');
    await first;
    assert.deepEqual(notices(), ['one undefined', 'two followUp']);
  });
});
