import { existsSync, readFileSync } from 'node:fs';
import type { DialectId } from '../../src/hook-contract/dialect-id';

/** One call of a handler, as the hook itself wrote it down. */
export interface Heard {
  readonly name: string;
  /** Names of the event's members. */
  readonly fields: readonly string[];
  readonly event: Readonly<Record<string, unknown>>;
}

const IMPORTS: { readonly [D in DialectId]: string } = {
  v1: 'import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";',
  v2: 'import type { HookAPI, ContextMessage } from "@mariozechner/pi-coding-agent/hooks";',
  tree: 'import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";',
  omp: 'import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";',
  ext: 'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";',
  pi: 'import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";',
};

/**
 * A hook of a dialect that writes every event it gets to a file, one JSON line each, the way any hook could: what cannot
 * be written (functions, signals, cycles) is replaced by a word for it. `unmarked` leaves its dialect to be found out.
 */
export function recorder(
  dialect: DialectId,
  names: readonly string[],
  file: string,
  options: { readonly unmarked?: true } = {},
): string {
  return `${options.unmarked === true ? '' : `// @pi-dialect ${dialect}\n`}${IMPORTS[dialect]}
import { appendFileSync } from "node:fs";
const plain = (event: any): string => {
  const open: unknown[] = [];
  return JSON.stringify(event, function (this: unknown, _key: string, value: unknown) {
    if (typeof value === "function") return "[function]";
    if (value instanceof AbortSignal) return "[signal]";
    if (value instanceof Set) return [...value];
    if (typeof value !== "object" || value === null) return value;
    while (open.length > 0 && open.at(-1) !== this) open.pop();
    if (open.includes(value)) return "[cycle]";
    open.push(value);
    return value;
  });
};
export default function (pi: any) {
  for (const name of ${JSON.stringify(names)}) {
    pi.on(name, (event: any) => {
      appendFileSync(${JSON.stringify(file)}, JSON.stringify({ name, fields: Object.keys(event), event: JSON.parse(plain(event)) }) + "\\n");
    });
  }
}
`;
}

export function heardIn(file: string): readonly Heard[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Heard);
}

/** The text of a message of any role, with the names of the tools that it calls. */
export function textOf(message: object): string {
  const { content } = message as { readonly content?: unknown };
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { type: string; text?: string; name?: string }) =>
      part.type === 'text' ? (part.text ?? '') : part.type === 'toolCall' ? `[${part.name ?? ''}]` : '',
    )
    .join('');
}
