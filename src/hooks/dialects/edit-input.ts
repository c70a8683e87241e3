import { editPair, editsIn } from '../../agent/tools/files/edit-arguments';
import { copyData } from '../dispatch/copy';
import type { Dialect } from './dialect';

type Input = Record<string, unknown>;

/**
 * The arguments of a call as files of a dialect know them; a change of what they get is a change of `input`. They
 * differ for `edit` alone (docs/dialects.md, C38): `{ path, oldText, newText }` or `{ path, edits }`.
 */
export function inputFor(dialect: Dialect, toolName: string, input: Input): Input {
  const edits = toolName === 'edit' ? editsIn(input) : undefined;
  if (edits === undefined) return input;
  if (dialect.editInput === 'list') return withPair(input, input, false);
  const names = Object.keys(input).filter(name => name !== 'edits' || edits.length > 1);
  const view: Input = {};
  for (const name of names) {
    Object.defineProperty(view, name, {
      enumerable: true,
      configurable: true,
      get: () => input[name],
      set(value: unknown) {
        input[name] = value;
      },
    });
  }
  return withPair(view, input, true);
}

/** {@link inputFor}, for those who may change nothing. */
export function copiedInput(dialect: Dialect, toolName: string, input: Input): Input {
  const copy = copyData(input);
  const view = inputFor(dialect, toolName, copy);
  // A plain object, as the arguments of every other tool.
  return view === copy ? copy : { ...view };
}

/** Adds `oldText` and `newText`, which read and write the only edit, and read the texts of several. */
function withPair(target: Input, input: Input, enumerable: boolean): Input {
  for (const name of ['oldText', 'newText'] as const) {
    Object.defineProperty(target, name, {
      enumerable,
      configurable: true,
      get: () => {
        const edits = editsIn(input);
        return edits === undefined ? undefined : editPair(edits)[name];
      },
      set(value: unknown) {
        const [only, ...others] = editsIn(input) ?? [];
        // Thrown in the handler, so that the call is blocked: what the hook wants cannot be done.
        if (only === undefined || others.length > 0) {
          throw new TypeError(`this call makes several edits: change event.input.edits, not event.input.${name}`);
        }
        Reflect.set(only, name, String(value));
      },
    });
  }
  return target;
}
