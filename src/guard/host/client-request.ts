import { parse } from '../../base/json/schema';
import { AgentCallSchema, type AgentCall } from '../protocol/agent-call';
import { isSameSecret } from './secret';

/** Limits of what a client sends, in bytes. */
const LONGEST_HEAD = 256 * 1024;
const LONGEST_PAYLOAD = 16 * 1024 * 1024;
const HEAD_END = Buffer.from('\n\n');

interface Head {
  readonly lines: readonly (readonly [key: string, value: string])[];
  /** Bytes before the payload, and of the payload. */
  readonly start: number;
  readonly length: number;
}

/** What comes from a client is no request; the message says why. */
export class BadRequestError extends Error {}

/**
 * Reads the call of one client from the pieces in which it comes; `client.sh` writes it. Of who does not send the secret, no
 * payload is kept.
 */
export class ClientRequestReader {
  private readonly pieces: Buffer[] = [];
  private size = 0;
  private head: Head | undefined;

  constructor(private readonly secret: string) {}

  /**
   * Returns the call once it is complete.
   * @throws {BadRequestError} when it cannot become one
   */
  take(piece: Buffer): AgentCall | undefined {
    this.pieces.push(piece);
    this.size += piece.length;
    this.head ??= this.headIn(this.joined());
    if (this.head === undefined) {
      if (this.size > LONGEST_HEAD) throw new BadRequestError('The head is too long.');
      return undefined;
    }
    const { start, length } = this.head;
    if (this.size < start + length) return undefined;
    if (this.size > start + length) throw new BadRequestError('There is more than the payload.');
    return callOf(this.head, this.joined().subarray(start).toString('utf8'));
  }

  private joined(): Buffer {
    const all = Buffer.concat(this.pieces);
    this.pieces.splice(0, this.pieces.length, all);
    return all;
  }

  /** Undefined while it is not complete. */
  private headIn(bytes: Buffer): Head | undefined {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > LONGEST_HEAD) return undefined;
    const [first, ...rest] = bytes.toString('utf8', 0, end).split('\n');
    if (first !== 'hookline-guard 1') throw new BadRequestError('The first line is not that of this protocol.');
    const lines = rest.map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
    const valueOf = (name: string): string => lines.find(([key]) => key === name)?.[1] ?? '';
    if (!isSameSecret(valueOf('secret'), this.secret)) throw new BadRequestError('The secret is wrong.');
    const length = valueOf('length');
    if (!/^\d{1,9}$/.test(length)) throw new BadRequestError('The length of the payload is no number.');
    if (Number(length) > LONGEST_PAYLOAD) throw new BadRequestError('The payload is too long.');
    return { lines, start: end + HEAD_END.length, length: Number(length) };
  }
}

function callOf({ lines }: Head, payload: string): AgentCall {
  const members = new Map(lines);
  const variables = lines.filter(([key]) => key === 'var').map(([, value]) => value);
  const call = parse(AgentCallSchema, {
    agent: unescaped(members.get('agent')),
    event: unescaped(members.get('event')),
    payload,
    parentPid: Number(members.get('pid') ?? 0),
    cwd: unescaped(members.get('cwd')),
    variables: Object.fromEntries(
      variables.map(text => [text.slice(0, text.indexOf(' ')), unescaped(text.slice(text.indexOf(' ') + 1))]),
    ),
  });
  if (!call.ok) throw new BadRequestError(call.problems.map(({ message }) => message).join('; '));
  return call.value;
}

/** In values of lines, the client writes line breaks as `\n` and backslashes twice. */
function unescaped(value: string | undefined): string | undefined {
  return value?.replace(/\\([\\n])/g, (_, letter) => (letter === 'n' ? '\n' : '\\'));
}
