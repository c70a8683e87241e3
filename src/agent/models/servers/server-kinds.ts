import { Type, type TSchema, type Static } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import { parse } from '../../../base/json/schema';
import type { ModelEntry } from '../files/models-schema';

/** The programs that Hookline knows by what they answer, and any other that lists its models as OpenAI does. */
export type ServerKindId = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'openai';

/** How one kind of server lists its models. */
export interface ServerKind {
  readonly id: ServerKindId;
  /** For people. */
  readonly name: string;
  /** Path of the list below the origin of the server. */
  readonly path: string;
  /** The models that can chat; undefined when the answer is not of such a server. */
  read(body: unknown): readonly ModelEntry[] | undefined;
}

/** Most models of a server that are listed. */
const MOST_MODELS = 500;
const LONGEST_ID = 300;

const Count = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const OllamaList = Type.Object({ models: Type.Array(Type.Object({ name: Type.String(), model: Type.String() })) });
const LmStudioList = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      max_context_length: Count,
      loaded_context_length: Count,
    }),
  ),
});
const OpenAiList = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      owned_by: Type.Optional(Type.Unknown()),
      max_model_len: Count,
      meta: Type.Optional(Type.Unknown()),
    }),
  ),
});
const LlamaMeta = Type.Object({ n_ctx: Count, n_ctx_train: Count });

/** Most distinctive first: each has a list as OpenAI's, too. */
export const SERVER_KINDS: readonly ServerKind[] = [
  {
    id: 'ollama',
    name: 'Ollama',
    path: '/api/tags',
    read: body => read(OllamaList, body)?.models.flatMap(({ name }) => entryOf(name)),
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    path: '/api/v0/models',
    read: body =>
      read(LmStudioList, body)?.data.flatMap(({ id, type, ...size }) =>
        type === 'llm' || type === 'vlm'
          ? entryOf(id, size.loaded_context_length ?? size.max_context_length, type === 'vlm')
          : [],
      ),
  },
  { id: 'llamacpp', name: 'llama.cpp', path: '/v1/models', read: body => ownedBy('llamacpp', body) },
  { id: 'vllm', name: 'vLLM', path: '/v1/models', read: body => ownedBy('vllm', body) },
  { id: 'openai', name: 'OpenAI-compatible', path: '/v1/models', read: body => ownedBy(undefined, body) },
];

function ownedBy(owner: string | undefined, body: unknown): readonly ModelEntry[] | undefined {
  const list = read(OpenAiList, body)?.data;
  if (list === undefined) return undefined;
  if (owner !== undefined && !(list.length > 0 && list.every(model => model.owned_by === owner))) return undefined;
  return list.flatMap(({ id, max_model_len: longest, meta }) => {
    const { n_ctx: size, n_ctx_train: trained } = read(LlamaMeta, meta) ?? {};
    return entryOf(id, longest ?? size ?? trained);
  });
}

function entryOf(id: string, contextWindow?: number | null, seesImages = false): ModelEntry[] {
  // What a server sends is shown as it is: no spaces, nothing that is invisible, and no icon of VS Code.
  if (id.length > LONGEST_ID || !/^[^\s\p{C}]+$/u.test(id) || id.includes('$(')) return [];
  const window = typeof contextWindow === 'number' && contextWindow > 0 ? Math.floor(contextWindow) : undefined;
  return [{ id, ...defined({ contextWindow: window }), ...(seesImages ? { input: ['text', 'image'] } : {}) }];
}

function read<S extends TSchema>(schema: S, body: unknown): Static<S> | undefined {
  const result = parse(schema, body);
  return result.ok ? result.value : undefined;
}

/** No more than a list can show, each once. */
export function listable(models: readonly ModelEntry[]): readonly ModelEntry[] {
  return [...new Map(models.map(model => [model.id, model])).values()].slice(0, MOST_MODELS);
}
