/** `(0 , _x.name)` of Babel, and `(0 , import1$hookline.name)`: how compiled code calls what was imported by name. */
const CALLED = /\(0\s*,\s*(?:_[A-Za-z]\w*|import\d+\$hookline)\.(\w+)\)/g;
/** `_x.name is not a constructor`: how it names what was imported in other places. */
const NAMED = /(?<![\w.$])(_[A-Za-z]\w*|import\d+\$hookline)\.(\w+)(?=[\w.]*(?:\([^)]*\))? is not )/g;
/** How it names variables that are called like what jiti passes to a module. */
const RENAMED = /\$hookline_(\w+)/g;

/**
 * The message of an error in compiled code with the names that the author wrote. `isWritten` tells
 * whether a word is in the hook's own text: then it is left alone.
 */
export function inWrittenNames(message: string, isWritten: (word: string) => boolean): string {
  const name = (imported: string): string => (imported === 'default' ? 'the default export' : imported);
  return message
    .replace(CALLED, (_all, imported: string) => name(imported))
    .replace(NAMED, (all: string, module: string, imported: string) => (isWritten(module) ? all : name(imported)))
    .replace(RENAMED, '$1');
}
