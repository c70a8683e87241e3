import type { DialectId } from '../../hook-contract/dialect-id';

/** How a file of a dialect begins, and what the dialect offers. */
export interface DialectShape {
  readonly id: DialectId;
  /** One line that helps the user to choose. */
  readonly detail: string;
  /** Type of the factory's parameter; `from` is the module that exports it. */
  readonly api: string;
  readonly from: string;
  /** The first line of the file, if the dialect cannot be detected from its imports alone. */
  readonly mark: string | undefined;
}

const HOOKS = '@mariozechner/pi-coding-agent/hooks';

const SHAPES: { readonly [I in DialectId]: DialectShape } = {
  pi: {
    id: 'pi',
    detail: 'pi 1.5: everything, including custom tools. Choose this if you are not sure.',
    api: 'ExtensionAPI',
    from: '@earendil-works/pi-coding-agent',
    mark: undefined,
  },
  ext: {
    id: 'ext',
    detail: 'pi 0.35 to 0.73: also runs in older pi; includes custom tools.',
    api: 'ExtensionAPI',
    from: '@mariozechner/pi-coding-agent',
    mark: undefined,
  },
  omp: {
    id: 'omp',
    detail: 'Also runs in oh-my-pi: gets events for retries, compaction and todos; has no custom tools.',
    api: 'HookAPI',
    from: '@oh-my-pi/pi-coding-agent/hooks',
    mark: undefined,
  },
  tree: {
    id: 'tree',
    detail: 'pi of December 2025 and January 2026: commands get only ctx, one session event has a reason.',
    api: 'HookAPI',
    from: HOOKS,
    mark: '// @pi-dialect tree',
  },
  v2: {
    id: 'v2',
    detail: 'A design note of December 2025: pi.command, and a context event that sees what is sent.',
    api: 'HookAPI',
    from: HOOKS,
    mark: '// @pi-dialect v2',
  },
  v1: {
    id: 'v1',
    detail: 'pi of December 2025: entries by their index, pi.send, no commands.',
    api: 'HookAPI',
    from: HOOKS,
    mark: '// @pi-dialect v1',
  },
};

/** All dialects, newest first. */
export const NEWEST_FIRST: readonly DialectId[] = ['pi', 'ext', 'omp', 'tree', 'v2', 'v1'];

export function shapeOf(dialect: DialectId): DialectShape {
  return SHAPES[dialect];
}

/** The import of the factory's type, with which every hook begins. */
export function importOf({ api, from }: DialectShape): string {
  return `import type { ${api} } from '${from}';`;
}
