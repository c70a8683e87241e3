import type { Message } from '../modes/support/rpc';

type Json = Readonly<Record<string, unknown>>;

/** What differs from run to run, or is the business of other tests: ids, times, usage, and what a provider adds. */
const LEFT_OUT = new Set([
  ...[
    'timestamp',
    'labelTimestamp',
    'durationMs',
    'usage',
    'responseId',
    'rawStopReason',
    'structuredContent',
    'index',
  ],
  // pi has no approval modes.
  'approvalMode',
  // pi's instructions and ours differ, so the sizes do; whether a system message counts is told by the session tests.
  ...['messageCount', 'totalMessages', 'estimatedTokensAfter', 'leafId'],
]);

/**
 * Records of a step without what may differ. `queue_update` is compared apart from the rest: pi also tells
 * of an empty queue that is emptied.
 */
export function masked(
  records: readonly Message[],
  root: string,
): { readonly told: unknown[]; readonly queue: unknown } {
  const plain = records.filter(isCompared).map(record => mask(record, root));
  const isQueue = (record: unknown): boolean => (record as Json)['type'] === 'queue_update';
  return { told: plain.filter(record => !isQueue(record)), queue: plain.filter(isQueue).at(-1) };
}

/** Records that only one of both has: pi knows neither the end of a question nor approval modes. */
const UNCOMPARED: readonly unknown[] = ['tool_execution_update', 'extension_ui_cancel', 'approval_mode_changed'];

/** pi tells the instructions as a message, and a part of a result before there is one. */
function isCompared({ type, message }: Message): boolean {
  if (UNCOMPARED.includes(type)) return false;
  return !(isObject(message) && message['role'] === 'system');
}

function mask(value: unknown, root: string): unknown {
  if (typeof value === 'string') return maskText(value, root);
  if (Array.isArray(value)) return value.filter(isCommon).map(member => mask(member, root));
  if (!isObject(value)) return value;
  const members = Object.entries(special(value)).filter(
    ([name, member]) => !LEFT_OUT.has(name) && member !== undefined,
  );
  return Object.fromEntries(members.map(([name, member]) => [name, mask(member, root)]));
}

/** What both have: system messages, pi's own commands, and entries that say which model was used are left out. */
function isCommon(value: unknown): boolean {
  if (!isObject(value)) return true;
  const { role, type, sourceInfo, message } = value;
  if (role === 'system' || (isObject(message) && message['role'] === 'system')) return false;
  if (isObject(sourceInfo) && sourceInfo['source'] === 'builtin') return false;
  return !['model_change', 'thinking_level_change'].includes(String(type));
}

function special(value: Json): Json {
  const { role, command, error, data, type, result } = value;
  // What there is of an answer when its beginning is told depends on the network.
  if (type === 'message_start' && isObject(value['message']) && value['message']['role'] === 'assistant') {
    return { type, message: 'an answer' };
  }
  // Ours says first in plain words what is wrong.
  if (role === 'assistant') {
    return { ...value, thinkingLevel: undefined, errorMessage: ownWords(value['errorMessage']) };
  }
  // pi does not say who asks, and about which call.
  if (type === 'extension_ui_request') return { ...value, hook: undefined, toolCallId: undefined };
  if (type === 'auto_retry_start') return { ...value, errorMessage: ownWords(value['errorMessage']) };
  if (error !== undefined && (command === 'steer' || command === 'fork')) return { ...value, error: 'refused' };
  if (command === 'get_tree' && isObject(data)) return { ...value, data: { tree: 'by its entries' } };
  if (type === 'tool_execution_end' && isObject(result)) return { ...value, result: { content: result['content'] } };
  return value['parentId'] === undefined ? value : { ...value, parentId: 'an entry' };
}

function ownWords(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  return /aborted/.test(text) ? 'aborted' : text.split('\n').at(-1);
}

function maskText(text: string, root: string): string {
  return text
    .replaceAll(root, 'ROOT')
    .replaceAll(/hookline cli ü-\w+/g, 'PLACE')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'SERVER')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.-]+Z/g, 'TIME')
    .replaceAll(/^[\da-f]{8}$/g, 'ID');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
