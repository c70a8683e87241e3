import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import { expandHome } from '../../../agent/settings/configured-path';
import { sessionDirFor } from '../../../agent/session/library/session-list';
import { THINKING_LEVELS, type ThinkingLevel } from '../../../agent/thinking-levels';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import type {
  ChildSessions,
  ChildSessionRequest,
  InlineHook,
  ToolSelection,
} from '../../../hook-contract/child-session';
import type { HookScope, HookFactory } from '../../../hook-contract/loaded-hook';
import { boundMember } from '../bound-members';
import { notOffered } from '../not-offered';
import { todaysOptions } from './older-session-options';
import { changesByLoader, changesByOverrides } from './resource-changes';
import { SyncSession } from './sessions/sync-session';

const PACKAGE = '@mariozechner/pi-coding-agent';

type Options = Readonly<Record<string, unknown>>;

const NO_LOADER_MEMBERS: readonly string[] = [
  'extendResources',
  'getAgentsFiles',
  'getAppendSystemPromptSources',
  'getPrompts',
  'getSkills',
  'getSystemPromptSource',
  'getThemes',
  'loadProjectTrustExtensions',
];

/**
 * pi's `DefaultResourceLoader`: it stores which hooks, resources and prompt a session is to have; the session loads
 * them when it is made. `extensionsOverride` is ignored, because it could remove a gate, or put a hook after it.
 */
export class DefaultResourceLoader {
  /**
   * pi uses this for a cache of the extensions of one process; here each session loads its own, so only hooks read it.
   */
  loaded = false;
  private readonly options: Options;
  private readonly childParts: Pick<ChildSessionRequest, 'hooks' | 'resources' | 'prompt'>;

  /** @throws Error that names an option that is not supported here or has the wrong type */
  constructor(options: unknown = {}) {
    this.options = recordOf(options, 'DefaultResourceLoader needs an object of options');
    if (this.options['eventBus'] !== undefined) {
      // To ignore it could mislead.
      throw new Error('DefaultResourceLoader: "eventBus" is not available in this runtime.');
    }
    this.childParts = childPartsOf(this.options);
    for (const name of NO_LOADER_MEMBERS) {
      Object.defineProperty(this, name, { value: notOffered(PACKAGE, `DefaultResourceLoader.${name}`) });
    }
  }

  /** The parts of the request for a new session that `loader` decides. */
  static childPartsOf(loader: DefaultResourceLoader): DefaultResourceLoader['childParts'] {
    return loader.childParts;
  }

  /** Loads nothing: a session loads its extensions when it is made. */
  reload(): Promise<void> {
    this.loaded = true;
    return Promise.resolve();
  }

  getExtensions(): object {
    return { extensions: [], errors: [], warnings: [], runtime: createExtensionRuntime() };
  }

  getSystemPrompt(): string | undefined {
    const { custom, changes } = this.childParts.prompt;
    return changes.custom === undefined ? custom : changes.custom(custom);
  }

  getAppendSystemPrompt(): string[] {
    const { append, changes } = this.childParts.prompt;
    const texts = append === undefined ? [] : [append];
    return [...(changes.append?.(texts) ?? texts)];
  }
}

/** What resource loaders answer as the runtime of their extensions; here extensions have one of their own. */
export function createExtensionRuntime(): object {
  return { flagValues: new Map(), pendingProviderRegistrations: [], pendingNativeProviderRegistrations: [] };
}

/** What `createAgentSession` needs to make a session. */
export interface SessionFactory {
  /** Undefined where there are no conversations that a session could belong to. */
  readonly sessions: () => ChildSessions | undefined;
  /** The folder of the conversations, absolute; used when `createAgentSession` gets no `cwd`. */
  readonly cwd: () => string;
  readonly agentDir: () => string;
}

/**
 * pi's `createAgentSession`; a session belongs to the load whose code made it. The options `modelRuntime`,
 * `settingsManager` and `agentDir` are ignored: the session uses the conversation's models, keys, settings and agent
 * folder.
 */
export function createAgentSessionFor(making: SessionFactory): (options?: unknown) => Promise<object> {
  const create =
    (scope: HookScope | undefined) =>
    async (given: unknown = {}): Promise<object> => {
      const sessions = making.sessions();
      if (sessions === undefined) throw new Error(`'createAgentSession' of '${PACKAGE}' is not available here.`);
      const options = todaysOptions(
        recordOf(given, 'createAgentSession needs an object of options'),
        loaderOptions => new DefaultResourceLoader(loaderOptions),
      );
      const session = await sessions.open(requestFrom(options, making), scope);
      return { session, extensionsResult: new DefaultResourceLoader().getExtensions() };
    };
  return boundMember(create(undefined), create);
}

/** @throws Error that names an option that is not supported here or has the wrong type */
function requestFrom(options: Options, { cwd: ownFolder, agentDir }: SessionFactory): ChildSessionRequest {
  const { model, thinkingLevel, customTools = [], resourceLoader, sessionManager, sessionStartEvent } = options;
  if (options['scopedModels'] !== undefined) throw refused('"scopedModels" is not available in this runtime.');
  const cwd = text(options, 'cwd');
  const folder = cwd === undefined ? ownFolder() : resolve(cwd);
  const kept = { cwd: folder, dir: sessionDirFor(agentDir(), folder), isPersisted: true };
  const session = sessionManager ?? new SyncSession(kept);
  if (!(session instanceof SyncSession)) throw refused('"sessionManager" must be a SessionManager.');
  if (model !== undefined && !isModel(model)) throw refused('"model" must be a model.');
  if (thinkingLevel !== undefined && !isLevel(thinkingLevel)) {
    throw refused(`"thinkingLevel" must be one of ${THINKING_LEVELS.join(', ')}.`);
  }
  if (!Array.isArray(customTools)) throw refused('"customTools" must be a list.');
  const tools = toolSelection(options);
  const childParts = partsOfLoader(resourceLoader ?? new DefaultResourceLoader());
  return {
    cwd: folder,
    ...childParts,
    hooks: { ...childParts.hooks, inline: [...childParts.hooks.inline, ...inlineTools(customTools)] },
    tools,
    ...defined({ model, thinkingLevel }),
    startReason: startReason(sessionStartEvent),
    handOver: () => session.handOver(),
  };
}

