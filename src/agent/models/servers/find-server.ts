import { Type } from '@sinclair/typebox';
import { isRecord } from '../../../base/json/is-record';
import { parse } from '../../../base/json/schema';
import type { ModelEntry } from '../files/models-schema';
import { listable, SERVER_KINDS, type ServerKind, type ServerKindId } from './server-kinds';
import { askServer, type ServerFailure, type ServerQuestion } from './server-request';

/** A server of models that answered. */
export interface FoundServer {
  readonly type: 'found';
  readonly kind: ServerKindId;
  /** For people. */
  readonly name: string;
  /** Where its API of OpenAI is; the address of its models. */
  readonly baseUrl: string;
  readonly models: readonly ModelEntry[];
}

/** `address`: where it was asked. */
export type MissingServer = ServerFailure & { readonly address: string };

type HowToAsk = Pick<ServerQuestion, 'key' | 'limitMs' | 'signal'>;

/** Most models of Ollama that are asked for what they can do. */
const MOST_DETAILS = 40;
const OllamaDetails = Type.Object({
  capabilities: Type.Optional(Type.Array(Type.String())),
  model_info: Type.Optional(Type.Unknown()),
});

/**
 * Looks for a server of one of these kinds at an address, whose path may end with `/v1`; its first kind in their order counts.
 * Without one, the result says why, of the last kind. Never rejects.
 */
export async function findServer(
  address: string,
  how: HowToAsk,
  kinds: readonly ServerKind[] = SERVER_KINDS,
): Promise<FoundServer | MissingServer> {
  const base = address.replace(/\/+$/, '').replace(/\/v1$/, '');
  const paths = [...new Set(kinds.map(({ path }) => path))];
  const answers = new Map(
    await Promise.all(paths.map(async path => [path, await askServer({ ...how, address: base + path })] as const)),
  );
  for (const kind of kinds) {
    const { id, name } = kind;
    const answer = answers.get(kind.path);
    const models = answer?.type === 'json' ? kind.read(answer.body) : undefined;
    if (models === undefined) continue;
    const shown = id === 'ollama' ? await withDetails(base, models, how) : models;
    return { type: 'found', kind: id, name, baseUrl: `${base}/v1`, models: listable(shown) };
  }
  const asked = base + (paths.at(-1) ?? '');
  const last = answers.get(paths.at(-1) ?? '');
  if (last?.type === 'failed') return { ...last, address: asked };
  return { type: 'failed', why: 'other', detail: 'the answer is no list of models', address: asked };
}

/** Without those that cannot chat. What a model cannot say of itself is left as it was. */
async function withDetails(base: string, models: readonly ModelEntry[], how: HowToAsk): Promise<readonly ModelEntry[]> {
  const detailed = models.slice(0, MOST_DETAILS).map(async model => {
    const answer = await askServer({ ...how, address: `${base}/api/show`, body: { model: model.id } });
    const details = answer.type === 'json' ? parse(OllamaDetails, answer.body) : undefined;
    if (details?.ok !== true) return [model];
    const { capabilities: can, model_info: info } = details.value;
    if (can !== undefined && !can.includes('completion')) return [];
    const contextWindow = contextIn(info);
    return [
      {
        ...model,
        ...(can?.includes('vision') === true ? { input: ['text' as const, 'image' as const] } : {}),
        ...(can?.includes('thinking') === true ? { reasoning: true } : {}),
        ...(contextWindow === undefined ? {} : { contextWindow }),
      },
    ];
  });
  return [...(await Promise.all(detailed)).flat(), ...models.slice(MOST_DETAILS)];
}

function contextIn(info: unknown): number | undefined {
  const found = Object.entries(isRecord(info) ? info : {}).find(([name]) => name.endsWith('.context_length'));
  const value = found?.[1];
  return typeof value === 'number' && value > 0 ? Math.floor(value) : undefined;
}
