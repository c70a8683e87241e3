import type { Skill } from '../resources/skill';
import type { KnownTool } from '../tools/tool';
import { defined } from '../../base/defined';

/** Facts from which the system prompt is made. */
export interface PromptInput {
  /** Absolute path of the workspace folder. */
  readonly cwd: string;
  /** ISO date, so that the same facts give the same prompt for a whole day. */
  readonly date?: string;
  readonly tools: PromptTools;
  /** Files such as AGENTS.md, outermost folder first. */
  readonly contextFiles: readonly { readonly path: string; readonly text: string }[];
  readonly skills: readonly Pick<Skill, 'name' | 'description' | 'path' | 'baseDir'>[];
  /** Replaces the introduction (a `SYSTEM.md`). */
  readonly custom?: string;
  /** Added at the end (an `APPEND_SYSTEM.md`). */
  readonly append?: string;
}

/** The tools that the model may call, and all that it might get. */
export interface PromptTools {
  readonly active: readonly KnownTool[];
  readonly all: readonly KnownTool[];
}

/**
 * What the system prompt is made from, in the words of pi: files of today's pi change it before a run, in place, so that
 * each of its lists is there.
 */
export interface PromptOptions {
  /** In place of the introduction, the tools and the rules. */
  customPrompt?: string | undefined;
  /** In place of everything. */
  forceSystemPrompt?: string | undefined;
  selectedTools: string[];
  /** Selected tools that the prompt does not list. */
  hiddenTools: string[];
  /** One line about each tool. */
  toolSnippets: Record<string, string>;
  toolGuidelines: Record<string, string[]>;
  promptGuidelines: string[];
  appendSystemPrompt: string;
  /** Further sections by name, or others in place of the usual ones; each is in a tag of its name. */
  sections: Record<string, string>;
  cwd: string;
  contextFiles: { path: string; content: string }[];
  skills: PromptSkill[];
  date?: string | undefined;
  /**
   * Adds the date and the folder at the end, in the sentences of older versions of pi, because older hooks look for them there.
   */
  tellsPlaceInWords?: boolean | undefined;
}

interface PromptSkill {
  name: string;
  description: string;
  filePath: string;
  baseDir: string;
}

const INTRODUCTION = `You are a coding agent working inside the user's editor. You help by reading files, running commands, editing code and writing files, through the tools you are given. The user watches every tool call, and small programs of theirs ("hooks") may refuse a call or change its result: take a refusal as the user's word, say what was refused, and do not try to get around it.`;

const HABITS = [
  'Look before you change: read a file before you edit it.',
  'Make the smallest change that does the job, in the style of the code around it.',
  'Say in a sentence what you did and where; give file paths.',
];

/** The system prompt in its parts, by name and in order; each is sent and recorded separately (docs/sessions.md). */
export type PromptSections = Readonly<Record<string, string>>;

/** The sources of the prompt of a place, before hooks change them. */
export function promptOptions({ cwd, date, tools, contextFiles, skills, custom, append }: PromptInput): PromptOptions {
  const guided = tools.all.filter(({ promptGuidelines = [] }) => promptGuidelines.length > 0);
  return {
    customPrompt: custom,
    forceSystemPrompt: undefined,
    selectedTools: tools.active.map(({ name }) => name),
    hiddenTools: tools.active.filter(({ isUndeclared }) => isUndeclared === true).map(({ name }) => name),
    toolSnippets: Object.fromEntries(
      tools.all.map(tool => [tool.name, tool.promptSnippet ?? firstSentence(tool.description)]),
    ),
    toolGuidelines: Object.fromEntries(guided.map(({ name, promptGuidelines = [] }) => [name, [...promptGuidelines]])),
    promptGuidelines: [],
    appendSystemPrompt: append ?? '',
    sections: {},
    cwd,
    contextFiles: contextFiles.map(({ path, text }) => ({ path, content: text })),
    skills: skills.map(({ name, description, path, baseDir }) => ({ name, description, filePath: path, baseDir })),
    ...defined({ date }),
  };
}

