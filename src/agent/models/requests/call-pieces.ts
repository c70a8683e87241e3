import type { Api } from '@mariozechner/pi-ai';
import { isRecord } from '../../../base/json/is-record';
import { parseObject } from '../../../base/json/parse-object';

type Fields = Record<string, unknown>;

/**
 * Numbers the calls of a reply anew before its client puts their pieces together. Clients of the OpenAI APIs use the number or id
 * that the server gives, and some servers give all calls the same one: the client would join them to one call. Arguments that
 * come as an object become its text.
 */
export class CallPieces {
  private readonly calls: Call[] = [];
  private readonly items: Item[] = [];

  constructor(private readonly api: Api) {}

  /** Corrects an event of the server in place. */
  correct(event: unknown): void {
    if (!isRecord(event)) return;
    if (this.api === 'openai-completions') this.correctChunk(event);
    else if (this.api.includes('responses')) this.correctEvent(event);
  }

  private correctChunk({ choices }: Fields): void {
    const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
    const delta = isRecord(choice) ? choice['delta'] : undefined;
    const pieces = isRecord(delta) ? delta['tool_calls'] : undefined;
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces as readonly unknown[]) if (isRecord(piece)) this.correctPiece(piece);
  }

  private correctPiece(piece: Fields): void {
    const called = isRecord(piece['function']) ? piece['function'] : {};
    asText(called, 'arguments');
    const { id, index } = piece;
    const start = {
      id: stringOrEmpty(id),
      name: stringOrEmpty(called['name']),
      text: stringOrEmpty(called['arguments']),
    };
    const call = this.callOf(start, typeof index === 'number' ? index : undefined);
    call.text += start.text;
    call.name ||= start.name;
    call.id ||= start.id;
    piece['index'] = call.number;
    // The client takes a known id as the call that had it first.
    if (start.id !== '' && this.calls.some(other => other !== call && other.id === start.id)) {
      piece['id'] = `${start.id}_${call.number + 1}`;
    }
  }

  private callOf(start: Piece, given: number | undefined): Call {
    const known = this.calls.findLast(
      given !== undefined ? call => call.given === given : call => start.id === '' || call.id === start.id,
    );
    if (known !== undefined && !isAnother(known, start)) return known;
    const call = { given, number: this.calls.length, id: start.id, name: start.name, text: '' };
    this.calls.push(call);
    return call;
  }

  private correctEvent(event: Fields): void {
    const { type, item, item_id: named, output_index: given } = event;
    if (typeof type !== 'string' || !('output_index' in event || 'item_id' in event || isRecord(item))) return;
    if (isRecord(item) && item['type'] === 'function_call') asText(item, 'arguments');
    if (type === 'response.function_call_arguments.delta') asText(event, 'delta');
    if (type === 'response.function_call_arguments.done') {
      asText(event, 'arguments');
      // Without a text there is nothing to replace, and the client fails.
      if (typeof event['arguments'] !== 'string') event['type'] = '';
    }
    const id = isRecord(item) ? item['id'] : named;
    const entry = this.itemOf(id, given, type === 'response.output_item.added');
    if (type === 'response.output_item.done') entry.isOver = true;
    event['output_index'] = entry.number;
  }

  private itemOf(id: unknown, given: unknown, isAdded: boolean): Item {
    const open = isAdded ? [] : this.items.filter(({ isOver }) => !isOver);
    const known =
      open.findLast(each => each.id === id && each.given === given) ??
      (id === undefined ? open.findLast(each => each.given === given) : open.findLast(each => each.id === id));
    if (known !== undefined) return known;
    const item = { id, given, number: this.items.length, isOver: false };
    this.items.push(item);
    return item;
  }
}

interface Piece {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

interface Call {
  /** As the server numbers it. */
  readonly given: number | undefined;
  readonly number: number;
  id: string;
  name: string;
  text: string;
}

interface Item {
  readonly id: unknown;
  readonly given: unknown;
  readonly number: number;
  isOver: boolean;
}

/** Some servers change the id of a call from piece to piece, or repeat its name: neither alone begins another call. */
function isAnother(call: Call, { id, name, text }: Piece): boolean {
  if (name === '' || call.text === '') return name !== '' && call.name !== '' && name !== call.name;
  if (id !== '' && call.id !== '' && id !== call.id && name !== call.name) return true;
  if (text.trimStart().startsWith('{') && id !== '' && id !== call.id) return true;
  return (id !== call.id || text.trimStart().startsWith('{')) && parseObject(call.text) !== undefined;
}

function asText(fields: Fields, name: string): void {
  const value = fields[name];
  if (typeof value === 'object' && value !== null) fields[name] = JSON.stringify(value);
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
