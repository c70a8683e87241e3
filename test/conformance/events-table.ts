import { join } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import { createStreamFn } from '../../src/agent/models/requests/stream';
import { silentLog } from '../../src/base/log';
import type { DialectId } from '../../src/hook-contract/dialect-id';
import { ProjectTrust } from '../../src/startup/trust/project-trust';
import { until, type RigOptions } from '../support/conversation-rig';
import type { ScriptedLlm } from '../support/scripted-llm';
import { scriptedModel, type Script } from '../support/scripted-stream';
import { call, COMPACT_SOON, type Stage } from './support';
import { isSaid } from '../support/said';

const LONG = 'x'.repeat(400);
const TWO_LONG: readonly Script[] = [{ text: LONG }, { text: LONG }, { text: 'summary' }, { text: 'turn summary' }];
const QUICK_RETRY = { retry: { enabled: true, maxRetries: 2, baseDelayMs: 0, maxAgentDelayMs: 0 } };
const OTHER: Model<Api> = { ...scriptedModel, id: 'other', name: 'Other' };

/** How an event is provoked: what a person does, what the model says. Nothing here speaks to the hook runtime. */
export interface Cause {
  readonly script?: readonly Script[];
  readonly options?: RigOptions;
  readonly act: (stage: Stage) => Promise<unknown>;
  /** Ends the conversation as part of it. */
  readonly ends?: true;
  /** Made before, and ended after the test. */
  readonly llm?: true;
}

const prompt = (stage: Stage): Promise<void> => stage.chat.submit('go');
const messageIds = (stage: Stage): readonly string[] =>
  stage.chat.conversation.store
    .getEntries()
    .filter(isSaid)
    .map(entry => entry.id);

const decidingTrust: Cause = {
  act: ({ rig }) => {
    const agentDir = join(rig.root, 'agent');
    return new ProjectTrust({ agentDir, cwd: rig.cwd, env: {}, log: silentLog }).decide(rig.host.runner, 'ask');
  },
};
const opening: Cause = { act: () => Promise.resolve() };
const working: Cause = {
  script: [call('bash', { command: 'echo one' }), { thinking: 'hm', text: 'done' }],
  act: prompt,
};
/** Output that comes in two parts: only then is there news of it before the end. */
const printingSlowly: Cause = {
  script: [call('bash', { command: 'echo one; sleep 0.3; echo two' }), { text: 'done' }],
  act: prompt,
};
/** Enough output for the bash tool to have details. */
const printing: Cause = { script: [call('bash', { command: 'seq 1 3000' }), { text: 'done' }], act: prompt };
const newSession: Cause = {
  script: [{ text: 'one' }],
  act: async stage => {
    await prompt(stage);
    await stage.chat.submit('/new');
  },
};
const resuming: Cause = {
  script: [{ text: 'one' }],
  act: async stage => {
    await prompt(stage);
    await stage.chat.conversation.store.flush();
    const file = stage.chat.conversation.store.getSessionFile()!;
    await stage.chat.submit('/new');
    await stage.chat.conversation.sessions.switchTo(file);
  },
};
const branching: Cause = {
  script: [{ text: 'one' }],
  act: async stage => {
    await prompt(stage);
    const [item] = stage.rig.items('user');
    await stage.chat.edits.branchFrom(item!.id);
  },
};
const compacting: Cause = {
  script: TWO_LONG,
  options: { settings: COMPACT_SOON },
  act: async stage => {
    await prompt(stage);
    await prompt(stage);
    await stage.chat.submit('/compact mind the tests');
  },
};
const compactingByItself: Cause = {
  script: [{ text: LONG }, { text: LONG, totalTokens: 950 }, { text: 'summary' }, { text: 'turn summary' }],
  options: { settings: COMPACT_SOON },
  act: async stage => {
    await prompt(stage);
    await prompt(stage);
  },
};
const failingToCompact: Cause = {
  script: [{ text: LONG }, { text: LONG }, { stopReason: 'error', errorMessage: 'no such thing' }],
  options: { settings: COMPACT_SOON },
  act: async stage => {
    await prompt(stage);
    await prompt(stage);
    await stage.chat.conversation.run.compact().catch(() => undefined);
  },
};
const failing: Cause = {
  script: [{ stopReason: 'error', errorMessage: '503 overloaded' }, { text: 'fine' }],
  options: { settings: QUICK_RETRY },
  act: prompt,
};
const navigating: Cause = {
  script: [{ text: 'one' }, { text: 'two' }, { text: 'branch summary' }],
  options: { settings: { branchSummary: { skipPrompt: false, reserveTokens: 100 } } },
  act: async stage => {
    await prompt(stage);
    await prompt(stage);
    await stage.chat.conversation.tree.navigate(messageIds(stage)[1]!, { summarize: true });
  },
};
const leaving: Cause = { act: stage => stage.end(), ends: true };
const choosingModel: Cause = {
  options: { models: [scriptedModel, OTHER] },
  act: stage => stage.chat.conversation.models.set(OTHER),
};

