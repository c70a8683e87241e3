import { parseTree, type ParseError } from 'jsonc-parser';
import { defined } from '../../base/defined';
import { readCountedText } from '../../base/files/counted-text';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import type { Json } from '../../base/json/json';
import { placeInJson } from '../../base/json/json-place';
import { parseJson } from '../../base/json/parse-json';
import { hideLikelySecrets, redact } from '../../base/text/redact';
import type { Problem } from '../../base/result';
import { keepFitting, type Misfit } from '../../base/json/schema';
import { SettingsContent } from './setting-keys';

/** The last good content of each settings file, by its path. The caller keeps it from one reading to the next. */
export type SettingsMemory = Map<string, SettingsContent>;

/**
 * The content of a settings.json, with today's names. A file that cannot be read is a problem, and so is each wrong value, with
 * its file, line and key; the other values count. With a memory, the last good value replaces a wrong one, so that a half-written
 * file does not unload the hooks that it names.
 */
export async function readSettingsFile(
  file: string,
  problems: Problem[],
  memory: SettingsMemory = new Map(),
): Promise<SettingsContent> {
  const before = memory.get(file);
  const cannot = (message: string, line?: number): SettingsContent => {
    const rest = before === undefined ? '' : ' Until they can, the last valid settings stay in effect.';
    problems.push({ file, ...defined({ line }), message: `${message}${rest}` });
    return before ?? {};
  };
  let text: string;
  try {
    text = withoutMark(await readCountedText(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return cannot(`Settings cannot be read: ${messageOf(error)}`);
    }
    memory.delete(file);
    return {};
  }
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    return cannot(`Settings cannot be read: ${messageOf(error)}`, brokenLine(text));
  }
  if (!isRecord(parsed)) return cannot('Settings must be a JSON object.', 1);
  const { value = {}, misfits } = keepFitting(SettingsContent, parsed);
  for (const misfit of misfits) {
    const line = placeInJson(text, misfit.path).line + 1;
    problems.push({ file, line, message: complaint(misfit) });
  }
  const kept = before === undefined ? value : misfits.reduce((now, { path }) => withPart(now, path, before), value);
  memory.set(file, kept);
  return inTodaysWords(kept);
}

/** Longer texts are not quoted in complaints, in characters. */
const LONGEST_QUOTED = 20;

function complaint({ path, given, expected }: Misfit): string {
  // The value comes from JSON. It may be a secret key in a wrong place.
  const kept = redact(given as Json);
  const short = (_name: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > LONGEST_QUOTED ? '…' : value;
  const shown = hideLikelySecrets(JSON.stringify(kept, short));
  const value = shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
  return `Setting "${path.join('.')}": ${value} is not used; it must be ${expected}.`;
}

/** The value with what `before` says at a path of members; a path into a list changes nothing. */
function withPart(value: SettingsContent, path: Misfit['path'], before: SettingsContent): SettingsContent {
  const place = (now: unknown, then: unknown, [key, ...rest]: Misfit['path']): unknown => {
    if (key === undefined) return then;
    if (typeof key === 'number' || !isRecord(then) || then[key] === undefined) return now;
    const members = isRecord(now) ? now : {};
    return { ...members, [key]: place(members[key], then[key], rest) };
  };
  return place(value, before, path) as SettingsContent;
}

/** Reads older names as pi does: for each file, and only if it does not contain the new name. */
function inTodaysWords(content: SettingsContent): SettingsContent {
  const { queueMode, websockets, retry, skills } = content;
  const maxRetryDelayMs = retry?.provider?.maxRetryDelayMs ?? retry?.maxDelayMs;
  const commands = Array.isArray(skills) ? undefined : skills?.enableSkillCommands;
  return {
    ...defined({ steeringMode: queueMode }),
    ...(websockets === undefined ? {} : { transport: websockets ? 'websocket' : 'sse' }),
    ...defined({ enableSkillCommands: commands }),
    ...content,
    ...(maxRetryDelayMs === undefined
      ? {}
      : { retry: { ...retry, provider: { ...retry?.provider, maxRetryDelayMs } } }),
  };
}

/** 1-based line of the first place that is not JSON. */
function brokenLine(text: string): number {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  return text.slice(0, errors[0]?.offset ?? 0).split('\n').length;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
