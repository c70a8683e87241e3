import type { SessionUpdate, ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk';
import * as l10n from '@vscode/l10n';
import type { AgentMessage, AssistantMessage, ToolResultMessage } from '../../../agent/messages';
import { messageOfEntry } from '../../../agent/session/context';
import { resolveToCwd } from '../../../agent/tools/files/paths';
import type { Todo } from '../../../agent/tools/todo';
import { textArgument, type ToolArguments } from '../../../agent/tools/facts';
import type { KnownTool } from '../../../agent/tools/tool';
import { toolFacts } from '../../../agent/tools';
import { defined } from '../../../base/defined';
import { membersOf } from '../../../base/json/is-record';
import type { SessionStore } from '../../../agent/session/store';
import { attachedImages, typedText } from '../../../session/attachments/attached-files';
import { recordedNestedCalls } from '../../../transcript/nested-calls';
import { recordedCall } from '../../../transcript/rerun-message';
import type { SessionClient } from '../client';
import { sendMessage, sendText } from './answers';
import { asJson, callWords, resultContent, textContent } from './call-content';
import { textNotice } from './notices';
import { planOf } from './plan';

export interface ReplayParts {
  readonly client: Pick<SessionClient, 'capabilities' | 'update' | 'whenDrained'>;
  readonly store: Pick<SessionStore, 'getPathIds' | 'getEntry'>;
  /** Absolute. */
  readonly cwd: string;
  readonly tools: readonly KnownTool[];
  /** The list of the agent now. */
  readonly todos: readonly Todo[];
  /** What the client was sent of an answer and of calls that the store does not have yet. */
  readonly unrecorded: readonly SessionUpdate[];
}

/**
 * Sends the whole current branch of a session, from the first message on: messages, thoughts, images, calls with their
 * results and changes, summaries, what is not recorded yet, and the plan. Nothing runs, and nothing is written. Waits where
 * the client reads slowly; an aborted `signal` ends it. Entries of unknown types are left out.
 */
export async function replay(parts: ReplayParts, signal?: AbortSignal): Promise<void> {
  const { store, client } = parts;
  const replayed = new ReplayedBranch(parts);
  for (const { id } of store.getPathIds()) {
    if (signal?.aborted === true) return;
    const entry = store.getEntry(id);
    const message = entry === undefined ? undefined : messageOfEntry(entry);
    if (message === undefined) continue;
    replayed.show(message, id);
    await client.whenDrained();
  }
  replayed.end();
}

interface StoredCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly input: ToolArguments;
}

class ReplayedBranch {
  /** Calls without a result so far, by id. */
  private readonly open = new Map<string, StoredCall>();
  private readonly unrecordedCalls: ReadonlySet<string>;

  constructor(private readonly parts: ReplayParts) {
    this.unrecordedCalls = new Set(
      parts.unrecorded.flatMap(update => (update.sessionUpdate === 'tool_call' ? [update.toolCallId] : [])),
    );
  }

  show(message: AgentMessage, entryId: string): void {
    const { client } = this.parts;
    switch (message.role) {
      case 'system':
        return;
      case 'user':
        // Attached files are in the text by their names.
        sendText(client, 'user_message_chunk', typedText(message.content), entryId);
        sendMessage(client, 'user_message_chunk', attachedImages(message.content), entryId);
        return;
      case 'assistant':
        this.failOpen();
        this.showAnswer(message, entryId);
        return;
      case 'toolResult':
        this.showResult(message);
        return;
      case 'custom': {
        const again = recordedCall(message);
        if (again !== undefined) {
          const { id: toolCallId, name, args: input, isError, result } = again;
          this.showWhole(
            { toolCallId: `${toolCallId}/${entryId}`, name, input },
            isError,
            resultContent(result.content),
          );
        } else if (message.display) sendMessage(client, 'agent_message_chunk', message.content, entryId);
        return;
      }
      case 'bashExecution': {
        const { command, output, exitCode, cancelled } = message;
        const isError = cancelled || (exitCode !== undefined && exitCode !== 0);
        this.showWhole({ toolCallId: entryId, name: 'bash', input: { command } }, isError, [textContent(output)]);
        return;
      }
      case 'branchSummary':
        client.update(textNotice(`${l10n.t('Summary of the branch you left')}\n\n${message.summary}`));
        return;
      case 'compactionSummary':
        this.showCompaction(message, entryId);
        return;
    }
  }

  end(): void {
    const { client, unrecorded, todos } = this.parts;
    this.failOpen();
    for (const update of unrecorded) client.update(update);
    if (todos.length > 0) client.update(planOf(todos));
  }

