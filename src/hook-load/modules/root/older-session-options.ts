import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';

type Options = Readonly<Record<string, unknown>>;

/**
 * Options of `createAgentSession` as older pi took them, in today's form; today's options stay as they are. `tools` and
 * `customTools` could be objects, and the session itself took its prompt, context files, skills, templates and hooks, which a
 * resource loader has today. `loaderOf` makes such a loader from options.
 */
export function todaysOptions(given: Options, loaderOf: (options: Options) => object): Options {
  return { ...given, ...todaysTools(given), ...defined({ resourceLoader: loaderFor(given, loaderOf) }) };
}

/** The tools that were given as objects are the only ones of our own; those of hooks are active beside them. */
function todaysTools({ tools, customTools = [] }: Options): Options {
  if (!Array.isArray(customTools)) return {};
  const custom = customTools.map((each: unknown) => (isRecord(each) && isRecord(each['tool']) ? each['tool'] : each));
  const isOlder = Array.isArray(tools) && tools.every(isRecord) && tools.length + custom.length > 0;
  if (!isOlder) return { customTools: custom };
  return { tools: undefined, noTools: 'builtin', customTools: [...tools, ...custom] };
}

function loaderFor(given: Options, loaderOf: (options: Options) => object): object | undefined {
  const { resourceLoader, cwd, systemPrompt, contextFiles, skills, promptTemplates = given['slashCommands'] } = given;
  const { hooks, extensions = hooks } = given;
  const paths = [given['additionalHookPaths'], given['additionalExtensionPaths']].flatMap(each => each ?? []);
  const isOlder = [systemPrompt, contextFiles, skills, promptTemplates, extensions].some(each => each !== undefined);
  if (resourceLoader !== undefined || (!isOlder && paths.length === 0)) return undefined;
  const factories = [
    ...(typeof systemPrompt === 'function' ? [changingPrompt(systemPrompt)] : []),
    ...(Array.isArray(extensions) ? extensions.map(todaysFactory) : []),
  ];
  return loaderOf({
    cwd,
    noExtensions: extensions !== undefined,
    additionalExtensionPaths: paths,
    extensionFactories: factories,
    ...overrides({
      systemPromptOverride: typeof systemPrompt === 'string' ? systemPrompt : undefined,
      agentsFilesOverride: contextFiles && { agentsFiles: contextFiles },
      skillsOverride: skills && { skills, diagnostics: [] },
      promptsOverride: promptTemplates && { prompts: promptTemplates, diagnostics: [] },
    }),
  });
}

/** Overrides that replace what was found. */
function overrides(values: Options): Options {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, () => value]));
}

function todaysFactory(each: unknown): unknown {
  return isRecord(each) ? { name: each['path'], factory: each['factory'] } : each;
}

/** A hook whose function makes the prompt from the prompt that the session would have. */
function changingPrompt(change: unknown): object {
  const factory = (pi: { on(event: string, handler: (event: { systemPrompt: string }) => object): void }): void =>
    pi.on('before_agent_start', ({ systemPrompt }) => ({
      systemPrompt: (change as (found: string) => unknown)(systemPrompt),
    }));
  return { name: 'systemPrompt', factory };
}
