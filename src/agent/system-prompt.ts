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

/** The base system prompt as a pure function of its facts; hooks may extend it per run. */
export function buildSystemPrompt(facts: PromptFacts): string {
  const sections = [facts.custom ?? `${INTRODUCTION}\n\n${toolSection(facts.tools)}\n\n${habitSection(facts.tools)}`];
  if (facts.append !== undefined) sections.push(facts.append);
  if (facts.contextFiles.length > 0) {
    const files = facts.contextFiles.map(file => `## ${file.path}\n\n${file.text.trim()}`);
    sections.push(
      `# Project context\n\nInstructions that the project and the user wrote down:\n\n${files.join('\n\n')}`,
    );
  }
  if (facts.skills.length > 0 && facts.tools.some(tool => tool.name === 'read')) {
    sections.push(skillSection(facts.skills));
  }
  sections.push(`Current date: ${facts.date}\nCurrent working directory: ${facts.cwd}`);
  return sections.join('\n\n');
}

function toolSection(tools: readonly AnyTool[]): string {
  const lines = tools.map(tool => `- ${tool.name}: ${tool.promptSnippet ?? firstSentence(tool.description)}`);
  return `Available tools:\n${lines.length === 0 ? '(none)' : lines.join('\n')}`;
}

function habitSection(tools: readonly AnyTool[]): string {
  const habits = [...HABITS, ...tools.flatMap(tool => tool.promptGuidelines ?? [])];
  return `Guidelines:\n${[...new Set(habits)].map(habit => `- ${habit}`).join('\n')}`;
}

function skillSection(skills: PromptFacts['skills']): string {
  const lines = skills.map(skill => `- ${skill.name}: ${skill.description} (${skill.path})`);
  return `# Skills\n\nBefore a task that one of these covers, read its file with the read tool and follow it; paths in it start at its own folder:\n${lines.join('\n')}`;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
