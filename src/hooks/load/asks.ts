/** One place at which a compiled module asks its loader for another one. */
export interface Ask {
  /** True for `import`, false for `require`. */
  readonly async: boolean;
  /** Absent when a computed name is required. */
  readonly specifier?: string;
}

const ASK = /\b(jitiImport|\w*[rR]equire\w*)\(\s*(?:"([^"\n]+)"|'([^'\n]+)'|`([^`$\n]+)`|(?=\w))/g;

/** Finds in the text of compiled code which modules it asks for by name, and whether it requires a computed name. */
export function asksIn(code: string): readonly Ask[] {
  return [...code.matchAll(ASK)].flatMap(([, callee, double, single, template]): readonly Ask[] => {
    const async = callee === 'jitiImport';
    const specifier = double ?? single ?? template;
    if (specifier !== undefined) return [{ async, specifier }];
    return callee === 'require' ? [{ async }] : [];
  });
}

/** Whether a value that was read from disk has the shape that {@link asksIn} returns. */
export function areAsks(value: unknown): value is readonly Ask[] {
  return Array.isArray(value) && value.every(isAsk);
}

function isAsk(value: unknown): value is Ask {
  if (typeof value !== 'object' || value === null || !('async' in value)) return false;
  return typeof value.async === 'boolean' && (!('specifier' in value) || typeof value.specifier === 'string');
}
