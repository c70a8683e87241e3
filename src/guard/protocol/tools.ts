import { Type, type Static } from '@sinclair/typebox';
import { literalUnion } from '../../base/json/schema';
import { GuardRecordSchema } from './agent-call';

/** What the host, windows and the MCP server tell each other about the tools of hooks (docs/mcp-server.md). */

const Text = Type.String();
const Data = Type.Record(Text, Type.Unknown());

/** A tool that hooks of a folder register, as an MCP client gets it. */
const OfferedToolSchema = Type.Object({
  /** Unique in the list, and a name that all clients accept. */
  name: Text,
  title: Text,
  description: Text,
  /** JSON Schema of an object. */
  inputSchema: Data,
});
export type OfferedTool = Readonly<Static<typeof OfferedToolSchema>>;

export const ToolListSchema = Type.Object({
  tools: Type.Array(OfferedToolSchema),
  /** Why hooks of the folder do not run, and so offer no tools: sentences for people. */
  notes: Type.Array(Text),
});
/** The tools of a folder. */
export type ToolList = Readonly<Static<typeof ToolListSchema>>;

export const ToolRequestSchema = Type.Object({
  /** The client as it calls itself. */
  client: Type.Object({ name: Text, version: Text }),
  /** The same for all calls of one MCP server. */
  session: Type.String({ minLength: 1 }),
  /** The process of the MCP server. */
  pid: Type.Integer({ minimum: 1 }),
  /** Where it was started, absolute. */
  cwd: Text,
  /** {@link OfferedTool.name} */
  name: Text,
  arguments: Data,
  /** The client's own id of the call, where it tells one. */
  callId: Type.Optional(Text),
});
/** A call of a tool by an MCP client. */
export type ToolRequest = Readonly<Static<typeof ToolRequestSchema>>;

export const ToolContentSchema = Type.Array(
  Type.Union([
    Type.Object({ type: Type.Literal('text'), text: Text }),
    Type.Object({ type: Type.Literal('image'), data: Text, mimeType: Text }),
  ]),
);
export type ToolContent = Static<typeof ToolContentSchema>;

export const ToolReplySchema = Type.Object({
  /** `unknown`: there is no such tool. `failed`: it ran and failed, was blocked, or its arguments are wrong. */
  outcome: literalUnion('done', 'failed', 'unknown'),
  content: ToolContentSchema,
  records: Type.Array(GuardRecordSchema),
});
/** The result of a call, and lines for the guard log. */
export type ToolReply = Readonly<Static<typeof ToolReplySchema>>;
