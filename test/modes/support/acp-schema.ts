import { createRequire } from 'node:module';
import { z } from 'zod';
import type { ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk';

export type Json = Readonly<Record<string, unknown>>;

interface JsonSchema {
  readonly $schema: string;
  readonly $defs: Json;
}

const load = createRequire(import.meta.url);
// Its zod schemas accept wrong values and replace them by defaults. The JSON schema does not.
const STABLE = closed(load('@agentclientprotocol/sdk/schema/v1/schema.json')) as JsonSchema;
const UNSTABLE = closed(load('@agentclientprotocol/sdk/schema/v1/schema.unstable.json')) as JsonSchema;

/** What answers the requests of a client. */
const RESULTS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResponse',
  authenticate: 'AuthenticateResponse',
  'session/new': 'NewSessionResponse',
  'session/load': 'LoadSessionResponse',
  'session/list': 'ListSessionsResponse',
  'session/delete': 'DeleteSessionResponse',
  'session/resume': 'ResumeSessionResponse',
  'session/close': 'CloseSessionResponse',
  'session/prompt': 'PromptResponse',
  'session/set_mode': 'SetSessionModeResponse',
  'session/set_config_option': 'SetSessionConfigOptionResponse',
};

/** What an agent may send without being asked. `fs/*` and `terminal/*` are left out: Hookline never uses them. */
const SENT: Readonly<Record<string, string>> = {
  'session/update': 'SessionNotification',
  'session/request_permission': 'RequestPermissionRequest',
  'elicitation/create': 'CreateElicitationRequest',
  'elicitation/complete': 'CompleteElicitationNotification',
  '$/cancel_request': 'CancelRequestNotification',
};

const SteeringAnswer = z.looseObject({ outcome: z.enum(['injected', 'promptRequired']) });
const AnyMethodOfOurs = z.looseObject({});

/** What a message is wrong in; undefined when it is right. */
export function wrongResult(method: string, result: unknown): string | undefined {
  const name = RESULTS[method];
  if (name !== undefined) return problemOf(schemaFor(STABLE, name), result);
  if (method === 'session/fork') return problemOf(schemaFor(UNSTABLE, 'ForkSessionResponse'), result);
  if (method === '_session/steering') return problemOf(SteeringAnswer, result);
  return `${method} has no result`;
}

/** What is wrong in an error that answers a request. */
export function wrongError(error: unknown): string | undefined {
  return problemOf(schemaFor(STABLE, 'Error'), error);
}

/** What is wrong in a request or a notification to a client with these capabilities. */
export function wrongMessage(method: string, params: unknown, client: ClientCapabilities): string | undefined {
  const name = SENT[method];
  const offersOurs = client._meta?.['hookline'] !== undefined;
  const schema = name !== undefined ? schemaFor(STABLE, name) : AnyMethodOfOurs;
  if (name === undefined && !(method.startsWith('_hookline/') && offersOurs)) return 'this client knows no such method';
  return problemOf(schema, params) ?? notOffered(method, params as Json, client);
}

function notOffered(method: string, params: Json, client: ClientCapabilities): string | undefined {
  const { elicitation, session } = client;
  if (method === 'elicitation/create') {
    const mode = params['mode'] as 'form' | 'url';
    return elicitation?.[mode] === undefined ? `this client offers no elicitation of mode ${mode}` : undefined;
  }
  if (method !== 'session/update') return undefined;
  const { sessionUpdate: type, ...update } = params['update'] as SessionUpdate;
  if (type === 'notice' && session?.notices == null) return 'this client takes no notices';
  if (type === 'compaction_update' && session?.compaction == null) return 'this client takes no compaction_update';
  const meta = Object.keys(update._meta ?? {}).find(key => key.startsWith('terminal_'));
  if (meta !== undefined && client._meta?.['terminal_output'] !== true) return `this client takes no _meta.${meta}`;
  return undefined;
}

const compiled = new Map<unknown, z.ZodType>();

function schemaFor({ $schema, $defs }: JsonSchema, name: string): z.ZodType {
  const definition = $defs[name];
  let schema = compiled.get(definition);
  if (schema === undefined) {
    schema = z.fromJSONSchema({ $schema, $defs, $ref: `#/$defs/${name}` } as Parameters<typeof z.fromJSONSchema>[0]);
    compiled.set(definition, schema);
  }
  return schema;
}

function problemOf(schema: z.ZodType, value: unknown): string | undefined {
  const { success, error } = schema.safeParse(value);
  return success ? undefined : z.prettifyError(error);
}

/** The schema without alternatives for values of later versions: those are the ones with `not`. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).map(([key, value]: [string, unknown]) => {
    const isList = (key === 'anyOf' || key === 'oneOf') && Array.isArray(value);
    const kept: unknown = isList ? value.filter((branch: Json) => branch['not'] === undefined) : value;
    return [key, closed(kept)];
  });
  return Object.fromEntries(members);
}
