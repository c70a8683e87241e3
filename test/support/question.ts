import type { Question } from '../../src/session/ports/dialogs';

let count = 0;

/** A question of a handler that decides about a call, with an id of its own. */
export function questionWith(given: Partial<Question> = {}): Question {
  count += 1;
  return {
    id: `gate:test:${count}`,
    hook: { path: '/w/.pi/hooks/gate.ts', name: 'gate.ts' },
    asker: { type: 'deciding' },
    conversationId: 'chat-1',
    dialog: { type: 'select', options: ['Yes', 'No'] },
    title: 'Run it?',
    message: '',
    ...given,
  };
}
