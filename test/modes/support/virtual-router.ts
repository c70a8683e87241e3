import { readFileSync } from 'node:fs';
import type { ScriptedLlm } from '../../support/scripted-llm';
import type { CliPlace, Program } from './cli';
import { RpcHost } from './rpc';

/** A virtual model that goes to `one` after a word of the user, else to `two`, and notes what it is asked. */
export function routerHook(traceFile: string): string {
  return `import { appendFileSync } from 'node:fs';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
const name = routed => routed && routed.model.provider + '/' + routed.model.id + ':' + routed.thinkingLevel;
export default function (pi: ExtensionAPI) {
  pi.registerVirtualModel<{ turns: number }>({
    provider: 'router', id: 'auto', name: 'Auto', thinkingLevels: ['low', 'high'], contextWindow: 5000,
    async route(request, ctx) {
      const said = JSON.stringify(request.messages.findLast(message => message.role === 'user')?.content ?? '');
      appendFileSync(${JSON.stringify(traceFile)}, JSON.stringify({
        model: request.model.provider + '/' + request.model.id, level: request.thinkingLevel, reason: request.reason,
        previous: name(request.previous), failed: request.failed && [name(request.failed), request.failed.message.stopReason],
        state: request.state, roles: request.messages.map(({ role }) => role).join(' '), signal: request.signal instanceof AbortSignal,
        ctx: [ctx.model?.id, ctx.thinkingLevel],
      }) + '\\n');
      if (said.includes('please throw')) throw new Error('no way');
      if (said.includes('no model')) return {} as never;
      if (said.includes('unknown model')) return { model: { ...request.model, id: 'nope' }, thinkingLevel: 'low' };
      const id = request.reason === 'user' ? 'one' : 'two';
      const state = request.reason === 'user' ? { turns: (request.state?.turns ?? 0) + 1 } : request.state;
      return { model: ctx.modelRegistry.find('scripted', id)!, thinkingLevel: 'high', state };
    },
  });
}
`;
}

/** What one program made of the virtual model. */
export interface RouterRun {
  /** What `route` got, in order. */
  readonly asked: readonly unknown[];
  /** Model and effort of each request. */
  readonly requests: readonly unknown[];
  readonly entries: readonly unknown[];
  readonly states: readonly unknown[];
  readonly errors: readonly { readonly model: string; readonly stopReason: unknown; readonly text: unknown }[];
}

interface Said {
  readonly role: string;
  readonly provider?: string;
  readonly model?: string;
  readonly thinkingLevel?: string;
  readonly stopReason?: string;
  readonly errorMessage?: string;
}

/** Lets a program talk through a virtual model: a call, a failure with a retry, a summary, errors, a resume with and without it. */
export async function runRouter(place: CliPlace, llm: ScriptedLlm, program: Program): Promise<RouterRun> {
  const trace = place.file('trace.jsonl', '');
  const hook = place.file('router.ts', routerHook(trace));
  const settings = { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 5 } };
  place.useLlm(llm, settings, [{ id: 'one' }, { id: 'two', name: 'Two' }]);
  llm.reply({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'first answer' });
  llm.otherwise(() => ({ text: 'an answer' }));
  const states: unknown[] = [];
  const errors: RouterRun['errors'][number][] = [];
  const open = (args: readonly string[]): RpcHost => RpcHost.start(place, args, program);
  const stateOf = async (host: RpcHost): Promise<void> => {
    const { model, thinkingLevel } = await host.data<{
      readonly model?: { readonly provider: string; readonly id: string };
      readonly thinkingLevel: string;
    }>('get_state');
    states.push([model?.provider, model?.id, thinkingLevel]);
  };
  const args = ['-e', hook, '--tools', 'ls'];
  const host = open([...args, '--model', 'router/auto:high']);
  await stateOf(host);
  await host.prompt('go');
  llm.fail(500);
  await host.prompt('again');
  await host.data('compact');
  for (const text of ['please throw', 'no model', 'unknown model']) {
    await host.prompt(text);
    const messages = (await host.data<{ readonly messages: readonly Said[] }>('get_messages')).messages;
    const last = messages.at(-1);
    errors.push({ model: `${last?.provider}/${last?.model}`, stopReason: last?.stopReason, text: last?.errorMessage });
  }
  await stateOf(host);
  await host.close();
  const again = open([...args, '-c']);
  await stateOf(again);
  await again.prompt('once more');
  await again.close();
  const without = open(['-c']);
  await stateOf(without);
  await without.close();
  return {
    asked: readFileSync(trace, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as unknown),
    requests: llm.requests.map(({ body }) => body['model']),
    entries: place.entries().flatMap(entryOf),
    states,
    errors,
  };
}

/** What an entry says of models. */
function entryOf(entry: ReturnType<CliPlace['entries']>[number]): unknown[] {
  const { type, message, ...members } = entry;
  if (type === 'model_change') return [[type, members['provider'], members['modelId']]];
  if (type === 'custom') return [[type, members['customType'], members['data']]];
  const { role, provider, model, thinkingLevel, stopReason } = (message ?? {}) as Partial<Said>;
  return role === 'assistant' ? [[role, provider, model, thinkingLevel, stopReason]] : [];
}
