import type { Api, Model } from '@mariozechner/pi-ai';
import { Type, type Static } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { hideSecrets } from '../../../base/text/redact';
import { parse } from '../../../base/json/schema';
import type { RequestAuth } from '../requests/stream';
import { anySignal } from '../../../base/async/wait';

/** A model in a provider's list. */
export interface OfferedModel {
  readonly id: string;
  readonly name?: string;
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxTokens?: number;
}

/** Most pages of a list of models that are requested. */
const MAX_PAGES = 10;
const TIMEOUT_MS = 15_000;

const OpenAiPage = Type.Object({ data: Type.Array(Type.Object({ id: Type.String() })) });
const AnthropicPage = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String(), display_name: Type.Optional(Type.String()) })),
  has_more: Type.Optional(Type.Boolean()),
  last_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const GooglePage = Type.Object({
  models: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        displayName: Type.Optional(Type.String()),
        inputTokenLimit: Type.Optional(Type.Number()),
        outputTokenLimit: Type.Optional(Type.Number()),
        supportedGenerationMethods: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  ),
  nextPageToken: Type.Optional(Type.String()),
});

interface Page {
  readonly models: readonly OfferedModel[];
  /** Query of the next page; undefined: this was the last one. */
  readonly next: string | undefined;
}

/** How to request the list of models from one family of providers. */
interface ListEndpoint {
  /** Is added to the address of the model. */
  readonly path: string;
  /** Query of the first page. */
  readonly query: string;
  headers(apiKey: string): Readonly<Record<string, string>>;
  /** @throws Error when this is no such list */
  read(body: unknown): Page;
}

const OPENAI: ListEndpoint = {
  path: '/models',
  query: '',
  headers: apiKey => ({ Authorization: `Bearer ${apiKey}` }),
  read: body => ({ models: checked(OpenAiPage, body).data.map(({ id }) => ({ id })), next: undefined }),
};

const ANTHROPIC: ListEndpoint = {
  path: '/v1/models',
  query: '?limit=1000',
  headers: apiKey => ({
    'anthropic-version': '2023-06-01',
    // A token of a login is not a key and is sent as a bearer token.
    ...(apiKey.includes('sk-ant-oat')
      ? { Authorization: `Bearer ${apiKey}`, 'anthropic-beta': 'oauth-2025-04-20' }
      : { 'x-api-key': apiKey }),
  }),
  read: body => {
    const { data, has_more: hasMore, last_id: last } = checked(AnthropicPage, body);
    return {
      models: data.map(({ id, display_name: name }) => ({ id, ...defined({ name }) })),
      next: hasMore === true && last != null ? `?limit=1000&after_id=${encodeURIComponent(last)}` : undefined,
    };
  },
};

const GOOGLE: ListEndpoint = {
  path: '/models',
  query: '?pageSize=1000',
  headers: apiKey => ({ 'x-goog-api-key': apiKey }),
  read: body => {
    const { models = [], nextPageToken: token = '' } = checked(GooglePage, body);
    const talking = models.filter(({ supportedGenerationMethods: can }) => can?.includes('generateContent') ?? true);
    return {
      models: talking.map(({ name, displayName, inputTokenLimit, outputTokenLimit }) => ({
        id: name.replace(/^models\//, ''),
        ...defined({ name: displayName, contextWindow: inputTokenLimit, maxTokens: outputTokenLimit }),
      })),
      next: token === '' ? undefined : `?pageSize=1000&pageToken=${encodeURIComponent(token)}`,
    };
  },
};

const ENDPOINTS: Readonly<Record<string, ListEndpoint>> = {
  'openai-completions': OPENAI,
  'openai-responses': OPENAI,
  'mistral-conversations': { ...OPENAI, path: '/v1/models' },
  'anthropic-messages': ANTHROPIC,
  'google-generative-ai': GOOGLE,
};

/** Whether providers of an API can be asked which models they offer. */
export function canListModels({ api }: Pick<Model<Api>, 'api'>): boolean {
  return Object.hasOwn(ENDPOINTS, api);
}

/**
 * Asks the provider of a model which ones it offers now, with the user's key and for a limited time (docs/models.md).
 * @throws Error for people, naming the provider
 */
export async function fetchOfferedModels(
  { provider, api, baseUrl, headers }: Model<Api>,
  auth: RequestAuth,
  signal?: AbortSignal,
): Promise<readonly OfferedModel[]> {
  const endpoint = ENDPOINTS[api];
  if (endpoint === undefined) throw new Error(`Provider "${provider}" cannot be asked for its models.`);
  const address = `${(auth.baseUrl ?? baseUrl).replace(/\/+$/, '')}${endpoint.path}`;
  const sent = withoutNull({ ...endpoint.headers(auth.apiKey ?? ''), ...headers, ...auth.headers });
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const found: OfferedModel[] = [];
  try {
    let query: string | undefined = endpoint.query;
    for (let page = 0; query !== undefined && page < MAX_PAGES; page += 1) {
      const response = await fetch(address + query, { headers: sent, signal: anySignal(timeout, signal) });
      if (!response.ok) throw new Error(`${response.status} ${(await response.text()).trim().slice(0, 300)}`.trim());
      const { models, next } = endpoint.read(await response.json());
      found.push(...models);
      query = next;
    }
    return found;
  } catch (error) {
    const why = timeout.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : messageOf(error);
    const text = `Provider "${provider}" did not list its models at ${address}: ${why}`;
    throw new Error(hideSecrets(text, [auth.apiKey]), { cause: error });
  }
}

function checked<T extends typeof OpenAiPage | typeof AnthropicPage | typeof GooglePage>(
  schema: T,
  body: unknown,
): Static<T> {
  const result = parse(schema, body);
  if (!result.ok) throw new Error(`the answer is not a list of models (${result.problems[0]?.message ?? ''})`);
  return result.value;
}

function withoutNull(headers: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(kept);
}
