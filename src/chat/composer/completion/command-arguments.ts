import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { singleLine } from '../../../base/text/single-line';
import { resolveToCwd } from '../../../agent/tools/files/paths';
import type { Completion } from '../../../protocol/composer/composer';
import type { RunStatus } from '../../../protocol/messages';
import type { BuiltInCommandName } from '../../../startup/built-in-commands';
import type { ConversationPorts } from '../../../session/ports/ports';
import type { ChatNeighbours } from '../../editor/chat-neighbours';
import type { ModelChoice } from '../../../session/models/model-choice';
import { sessionName } from '../named-session';
import { fuzzyScore } from './mentions';

export interface CommandArgumentsParts {
  readonly ports: Pick<ConversationPorts, 'models' | 'cwd'> & {
    readonly neighbours?: Pick<ChatNeighbours, 'sessions'>;
  };
  readonly models: Pick<ModelChoice, 'scope'>;
  readonly status: { readonly current: Pick<RunStatus, 'thinkingLevels'> };
}

type Offer = (parts: CommandArgumentsParts) => readonly Completion[] | Promise<readonly Completion[]>;

/** Most lines that are offered at once. */
const MOST_OFFERED = 40;

const OFFERS: { readonly [Name in BuiltInCommandName]?: Offer } = {
  model: ({ ports, models }) => {
    const scope = models.scope.models.map(({ model }) => model);
    const offered = scope.length > 0 ? scope : ports.models.getAvailable();
    return offered.map(({ provider, id, name }) => argument(`${provider}/${id}`, name));
  },
  thinking: ({ status }) => status.current.thinkingLevels.map(level => argument(level)),
  login: ({ ports }) => ports.models.authStorage.getOAuthProviders().map(({ id, name }) => argument(id, name)),
  logout: ({ ports }) => {
    const { authStorage } = ports.models;
    const names = new Map(authStorage.getOAuthProviders().map(({ id, name }) => [id, name]));
    const loggedIn = authStorage.list().filter(id => authStorage.get(id)?.type === 'oauth');
    return loggedIn.map(id => argument(id, names.get(id)));
  },
  resume: async ({ ports }) =>
    ((await ports.neighbours?.sessions()) ?? []).map(session => {
      const { firstText, id, name } = session;
      const words = singleLine(firstText).slice(0, 100);
      return argument(sessionName(session), name === undefined ? words : id.slice(0, 8));
    }),
};

/** What could follow the name of one of Hookline's own commands, likeliest first. */
export async function commandArguments(
  name: BuiltInCommandName,
  typed: string,
  parts: CommandArgumentsParts,
): Promise<readonly Completion[]> {
  if (name === 'import') return sessionFiles(typed, parts.ports.cwd);
  const offered = (await OFFERS[name]?.(parts)) ?? [];
  return offered
    .map(item => ({ item, score: fuzzyScore(typed, `${item.insert} ${item.detail}`) ?? -1 }))
    .filter(({ score }) => typed.trim() === '' || score >= 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_OFFERED)
    .map(({ item }) => item);
}

function argument(insert: string, detail = ''): Completion {
  return { kind: 'argument', label: insert, detail, insert };
}

/** Session files and folders where the typed path leads, whose names begin as it ends. */
async function sessionFiles(typed: string, cwd: string): Promise<readonly Completion[]> {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const entries = await readdir(resolveToCwd(folder === '' ? '.' : folder, cwd), { withFileTypes: true }).catch(
    (): Dirent[] => [], // What was typed leads nowhere yet.
  );
  const begun = typed.slice(folder.length).toLowerCase();
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(begun) && (begun !== '' || !name.startsWith('.')))
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap((entry): readonly Completion[] => {
      const insert = `${folder}${entry.name}`;
      if (entry.isDirectory()) {
        return [{ kind: 'folder', label: `${entry.name}/`, detail: folder, insert: `${insert}/` }];
      }
      if (!entry.isFile() || !entry.name.endsWith('.jsonl')) return [];
      return [{ kind: 'file', label: entry.name, detail: folder, insert }];
    })
    .slice(0, MOST_OFFERED);
}
