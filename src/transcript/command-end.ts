import { Type, type Static } from '@sinclair/typebox';
import type { CustomMessage } from '../agent/messages';
import type { KeptCommandEnd } from '../agent/tools/command-keeper';
import { defined } from '../base/defined';
import { isRecord } from '../base/json/is-record';
import { parse } from '../base/json/schema';
import type { CustomMessageDraft } from '../hook-contract/hook-event';
import { COMMAND_END } from './own-messages';

const Details = Type.Object({
  toolCallId: Type.String(),
  how: Type.Union([
    Type.Literal('exited'),
    Type.Literal('stopped'),
    Type.Literal('left'),
    Type.Literal('timeout'),
    Type.Literal('failed'),
  ]),
  exitCode: Type.Optional(Type.Number()),
  outputPath: Type.Optional(Type.String()),
});

/** How such a command ended, as the session records it. `left`: with its conversation. */
export type RecordedCommandEnd = Readonly<Static<typeof Details>>;

/** How a command ended that ran on, and whether its conversation ended it. */
export type LateEnd = KeptCommandEnd & { readonly isLeft: boolean };

/**
 * How the session records the end of a command that ran on, and how the model reads of it. It has none of the output, because
 * `tool_result` handlers saw the result of the call already: the model reads the file with a tool, whose result they see.
 */
export function commandEndMessage(toolCallId: string, end: LateEnd): CustomMessageDraft {
  const place = end.outputPlace === undefined ? '' : ` ${end.outputPlace}`;
  return {
    customType: COMMAND_END,
    content: `The command that ran on with the id ${toolCallId} ${inWords(end)}.${place}`,
    display: true,
    details: recordOfEnd(toolCallId, end),
  };
}

/** The end, as the session records it. */
export function recordOfEnd(toolCallId: string, end: LateEnd): RecordedCommandEnd {
  const how = end.how === 'stopped' && end.isLeft ? 'left' : end.how;
  const exitCode = end.how === 'exited' && end.exitCode !== null ? end.exitCode : undefined;
  return { toolCallId, how, ...defined({ exitCode, outputPath: end.outputPath }) };
}

function inWords(end: LateEnd): string {
  switch (end.how) {
    case 'exited':
      return end.exitCode === null ? 'has ended' : `has ended with exit code ${end.exitCode}`;
    case 'stopped':
      return end.isLeft ? 'was ended, because its conversation was closed' : 'was stopped by the user';
    case 'timeout':
      return `was ended by its timeout of ${end.seconds} seconds`;
    case 'failed':
      return `failed: ${end.message}`;
  }
}

/** The recorded end; undefined when the message is none of ours. */
export function recordedCommandEnd({
  customType,
  details,
}: Pick<CustomMessage, 'customType' | 'details'>): RecordedCommandEnd | undefined {
  if (customType !== COMMAND_END) return undefined;
  const read = parse(Details, details);
  return read.ok ? read.value : undefined;
}

/** Whether the details of a result say that the command of its call ran on. */
export function wasLetGo(details: unknown): boolean {
  return isRecord(details) && details['stillRunning'] === true;
}
