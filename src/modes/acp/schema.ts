import { Type, type Static, type TSchema } from '@sinclair/typebox';

/** Clients may send `null` for what they leave out. */
const nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const Meta = nullable(Type.Record(Type.String(), Type.Unknown()));
const Offered = nullable(Type.Object({}));

/** What a client can do, as far as it matters here. Read with `keepFitting`, as a wrong member must not stop a client. */
export const ClientCapabilitiesSchema = Type.Object({
  auth: Type.Optional(Type.Object({ terminal: Type.Optional(Type.Boolean()) })),
  session: nullable(Type.Object({ notices: Offered, compaction: Offered })),
  elicitation: nullable(Type.Object({ form: Offered })),
  _meta: Meta,
});
export type ClientCapabilities = Static<typeof ClientCapabilitiesSchema>;

/** Params of `initialize`. The capabilities are read apart, see {@link ClientCapabilitiesSchema}. */
export const InitializeParams = Type.Object({
  protocolVersion: Type.Integer(),
  clientCapabilities: Type.Optional(Type.Unknown()),
});

/** Params of `authenticate`. */
export const AuthenticateParams = Type.Object({ methodId: Type.String() });

const Folders = {
  cwd: Type.String(),
  additionalDirectories: nullable(Type.Array(Type.String())),
  /** Checked by `clientServers`. */
  mcpServers: nullable(Type.Array(Type.Unknown())),
};
const OneSession = { sessionId: Type.String() };

/** Params of `session/new`. Paths are checked by `requireFolder`, and servers by `clientServers`. */
export const NewSessionParams = Type.Object(Folders);
/** Params of `session/load`, `session/resume` and `session/fork`. */
export const OpenSessionParams = Type.Object({ ...OneSession, ...Folders });
/** Params of `session/list`. */
export const ListSessionsParams = Type.Object({ cwd: nullable(Type.String()), cursor: nullable(Type.String()) });
/** Params of `session/close`, `session/delete` and `session/cancel`. */
export const SessionParams = Type.Object(OneSession);
/** Params of `session/set_mode`. */
export const SetModeParams = Type.Object({ ...OneSession, modeId: Type.String() });
/** Params of `session/set_config_option`. */
export const SetOptionParams = Type.Object({
  ...OneSession,
  configId: Type.String(),
  value: Type.Union([Type.String(), Type.Boolean()]),
});

const ResourceSchema = Type.Union([
  Type.Object({ uri: Type.String(), text: Type.String(), mimeType: nullable(Type.String()) }),
  Type.Object({ uri: Type.String(), blob: Type.String(), mimeType: nullable(Type.String()) }),
]);

/** A part of a prompt. Audio is not offered, so there is no schema for it. */
const PromptBlockSchema = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({
    type: Type.Literal('image'),
    data: Type.String(),
    mimeType: Type.String(),
    uri: nullable(Type.String()),
  }),
  Type.Object({ type: Type.Literal('resource'), resource: ResourceSchema }),
  Type.Object({
    type: Type.Literal('resource_link'),
    uri: Type.String(),
    name: Type.String(),
    mimeType: nullable(Type.String()),
  }),
]);
export type PromptBlock = Static<typeof PromptBlockSchema>;

/** Params of `session/prompt` and `_session/steering`. */
export const PromptParams = Type.Object({ ...OneSession, prompt: Type.Array(PromptBlockSchema, { minItems: 1 }) });