  private showAnswer(message: AssistantMessage, entryId: string): void {
    const { client } = this.parts;
    for (const [index, part] of message.content.entries()) {
      if (part.type === 'text') sendText(client, 'agent_message_chunk', part.text, `${entryId}.${index}`);
      else if (part.type === 'thinking') sendText(client, 'agent_thought_chunk', part.thinking, `${entryId}.${index}`);
      else if (!this.unrecordedCalls.has(part.id)) {
        this.announce({ toolCallId: part.id, name: part.name, input: membersOf(asJson(part.arguments)) });
      }
    }
    const { stopReason, errorMessage } = message;
    if (stopReason === 'error' && errorMessage !== undefined) client.update(textNotice(errorMessage));
  }

  private announce(call: StoredCall, parentToolCallId?: string): void {
    const { client, cwd, tools } = this.parts;
    const { toolCallId, name, input } = call;
    this.open.set(toolCallId, call);
    const words = callWords(
      name,
      input,
      cwd,
      tools.find(tool => tool.name === name),
    );
    client.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      name,
      status: 'pending',
      rawInput: input,
      ...words,
      ...(parentToolCallId === undefined ? {} : { _meta: { parentToolCallId } }),
    });
  }

  private showResult(message: ToolResultMessage): void {
    const call = this.open.get(message.toolCallId);
    if (call === undefined) return;
    for (const { words, outcome, error } of recordedNestedCalls(message)) {
      const nested = { toolCallId: words.id, name: words.name, input: {} };
      this.announce(nested, message.toolCallId);
      this.close(nested, outcome.type !== 'done', error === '' ? [] : [textContent(error)]);
    }
    const { isError, details, content } = message;
    const { changes, locations } = isError ? NO_CHANGE : this.changesOf(call, details);
    this.close(call, isError, [...changes, ...resultContent(content)], { locations, rawOutput: asJson(details) });
  }

  private showWhole(call: StoredCall, isError: boolean, content: ToolCallContent[]): void {
    this.announce(call);
    this.close(call, isError, content);
  }

  private close(
    { toolCallId }: StoredCall,
    isError: boolean,
    content: ToolCallContent[],
    more: { readonly locations?: ToolCallLocation[] | undefined; readonly rawOutput?: unknown } = {},
  ): void {
    this.open.delete(toolCallId);
    const status = isError ? 'failed' : 'completed';
    this.parts.client.update({ sessionUpdate: 'tool_call_update', toolCallId, status, content, ...defined(more) });
  }

  private failOpen(): void {
    for (const call of this.open.values()) this.close(call, true, [textContent(l10n.t('No result was recorded.'))]);
  }

  private showCompaction({ summary }: { readonly summary: string }, compactionId: string): void {
    const { client } = this.parts;
    if (client.capabilities.session?.compaction == null) {
      client.update(textNotice(`${l10n.t('Earlier conversation summarized')}\n\n${summary}`));
      return;
    }
    const text = [{ type: 'text' as const, text: summary }];
    client.update({ sessionUpdate: 'compaction_update', compactionId, status: 'completed', summary: text });
  }

  /** What a call changed, as far as the session says. A `write` has no earlier text. */
  private changesOf({ name, input }: StoredCall, details: unknown): Changes {
    const file = toolFacts(name).file(input);
    if (file === undefined || file.use === 'read') return NO_CHANGE;
    const path = resolveToCwd(file.path, this.parts.cwd);
    if (file.content !== undefined) {
      return { changes: [{ type: 'diff', path, oldText: null, newText: file.content }], locations: [{ path }] };
    }
    const hunks = hunksOf(textArgument(membersOf(details), 'patch'));
    const changes = hunks.map(({ before, after }) => ({
      type: 'diff' as const,
      path,
      oldText: before,
      newText: after,
    }));
    return { changes, locations: hunks.map(({ line }) => ({ path, line })) };
  }
}

interface Changes {
  readonly changes: ToolCallContent[];
  readonly locations: ToolCallLocation[] | undefined;
}

const NO_CHANGE: Changes = { changes: [], locations: undefined };

/** The texts before and after of each hunk of a unified patch; `line` is where it begins in the new text. */
function hunksOf(patch: string): readonly { readonly line: number; readonly before: string; readonly after: string }[] {
  const [, ...hunks] = patch.split(/^(?=@@ )/m);
  return hunks.flatMap(hunk => {
    const [head = '', ...lines] = hunk.replace(/\n$/, '').split('\n');
    const line = Number(/\+(\d+)/.exec(head)?.[1]);
    const side = (mark: string): string =>
      lines
        .filter(text => text.startsWith(mark) || text.startsWith(' '))
        .map(text => text.slice(1))
        .join('\n');
    return line > 0 ? [{ line, before: side('-'), after: side('+') }] : [];
  });
}
