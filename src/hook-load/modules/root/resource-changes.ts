import { dirname } from 'node:path';
import type { ContextFile, PromptChanges } from '../../../agent/prompt/context-files';
import type { ResourceChanges } from '../../../agent/resources/load';
import type { Skill } from '../../../agent/resources/skill';
import type { PromptTemplate } from '../../../agent/resources/template';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import { createSyntheticSourceInfo } from './skills';

/** What the code of a hook makes of the files that a session reads. */
export interface LoaderChanges {
  readonly resources: ResourceChanges;
  readonly prompt: PromptChanges;
}

/** Gets the resources that were found, in pi's form, and returns those to use. */
type Change = (found: unknown) => unknown;

type Changes = Readonly<
  Record<'skills' | 'prompts' | 'agentsFiles' | 'systemPrompt' | 'appendSystemPrompt', Change | undefined>
>;

/** The methods of pi's `ResourceLoader` that a loader of a hook must have. */
const METHODS = [
  'getExtensions',
  'getSkills',
  'getPrompts',
  'getAgentsFiles',
  'getSystemPrompt',
  'getAppendSystemPrompt',
] as const;

/**
 * The overrides among the options of a `DefaultResourceLoader`.
 * @throws TypeError that names an override that is not a function
 */
export function changesByOverrides(options: Readonly<Record<string, unknown>>): LoaderChanges {
  const override = (name: string): Change | undefined => {
    const given = options[name];
    if (given === undefined) return undefined;
    if (typeof given !== 'function') throw new TypeError(`DefaultResourceLoader: "${name}" must be a function.`);
    return (found): unknown => Reflect.apply(given, options, [found]);
  };
  return changesBy({
    skills: override('skillsOverride'),
    prompts: override('promptsOverride'),
    agentsFiles: override('agentsFilesOverride'),
    systemPrompt: override('systemPromptOverride'),
    appendSystemPrompt: override('appendSystemPromptOverride'),
  });
}

/**
 * The answers of a resource loader that a hook wrote; they replace what is found.
 * @throws Error that names a method that is missing, or says that the loader has extensions
 */
export function changesByLoader(loader: unknown): LoaderChanges {
  const methods = isRecord(loader) ? loader : {};
  const missing = METHODS.find(name => typeof methods[name] !== 'function');
  if (missing !== undefined) throw new Error(`createAgentSession: "resourceLoader" needs the method "${missing}".`);
  const answer = (name: (typeof METHODS)[number]): unknown => Reflect.apply(methods[name] as () => unknown, loader, []);
  const found = answer('getExtensions');
  const extensions = isRecord(found) ? found['extensions'] : [];
  if (Array.isArray(extensions) && extensions.length > 0) {
    throw new Error(
      'createAgentSession: "resourceLoader" must not have extensions: give them to a DefaultResourceLoader.',
    );
  }
  return changesBy({
    skills: () => answer('getSkills'),
    prompts: () => answer('getPrompts'),
    agentsFiles: () => answer('getAgentsFiles'),
    systemPrompt: () => answer('getSystemPrompt'),
    appendSystemPrompt: () => answer('getAppendSystemPrompt'),
  });
}

function changesBy({ skills, prompts, agentsFiles, systemPrompt, appendSystemPrompt }: Changes): LoaderChanges {
  return {
    resources: defined({
      skills:
        skills &&
        ((found: readonly Skill[]) =>
          listIn(skills({ skills: found.map(shownSkill), diagnostics: [] }), 'skills').map(each =>
            skillOf(each, found),
          )),
      templates:
        prompts &&
        ((found: readonly PromptTemplate[]) =>
          listIn(prompts({ prompts: found.map(shownTemplate), diagnostics: [] }), 'prompts').map(each =>
            templateOf(each, found),
          )),
    }),
    prompt: defined({
      custom:
        systemPrompt &&
        ((found: string | undefined) => {
          const text = systemPrompt(found);
          return typeof text === 'string' ? text : undefined;
        }),
      append:
        appendSystemPrompt &&
        ((found: readonly string[]) => {
          const texts = appendSystemPrompt([...found]);
          return Array.isArray(texts) ? texts.map(String) : [];
        }),
      contextFiles:
        agentsFiles &&
        ((found: readonly ContextFile[]) =>
          listIn(
            agentsFiles({ agentsFiles: found.map(({ path, text }) => ({ path, content: text })) }),
            'agentsFiles',
          ).map(({ path, content }) => ({ path: String(path), text: String(content) }))),
    }),
  };
}

function listIn(answer: unknown, member: string): readonly Readonly<Record<string, unknown>>[] {
  const list = isRecord(answer) ? answer[member] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function shownSkill({ name, description, path, baseDir, hidden }: Skill): object {
  const sourceInfo = createSyntheticSourceInfo(path, { source: 'local', baseDir });
  return { name, description, filePath: path, baseDir, sourceInfo, disableModelInvocation: hidden };
}

function skillOf(shown: Readonly<Record<string, unknown>>, found: readonly Skill[]): Skill {
  const { name, description, filePath, baseDir, disableModelInvocation } = shown;
  const path = String(filePath);
  const known = found.find(skill => skill.path === path);
  return {
    location: 'path',
    ...known,
    name: String(name),
    description: String(description),
    path,
    baseDir: typeof baseDir === 'string' ? baseDir : dirname(path),
    hidden: disableModelInvocation === true,
  };
}

function shownTemplate({ name, description, argumentHint, body, path }: PromptTemplate): object {
  const sourceInfo = createSyntheticSourceInfo(path, { source: 'local' });
  return { name, description, ...defined({ argumentHint }), content: body, filePath: path, sourceInfo };
}

function templateOf(shown: Readonly<Record<string, unknown>>, found: readonly PromptTemplate[]): PromptTemplate {
  const { name, description, argumentHint, content, filePath } = shown;
  const path = String(filePath);
  const known = found.find(template => template.path === path);
  return {
    location: 'path',
    group: '',
    ...known,
    name: String(name),
    description: typeof description === 'string' ? description : '',
    ...defined({ argumentHint: typeof argumentHint === 'string' ? argumentHint : undefined }),
    body: String(content),
    path,
  };
}
