import { join } from 'node:path';
import { isRecord } from '../base/json/is-record';
import { parseJson } from '../base/json/parse-json';
import { RULES_FILE } from '../gate/rules/rule-store';
import { ApprovalStore } from '../gate/approval-store/approval-store';
import { HeldFiles, type HeldFilesParts } from '../gate/held-changes/held-files';
import type { WatchedFile, WatchedPart } from '../gate/held-changes/watched-file';

/** Where the watched files are. All paths are absolute. */
export interface WatchedPlace {
  readonly stateDir: string;
  readonly agentDir: string;
  readonly cwd: string;
}

interface WithAgents {
  /** The files of other agents and of their guard. */
  readonly ofAgents: readonly WatchedFile[];
}

/**
 * Watches the files of approval rules, trust, settings, MCP servers, models and logins of a folder and of the user. The rest is
 * as in `HeldFilesParts`; what this process writes counts at once when `mayDecide` is absent.
 */
export function watchFiles(
  place: WatchedPlace,
  {
    mayDecide = () => true,
    ofAgents,
    ...parts
  }: Pick<HeldFilesParts, 'writes' | 'log'> & Partial<Pick<HeldFilesParts, 'mayDecide'>> & WithAgents,
): HeldFiles {
  const store = new ApprovalStore(place);
  return new HeldFiles({ store, files: [...watchedFiles(place), ...ofAgents], mayDecide, ...parts });
}

function watchedFiles({ agentDir, cwd }: WatchedPlace): readonly WatchedFile[] {
  const names = [RULES_FILE, 'trust.json', 'settings.json', 'mcp.json', 'models.json'];
  return [
    ...names.map(name => ({ path: join(agentDir, name), place: 'user' as const, name })),
    { path: join(agentDir, 'auth.json'), place: 'user', name: 'auth.json', part: PROGRAMS },
    ...['settings.json', 'mcp.json'].map(name => {
      return { path: join(cwd, '.pi', name), place: 'folder' as const, name: `.pi/${name}` };
    }),
  ];
}

/**
 * The logins of `auth.json` that name a program (`!command`). Keys and tokens count at once: programs renew them at any
 * time, and they run nothing.
 */
const PROGRAMS: WatchedPart = {
  of: text =>
    JSON.stringify(
      Object.entries(loginsIn(text) ?? {}).filter(([, login]) => namesProgram(login)),
      null,
      2,
    ),
  without(text, approved) {
    const logins = loginsIn(text);
    if (logins === undefined) return text;
    const allowed = new Set(
      (approved === '' ? [] : (JSON.parse(approved) as unknown[])).map(each => JSON.stringify(each)),
    );
    const counted = Object.entries(logins).filter(
      entry => !namesProgram(entry[1]) || allowed.has(JSON.stringify(entry)),
    );
    return `${JSON.stringify(Object.fromEntries(counted), null, 2)}\n`;
  },
};

/** The logins by provider; undefined for a text that is no JSON object, of which no login is used. */
function loginsIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJson(text.replace(/^\uFEFF/, ''));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function namesProgram(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('!');
  return typeof value === 'object' && value !== null && Object.values(value).some(namesProgram);
}
