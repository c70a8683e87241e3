import { Type } from '@sinclair/typebox';
import { defineTool, type AnyTool, type ToolResult } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import type { ToolReach } from '../config/exposure';
import { METHOD_NOT_FOUND, ServerRequestError } from '../connection/request-error';
import type { ServerRequestOptions } from '../connection/server-connection';
import { cutResult } from './cut-result';
import { modelContent, written } from './model-content';
import { LIST_RESOURCE_TEMPLATES, LIST_RESOURCES, READ_RESOURCE } from './resource-names';
import { MCP_SOURCE } from './server-tool';

/** A server with resources. */
export interface ResourceServer {
  readonly name: string;
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: ServerRequestOptions,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

export interface ResourceToolsParts {
  readonly reach: ToolReach;
  /** The servers whose resources can be read now; resolves after servers that are still connecting have connected. */
  readonly servers: (signal: AbortSignal | undefined) => Promise<readonly ResourceServer[]>;
}

/** How many pages of one list are read at most. */
const PAGE_LIMIT = 100;

const LIST_PARAMETERS = Type.Object({
  server: Type.Optional(Type.String({ description: 'Name of an MCP server; without it, all that have resources' })),
  cursor: Type.Optional(Type.String({ description: '"nextCursor" of the page before, of the same server' })),
});

/** The three tools that list and read the resources of servers. */
export function createResourceTools(parts: ResourceToolsParts): readonly AnyTool[] {
  const shared = {
    exposure: parts.reach,
    listing: { annotations: { readOnlyHint: true }, sourceInfo: MCP_SOURCE },
  };
  return [
    defineTool({
      ...shared,
      name: LIST_RESOURCES,
      label: LIST_RESOURCES,
      description:
        'Lists what you can read from MCP servers, such as files, schemas of databases and documents, with the address of each.',
      parameters: LIST_PARAMETERS,
      execute: (_id, args, signal) =>
        list(parts, { tool: LIST_RESOURCES, method: 'resources/list', member: 'resources', args, signal }),
    }),
    defineTool({
      ...shared,
      name: LIST_RESOURCE_TEMPLATES,
      label: LIST_RESOURCE_TEMPLATES,
      description:
        'Lists the patterns of addresses (RFC 6570) under which MCP servers offer more than list_mcp_resources shows.',
      parameters: LIST_PARAMETERS,
      execute: (_id, args, signal) =>
        list(parts, {
          tool: LIST_RESOURCE_TEMPLATES,
          method: 'resources/templates/list',
          member: 'resourceTemplates',
          args,
          signal,
        }),
    }),
    defineTool({
      ...shared,
      name: READ_RESOURCE,
      label: READ_RESOURCE,
      description: 'Reads a resource of an MCP server.',
      parameters: Type.Object({
        server: Type.String({ description: 'Name of the server, as list_mcp_resources gives it' }),
        uri: Type.String({ description: 'Address of the resource, as it is listed or made from a template' }),
      }),
      execute: (_id, args, signal) => read(parts, args, signal),
    }),
  ];
}

interface Listing {
  /** The tool that lists. */
  readonly tool: string;
  readonly method: string;
  readonly member: string;
  readonly args: { readonly server?: string; readonly cursor?: string };
  readonly signal: AbortSignal | undefined;
}

async function list(parts: ResourceToolsParts, listing: Listing): Promise<ToolResult> {
  const { tool, member, args, signal } = listing;
  const servers = await parts.servers(signal);
  const { server: name, cursor } = args;
  if (name !== undefined) {
    const server = serverNamed(name, servers);
    const { items, nextCursor } = await page(server, cursor, listing);
    return jsonResult({ server: name, tool }, { server: name, [member]: items, ...defined({ nextCursor }) });
  }
  if (cursor !== undefined) throw new Error('cursor can only be given together with server');
  const sorted = [...servers].sort((a, b) => a.name.localeCompare(b.name));
  const lists = await Promise.allSettled(sorted.map(server => allPages(server, listing)));
  const items = lists.flatMap(result => (result.status === 'fulfilled' ? result.value : []));
  const errors = lists.flatMap((result, index) =>
    result.status === 'rejected' ? [{ server: sorted[index]?.name, error: messageOf(result.reason) }] : [],
  );
  return jsonResult({ server: '', tool }, { [member]: items, ...(errors.length === 0 ? {} : { errors }) });
}

async function read(
  parts: ResourceToolsParts,
  { server: name, uri }: { readonly server: string; readonly uri: string },
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const server = serverNamed(name, await parts.servers(signal));
  const answer = await server.request('resources/read', { uri }, { signal, repeatable: true });
  const given: readonly unknown[] = Array.isArray(answer['contents']) ? answer['contents'] : [];
  const contents = given.filter(isRecord).map(content => without(content, '_meta'));
  const blocks = contents.flatMap((resource): object[] => [
    ...(contents.length > 1 ? [{ type: 'text', text: `${written(resource['uri'])}:` }] : []),
    { type: 'resource', resource },
  ]);
  const shown = await modelContent(blocks, { server: name, readsResources: true });
  const cut = await cutResult(shown.length > 0 ? shown : [{ type: 'text', text: `Resource ${uri} is empty.` }]);
  return result({ server: name, tool: READ_RESOURCE }, cut, { server: name, uri, contents });
}

function serverNamed(name: string, servers: readonly ResourceServer[]): ResourceServer {
  const server = servers.find(candidate => candidate.name === name);
  if (server !== undefined) return server;
  const known = servers.map(candidate => candidate.name).join(', ');
  throw new Error(`MCP server "${name}" has no resources. Servers that have some: ${known === '' ? 'none' : known}`);
}

async function page(
  server: ResourceServer,
  cursor: string | undefined,
  { method, member, signal }: Listing,
): Promise<{ readonly items: readonly object[]; readonly nextCursor: string | undefined }> {
  const answer = await askForPage(server, cursor, method, signal);
  const given: readonly unknown[] = Array.isArray(answer[member]) ? answer[member] : [];
  const { nextCursor } = answer;
  return {
    items: given
      .filter(isRecord)
      .filter(isReadable)
      .map(item => ({ server: server.name, ...without(item, '_meta', 'icons') })),
    nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
  };
}

/** Requests one page of a list. A server without support for templates has an empty list of them. */
async function askForPage(
  server: ResourceServer,
  cursor: string | undefined,
  method: string,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await server.request(method, defined({ cursor }), { signal, repeatable: true });
  } catch (error) {
    const isUnknown = error instanceof ServerRequestError && error.code === METHOD_NOT_FOUND;
    if (method === 'resources/templates/list' && isUnknown) return {};
    throw error;
  }
}

