import type {
  AnyTool,
  ConstrainedSamplingConfig,
  ToolExposure,
  ToolResult,
  ToolUpdate,
} from '../../../agent/tools/tool';
import { isToolName } from '../../../agent/models/requests/sendable';
import type { HookConversation } from '../../../hook-contract/conversation-port';
import { toolOrder } from '../../../hook-contract/dialects/callbacks';
import { copyData } from '../../../hook-contract/copy';
import { HandlerRun } from '../../dispatch/handler-run';
import type { HookFunction, LoadedHook, RegisteredTool, Registration } from '../../../hook-contract/loaded-hook';
import { isContent, isUsage } from '../../../hook-contract/events/answers/answer';
import type { HookServices } from '../services';
import { declaredParameters } from './declared-parameters';
import { preparesLoadout } from './tool-loadout';
import { withinCall } from './running-call';
import { listingOf } from './tool-listing';
import { ToolCallContext } from './tool-context';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import { calledAs } from '../../../hook-contract/called-as';
import { refuseTooLarge } from '../../../hook-contract/given-size';

/** Checks a tool definition; throws an error that names the wrong member, at the call of `registerTool`. */
export function checkedTool(definition: unknown, at: Registration): RegisteredTool {
  if (!isRecord(definition)) throw new TypeError('registerTool needs an object');
  const { name, label, description, parameters, execute, promptSnippet, promptGuidelines } = definition;
  const { prepareArguments, prepareLoadout } = definition;
  if (typeof name !== 'string' || name === '') throw new TypeError('registerTool needs a "name"');
  if (typeof execute !== 'function') throw new TypeError(`registerTool("${name}"): "execute" must be a function`);
  if (typeof parameters !== 'object' || parameters === null) {
    throw new TypeError(`registerTool("${name}"): "parameters" must be a schema`);
  }
  return {
    name,
    label: typeof label === 'string' ? label : name,
    description: typeof description === 'string' ? description : '',
    ...declaredParameters(parameters),
    ...(typeof promptSnippet === 'string' ? { promptSnippet } : {}),
    ...(Array.isArray(promptGuidelines) ? { promptGuidelines: promptGuidelines.map(String) } : {}),
    ...(typeof prepareArguments === 'function' ? { prepareArguments: prepareArguments as HookFunction } : {}),
    ...(typeof prepareLoadout === 'function' ? { prepareLoadout: prepareLoadout as HookFunction } : {}),
    traits: traitsOf(definition, name),
    definition,
    execute: execute as HookFunction,
    at,
  };
}

/** Why no provider takes a tool, which would refuse every request with it; undefined if they do. */
export function toolFault({ name, parameters }: RegisteredTool): string | undefined {
  if (!isToolName(name)) return 'its name must have 1 to 64 letters of A-Z and a-z, digits, "_" and "-"';
  const { type = 'object', properties = {} } = parameters as Readonly<Record<string, unknown>>;
  if (type !== 'object') {
    return `its "parameters" are the schema of ${JSON.stringify(type)}, and must be that of an object`;
  }
  if (!isRecord(properties)) return 'the "properties" of its "parameters" must be an object';
  return undefined;
}

const EXPOSURES: readonly unknown[] = [
  'direct',
  'model-only',
  'codemode',
  'deferred',
  'hidden',
] satisfies readonly ToolExposure[];

/** Unknown values are not guessed: a tool that wants to be hidden must not be offered. */
function traitsOf(definition: Readonly<Record<string, unknown>>, name: string): RegisteredTool['traits'] {
  const { executionMode, exposure, defaultActive, outputSchema, constrainedSampling } = definition;
  if (exposure !== undefined && !EXPOSURES.includes(exposure)) {
    throw new TypeError(`registerTool("${name}"): "exposure" must be one of ${EXPOSURES.join(', ')}`);
  }
  return {
    ...(executionMode === 'sequential' ? { executionMode } : {}),
    ...defined({ exposure: exposure as ToolExposure | undefined }),
    ...(defaultActive === false ? { defaultActive } : {}),
    ...(isRecord(outputSchema) ? { outputSchema } : {}),
    ...(isSampling(constrainedSampling) ? { constrainedSampling } : {}),
  };
}

/** Options that no provider knows are left out, so that no request fails. */
function isSampling(value: unknown): value is ConstrainedSamplingConfig {
  if (!isRecord(value)) return false;
  const { type, strict, variants } = value;
  return type === 'json_schema'
    ? strict === 'prefer' || strict === 'require'
    : type === 'grammar' && isRecord(variants);
}

