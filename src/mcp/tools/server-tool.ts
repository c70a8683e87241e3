import { createHash } from 'node:crypto';
import type { AnyTool, ToolResult } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import type { ToolReach } from '../config/exposure';
import type { McpTool } from '../connection/server-offer';
import type { ServerRequestOptions } from '../connection/server-connection';
import { cutResult } from './cut-result';
import { modelContent } from './model-content';

/** What a tool of a server is made from. */
export interface ServerToolParts {
  /** The name by which the model calls it. */
  readonly name: string;
  readonly server: string;
  readonly tool: McpTool;
  readonly reach: ToolReach;
  readonly namespace: object;
  readonly readsResources: () => boolean;
  /** Calls the tool over the connection that the server has at that time. */
  readonly call: (args: unknown, options: ServerRequestOptions) => Promise<Readonly<Record<string, unknown>>>;
}

/** The origin of the tools, for hooks. */
export const MCP_SOURCE = { path: 'builtin:mcp', source: 'builtin', scope: 'temporary', origin: 'top-level' } as const;

/** A tool of a server as a tool of the agent. */
export function serverTool({ name, server, tool, reach, namespace, readsResources, call }: ServerToolParts): AnyTool {
  const { inputSchema, outputSchema, annotations, description, title } = tool;
  const details = { server, tool: tool.name };
  return {
    name,
    label: `${server}/${tool.name}`,
    description: shown(description) ?? title ?? `MCP tool ${tool.name} of the server ${server}`,
    parameters: inputSchema,
    outputSchema: resultSchema(outputSchema),
    exposure: reach,
    definition: definitionOf(tool),
    listing: {
      namespace,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      sourceInfo: MCP_SOURCE,
    },
    execute: async (_toolCallId, params: unknown, signal, onUpdate): Promise<ToolResult> => {
      const answer = await call(params, {
        signal,
        onProgress: text => onUpdate?.({ content: [{ type: 'text', text }], details }),
      });
      return toolResult(answer, { server, tool: tool.name, readsResources: readsResources() });
    },
  };
}

/** A short text that is the same as long as the server says the same about a tool. */
function definitionOf(tool: McpTool): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(tool)))
    .digest('base64url');
}

/** The value with the members of its objects in order, because a server may list them in any. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return names.map(name => [name, sorted(value[name])]);
}

/** Where a result comes from, and whether the model can read resources to which it links. */
export interface ResultSource {
  readonly server: string;
  readonly tool: string;
  readonly readsResources: boolean;
}

/** Converts an answer to `tools/call` to the agent's result. Programs that call the tool get the whole answer. */
export async function toolResult(
  answer: Readonly<Record<string, unknown>>,
  { server, tool, readsResources }: ResultSource,
): Promise<ToolResult> {
  const structured = Object.fromEntries(Object.entries(answer).filter(([member]) => member !== '_meta'));
  const { content: given = [], structuredContent } = answer;
  const blocks: readonly unknown[] = Array.isArray(given) ? given : [given];
  const content =
    blocks.length > 0 || structuredContent === undefined
      ? await modelContent(blocks, { server, readsResources })
      : [{ type: 'text' as const, text: JSON.stringify(structuredContent) }];
  const isError = answer['isError'] === true;
  if (isError && !content.some(part => part.type === 'text' && part.text !== '')) {
    content.push({ type: 'text', text: `MCP tool ${server}/${tool} returned an error` });
  }
  const cut = await cutResult(content);
  const { fullOutputPath } = cut;
  return {
    content: cut.content,
    details: { server, tool, ...defined({ fullOutputPath }) },
    structuredContent: structured,
    ...(isError ? { isError } : {}),
  };
}

const BLOCK_SCHEMA = {
  type: 'object',
  properties: {
    type: { enum: ['text', 'image', 'audio', 'resource_link', 'resource'] },
    text: { type: 'string' },
    data: { type: 'string' },
    mimeType: { type: 'string' },
  },
  required: ['type'],
  additionalProperties: true,
} as const;

/** The schema of the whole answer, for programs that call the tool; `structuredContent` has the server's schema. */
function resultSchema(structuredContent: object | undefined): object {
  return {
    type: 'object',
    properties: {
      content: { type: 'array', items: BLOCK_SCHEMA },
      structuredContent:
        structuredContent === undefined ? {} : moved(structuredContent, '#/properties/structuredContent'),
      isError: { type: 'boolean' },
    },
    required: ['content'],
    additionalProperties: true,
  };
}

/** Members of a schema that contain values, in which `$ref` has no meaning. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** Members that contain schemas by name; a name may be any word, also `$ref`. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** The schema with its internal references changed, so that they are right when it is at `to` in another schema. */
function moved(schema: unknown, to: string): unknown {
  if (Array.isArray(schema)) return schema.map(each => moved(each, to));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === '$ref' && typeof value === 'string' && /^#(\/|$)/.test(value)) return [key, `${to}${value.slice(1)}`];
      if (MAPS.has(key) && isRecord(value)) return [key, movedEach(value, to)];
      return [key, DATA.has(key) ? value : moved(value, to)];
    }),
  );
}

function movedEach(schemas: Readonly<Record<string, unknown>>, to: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, moved(schema, to)]));
}

function shown(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
