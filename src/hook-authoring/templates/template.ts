import type { DialectId } from '../../hook-contract/dialect-id';
import { shapeOf, type DialectShape } from './dialect-shape';

/** Marks the place of the cursor in a template's text; {@link writeHook} removes it. */
export const CURSOR = '‸';

/** A template for a new hook with a certain purpose, in all dialects that can do it. */
export interface HookTemplate {
  /** Name for the user, as lists show it. */
  readonly label: string;
  /** What the unchanged hook does, in one line. */
  readonly detail: string;
  /** Proposed name of the file, without `.ts`. */
  readonly fileName: string;
  readonly dialects: readonly DialectId[];
  /** The whole text of the file after its mark, with one {@link CURSOR}. */
  body(shape: DialectShape, names: HookNames): string;
}

/** The name of a new hook in the forms that its code needs. */
export interface HookNames {
  /** As given: the file's name without `.ts`. */
  readonly file: string;
  /** For the factory function. */
  readonly camel: string;
  /** For a tool. */
  readonly snake: string;
  /** For a slash command. */
  readonly kebab: string;
}

/** The text of a new hook file, and the place of the cursor in it, counted from 0. */
export interface NewHook {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Makes a new hook from a template. `name` is the file's name without `.ts`.
 * @throws Error when the template does not have this dialect
 */
export function writeHook(template: HookTemplate, dialect: DialectId, name: string): NewHook {
  if (!template.dialects.includes(dialect)) throw new Error(`"${template.label}" cannot be written in ${dialect}`);
  const shape = shapeOf(dialect);
  const mark = shape.mark === undefined ? '' : `${shape.mark}\n`;
  const full = `${mark}${template.body(shape, namesFrom(name)).trim()}\n`;
  const before = full.slice(0, full.indexOf(CURSOR)).split('\n');
  return { text: full.replace(CURSOR, ''), line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

/** Returns the forms of a name that code needs. `camel` is never a reserved word and never begins with a digit. */
export function namesFrom(name: string): HookNames {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ['hook'];
  const lower = words.map(word => word.toLowerCase());
  const camel = lower.map((word, index) => (index === 0 ? word : upperFirst(word))).join('');
  const safe = /^\p{N}/u.test(camel) || RESERVED.test(camel) ? `hook${upperFirst(camel)}` : camel;
  return { file: name, camel: safe, snake: lower.join('_'), kebab: lower.join('-') };
}

const RESERVED =
  /^(arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|pi|ctx)$/;

function upperFirst(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
