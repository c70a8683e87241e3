import { basename, dirname } from 'node:path';
import { placeInJson } from '../../base/json/json-place';
import { JsonText } from './json-text';
import type { AgentId } from '../protocol/agent-call';

/** A part of an agent's configuration that keeps it from calling hooks. */
export interface SwitchOff {
  readonly agent: AgentId;
  /** Path of the file, as it was given. */
  readonly file: string;
  /** 0-based. */
  readonly line: number;
  /** 0-based. */
  readonly column: number;
  /** Of what is written there. */
  readonly length: number;
  /** The setting, as it is written: `disableAllHooks`. */
  readonly setting: string;
}

/** What in a file with this path and text turns the hooks of an agent off; empty for every other file. */
export function switchesOff(path: string, text: string): readonly SwitchOff[] {
  const [folder, name] = [basename(dirname(path)), basename(path)];
  if (folder === '.claude' && /^settings(\.local)?\.json$/.test(name)) return inClaudeSettings(path, text);
  return [];
}

function inClaudeSettings(file: string, text: string): readonly SwitchOff[] {
  try {
    if (JsonText.parse(text).value(['disableAllHooks']) !== true) return [];
  } catch {
    return []; // The agent reads nothing of it, either.
  }
  const setting = 'disableAllHooks';
  return [{ agent: 'claude', file, ...placeInJson(text, [setting]), setting }];
}
