/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code: they take what they are handed, and throw what they like */
import type { AgentMessage } from '../../../src/agent/messages';
import { hostWith, type Factory, type Foreign, type InlineHook, type TestHost } from '../../support/hook-host';

export const user = (content: string): AgentMessage => ({ role: 'user', content, timestamp: 1 });

/** Notes every named event as `name` or `session:reason`. */
export const noting =
  (log: string[], names: readonly string[], who = ''): Factory =>
  pi => {
    for (const name of names) {
      pi.on(name, (event: Foreign) => {
        log.push(`${who}${name === 'session' ? `session:${String(event.reason)}` : String(event.type)}`);
      });
    }
  };

export const NEW = { type: 'session_before_switch', reason: 'new' } as const;
export const IS_NEW = { type: 'session_switch', reason: 'new', previousSessionFile: '/sessions/old.jsonl' } as const;
export const START = { type: 'session_start', reason: 'startup' } as const;

export async function withSession(hooks: readonly InlineHook[]): Promise<TestHost> {
  const host = await hostWith(hooks);
  host.conversation.session.user('one');
  host.conversation.session.user('two');
  return host;
}
