import type { AnyTool } from './tools/tool';

/** Facts from which the system prompt is made. */
export interface PromptFacts {
  /** Absolute path of the workspace folder. */
  readonly cwd: string;
  /** ISO date, so that the same facts give the same prompt for a whole day. */
  readonly date: string;
  readonly tools: readonly AnyTool[];
  /** Files such as AGENTS.md, outermost folder first. */
  readonly contextFiles: readonly { readonly path: string; readonly text: string }[];
  readonly skills: readonly { readonly name: string; readonly description: string; readonly path: string }[];
  /** Replaces the introduction (a `SYSTEM.md`). */
  readonly custom?: string;
  /** Added at the end (an `APPEND_SYSTEM.md`). */
  readonly append?: string;
}

const INTRODUCTION = `You are a coding agent working inside the user's editor. You help by reading files, running commands, editing code and writing files, through the tools you are given. The user watches every tool call, and small programs of theirs ("hooks") may refuse a call or change its result: take a refusal as the user's word, say what was refused, and do not try to get around it.`;

const HABITS = [
  'Look before you change: read a file before you edit it.',
  'Make the smallest change that does the job, in the style of the code around it.',
  'Say in a sentence what you did and where; give file paths.',
];

/** The system prompt in its parts, by name and in order; each is told and recorded by itself (docs/sessions.md). */
export type PromptSections = Readonly<Record<string, string>>;

/** The base system prompt as a pure function of its facts, in sections with pi's names; hooks may extend it per run. */
export function promptSections(facts: PromptFacts): PromptSections {
  const { custom, append, contextFiles, skills, tools, date, cwd } = facts;
  const readsSkills = skills.length > 0 && tools.some(tool => tool.name === 'read');
  const parts: Readonly<Record<string, string | undefined>> = {
    tools: custom === undefined ? toolList(tools) : undefined,
    rules: custom === undefined ? habitList(tools) : undefined,
    addendum: append,
    project_context: contextFiles.length > 0 ? contextText(contextFiles) : undefined,
    skills: readsSkills ? skillText(skills) : undefined,
    date,
    cwd,
  };
  const sections: Record<string, string> = { preamble: custom ?? INTRODUCTION };
  for (const [name, text] of Object.entries(parts)) {
    if (text !== undefined) sections[name] = `<${name}>\n${text}\n</${name}>`;
  }
  return sections;
}

/** The prompt as the model reads it. */
export function promptText(sections: PromptSections): string {
  return Object.values(sections)
    .filter(text => text !== '')
    .join('\n\n');
}

function toolList(tools: readonly AnyTool[]): string {
  const lines = tools.map(tool => `- ${tool.name}: ${tool.promptSnippet ?? firstSentence(tool.description)}`);
  return lines.length === 0 ? '(none)' : lines.join('\n');
}

function habitList(tools: readonly AnyTool[]): string {
  const habits = [...HABITS, ...tools.flatMap(tool => tool.promptGuidelines ?? [])];
  return [...new Set(habits)].map(habit => `- ${habit}`).join('\n');
}

function contextText(contextFiles: PromptFacts['contextFiles']): string {
  const files = contextFiles.map(file => `## ${file.path}\n\n${file.text.trim()}`);
  return `Instructions that the project and the user wrote down:\n\n${files.join('\n\n')}`;
}

function skillText(skills: PromptFacts['skills']): string {
  const lines = skills.map(skill => `- ${skill.name}: ${skill.description} (${skill.path})`);
  return `Before a task that one of these covers, read its file with the read tool and follow it; paths in it start at its own folder:\n${lines.join('\n')}`;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
