/** One module that compiled code requests from its loader. */
export interface ModuleRequest {
  /** True for `import`, false for `require`. */
  readonly async: boolean;
  /** Absent when a computed name is required. */
  readonly specifier?: string;
  /** True for a `require` that Node made (`createRequire`): Node loads the package and all that it requires. */
  readonly byNode?: true;
}

const REQUEST = /\b(jitiImport|\w*[rR]equire\d*)\(\s*(?:"([^"\n]+)"|'([^'\n]+)'|`([^`$\n]+)`|(?=\w))/g;

/** Finds in the text of compiled code which modules it asks for by name, and whether it requires a computed name. */
export function moduleRequestsIn(code: string): readonly ModuleRequest[] {
  return [...code.matchAll(REQUEST)].flatMap(([, callee, double, single, template]): readonly ModuleRequest[] => {
    const async = callee === 'jitiImport';
    const specifier = double ?? single ?? template;
    if (specifier !== undefined) return [{ async, specifier }];
    return callee === 'require' ? [{ async }] : [];
  });
}

/** Whether a value that was read from disk has the shape that {@link moduleRequestsIn} returns. */
export function areModuleRequests(value: unknown): value is readonly ModuleRequest[] {
  return Array.isArray(value) && value.every(isModuleRequest);
}

function isModuleRequest(value: unknown): value is ModuleRequest {
  if (typeof value !== 'object' || value === null || !('async' in value)) return false;
  return typeof value.async === 'boolean' && (!('specifier' in value) || typeof value.specifier === 'string');
}
