import { access } from 'node:fs/promises';
import type { StreamFn } from '../../agent/run/loop';
import { SessionStore } from '../../agent/session/store';
import type { AnyTool } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import { DisposableStore } from '../../base/disposable';
import { isCode, messageOf } from '../../base/errors';
import type { ChildSessionRequest, SessionHandover } from '../../hook-contract/child-session';
import type { ConversationMode } from '../../hook-contract/conversation-port';
import type { ChildParts, OpenedChild } from '../../startup/child-sessions';
import type { SettingsPlace } from '../../startup/live-settings';
import { reportCalls } from '../report-calls';
import { Conversation } from '../conversation';
import type { ConversationPorts } from '../ports/ports';
import { DialogQueue } from '../ports/dialogs';
import { chooseTools, toolFilter } from '../run/tool-choice';
import { AgentSession } from './agent-session';
import { withMissingMembers } from './missing-members';

/** What the sessions of hooks have from the product around. */
export interface ChildOpening {
  readonly stream: StreamFn;
  readonly builtInTools: (place: SettingsPlace) => readonly AnyTool[];
}

/** Opens the conversation of a session that a hook makes. */
export async function openChild(
  opening: ChildOpening,
  parts: ChildParts,
  request: ChildSessionRequest,
): Promise<OpenedChild> {
  const handover = request.handOver();
  const store = await storeFor(handover, parts.place.cwd);
  try {
    return await openSession({ opening, parts, request, handover, store });
  } catch (error) {
    await store.dispose();
    throw error;
  }
}

interface Opening {
  readonly opening: ChildOpening;
  readonly parts: ChildParts;
  readonly request: ChildSessionRequest;
  readonly handover: SessionHandover;
  readonly store: SessionStore;
}

async function openSession(from: Opening): Promise<OpenedChild> {
  const { parts, request, handover, store } = from;
  const { host, around, log } = parts;
  const owned = new DisposableStore();
  const mode = { current: 'print' as ConversationMode };
  const conversation = new Conversation(parts.id, portsFor(from, mode, owned), store);
  owned.add(store.onDidAppend(entry => handover.follow(entry)));
  owned.add(host.attach(conversation.forHooks));
  owned.add(reportCalls(conversation, parts.reportStep));
  await conversation.open();
  const { model, thinkingLevel } = request;
  for (const name of chooseTools(conversation.toolset, request.tools)) {
    log.warn(`A session of a hook names the tool "${name}", which does not exist.`);
  }
  if (model !== undefined) await conversation.models.use(model, 'set');
  if (thinkingLevel !== undefined) conversation.models.setThinkingLevel(thinkingLevel);
  const session = new AgentSession({
    conversation,
    host,
    around,
    request,
    mode,
    resources: parts.resources,
    dispose: parts.dispose,
    log,
  });
  return {
    session: withMissingMembers(session, 'AgentSession'),
    end: async why => {
      session.close(why);
      try {
        await conversation.run.stop('program');
        await host.sessions.farewell(conversation.forHooks);
        await conversation.dispose();
      } catch (error) {
        log.error(`A session of a hook ended with an error: ${messageOf(error)}`, error);
      }
      owned.dispose();
    },
  };
}

function portsFor(
  { opening, parts, request, handover }: Opening,
  mode: { readonly current: ConversationMode },
  owned: DisposableStore,
): ConversationPorts {
  const { host, place, models, settings, prompt, resources, log } = parts;
  const { model, thinkingLevel } = request;
  const dialogs = owned.add(new DialogQueue(error => log.error('A view that shows questions failed', error)));
  return {
    cwd: place.cwd,
    ...defined({ variables: place.variables }),
    sessionDir: handover.dir,
    hooks: host,
    models,
    stream: opening.stream,
    settings,
    start: defined({ model, thinkingLevel }),
    builtInTools: opening.builtInTools(place),
    allowsTool: toolFilter(request.tools),
    // The mode that counts is that of the conversation around, which decides.
    ...(parts.hasApprovals ? { approvals: { defaultMode: () => 'auto' as const, isLocked: () => false } } : {}),
    resources,
    promptOptions: tools => prompt.for(tools, resources.forPrompt),
    dialogs,
    get mode() {
      return mode.current;
    },
    log,
    shutdown: () => parts.dispose(),
  };
}

/** @throws Error when the file is written to elsewhere */
async function storeFor({ header, entries, leafId, file }: SessionHandover, cwd: string): Promise<SessionStore> {
  const isThere = file !== undefined && (await exists(file));
  const store = isThere
    ? await SessionStore.open(file, { cwd, standIn: cwd })
    : SessionStore.begunAs(header, entries, file);
  if (store.access.kind === 'read') {
    const { reason } = store.access;
    await store.dispose();
    throw new Error(`createAgentSession: session ${file ?? ''} is read-only: ${reason}`);
  }
  if (leafId === null) store.resetLeaf();
  else if (store.getLeafId() !== leafId) store.branch(leafId);
  return store;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}