/** A hook asks when a call comes; the person says yes. */
const asking: Cause = {
  script: [call('bash', { command: 'true' }), { text: 'done' }],
  options: {
    globalHooks: {
      'ask.ts': `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
        export default (pi: ExtensionAPI) => { pi.on('tool_call', (_event, ctx) => ctx.ui.confirm('Sure?', '').then(() => undefined)); };`,
    },
  },
  act: prompt,
};

/** A list that is left unfinished until its reminders are used up. */
const forgetting: Cause = {
  script: [
    call('todo', { todos: [{ content: 'test it', status: 'pending' }] }),
    ...Array.from({ length: 4 }, () => ({ text: 'that is all' })),
  ],
  act: prompt,
};
const breakingRule: Cause = {
  options: { files: { '.pi/rules/no-any.md': '---\nttsr_trigger: "as any"\n---\nNever write a cast to any.' } },
  script: [{ text: 'x as any' }, { text: 'x' }],
  act: prompt,
};

/** The real client, to a model on this machine: only that builds a request's payload. */
const requesting: Cause = { llm: true, act: prompt };

/** Options that let the conversation talk to a model on this machine. */
export function llmOptions(llm: ScriptedLlm): RigOptions {
  const model = llm.model('openai-completions');
  return { models: [model], stream: createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) }) };
}

const REGISTERS_SERVER = `export default pi => pi.registerCommand('add-server', {
  handler: async () => pi.registerMcpServer('docs', { url: 'http://127.0.0.1:1/mcp' }) });`;

/** Events that hooks may ask for and nothing here causes, each with the reason. */
export const NEVER_CAUSED: Readonly<Record<string, string>> = {
  cache_warming_decision: 'it comes minutes after a request, before the cache of the provider expires',
};

/** An event of a dialect: name as hooks register it (`session:reason` for V1's one event), members, and its cause. */
export interface EventRow {
  readonly event: string;
  readonly dialects: readonly DialectId[];
  readonly fields: readonly string[];
  readonly cause: Cause;
}

const row = (event: string, dialects: string, fields: string, cause: Cause): EventRow => ({
  event,
  dialects: dialects.split(' ') as DialectId[],
  fields: fields === '' ? [] : fields.split(' '),
  cause,
});

const SESSION = 'entries sessionFile previousSessionFile reason';
const PREPARATION = 'preparation signal';
const BOUNDARY = 'entries continue context outcome';

