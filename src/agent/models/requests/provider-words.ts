import { isRecord } from '../../../base/json/is-record';
import { parseObject } from '../../../base/json/parse-object';

/** An error that a provider reports in the body of a reply with status 200. */
export interface ReportedError {
  /** For people. */
  readonly message: string;
  /** With its code and type, for `readFailure`. */
  readonly text: string;
}

/** Errors are short, and the last event of a reply is near its end; bytes. */
const KEPT_BYTES = 64 * 1024;
const MOST_MESSAGE_CHARS = 1000;
const FIELD = /^(?:data|event|id|retry)(?::|$)|^:/;
const FIELD_NAMES = ['data:', 'event:', 'id:', 'retry:'];

/**
 * The end of a body that should contain events of a reply. If a server reports an error in another form (an event of another API,
 * JSON, a page of a gateway, plain text), clients say only that the reply ended early.
 */
export class BodyEnd {
  private chunks: Uint8Array[] = [];
  private bytes = 0;
  private isWhole = true;

  add(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    while (this.bytes - (this.chunks[0]?.length ?? 0) > KEPT_BYTES) {
      this.bytes -= this.chunks.shift()?.length ?? 0;
      this.isWhole = false;
    }
  }

  /** The error that the body ends with; undefined where it ends with a part of the reply, or within one. */
  get error(): ReportedError | undefined {
    const lines = Buffer.concat(this.chunks)
      .toString('utf8')
      .split(/\r\n|\n|\r/);
    const { event, words } = lastOf(this.isWhole ? lines : lines.slice(1));
    if (words !== '') return errorIn(words);
    if (event === undefined) return undefined;
    const value = parseObject(event.data);
    if (value === undefined) return event.isTorn ? undefined : errorIn(event.data);
    const isError = event.name === 'error' || value['type'] === 'error' || (value['error'] ?? null) !== null;
    return isError ? errorIn(event.data) : undefined;
  }
}

interface LastEvent {
  readonly name: string;
  readonly data: string;
  /** The body ended before the event did. */
  readonly isTorn: boolean;
}

/** The last event, and the text behind it that belongs to no event. */
function lastOf(lines: readonly string[]): { readonly event: LastEvent | undefined; readonly words: string } {
  let event: LastEvent | undefined;
  let [name, data, words]: [string, string[], string[]] = ['', [], []];
  const close = (isTorn: boolean): void => {
    if (data.length > 0 && data[0] !== '[DONE]') {
      event = { name, data: data.join('\n'), isTorn };
      words = [];
    }
    [name, data] = ['', []];
  };
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('data:')) data.push(line.slice(5).trim());
    else if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.trim() === '') close(false);
    else if (!FIELD.test(line) && !isCutField(line, index === lines.length - 1)) words.push(line);
    // Without a line end, the last line may be incomplete.
    if (index === lines.length - 1 && line !== '') close(true);
  }
  return { event, words: words.join('\n').trim() };
}

function isCutField(line: string, isLast: boolean): boolean {
  return isLast && FIELD_NAMES.some(name => name.startsWith(line));
}

function errorIn(text: string): ReportedError {
  const body = parseObject(text);
  if (body === undefined) return plain(/^\s*<(?:!doctype|html|\?xml|head|body)\b/i.test(text) ? pageText(text) : text);
  const { error = body } = body;
  if (typeof error === 'string') return plain(error);
  const { message, detail } = { ...body, ...(isRecord(error) ? error : {}) };
  const said = [message, detail].find(each => typeof each === 'string' && each !== '');
  return { message: clipped(typeof said === 'string' ? said : text), text };
}

function plain(text: string): ReportedError {
  return { message: clipped(text), text };
}

function pageText(page: string): string {
  const shown = page.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ');
  return shown.replace(/\s+/g, ' ').trim();
}

function clipped(text: string): string {
  return text.length > MOST_MESSAGE_CHARS ? `${text.slice(0, MOST_MESSAGE_CHARS)}…` : text;
}
