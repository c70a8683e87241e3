import { basename } from 'node:path';
import { visibleLine } from '../../base/text/visible-text';
import { overallText, type ReplayedDispatch, type ReplayedHandler, type ReplayReport } from './report';
import { outcomeText } from '../recording/outcome-text';

/**
 * The result of a replay as lines for a terminal: the changes in full, the rest as counts. Hidden characters are marked.
 */
export function replayText(report: ReplayReport): string {
  const { dispatches, counts, missing } = report;
  const listed = dispatches.filter(({ status }) => status === 'changed' || status === 'unsure');
  const skipped = new Map<string, number>();
  for (const { why = '' } of dispatches.filter(({ status }) => status === 'skipped')) {
    skipped.set(why, (skipped.get(why) ?? 0) + 1);
  }
  const lines = [
    ...listed.flatMap(dispatchLines),
    ...(listed.length === 0 ? [] : ['']),
    `${dispatches.length} events replayed, nothing executed: ${counts.same} as recorded, ${counts.changed} changed, ` +
      `${counts.unsure} not certain, ${counts.skipped} not repeatable.`,
    ...[...skipped].map(([why, count]) => `${count} not repeatable: ${why}.`),
    ...missing.map(path => `Recorded, but not loaded now: ${path}`),
  ];
  return `${lines.map(visibleLine).join('\n')}\n`;
}

function dispatchLines({ event, tool, brief, status, handlers }: ReplayedDispatch): readonly string[] {
  const sign = status === 'changed' ? '✗' : '?';
  const subject = [event, tool].filter(Boolean).join(' ');
  const verdicts = `${overallText(handlers, 'before')} → ${overallText(handlers, 'after')}`;
  return [
    `${sign} ${subject}${brief === '' ? '' : ` ${JSON.stringify(brief)}`}: ${verdicts}`,
    ...handlers.filter(handler => handler.status !== 'same').flatMap(handlerLines),
  ];
}

function handlerLines(handler: ReplayedHandler): readonly string[] {
  const { file, line, registeredAs, before, after, notes } = handler;
  const was = before === undefined ? 'not asked' : outcomeText(before.outcome);
  const is = after === undefined ? 'not asked' : outcomeText(after.outcome);
  const what = was === is && before !== undefined ? `${was}, with another result` : `${was} → ${is}`;
  return [
    `    ${basename(file)}${line === undefined ? '' : `:${line}`} ${registeredAs}: ${what}`,
    ...notes.map(note => `      (${note})`),
  ];
}
