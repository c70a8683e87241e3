import type { Disposable } from '../../base/disposable';
import type { Conversation } from '../../session/conversation';
import type { Notice } from '../../session/ports/session-events';
import type { Output } from './output';

/** Writes each warning and error of a conversation to stderr once, until disposed. */
export function printNotices({ events }: Pick<Conversation, 'events'>, output: Pick<Output, 'printError'>): Disposable {
  const print = ({ level, text, file }: Notice): void => {
    if (level === 'info') return;
    const line = file?.line === undefined ? '' : `:${file.line}`;
    const place = file === undefined ? '' : ` (${file.path}${line})`;
    output.printError(`${level === 'error' ? 'Error' : 'Warning'}: ${text}${place}`);
  };
  for (const notice of events.notices) print(notice);
  return events.event(event => {
    if (event.type === 'notice') print(event.notice);
  });
}
