import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AssistantMessage, UserMessage } from '../../../src/agent/messages';
import { SessionStore, type OpenOptions } from '../../../src/agent/session/store';

/** A folder of its own for each test, with blanks and letters beyond ASCII in its name. */
export function useTempDir(): { readonly path: string; join(name: string): string } {
  let path = '';
  const made: string[] = [];
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'hookline sessión-'));
    made.push(path);
  });
  // Stores are disposed after each test, and Windows removes no folder of a file that is open.
  after(async () => {
    for (const each of made) await rm(each, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
    join: name => join(path, name),
  };
}

/** Opens and creates stores and disposes them after each test. */
export function useStores(): {
  open(file: string, options?: OpenOptions): Promise<SessionStore>;
  track(store: SessionStore): SessionStore;
} {
  const stores: SessionStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.dispose();
  });
  const track = (store: SessionStore): SessionStore => {
    stores.push(store);
    return store;
  };
  return { open: async (file, options) => track(await SessionStore.open(file, options)), track };
}

export function user(text: string, timestamp = 1): UserMessage {
  return { role: 'user', content: text, timestamp };
}

export function assistant(text: string, timestamp = 2): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-test',
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost },
    stopReason: 'stop',
    timestamp,
  };
}

/** The texts of messages, as short as a reader can compare. */
export function texts(messages: readonly { readonly role: string }[]): string[] {
  return messages.map(message => `${message.role}: ${textOf(message)}`);
}

function textOf(message: object): string {
  if ('summary' in message && typeof message.summary === 'string') return message.summary;
  if (!('content' in message)) return '';
  if (typeof message.content === 'string') return message.content;
  const parts: unknown[] = Array.isArray(message.content) ? message.content : [];
  return parts
    .map(part => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : '?'))
    .join('');
}