/** The events of all descriptions, and `branch`, which is older than them. */
export const EVENT_ROWS: readonly EventRow[] = [
  row('session:start', 'v1 v2 tree', SESSION, opening),
  row('session:before_switch', 'v1 v2 tree', SESSION, resuming),
  row('session:switch', 'v1 v2 tree', SESSION, resuming),
  row('session:before_clear', 'v1 v2', SESSION, newSession),
  row('session:clear', 'v1 v2', SESSION, newSession),
  row('session:before_new', 'tree', SESSION, newSession),
  row('session:new', 'tree', SESSION, newSession),
  row('session:before_branch', 'v1 v2 tree', `${SESSION} targetTurnIndex`, branching),
  row('session:branch', 'v1 v2 tree', `${SESSION} targetTurnIndex`, branching),
  row(
    'session:before_compact',
    'v1 v2',
    `${SESSION} cutPoint messagesToSummarize messagesToKeep tokensBefore customInstructions model resolveApiKey signal`,
    compacting,
  ),
  row(
    'session:before_compact',
    'tree',
    `${SESSION} ${PREPARATION} previousCompactions model customInstructions`,
    compacting,
  ),
  row('session:compact', 'v1 v2 tree', `${SESSION} compactionEntry tokensBefore fromHook`, compacting),
  row('session:shutdown', 'v1 v2 tree', SESSION, leaving),
  row('agent_start', 'v1 v2 tree omp ext pi', '', working),
  row('agent_end', 'v1 v2 tree omp ext pi', 'messages', working),
  row('turn_start', 'v1 v2 tree omp ext pi', 'turnIndex timestamp', working),
  row('turn_end', 'v1 v2 tree omp ext', 'turnIndex message toolResults', working),
  row('turn_end', 'pi', `turnIndex message toolResults messageEntryId toolResultEntryIds ${BOUNDARY}`, working),
  row('tool_call', 'v1 v2 tree omp ext pi', 'toolName toolCallId input', working),
  row('tool_result', 'v1 v2 tree omp ext pi', 'toolName toolCallId input content details isError', printing),
  row('context', 'v2', 'entries messages', working),
  row('context', 'tree omp ext pi', 'messages', working),

  row('session_start', 'tree omp', '', opening),
  row('session_start', 'ext pi', 'reason previousSessionFile', newSession),
  row('session_before_switch', 'tree', 'targetSessionFile', resuming),
  row('session_before_switch', 'omp ext pi', 'reason targetSessionFile', resuming),
  row('session_switch', 'tree', 'previousSessionFile', resuming),
  row('session_switch', 'omp ext', 'reason previousSessionFile', resuming),
  row('session_before_new', 'tree', '', newSession),
  row('session_new', 'tree', '', newSession),
  row('session_before_branch', 'tree', 'entryIndex', branching),
  row('session_before_branch', 'omp', 'entryId', branching),
  row('session_branch', 'tree omp', 'previousSessionFile', branching),
  row('session_before_fork', 'ext', 'entryId', branching),
  row('session_before_fork', 'pi', 'entryId position', branching),
  row('session_fork', 'ext', 'previousSessionFile', branching),
  row('session_before_compact', 'tree', `${PREPARATION} previousCompactions customInstructions model`, compacting),
  row('session_before_compact', 'omp ext pi', `${PREPARATION} branchEntries customInstructions`, compacting),
  row('session.compacting', 'omp', 'sessionId messages', compacting),
  row('session_compact', 'tree', 'compactionEntry fromHook', compacting),
  row('session_compact', 'omp ext pi', 'compactionEntry fromExtension', compacting),
  row('session_compact_failed', 'pi', 'reason errorMessage aborted willRetry fromExtension', failingToCompact),
  row('session_before_tree', 'tree', `${PREPARATION} model`, navigating),
  row('session_before_tree', 'omp ext pi', PREPARATION, navigating),
  row('session_tree', 'tree', 'newLeafId oldLeafId summaryEntry fromHook', navigating),
  row('session_tree', 'omp ext pi', 'newLeafId oldLeafId summaryEntry fromExtension', navigating),
  row('session_shutdown', 'tree omp ext pi', 'reason', leaving),
  row('session_shutdown', 'pi', 'reason targetSessionFile', newSession),
  row('before_agent_start', 'tree', 'prompt userMessage', working),
  row('before_agent_start', 'omp', 'prompt', working),
  row('before_agent_start', 'ext', 'prompt systemPrompt', working),
  row('before_agent_start', 'pi', 'messageType prompt systemPrompt systemPromptOptions', working),

  row('auto_compaction_start', 'omp', 'reason action', compactingByItself),
  row('auto_compaction_end', 'omp', 'action result aborted willRetry', compactingByItself),
  row('auto_retry_start', 'omp', 'attempt maxAttempts delayMs errorMessage', failing),
  row('auto_retry_end', 'omp', 'success attempt', failing),

  row('ttsr_triggered', 'omp', 'rules', breakingRule),
  row('todo_reminder', 'omp', 'todos attempt maxAttempts', forgetting),
  row('session_stop', 'omp', 'messages turn_id last_assistant_message session_id stop_hook_active signal', working),

  row('project_trust', 'pi', 'cwd', decidingTrust),
  row('agent_before_settle', 'pi', BOUNDARY, working),
  row('agent_settled', 'pi', 'aborted', working),
  row('context_with_system', 'pi', 'messages', working),
  row('session_info_changed', 'pi', 'name', { act: stage => stage.chat.submit('/name Notes') }),
  row('resources_discover', 'ext pi', 'cwd reason', opening),
  row('session_directory', 'ext', 'cwd', opening),
  row('input', 'ext pi', 'text source', working),
  row('message_start', 'ext pi', 'message', working),
  row('message_update', 'ext pi', 'message assistantMessageEvent', working),
  row('message_end', 'ext pi', 'message', working),
  row('tool_execution_start', 'ext pi', 'toolCallId toolName args', working),
  row('tool_execution_update', 'ext pi', 'toolCallId toolName args partialResult', printingSlowly),
  row('tool_execution_end', 'ext pi', 'toolCallId toolName result isError', working),
  row('before_provider_headers', 'pi', 'headers', requesting),
  row('before_provider_request', 'ext pi', 'payload', requesting),
  row('after_provider_response', 'ext pi', 'status headers', requesting),
  row('provider_stream_event', 'pi', 'provider api model data', requesting),
  row('mcp_servers_change', 'pi', 'servers', {
    options: { extensions: { 'server.ts': REGISTERS_SERVER } },
    // That the server is not connected is an error of the hook.
    ends: true,
    act: async stage => {
      await stage.chat.submit('/add-server');
      await stage.rig.close();
    },
  }),
  row('ui_prompt_start', 'pi', 'reason kind title', asking),
  row('ui_prompt_end', 'pi', 'reason kind title', asking),
  row('model_select', 'ext pi', 'model previousModel source', choosingModel),
  row('thinking_level_select', 'ext pi', 'level previousLevel', {
    act: stage => stage.chat.submit('/thinking low'),
  }),
  row('user_bash', 'ext pi', 'command excludeFromContext cwd', { act: stage => stage.chat.submit('!true') }),
  row('branch', 'v1', 'targetTurnIndex entries', branching),
];

