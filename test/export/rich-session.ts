import type { JsonValue } from '@mariozechner/pi-ai';
import { SessionStore } from '../../src/agent/session/store';
import { assistant, user } from '../agent/session/support';

/** One pixel as PNG, base64. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A named session in memory with a label, thinking, three tool calls, an image, and a branch that was left. */
export function richSession(): SessionStore {
  const store = SessionStore.inMemory('/work/project');
  const first = store.appendMessage({
    role: 'user',
    content: [
      { type: 'text', text: 'Fix the *bug*' },
      { type: 'image', mimeType: 'image/png', data: PIXEL },
    ],
    timestamp: 1,
  });
  store.appendMessage({
    ...assistant(''),
    content: [
      { type: 'thinking', thinking: 'Let me look.' },
      { type: 'text', text: 'I read the file, then **test**.' },
      { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'src/a.ts' } },
      { type: 'toolCall', id: 'c2', name: 'edit', arguments: { path: 'src/a.ts' } },
      { type: 'toolCall', id: 'c3', name: 'bash', arguments: { command: 'npm test' } },
    ],
  });
  const result = (toolCallId: string, text: string, isError: boolean, details?: JsonValue): string =>
    store.appendMessage({
      role: 'toolResult',
      toolCallId,
      toolName: 'tool',
      content: [{ type: 'text', text }],
      details,
      isError,
      timestamp: 1,
    });
  result('c1', 'const a = 1;', false);
  result('c2', 'changed', false, { diff: '-old\n+new' });
  const fork = result('c3', '\u001b[31mred\u001b[0m and plain', true);
  store.appendMessage(user('Try another way'));
  store.appendMessage(assistant('Done another way.'));
  store.branch(fork);
  store.appendMessage(user('Go on'));
  store.appendMessage(assistant('Fixed.'));
  store.appendLabelChange(first, 'start');
  store.appendSessionInfo('A named session');
  return store;
}
