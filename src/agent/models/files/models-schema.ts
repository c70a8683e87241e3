import { Type, type Static } from '@sinclair/typebox';

const Name = Type.String({ minLength: 1 });
const Headers = Type.Record(Type.String(), Type.String());
const Input = Type.Array(Type.Union([Type.Literal('text'), Type.Literal('image')]));
const Amount = Type.Number({ minimum: 0 });
const Size = Type.Number({ exclusiveMinimum: 0 });
/** Compatibility options of a client; pi-ai defines them, and they change with its version. */
const Compat = Type.Record(Type.String(), Type.Unknown());
const ThinkingLevels = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]));

const Count = Type.Integer({ minimum: 1 });
const Parameters = Type.Record(Type.String(), Type.Unknown());

const rates = { input: Amount, output: Amount, cacheRead: Amount, cacheWrite: Amount };
/** Rates for requests with more input than that. The highest limit that is exceeded counts for the whole request. */
const Tiers = Type.Array(Type.Object({ inputTokensAbove: Amount, ...rates }));
/** US dollars per million tokens. */
const Cost = Type.Object({ ...rates, tiers: Type.Optional(Tiers) });

const InputLimits = Type.Partial(
  Type.Object({
    maxRequestBytes: Count,
    images: Type.Partial(
      Type.Object({
        resize: Type.Partial(
          Type.Object({ maxWidth: Count, maxHeight: Count, maxBytes: Count, jpegQuality: Type.Number() }),
        ),
        maxPerMessage: Count,
        maxPerRequest: Count,
      }),
    ),
  }),
);
/** Seconds that a provider keeps a cached prompt. */
const PromptCache = Type.Partial(Type.Object({ short: Size, long: Size }));

const described = {
  name: Type.Optional(Name),
  reasoning: Type.Optional(Type.Boolean()),
  thinkingLevelMap: Type.Optional(ThinkingLevels),
  input: Type.Optional(Input),
  inputLimits: Type.Optional(InputLimits),
  promptCache: Type.Optional(PromptCache),
  samplingParams: Type.Optional(Parameters),
  samplingParamsByThinkingLevel: Type.Optional(Type.Record(Type.String(), Parameters)),
  contextWindow: Type.Optional(Size),
  maxTokens: Type.Optional(Size),
  headers: Type.Optional(Headers),
  compat: Type.Optional(Compat),
};

/** A model of models.json or of a registered provider. Only `id` is required (EXT). */
export const ModelEntry = Type.Object({
  id: Name,
  api: Type.Optional(Name),
  baseUrl: Type.Optional(Name),
  cost: Type.Optional(Cost),
  ...described,
});
export type ModelEntry = Static<typeof ModelEntry>;

/** A model of a registered provider that makes images, or answers with classes. */
export const OtherModelEntry = Type.Object({
  type: Type.Union([Type.Literal('image'), Type.Literal('classifier')]),
  id: Name,
  name: Type.Optional(Name),
  api: Name,
  baseUrl: Type.Optional(Name),
  input: Type.Optional(Input),
  output: Type.Optional(Input),
  cost: Type.Optional(Cost),
  contextWindow: Type.Optional(Size),
  headers: Type.Optional(Headers),
});
export type OtherModelEntry = Static<typeof OtherModelEntry>;

/** A model of a registered provider. */
export type ProviderModel = (ModelEntry & { readonly type?: 'chat' }) | OtherModelEntry;

/** Whether it answers with text. Models of other types are asked in other ways. */
export function isChatEntry(entry: ProviderModel): entry is ModelEntry & { readonly type?: 'chat' } {
  return entry.type === undefined || entry.type === 'chat';
}

/**
 * What `modelOverrides` changes in a model. Its members have priority, and objects are merged member by member (docs/models.md).
 */
export const ModelOverride = Type.Object({ cost: Type.Optional(Type.Partial(Cost)), ...described });
export type ModelOverride = Static<typeof ModelOverride>;

/** A provider of models.json without its models. `apiKey` and the values of `headers` are configuration values. */
export const ProviderEntry = Type.Object({
  name: Type.Optional(Name),
  baseUrl: Type.Optional(Name),
  apiKey: Type.Optional(Name),
  api: Type.Optional(Name),
  headers: Type.Optional(Headers),
  authHeader: Type.Optional(Type.Boolean()),
  compat: Type.Optional(Compat),
});
export type ProviderEntry = Static<typeof ProviderEntry>;
