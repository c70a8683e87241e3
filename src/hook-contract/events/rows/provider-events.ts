import { isDeepStrictEqual } from 'node:util';
import type { DialectId } from '../../dialect-id';
import { AnswerReader, answerOf, noAnswer } from '../answers/answer';
import { NO_DECISION, type AnswerReducer, type AnswerVerdict, type EventRows } from '../event-row';
import type { HookEventOf } from '../../hook-event';
import { sampleModel } from '../sample-parts';

const EXT: readonly DialectId[] = ['ext', 'pi'];
const PI: readonly DialectId[] = ['pi'];

/** Events of one request to a provider, in order; and `cache_warming_decision` and `mcp_servers_change`. */
export type ProviderEvent =
  | 'before_provider_headers'
  | 'before_provider_request'
  | 'after_provider_response'
  | 'provider_stream_event'
  | 'cache_warming_decision'
  | 'mcp_servers_change';

/** The rows of the events of {@link ProviderEvent}. */
export const PROVIDER_EVENTS: EventRows<ProviderEvent> = {
  before_provider_headers: {
    names: [{ name: 'before_provider_headers', of: PI }],
    endsWithRun: true,
    answers: changedHeaders,
    members: { headers: true },
    samples: () => [{ type: 'before_provider_headers', headers: { 'x-trace': 'sample' } }],
  },
  before_provider_request: {
    names: [{ name: 'before_provider_request', of: EXT }],
    endsWithRun: true,
    answers: replacedRequest,
    members: { payload: true },
    samples: facts => [
      { type: 'before_provider_request', payload: { model: sampleModel(facts).id, messages: [], stream: true } },
    ],
  },
  after_provider_response: {
    names: [{ name: 'after_provider_response', of: EXT }],
    endsWithRun: true,
    members: { status: true, headers: true },
    samples: () => [{ type: 'after_provider_response', status: 200, headers: { 'content-type': 'text/event-stream' } }],
  },
  provider_stream_event: {
    names: [{ name: 'provider_stream_event', of: PI }],
    endsWithRun: true,
    isStreamed: true,
    members: { provider: true, api: true, model: true, data: true },
    samples: facts => {
      const { provider, api, id: model } = sampleModel(facts);
      const data = { choices: [{ index: 0, delta: { content: 'Done.' } }] };
      return [{ type: 'provider_stream_event', provider, api, model, data }];
    },
  },
  cache_warming_decision: {
    names: [{ name: 'cache_warming_decision', of: PI }],
    answers: lastAction,
    members: { warmCost: true, missCost: true, continuationProbability: true, action: true },
    samples: () => [
      {
        type: 'cache_warming_decision',
        warmCost: 0.01,
        missCost: 0.1,
        continuationProbability: 0.5,
        action: 'warm',
      },
    ],
  },
  mcp_servers_change: {
    names: [{ name: 'mcp_servers_change', of: PI }],
    members: { servers: true },
    samples: () => [{ type: 'mcp_servers_change', servers: [] }],
  },
};

type Headers = Record<string, string | null>;

/** All handlers change the same object, as in pi; invalid values are undone. */
function changedHeaders({
  headers: given,
}: HookEventOf<'before_provider_headers'>): AnswerReducer<'before_provider_headers'> {
  const headers: Headers = { ...given };
  const event = { type: 'before_provider_headers', headers } as const;
  let valid = { ...headers };
  return {
    event,
    payload: () => ({ ...event }),
    add(): AnswerVerdict {
      const wrong = Object.entries(headers).filter(([, value]) => !isHeader(value));
      const problems = wrong.map(([name]) => `"headers.${name}" must be a text, or null to remove it`);
      for (const [name] of wrong) restore(headers, name, valid);
      const isChanged = !isDeepStrictEqual(headers, valid);
      valid = { ...headers };
      return {
        outcome: isChanged ? { type: 'returned', changed: ['headers'] } : NO_DECISION.outcome,
        ...(problems.length === 0 ? {} : { problems }),
      };
    },
    // A handler that threw or is still running may have set invalid values.
    result: () => ({ headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => isHeader(value))) }),
  };
}

function isHeader(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function restore(headers: Headers, name: string, valid: Readonly<Headers>): void {
  const before = valid[name];
  if (before === undefined) Reflect.deleteProperty(headers, name);
  else headers[name] = before;
}

/** What a hook returns replaces the request, and the next hook gets the new request. */
function replacedRequest(original: HookEventOf<'before_provider_request'>): AnswerReducer<'before_provider_request'> {
  let event = original;
  return {
    get event() {
      return event;
    },
    add(returned): AnswerVerdict {
      const payload = answerOf(returned);
      if (payload === undefined) return noAnswer(returned);
      event = { ...event, payload };
      return { outcome: { type: 'returned', changed: ['payload'] } };
    },
    result: () => ({ payload: event.payload }),
  };
}

/** The last hook that says an action decides. */
function lastAction(event: HookEventOf<'cache_warming_decision'>): AnswerReducer<'cache_warming_decision'> {
  let { action } = event;
  return {
    event,
    add(returned): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      const isAction = (value: unknown): value is typeof action => value === 'warm' || value === 'stop';
      const given = reading.typed('action', '"warm" or "stop"', isAction);
      if (given !== undefined) reading.changed.push('action');
      action = given ?? action;
      return reading.verdict();
    },
    result: () => ({ action }),
  };
}
