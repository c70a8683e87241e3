import { editPair, editsIn } from '../../agent/tools/files/editing/edit-arguments';
import { copyData } from '../copy';
import type { Dialect } from '../dialect';

type Input = Record<string, unknown>;

/**
 * The arguments of a call in the form of a dialect; changing the result changes `input`. Only the arguments of `edit`
 * differ (docs/dialects.md, C38): `{ path, oldText, newText }` or `{ path, edits }`.
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

/** Like {@link inputFor}, but returns a copy: changing it does not change `input`. */
export function copiedInput(dialect: Dialect, toolName: string, input: Input): Input {
  const copy = copyData(input);
  const view = inputFor(dialect, toolName, copy);
  // The copy has plain members and no getters, like the arguments of every other tool.
  return view === copy ? copy : { ...view };
}

/** Adds `oldText` and `newText`, which read and write a single edit. For several edits, they can only be read. */
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
        // The handler throws this error, so the call is blocked: the change that the hook wants is not possible.
        if (only === undefined || others.length > 0) {
          throw new TypeError(`this call makes several edits: change event.input.edits, not event.input.${name}`);
        }
        Reflect.set(only, name, String(value));
      },
    });
  }
  return target;
}
