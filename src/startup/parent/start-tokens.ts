import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RunningCall } from '../../hook-run/api/tools/running-call';

/** What a process may do that was started with a token. */
export interface StartRights {
  /** Whether it gets the API keys that the user typed. */
  readonly keys: boolean;
  /** The tool call that started it; undefined when no tool call did. */
  readonly call: RunningCall | undefined;
}

/** A token that began a connection, or the reason why it may not. */
export type Connection =
  | { readonly type: 'connected'; readonly rights: StartRights; readonly end: () => void }
  | { readonly type: 'inUse' | 'unknown' };

/**
 * The tokens of started processes. Each start has its own, which contains its rights and a signature, so that only the
 * tokens in use are kept here. A token is in the environment of the started process, where everything that this process runs
 * can read it. So it is good for one connection: one with keys for one ever, any other for one at a time, because a shell can
 * start an agent after another.
 */
export class StartTokens {
  private readonly secret = randomBytes(32);
  /** The ids of tokens that have a connection, and of those with keys that had one. */
  private readonly taken = new Set<string>();

  /** A new token with these rights. */
  issue({ keys, call }: StartRights): string {
    const id = randomBytes(16).toString('hex');
    const rights = Buffer.from(JSON.stringify({ keys, call })).toString('base64url');
    return `${id}.${rights}.${this.signature(id, rights)}`;
  }

  /** Begins the connection of a token, whose `end` is to be called when it is over. */
  connect(token: unknown): Connection {
    if (typeof token !== 'string') return { type: 'unknown' };
    const [id = '', given = '', signature = ''] = token.split('.');
    const [actual, wanted] = [Buffer.from(signature), Buffer.from(this.signature(id, given))];
    if (actual.length !== wanted.length || !timingSafeEqual(actual, wanted)) return { type: 'unknown' };
    if (this.taken.has(id)) return { type: 'inUse' };
    const rights = JSON.parse(Buffer.from(given, 'base64url').toString()) as StartRights; // The signature is ours.
    this.taken.add(id);
    const end = (): void => {
      if (!rights.keys) this.taken.delete(id);
    };
    return { type: 'connected', rights, end };
  }

  private signature(id: string, rights: string): string {
    return createHmac('sha256', this.secret).update(`${id}.${rights}`).digest('base64url');
  }
}
