import { basename } from 'node:path';
import type { ToolResult } from '../../agent/tools/tool';
import { DelayedCall } from '../../base/async/repeated-calls';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { clipped } from '../../base/text/clipped';
import { visibleLine } from '../../base/text/visible-text';
import { redactText } from '../../base/text/redact';
import type { HeldFiles } from '../../gate/held-changes/held-files';
import type { HookHost } from '../../hook-run/host/host';
import { AGENT_NAMES, MCP_CLIENT, TOOL_EVENT, type AgentId, type GuardRecord } from '../protocol/agent-call';
import type { ToolContent, ToolList, ToolReply, ToolRequest } from '../protocol/tools';
import { offersOf, TOOL_SERVER } from './offered-tools';
import type { OtherSession, SessionTools, ToolCallHere, ToolOutcomeHere } from './session-tools';

/** An MCP client as a session of hooks. */
export interface ClientSession {
  readonly facts: OtherSession;
  /** The agent that the client is a part of; undefined when it is none of those that can be guarded. */
  readonly id: AgentId | undefined;
  /** As users know it. */
  readonly name: string;
  /** The process of the MCP server, with which the session ends. */
  readonly pid: number;
}

export interface FolderToolsParts {
  readonly hooks: Pick<HookHost, 'runner' | 'infos'>;
  /** The folder whose hooks look, absolute. */
  readonly cwd: string;
  readonly isTrusted: () => boolean;
  readonly heldFiles: Pick<HeldFiles, 'putBack'>;
  /** All open sessions, of agents and of MCP clients. */
  readonly sessions: () => readonly { readonly tools: SessionTools }[];
  /** The session of a client, which begins with its first call. */
  readonly sessionOf: (client: ClientSession) => { readonly tools: SessionTools };
  readonly log: Log;
  /** ms since 1970 */
  readonly now: () => number;
}

/** How agents call themselves as MCP clients, as the tests of them have seen it. */
const CLIENT_NAMES: Readonly<Record<string, AgentId>> = {
  'claude-code': 'claude',
  'codex-mcp-client': 'codex',
  'copilot-cli': 'copilot',
  'gemini-cli-mcp-client': 'gemini',
  [`qwen-cli-mcp-client-${TOOL_SERVER}`]: 'qwen',
  'factory-cli': 'droid',
  opencode: 'opencode',
  kilo: 'kilo',
  '@cline/core': 'cline',
};

/** How often a client is told of the output so far at most, ms. */
const UPDATE_MS = 100;
/** Longest name of a client in a question, in characters: any program may be one. */
const LONGEST_NAME = 60;
/** Longest text of a call or a reason in the guard log, in characters. */
const LONGEST_TEXT = 500;

/** The tools of hooks in one folder, as our MCP server offers them to other agents. */
export class FolderTools {
  private count = 0;

  constructor(private readonly parts: FolderToolsParts) {}

  list(): ToolList {
    const { hooks } = this.parts;
    return { tools: offersOf(hooks.runner.loaded).map(({ offered }) => offered), notes: [...this.notes()] };
  }

  /** Never rejects. */
  async call(request: ToolRequest, update: (content: ToolContent) => void, signal: AbortSignal): Promise<ToolReply> {
    const began = this.parts.now();
    const offer = offersOf(this.parts.hooks.runner.loaded).find(({ offered }) => offered.name === request.name);
    if (offer === undefined) return { outcome: 'unknown', content: [], records: [] };
    let latest: ToolContent = [];
    const later = new DelayedCall(() => update(latest));
    const onUpdate = ({ content }: ToolResult): void => {
      latest = content;
      later.schedule(UPDATE_MS);
    };
    const call: ToolCallHere = { toolName: offer.toolName, given: request.arguments, signal, onUpdate };
    try {
      const claimed = this.claim(call, request.callId);
      const outcome = await (claimed ?? this.run(call, request));
      // Before the agent goes on.
      await this.parts.heldFiles.putBack();
      // The event that let the call pass is in the log.
      const records = claimed === undefined ? [this.record(request, call, outcome, began)] : [];
      return { outcome: outcome.result.isError === true ? 'failed' : 'done', content: contentOf(outcome), records };
    } catch (error) {
      this.parts.log.error(`The tool ${offer.toolName} could not be called: ${messageOf(error)}`, error);
      const text = `Hookline could not run this: ${messageOf(error)}`;
      return { outcome: 'failed', content: [{ type: 'text', text }], records: [] };
    } finally {
      later.dispose();
    }
  }

  private claim(call: ToolCallHere, id: string | undefined): Promise<ToolOutcomeHere> | undefined {
    for (const { tools } of this.parts.sessions()) {
      const claimed = tools.claim(call, id);
      if (claimed !== undefined) return claimed;
    }
    return undefined;
  }

  private run(call: ToolCallHere, request: ToolRequest): Promise<ToolOutcomeHere> {
    const client = clientOf(request);
    const id = `${request.session}:${(this.count += 1)}`;
    return this.parts.sessionOf(client).tools.run(call, request.callId ?? id, client.facts);
  }

  private *notes(): Iterable<string> {
    const { hooks, isTrusted, cwd } = this.parts;
    const infos = hooks.infos();
    if (!isTrusted() && infos.some(({ state }) => state.type === 'heldBack' && state.unapproved === undefined)) {
      yield `The hooks of ${cwd} do not run, because the folder is not trusted. To trust it, run "hookline trust" in it, in a terminal.`;
    }
    const waiting = infos.filter(({ state }) => state.type === 'waiting').map(({ path }) => basename(path));
    if (waiting.length > 0) {
      yield `These hooks wait for your approval: ${waiting.join(', ')}. See "hookline hooks diff" in ${cwd}.`;
    }
  }

  private record(
    request: ToolRequest,
    { toolName, given }: ToolCallHere,
    { result, isBlocked, by, frame }: ToolOutcomeHere,
    began: number,
  ): GuardRecord {
    const { facts, id } = clientOf(request);
    const reason = isBlocked ? textOf(result.content) : undefined;
    return {
      ...{ at: began, agent: id ?? MCP_CLIENT, version: request.client.version, session: facts.sessionId },
      ...{ folder: this.parts.cwd, event: TOOL_EVENT, tool: toolName, summary: shortened(JSON.stringify(given)) },
      verdict: isBlocked ? 'blocked' : 'passed',
      ...defined({ hook: by, reason: reason && shortened(reason) }),
      ...{ ms: this.parts.now() - began, askedMs: Math.round(frame.askedMs) },
    };
  }
}

function clientOf({ client, session, cwd, pid }: ToolRequest): ClientSession {
  const id = Object.hasOwn(CLIENT_NAMES, client.name) ? CLIENT_NAMES[client.name] : undefined;
  const facts = { agent: id ?? client.name, version: client.version, sessionId: session, cwd };
  const name = id === undefined ? clipped(visibleLine(client.name), LONGEST_NAME) : AGENT_NAMES[id];
  return { facts, id, name, pid };
}

/** With what hooks told the model meanwhile. */
function contentOf({ result, frame }: ToolOutcomeHere): ToolContent {
  const { text } = frame;
  return text === undefined ? result.content : [...result.content, { type: 'text', text }];
}

function textOf(content: ToolContent): string {
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function shortened(text: string): string {
  return clipped(redactText(text), LONGEST_TEXT);
}