function partsOfLoader(loader: unknown): ReturnType<typeof childPartsOf> {
  if (loader instanceof DefaultResourceLoader) return DefaultResourceLoader.childPartsOf(loader);
  const { resources, prompt } = changesByLoader(loader);
  const nothing = { paths: [], search: false };
  return {
    hooks: { inherits: false, paths: [], inline: [] },
    resources: { skills: nothing, prompts: nothing, changes: resources },
    prompt: { contextFiles: false, changes: prompt },
  };
}

const REASONS = [
  'startup',
  'reload',
  'new',
  'resume',
  'fork',
] as const satisfies readonly ChildSessionRequest['startReason'][];

function startReason(event: unknown): ChildSessionRequest['startReason'] {
  const reason = isRecord(event) ? event['reason'] : undefined;
  return REASONS.find(each => each === reason) ?? 'startup';
}

function toolSelection(options: Options): ToolSelection {
  const { noTools } = options;
  if (noTools !== undefined && noTools !== 'all' && noTools !== 'builtin') {
    throw refused('"noTools" must be "all" or "builtin".');
  }
  const withoutTools = noTools === 'builtin' ? 'built-in' : noTools;
  const tools = options['tools'] === undefined ? undefined : texts(options, 'tools');
  const changes = (tools ?? []).filter(name => /^[+-]/.test(name));
  if (tools !== undefined && changes.length > 0 && changes.length < tools.length) {
    throw refused('"tools" cannot mix names with +name and -name.');
  }
  return { tools, excludedTools: texts(options, 'excludeTools'), withoutTools };
}

function childPartsOf(options: Options): Pick<ChildSessionRequest, 'hooks' | 'resources' | 'prompt'> {
  const folder = text(options, 'cwd');
  const absolute = (name: string): string[] => texts(options, name).map(path => absoluteIn(folder, path));
  const custom = textOrFile(folder, text(options, 'systemPrompt'));
  const append = texts(options, 'appendSystemPrompt').map(given => textOrFile(folder, given));
  const changes = changesByOverrides(options);
  return {
    hooks: {
      inherits: options['noExtensions'] !== true,
      paths: absolute('additionalExtensionPaths'),
      inline: inlineHooks(options['extensionFactories']),
    },
    resources: {
      skills: { paths: absolute('additionalSkillPaths'), search: options['noSkills'] !== true },
      prompts: { paths: absolute('additionalPromptTemplatePaths'), search: options['noPromptTemplates'] !== true },
      changes: changes.resources,
    },
    prompt: {
      contextFiles: options['noContextFiles'] !== true,
      changes: changes.prompt,
      ...defined({ custom }),
      ...(append.length === 0 ? {} : { append: append.join('\n\n') }),
    },
  };
}

function inlineHooks(given: unknown = []): readonly InlineHook[] {
  if (!Array.isArray(given)) throw new Error('DefaultResourceLoader: "extensionFactories" must be a list.');
  return given.map((each: unknown, index): InlineHook => {
    const { name, factory, builtin } = isRecord(each) ? each : { name: undefined, factory: each, builtin: false };
    if (typeof factory !== 'function' || builtin === true) {
      throw new Error('DefaultResourceLoader: "extensionFactories" must hold functions, or { name, factory }.');
    }
    const path = `<inline:${typeof name === 'string' ? name : String(index + 1)}>`;
    return { path, factory: factory as HookFactory };
  });
}

function inlineTools(tools: readonly unknown[]): readonly InlineHook[] {
  if (tools.length === 0) return [];
  const factory = (pi: unknown): void => {
    for (const tool of tools) (pi as { registerTool(tool: unknown): void }).registerTool(tool);
  };
  return [{ path: '<inline:customTools>', factory }];
}

function textOrFile(folder: string | undefined, given: string): string;
function textOrFile(folder: string | undefined, given: string | undefined): string | undefined;
function textOrFile(folder: string | undefined, given: string | undefined): string | undefined {
  if (given === undefined || given === '' || given.includes('\n')) return given;
  const path = absoluteIn(folder, given);
  return existsSync(path) ? readFileSync(path, 'utf8') : given;
}

function absoluteIn(folder: string | undefined, path: string): string {
  return folder === undefined ? resolve(expandHome(path)) : resolve(folder, expandHome(path));
}

function text(options: Options, name: string): string | undefined {
  const value = options[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new Error(`"${name}" must be a text.`);
}

function texts(options: Options, name: string): readonly string[] {
  const value = options[name] ?? [];
  if (Array.isArray(value) && value.every(each => typeof each === 'string')) return value;
  throw new Error(`"${name}" must be a list of texts.`);
}

function isModel(value: unknown): value is Model<Api> {
  return isRecord(value) && ['provider', 'id', 'api'].every(name => typeof value[name] === 'string');
}

function isLevel(value: unknown): value is ThinkingLevel {
  return THINKING_LEVELS.some(level => level === value);
}

function recordOf(value: unknown, problem: string): Options {
  if (isRecord(value)) return value;
  throw new TypeError(problem);
}

function refused(reason: string): Error {
  return new Error(`createAgentSession: ${reason}`);
}