/** The tools of hooks for one conversation (absent: the active one); the first loaded wins for a name. */
export function customTools(
  hooks: readonly LoadedHook[],
  conversation: HookConversation | undefined,
  services: HookServices,
): readonly AnyTool[] {
  const tools = new Map<string, AnyTool>();
  for (const hook of hooks) {
    for (const tool of hook.tools.values()) {
      if (!tools.has(tool.name)) tools.set(tool.name, madeOnce(hook, tool, conversation, services));
    }
  }
  return [...tools.values()];
}

const made = new WeakMap<HookConversation, WeakMap<RegisteredTool, AnyTool>>();

/** The same object each time, so that code that wraps the tools of a turn sees whether they changed. */
function madeOnce(
  hook: LoadedHook,
  tool: RegisteredTool,
  conversation: HookConversation | undefined,
  services: HookServices,
): AnyTool {
  if (conversation === undefined) return agentTool(hook, tool, conversation, services);
  const known = made.get(conversation) ?? new WeakMap<RegisteredTool, AnyTool>();
  made.set(conversation, known);
  const same = known.get(tool) ?? agentTool(hook, tool, conversation, services);
  known.set(tool, same);
  return same;
}

function agentTool(
  hook: LoadedHook,
  tool: RegisteredTool,
  conversation: HookConversation | undefined,
  services: HookServices,
): AnyTool {
  const updateThird = toolOrder(tool.execute) === 'updateThird';
  return {
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters: tool.parameters,
    ...tool.traits,
    listing: listingOf(hook, tool),
    ...defined({ promptSnippet: tool.promptSnippet, promptGuidelines: tool.promptGuidelines }),
    ...(tool.prepareArguments === undefined ? {} : { prepareArguments: prepares(hook, tool, services, conversation) }),
    ...(tool.prepareLoadout === undefined
      ? {}
      : { prepareLoadout: preparesLoadout(hook, tool, services, conversation) }),
    async execute(toolCallId, params, signal, onUpdate, around): Promise<ToolResult> {
      const event = calledAs('tool', tool.name);
      const subject = { event, role: 'deciding', conversation, toolCallId, toolName: tool.name, signal } as const;
      const context = new ToolCallContext(new HandlerRun(hook, subject), services, around?.calls);
      const update = updatesOf(onUpdate);
      const work = hook.identity.scope.begin(subject.event);
      try {
        const args = updateThird ? [update, context, signal] : [signal, update, context];
        const call = conversation && { conversation: conversation.id, toolCallId };
        const returned = services.within(conversation, () =>
          withinCall(call, async () => {
            const checked: unknown = tool.parse === undefined ? params : await tool.parse(params);
            const executed: unknown = await Reflect.apply(tool.execute, tool.definition, [
              toolCallId,
              checked,
              ...args,
            ]);
            return executed;
          }),
        );
        const answer = await returned;
        const { stopped } = hook.identity.scope;
        if (stopped !== undefined) throw stopped; // The tool caught that itself.
        refuseTooLarge(answer);
        return resultOf(answer, hook, tool.name);
      } finally {
        work.dispose();
      }
    },
  };
}

/** Code of the hook, run as such; an error is the tool's failure. */
function prepares(
  hook: LoadedHook,
  { name, definition, prepareArguments }: RegisteredTool,
  services: HookServices,
  conversation: HookConversation | undefined,
): (args: unknown) => unknown {
  return args => {
    const work = hook.identity.scope.begin(calledAs('tool', name));
    try {
      return services.within(conversation, (): unknown =>
        prepareArguments === undefined ? args : Reflect.apply(prepareArguments, definition, [copyData(args)]),
      );
    } finally {
      work.dispose();
    }
  };
}

/** Partial results of hooks are passed on when they have the shape, and dropped when not. */
function updatesOf(onUpdate: ToolUpdate | undefined): (partial: unknown) => void {
  return partial => {
    if (!isRecord(partial) || !isContent(partial['content'])) return;
    onUpdate?.({ ...partial, details: partial['details'] } as unknown as ToolResult);
  };
}

function resultOf(returned: unknown, hook: LoadedHook, name: string): ToolResult {
  if (isRecord(returned) && isContent(returned['content'])) {
    const { content, details, terminate, isError, structuredContent, usage } = returned;
    return {
      content: content as unknown as ToolResult['content'],
      details,
      ...(terminate === true ? { terminate } : {}),
      ...(isError === true ? { isError } : {}),
      ...defined({ structuredContent }),
      ...(isUsage(usage) ? { usage } : {}),
    };
  }
  throw new Error(`Tool "${name}" of ${hook.path} did not return { content: [text and image parts] }`);
}