/** Every event name of each dialect, in its description and in the code of that date. */
export const EVENT_NAMES: { readonly [D in DialectId]: readonly string[] } = {
  v1: words(`session agent_start agent_end turn_start turn_end tool_call tool_result`),
  v2: words(`session agent_start agent_end turn_start turn_end tool_call tool_result context`),
  tree: words(`session session_start session_before_switch session_switch session_before_new session_new
    session_before_branch session_branch session_before_compact session_compact session_before_tree session_tree
    session_shutdown context before_agent_start agent_start agent_end turn_start turn_end tool_call tool_result`),
  omp: words(`session_start session_before_switch session_switch session_before_branch session_branch
    session_before_compact session.compacting session_compact session_before_tree session_tree session_shutdown context
    before_agent_start agent_start agent_end turn_start turn_end auto_compaction_start auto_compaction_end
    auto_retry_start auto_retry_end ttsr_triggered todo_reminder tool_call tool_result`),
  ext: words(`resources_discover session_directory session_start session_before_switch session_switch
    session_before_fork session_fork session_before_compact session_compact session_before_tree session_tree
    session_shutdown input before_agent_start agent_start agent_end turn_start turn_end message_start message_update
    message_end tool_execution_start tool_execution_update tool_execution_end context before_provider_request
    after_provider_response model_select tool_call tool_result user_bash`),
  pi: words(`project_trust resources_discover session_start session_info_changed session_before_switch
    session_before_fork session_before_compact session_compact session_compact_failed session_before_tree session_tree
    session_shutdown input before_agent_start agent_start agent_end agent_before_settle agent_settled turn_start turn_end
    message_start message_update message_end tool_execution_start tool_execution_update tool_execution_end context
    context_with_system before_provider_headers before_provider_request after_provider_response provider_stream_event
    cache_warming_decision mcp_servers_change ui_prompt_start ui_prompt_end model_select thinking_level_select tool_call
    tool_result user_bash`),
};

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter(word => word !== '');
}

/** Waits until the conversation has nothing left to do. */
export async function settled(stage: Stage): Promise<void> {
  await until(() => (stage.chat.conversation.run.isIdle ? true : undefined), 'the conversation to be idle');
}
