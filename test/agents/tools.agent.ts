import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ModelTurn } from '../../src/guard/fire/model-turn';
import type { FiredId } from '../../src/guard/fire/fired-agents';
import { AGENT_NAMES, type GuardRecord } from '../../src/guard/protocol/agent-call';
import { AgentPlace, type AgentRunOptions } from './support/agent-place';
import { assertDenied, eventName } from './support/agent-tests';
import { ScriptedFront } from './support/front';
import { realAgent } from './support/real-agents';

/** How the model of an agent names the tool `deploy`, and what lets the agent call it without its user. */
const CALLERS: readonly {
  readonly id: FiredId;
  readonly call: (version: string) => ModelTurn;
  /** What its model does before. */
  readonly before?: readonly ModelTurn[];
  readonly options?: (place: AgentPlace) => AgentRunOptions;
}[] = [
  {
    id: 'claude',
    call: version => ({ tool: 'mcp__hookline__deploy', input: { version } }),
    // The start without a user takes servers only from the file that it is given.
    options: ({ cli }) => ({
      args: ['--mcp-config', join(cli.root, '.claude.json'), '--allowedTools', 'mcp__hookline__deploy'],
    }),
  },
  {
    id: 'codex',
    before: [{ tool: 'tool_search', input: { query: 'deploy' } }],
    call: version => ({ tool: 'deploy', namespace: 'mcp__hookline', input: { version } }),
    options: () => ({
      args: ['required=true', 'default_tools_approval_mode="approve"'].flatMap(each => [
        ...['-c', `mcp_servers.hookline.${each}`],
      ]),
    }),
  },
  {
    id: 'copilot',
    call: version => ({ tool: 'hookline-deploy', input: { version } }),
  },
  { id: 'gemini', call: version => ({ tool: 'mcp_hookline_deploy', input: { version } }) },
  { id: 'qwen', call: version => ({ tool: 'mcp__hookline__deploy', input: { version } }) },
  { id: 'opencode', call: version => ({ tool: 'hookline_deploy', input: { version } }) },
  { id: 'kilo', call: version => ({ tool: 'hookline_deploy', input: { version } }) },
  { id: 'droid', call: version => ({ tool: 'hookline___deploy', input: { version } }) },
  {
    id: 'cline',
    call: version => ({ tool: 'hookline__deploy', input: { version } }),
    // The start without a user has a data folder of its own.
    options: ({ cli }) => ({
      env: { CLINE_MCP_SETTINGS_PATH: join(cli.root, '.cline', 'data', 'settings', 'cline_mcp_settings.json') },
    }),
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

for (const { id, before = [], call, options } of CALLERS) {
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

    /** Agent, event and verdict of each decision about a call of the tool, as the guard log has them. */
    const decisions = async (): Promise<readonly (readonly string[])[]> => {
      const { stdout } = await place.hookline('guard', 'log', '--json');
      const records = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as GuardRecord);
      return records
        .filter(({ tool, event }) => tool?.endsWith('deploy') === true && event !== eventName(id, 'tool_result'))
        .map(({ agent, event, verdict }) => [agent, event, verdict]);
    };

    it('run when hooks let them, with one gate and one review', async () => {
      const run = await place.run([...before, call('12')], options?.(place));
      assert.match(run.result, /deployed 12/, run.printed);
      assert.deepEqual(seen(), ['gate 12', 'deploys 12', 'result deployed 12']);
      assert.deepEqual(await decisions(), [[id, eventName(id, 'tool_call'), 'passed']]);
    });

    it('do not run when a hook blocks them', async () => {
      const run = await place.run([...before, call('13')], options?.(place));
      assertDenied({ agent: realAgent(id) }, run, /Not on a Friday\./);
      assert.deepEqual(seen(), ['gate 13']);
      assert.deepEqual(await decisions(), [[id, eventName(id, 'tool_call'), 'blocked']]);
    });

    it('are asked about once', async () => {
      const front = await ScriptedFront.connect(await place.startHost(), { role: 'watch', folders: [] }, message =>
        message.type === 'question' ? { type: 'answer', id: message.id, answer: true } : undefined,
      );
      const run = await place.run([...before, call('14')], options?.(place));
      assert.match(run.result, /deployed 14/, run.printed);
      assert.deepEqual(seen(), ['gate 14', 'deploys 14', 'result deployed 14']);
      const asked = front.received.flatMap(message => (message.type === 'question' ? [message.question.guarded] : []));
      assert.deepEqual(asked, [{ agent: AGENT_NAMES[id], folder: basename(place.cli.cwd) }]);
      front.end();
    });
  });
}
