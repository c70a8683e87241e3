import { sentEvent, type ModelApi, type ModelTurn, type WriteTurn } from './model-turn';

type Json = Readonly<Record<string, unknown>>;

/** Writes a turn in each of the APIs. */
export const MODEL_APIS: Readonly<Record<ModelApi, WriteTurn>> = {
  'anthropic-messages': (turn, { id, model }) => {
    const stop_reason = 'text' in turn ? 'end_turn' : 'tool_use';
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = { id, type: 'message', role: 'assistant', model, stop_sequence: null };
    const named = (type: string, rest: Json): string => sentEvent({ type, ...rest }, type);
    const block =
      'text' in turn
        ? { type: 'text', text: turn.text }
        : { type: 'tool_use', id: callId(id), name: turn.tool, input: turn.input };
    const [start, delta] =
      'text' in turn
        ? [
            { type: 'text', text: '' },
            { type: 'text_delta', text: turn.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: argumentsOf(turn) },
          ];
    return {
      whole: { ...message, content: [block], stop_reason, usage },
      events: [
        named('message_start', { message: { ...message, content: [], stop_reason: null, usage } }),
        named('content_block_start', { index: 0, content_block: start }),
        named('content_block_delta', { index: 0, delta }),
        named('content_block_stop', { index: 0 }),
        named('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
        named('message_stop', {}),
      ],
    };
  },

  'openai-responses': (turn, { id, model }) => {
    const response = { id, object: 'response', model, status: 'completed', usage: RESPONSES_USAGE };
    const item = responsesItem(turn, id);
    const named = (type: string, rest: Json): string => sentEvent({ type, ...rest }, type);
    return {
      whole: { ...response, output: [item] },
      events: [
        named('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
        named('response.output_item.added', { output_index: 0, item }),
        ...('text' in turn
          ? [
              named('response.output_text.delta', {
                item_id: item['id'],
                output_index: 0,
                content_index: 0,
                delta: turn.text,
              }),
            ]
          : []),
        named('response.output_item.done', { output_index: 0, item }),
        named('response.completed', { response: { ...response, output: [item] } }),
      ],
    };
  },

  'openai-completions': (turn, { id, model }) => {
    const common = { id, created: 1_700_000_000, model };
    const finish_reason = 'text' in turn ? 'stop' : 'tool_calls';
    const said =
      'text' in turn
        ? { role: 'assistant', content: turn.text }
        : { role: 'assistant', content: null, tool_calls: [completionsCall(turn, id)] };
    const delta = 'text' in turn ? said : { ...said, tool_calls: [{ index: 0, ...completionsCall(turn, id) }] };
    const chunk = (rest: Json): string => sentEvent({ ...common, object: 'chat.completion.chunk', ...rest });
    return {
      whole: {
        ...common,
        object: 'chat.completion',
        choices: [{ index: 0, message: said, finish_reason }],
        usage: COMPLETIONS_USAGE,
      },
      events: [
        chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
        chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
        chunk({ choices: [], usage: COMPLETIONS_USAGE }),
        sentEvent('[DONE]'),
      ],
    };
  },

  'google-generative-ai': (turn, { id, model }) => {
    const part = 'text' in turn ? { text: turn.text } : { functionCall: { name: turn.tool, args: turn.input } };
    const whole = {
      responseId: id,
      modelVersion: model,
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    };
    return { whole, events: [sentEvent(whole)] };
  },
};

const COMPLETIONS_USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const RESPONSES_USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** With it, Codex finds tools that it has not told the model of; a call of it is an item of its own. */
const TOOL_SEARCH = 'tool_search';

type CallTurn = Exclude<ModelTurn, { readonly text: string }>;

function responsesItem(turn: ModelTurn, id: string): Json {
  if ('text' in turn) {
    const content = [{ type: 'output_text', text: turn.text, annotations: [] }];
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content };
  }
  if (turn.tool === TOOL_SEARCH) {
    const about = { id: `tsc_${id}`, call_id: callId(id), execution: 'client', status: 'completed' };
    return { type: 'tool_search_call', ...about, arguments: turn.input };
  }
  const namespace = turn.namespace === undefined ? {} : { namespace: turn.namespace };
  const call = { call_id: callId(id), name: turn.tool, ...namespace, status: 'completed' };
  if (typeof turn.input === 'string') return { type: 'custom_tool_call', id: `ctc_${id}`, ...call, input: turn.input };
  return { type: 'function_call', id: `fc_${id}`, ...call, arguments: argumentsOf(turn) };
}

function completionsCall(turn: CallTurn, id: string): Json {
  return { id: callId(id), type: 'function', function: { name: turn.tool, arguments: argumentsOf(turn) } };
}

function argumentsOf({ input }: CallTurn): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

function callId(id: string): string {
  return `call_${id}`;
}
