import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelTurn } from '../../src/guard/fire/model-turn';
import type { FiredId } from '../../src/guard/fire/fired-agents';
import { AgentPlace } from './support/agent-place';
import { ScriptedFront } from './support/front';
import { realAgent } from './support/real-agents';

/** How the model of an agent names the tool `deploy`, and what lets the agent call it without its user. */
const CALLERS: readonly {
  readonly id: FiredId;
  readonly call: (version: string) => ModelTurn;
  readonly args?: (place: AgentPlace) => readonly string[];
}[] = [
  {
    id: 'claude',
    call: version => ({ tool: 'mcp__hookline__deploy', input: { version } }),
    // The start without a user takes servers only from the file that it is given.
    args: place => [
      ...['--mcp-config', join(place.cli.root, '.claude.json'), '--allowedTools', 'mcp__hookline__deploy'],
    ],
  },
];

const hookFor = (file: string): string => `
import { Type } from '@sinclair/typebox';
import { appendFileSync } from 'node:fs';
const note = line => appendFileSync(${JSON.stringify(file)}, line + '\\n');
export default function (pi) {
  pi.registerTool({
    name: 'deploy', label: 'Deploy', description: 'Puts a version online.',
    parameters: Type.Object({ version: Type.String() }),
    async execute(id, { version }) {
      note('deploys ' + version);
      return { content: [{ type: 'text' as const, text: 'deployed ' + version }], details: {} };
    },
  });
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'deploy') return;
    note('gate ' + event.input.version);
    if (event.input.version === '13') return { block: true, reason: 'Not on a Friday.' };
    if (event.input.version === '14' && !(await ctx.ui.confirm('Deploy?', '14'))) return { block: true, reason: 'No.' };
  });
  pi.on('tool_result', event => {
    if (event.toolName === 'deploy') note('result ' + event.content[0].text);
  });
}
`;

for (const { id, call, args } of CALLERS) {
  describe(`the tools of hooks in ${id}`, () => {
    let place: AgentPlace;
    beforeEach(async () => {
      place = await AgentPlace.make(realAgent(id));
      place.cli.hook('tools.ts', hookFor(join(place.cli.root, 'seen')));
      await place.hookline('guard', 'add', id, '--tools', '--yes');
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed') {
        process.stdout.write((await place.command('guard', 'log', '--json')).stdout);
      }
      await place.remove();
    });

    const seen = (): readonly string[] => {
      const file = join(place.cli.root, 'seen');
      return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    };

    it('run when hooks let them, with one gate and one review', async () => {
      const run = await place.run([call('12')], { args: args?.(place) ?? [] });
      assert.match(run.result, /deployed 12/, run.printed);
      assert.deepEqual(seen(), ['gate 12', 'deploys 12', 'result deployed 12']);
    });

    it('do not run when a hook blocks them, and the model gets the reason', async () => {
      const run = await place.run([call('13')], { args: args?.(place) ?? [] });
      assert.match(run.result, /Not on a Friday\./, run.printed);
      assert.deepEqual(seen(), ['gate 13']);
    });

    it('are asked about once', async () => {
      const front = await ScriptedFront.connect(await place.startHost(), { role: 'watch', folders: [] }, message =>
        message.type === 'question' ? { type: 'answer', id: message.id, answer: true } : undefined,
      );
      const run = await place.run([call('14')], { args: args?.(place) ?? [] });
      assert.match(run.result, /deployed 14/, run.printed);
      assert.deepEqual(seen(), ['gate 14', 'deploys 14', 'result deployed 14']);
      assert.equal(front.received.filter(({ type }) => type === 'question').length, 1);
      front.end();
    });
  });
}