async function allPages(server: ResourceServer, listing: Listing): Promise<readonly object[]> {
  const items: object[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined, count = 0; count < PAGE_LIMIT; count += 1) {
    const next = await page(server, cursor, listing);
    items.push(...next.items);
    if (next.nextCursor === undefined || seen.has(next.nextCursor)) return items;
    seen.add(next.nextCursor);
    cursor = next.nextCursor;
  }
  return items;
}

/** False for pages of MCP apps, which are meant to be shown and not to be read by the model. */
function isReadable({ uri, uriTemplate, mimeType }: Readonly<Record<string, unknown>>): boolean {
  const isApp = [uri, uriTemplate].some(address => typeof address === 'string' && address.startsWith('ui://'));
  return !isApp && !(typeof mimeType === 'string' && /;\s*profile\s*=\s*"?mcp-app"?/i.test(mimeType));
}

function without(item: Readonly<Record<string, unknown>>, ...members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([member]) => !members.includes(member)));
}

interface ResultSource {
  /** Empty for a result of several servers. */
  readonly server: string;
  readonly tool: string;
}

async function jsonResult(from: ResultSource, payload: object): Promise<ToolResult> {
  const cut = await cutResult([{ type: 'text', text: JSON.stringify(payload) }]);
  return result(from, cut, payload);
}

function result(
  { server, tool }: ResultSource,
  { content, fullOutputPath }: Awaited<ReturnType<typeof cutResult>>,
  structuredContent: object,
): ToolResult {
  const details = { server, tool, ...defined({ fullOutputPath }) };
  return { content, details, structuredContent };
}
