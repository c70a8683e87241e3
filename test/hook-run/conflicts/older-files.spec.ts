import assert from 'node:assert/strict';
import { Rig, until } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';
import { itOnPosix } from '../../support/platform';

/** What files of the older eras count on beside their description (docs/dialects.md, C21, C34, C41). */
describe('older files', function () {
  this.timeout(20_000);
  let rig: Rig;

  afterEach(() => rig.close());

  const echo: Script = { calls: [{ id: 'c1', name: 'bash', args: { command: 'echo secret' } }] };
  const notices = (): readonly string[] =>
    rig.items('notice').flatMap(({ text, hook }) => (hook === undefined ? [] : [text]));

  async function open(text: string, script: readonly Script[] = [], group: 'hooks' | 'extensions' = 'hooks') {
    rig = await Rig.open(script, { [group]: { 'old.ts': text } });
    assert.deepEqual(rig.host.infos()[0]?.state, { type: 'live' });
  }

  const listing = (imports: string): string => `${imports}
    export default function (pi) {
      pi.on('session_start', (event, ctx) => { ctx.ui.notify(JSON.stringify(pi.getAllTools()[0])); });
    }`;

  for (const [files, imports, group] of [
    ['oh-my-pi', 'import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";', 'hooks'],
    ['oh-my-pi, its extensions', 'import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";', 'extensions'],
    ['pi 0.33', 'import type { HookAPI } from "@mariozechner/pi-coding-agent";', 'hooks'],
  ] as const) {
    it(`C41 files of ${files} get the names of the tools`, async () => {
      await open(listing(imports), [], group);
      assert.deepEqual(notices(), ['"read"']);
    });
  }

  it('C41 all other files get objects, and may hand them back', async () => {
    await open(
      `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
      export default function (pi) {
        pi.on('session_start', (event, ctx) => {
          const [first] = pi.getAllTools();
          pi.setActiveTools([first]);
          ctx.ui.notify(first.name + ' ' + pi.getActiveTools());
        });
      }`,
      [],
      'extensions',
    );
    assert.deepEqual(notices(), ['read read']);
  });

  it('pi.pi of oh-my-pi has what its package exports from others: StringEnum and logger', async () => {
    await open(`import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
      export default function (pi: HookAPI) {
        const { StringEnum, logger } = pi.pi;
        const kinds = StringEnum(['a', 'b'], { description: 'which' });
        logger.debug('made');
        pi.on('session_start', (event, ctx) => {
          ctx.ui.notify(JSON.stringify(kinds) + typeof pi.pi.logger.warn + typeof pi.pi.createReadTool);
        });
      }`);
    assert.deepEqual(notices(), ['{"type":"string","enum":["a","b"],"description":"which"}functionfunction']);
  });

  itOnPosix('C34 { result } of tool_result counts also in a file that listens to session_start', async () => {
    await open(
      `import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
      export default function (pi: HookAPI) {
        pi.on('session_start', () => undefined);
        pi.on('tool_result', event => ({ result: event.result.replace('secret', '***') }));
      }`,
      [echo, { text: 'done' }],
    );
    await rig.chat.submit('go');
    const sent = JSON.stringify(rig.model.requests.at(-1)?.messages);
    assert.ok(sent.includes('***') && !sent.includes('"secret'), sent);
  });

  it('C21 getHeader tells the session before also as branchedFrom', async () => {
    await open(
      `import type { HookAPI } from "@mariozechner/pi-coding-agent";
      export default function (pi: HookAPI) {
        pi.registerCommand('head', { handler: async (args, ctx) => {
          const { branchedFrom, parentSession } = ctx.sessionManager.getHeader();
          ctx.ui.notify(branchedFrom + ' ' + (branchedFrom === parentSession));
        } });
      }`,
    );
    await rig.conversation.sessions.newSession({ parentSession: '/sessions/first.jsonl' });
    await rig.chat.submit('/head');
    assert.deepEqual(notices(), ['/sessions/first.jsonl true']);
  });

  it('two updates of a tool in one tick are two events', async () => {
    await open(
      `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
      export default function (pi: ExtensionAPI) {
        pi.registerTool({
          name: 'twice', label: 'twice', description: 'tells twice', parameters: { type: 'object', properties: {} },
          execute: async (id, params, signal, onUpdate) => {
            for (const text of ['one', 'two']) onUpdate({ content: [{ type: 'text', text }], details: {} });
            return { content: [{ type: 'text', text: 'three' }], details: {} };
          },
        });
        pi.on('tool_execution_update', (event, ctx) => ctx.ui.notify(event.partialResult.content[0].text));
      }`,
      [{ calls: [{ id: 'c1', name: 'twice', args: {} }] }, { text: 'done' }],
      'extensions',
    );
    await rig.chat.submit('go');
    await until(() => (notices().length >= 2 ? true : undefined), 'both updates');
    assert.deepEqual(notices(), ['one', 'two']);
  });
});
