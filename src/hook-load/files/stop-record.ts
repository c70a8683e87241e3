import { Type, type Static } from '@sinclair/typebox';
import { KnownProcessSchema } from '../../base/ending/known-process';

const Text = Type.String();

export const StopSchema = Type.Object({
  version: Type.Literal(1),
  /** Absolute path of the hook's entry. */
  hook: Text,
  /** The hook's own files as they ran. */
  sources: Type.Array(Type.Object({ path: Text, hash: Text })),
  /** Whether it handles `tool_call`, as far as was known. */
  gatesTools: Type.Boolean(),
  /** `stalled`: it let nothing else run; `ended`: it ended the process; `broke`: the process failed on what it replaced. */
  why: Type.Union([Type.Literal('stalled'), Type.Literal('ended'), Type.Literal('broke')]),
  /** For `stalled`: how long, ms. */
  ms: Type.Optional(Type.Number()),
  /** For `broke`: the functions that it replaced or deleted. */
  replaced: Type.Optional(Type.Array(Text)),
  event: Type.Optional(Text),
  /** Where, when known: an absolute path and a 1-based line. */
  file: Type.Optional(Text),
  line: Type.Optional(Type.Number()),
  process: KnownProcessSchema,
});

/** The record of a hook that stopped a process. */
export type StopRecord = Readonly<Static<typeof StopSchema>>;

/** What became of the process, and where, for people and for models. */
export function stopText({ why, ms = 0, replaced = [], event, file, line }: StopRecord): string {
  const where = `${event === undefined ? '' : ` in ${event}`}${file === undefined ? '' : ` at ${file}:${line ?? 0}`}`;
  switch (why) {
    case 'stalled':
      return `Stopped: it let nothing else run for ${Math.round(ms / 1_000)} s${where}, until the process was ended.`;
    case 'ended':
      return `Stopped: it ended the process${where}.`;
    case 'broke':
      return `Stopped: it replaced ${replaced.join(', ')}${where}, and the process failed.`;
  }
}