/**
 * The system prompt in sections with pi's names, or the whole prompt of a hook. Throws for names of sections that cannot be tags.
 * Options that a hook changed may contain anything, and may throw any error.
 */
export function promptSections(options: PromptOptions): PromptSections {
  const { customPrompt, appendSystemPrompt, contextFiles, skills, selectedTools, hiddenTools, date, cwd } = options;
  const isCustom = customPrompt !== undefined && customPrompt !== '';
  const listed = selectedTools.filter(name => !hiddenTools.includes(name));
  const parts: Readonly<Record<string, string | undefined>> = {
    tools: isCustom ? undefined : toolList(listed, options),
    rules: isCustom ? undefined : habitList(listed, options),
    addendum: appendSystemPrompt,
    project_context: contextFiles.length > 0 ? contextText(contextFiles) : undefined,
    skills: skills.length > 0 && listed.includes('read') ? skillText(skills) : undefined,
    date,
    cwd,
    ...ownSections(options),
  };
  const sections: Record<string, string> = { preamble: isCustom ? customPrompt : INTRODUCTION };
  for (const [name, text] of Object.entries(parts)) {
    if (text !== undefined && text !== '') sections[name] = `<${name}>\n${text}\n</${name}>`;
  }
  if (options.tellsPlaceInWords === true && cwd !== '') sections[PLACE_SECTION] = placeInWords(options);
  return sections;
}

/** The one section without a tag, besides the introduction. */
const PLACE_SECTION = 'place_in_words';

function placeInWords({ date, cwd }: PromptOptions): string {
  return `${date === undefined ? '' : `Current date: ${date}\n`}Current working directory: ${cwd}`;
}

/** An empty text keeps the usual section, as in pi. */
function ownSections({ sections }: PromptOptions): Record<string, string> {
  const own = Object.entries(sections);
  const wrong = own.find(([name]) => !SECTION_NAME.test(name) || name === 'preamble');
  if (wrong !== undefined) throw new Error(`Invalid system prompt section name: ${wrong[0]}`);
  return Object.fromEntries(own.filter(([, text]) => text !== '').map(([name, text]) => [name, text]));
}

const SECTION_NAME = /^[a-z][a-z0-9_-]*$/;

/** The prompt as the next request sends it. */
export function wholePrompt(options: PromptOptions): string {
  return options.forceSystemPrompt ?? promptText(promptSections(options));
}

/** The prompt as the model reads it. */
export function promptText(sections: PromptSections): string {
  return Object.values(sections)
    .filter(text => text !== '')
    .join('\n\n');
}

function toolList(tools: readonly string[], { toolSnippets }: PromptOptions): string {
  const lines = tools.flatMap(name => {
    const snippet = toolSnippets[name];
    return snippet === undefined ? [] : [`- ${name}: ${snippet}`];
  });
  return lines.length === 0 ? '(none)' : lines.join('\n');
}

function habitList(tools: readonly string[], { toolGuidelines, promptGuidelines }: PromptOptions): string {
  const habits = [...HABITS, ...tools.flatMap(name => toolGuidelines[name] ?? []), ...promptGuidelines];
  return [...new Set(habits)].map(habit => `- ${habit}`).join('\n');
}

function contextText(contextFiles: PromptOptions['contextFiles']): string {
  const files = contextFiles.map(file => `## ${file.path}\n\n${file.content.trim()}`);
  return `Instructions that the project and the user wrote down:\n\n${files.join('\n\n')}`;
}

function skillText(skills: PromptOptions['skills']): string {
  const lines = skills.map(skill => `- ${skill.name}: ${skill.description} (${skill.filePath})`);
  return `Before a task that one of these covers, read its file with the read tool and follow it; paths in it start at its own folder:\n${lines.join('\n')}`;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
