import { isRecord } from '../../base/json/is-record';
import { placeInJson } from '../../base/json/json-place';
import { slashed } from '../../base/files/slashed';
import type { AgentId } from '../protocol/agent-call';
import { JsonText } from './formats/json-text';
import { readToml } from './formats/toml-text';

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

/**
 * What in a file with this path and text turns the hooks of an agent off, wherever its folder `.claude` or `.codex` is; empty
 * for every other file and text.
 */
export function switchesOff(path: string, text: string): readonly SwitchOff[] {
  if (/(?:^|\/)\.claude\/settings(?:\.local)?\.json$/.test(slashed(path))) return switchesOf('claude', path, text);
  // A profile is `<name>.config.toml`.
  if (/(?:^|\/)\.codex\/(?:[^/]+\.)?config\.toml$/.test(slashed(path))) return switchesOf('codex', path, text);
  return [];
}

/** What in the text of a settings file of an agent turns its hooks off. */
export function switchesOf(agent: AgentId, file: string, text: string): readonly SwitchOff[] {
  try {
    if (agent === 'claude') return inClaudeSettings(file, text);
    return agent === 'codex' ? inCodexConfig(file, text) : [];
  } catch {
    return []; // The agent cannot read it, either.
  }
}

function inClaudeSettings(file: string, text: string): readonly SwitchOff[] {
  const json = JsonText.parse(text);
  const env = json.value(['env']);
  const variables = isRecord(env) ? Object.keys(env).filter(name => FOREIGN_CODE.has(name)) : [];
  const paths = [
    ...(json.value(['disableAllHooks']) === true ? [['disableAllHooks']] : []),
    ...variables.map(name => ['env', name]),
  ];
  return paths.map(path => ({ agent: 'claude', file, ...placeInJson(text, path), setting: path.join('.') }));
}

/** Variables by which a repository gets other code into every program that the agent starts, our client too. */
const FOREIGN_CODE = new Set(['LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'SHELLOPTS']);

function inCodexConfig(file: string, text: string): readonly SwitchOff[] {
  return readToml(text)
    .flatMap(({ values }) => values)
    .filter(({ path: [table, name = '', below], value }) => {
      return table === 'features' && below === undefined && CODEX_FEATURES.has(name) && value === false;
    })
    .map(({ path, offset, length }) => {
      const before = text.slice(0, offset).split('\n');
      const place = { line: before.length - 1, column: before.at(-1)?.length ?? 0, length };
      return { agent: 'codex', file, ...place, setting: `${path.join('.')} = false` };
    });
}

/** The feature's name, and its older one. */
const CODEX_FEATURES = new Set(['hooks', 'codex_hooks']);
