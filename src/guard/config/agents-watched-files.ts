import { basename, join } from 'node:path';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { parseObject } from '../../base/json/parse-object';
import { onDisk, type WatchedFile, type WatchedPart } from '../../gate/held-changes/watched-file';
import { AGENT_IDS, type AgentId } from '../protocol/agent-call';
import { guardPlace } from '../protocol/place';
import { agentFolder, filesOfGuard } from './agent-files';
import type { Machine } from './this-machine';
import { setupOf } from './agents';
import { codexConfigFile, codexHooksFile } from './codex/codex-files';
import type { GuardFormat } from './formats/guard-format';
import { jsonFormat } from './formats/json-format';
import { JsonText } from './formats/json-text';
import { switchesOf } from './switched-off';
import { readToml } from './formats/toml-text';

/** Where {@link agentsWatchedFiles} are. */
export interface AgentsPlace {
  /** Absolute. */
  readonly stateDir: string;
  /** The folder that agents work in, absolute. */
  readonly cwd: string;
  readonly machine: Machine;
}

/**
 * The files by which other agents call our hooks: the client and what it starts, and while an agent is guarded, our entries in
 * the user's configuration of it, and the settings of the user and the project that turn its hooks off. A change by an agent is
 * undone, since agents read them from disk.
 */
export function agentsWatchedFiles({ stateDir, cwd, machine }: AgentsPlace): readonly WatchedFile[] {
  const { client, nodeClient, toolServer, nodeToolServer, program, guarded } = guardPlace(stateDir);
  const codexConfig = whileGuarded('codex', guarded, codexPart(codexHooksFile(machine).file));
  return [
    ...[client, nodeClient, toolServer, nodeToolServer, program, guarded].map(path =>
      ofUser(path, `guard/${basename(path)}`),
    ),
    ...AGENT_IDS.flatMap(id => {
      const files = filesOfGuard(id, 'user', machine);
      const own = files.map(({ file, format, mode }) => ({
        ...ofUser(file, undefined, whileGuarded(id, guarded, format.isWhole ? WHOLE : hooksPart(id, format))),
        ...defined({ mode }),
      }));
      if (id === 'codex') return own; // Its settings are no JSON: see below.
      const { folder, settings, variables = [] } = setupOf(id);
      const part = whileGuarded(id, guarded, hooksPart(id, jsonFormat()));
      const switches = whileGuarded(id, guarded, variablesPart(id));
      const inFolder = [
        ...settings.map(name => ({ name, part })),
        ...variables.map(name => ({ name, part: switches })),
      ].map(each => ({ ...each, path: join(agentFolder(id, machine), each.name) }));
      return [
        ...own,
        ...inFolder
          .filter(({ path }) => files.every(({ file }) => file !== path))
          .map(each => ofUser(each.path, undefined, each.part)),
        ...inFolder.map(each => ofProject(cwd, `${folder.name}/${each.name}`, each.part)),
      ];
    }),
    ofUser(codexConfigFile(machine), undefined, codexConfig),
    ofProject(cwd, '.codex/config.toml', codexConfig),
  ];
}

function ofUser(path: string, name = path, part?: WatchedPart): WatchedFile {
  return { path, place: 'user', name, ...(part === undefined ? {} : { part }), isForOthers: true };
}

function ofProject(cwd: string, name: string, part: WatchedPart): WatchedFile {
  return { path: join(cwd, name), place: 'folder', name, part, isForOthers: true };
}

/** A part of a file that is watched only while an agent is guarded; `list`: the file that says which are, absolute. */
function whileGuarded(id: AgentId, list: string, part: WatchedPart): WatchedPart {
  return { ...part, of: text => (isGuarded(id, list) ? part.of(text) : '') };
}

/** As the file is on disk: what changes of it in a call is undone, too. In one that cannot be read, all are. */
function isGuarded(id: AgentId, list: string): boolean {
  const disk = onDisk(list);
  const guarded = disk.type === 'text' ? parseObject(disk.text) : undefined;
  return disk.type !== 'missing' && (guarded === undefined || guarded[id] !== undefined);
}

/** Of a file that is ours: a change is undone by what it said before. */
const WHOLE: WatchedPart = { of: text => text, without: text => text };

/** What a file says about our hooks. */
interface HooksPart {
  /** Our entries. Codex knows the ones that it trusts by their places. */
  readonly entries: readonly { readonly event: string; readonly value: unknown; readonly place?: string }[];
  readonly off: readonly string[];
}

/** Our entries, and the switches that turn hooks off, in a JSON file of an agent. */
function hooksPart(agent: AgentId, format: GuardFormat): WatchedPart {
  const read = (text: string): HooksPart => ({
    entries: format.own(text).map(({ event, value, group, handler }) => {
      return { event, value, ...(agent === 'codex' ? { place: `${group}:${handler}` } : {}) };
    }),
    off: switchesOf(agent, '', text).map(({ setting }) => setting),
  });
  return {
    of(text) {
      try {
        const { entries, off } = read(text);
        return partText(entries, off);
      } catch {
        return ''; // The agent cannot read it, either: it calls none of our hooks.
      }
    },
    without(text, approved) {
      const { entries, off } = approved === '' ? NOTHING : (JSON.parse(approved) as HooksPart);
      try {
        const added = format.add(
          text,
          entries.flatMap(({ event, value }) => (isRecord(value) ? [{ event, group: value }] : [])),
        );
        const switches = switchesOf(agent, '', added).filter(({ setting }) => !off.includes(setting));
        if (switches.length === 0) return added;
        return switches.reduce((json, { path }) => json.remove(path), JsonText.parse(added)).text;
      } catch {
        return text;
      }
    },
  };
}

/** The switches that turn hooks off, in a file of variables of an agent, which may also have keys. */
function variablesPart(agent: AgentId): WatchedPart {
  const settingsIn = (text: string): readonly string[] => switchesOf(agent, '', text).map(({ setting }) => setting);
  return {
    of: text => partText([], settingsIn(text)),
    without(text, approved) {
      const { off } = approved === '' ? NOTHING : (JSON.parse(approved) as HooksPart);
      const added = switchesOf(agent, '', text).filter(({ setting }) => !off.includes(setting));
      const lines = new Set(added.map(({ line }) => line));
      return text
        .split('\n')
        .filter((_, line) => !lines.has(line))
        .join('\n');
    },
    needsNoBase: true,
  };
}

const NOTHING: HooksPart = { entries: [], off: [] };

/** What turns hooks off in Codex's config.toml, and what it trusts in `hooksFile`, given by its absolute path. */
function codexPart(hooksFile: string): WatchedPart {
  return {
    of(text) {
      try {
        const trust = readToml(text)
          .flatMap(({ values }) => values)
          .filter(({ path: [table, state, key = ''] }) => {
            return table === 'hooks' && state === 'state' && key.startsWith(`${hooksFile}:`);
          })
          .map(({ path, value }) => ({ event: path.slice(2).join(' '), value }));
        return partText(
          trust,
          switchesOf('codex', '', text).map(({ setting }) => setting),
        );
      } catch {
        return '';
      }
    },
    // What it said before is put back as a whole.
    without: text => text,
  };
}

/** The same text for the same members, in whichever order they are written. */
function partText(entries: HooksPart['entries'], off: HooksPart['off']): string {
  if (entries.length + off.length === 0) return '';
  const ordered = [...entries].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return JSON.stringify({ entries: ordered, off: [...off].sort() } satisfies HooksPart, null, 2);
}
