/** The module that the adapter of shell hooks imports. It belongs to Hookline; no such package exists. */
export const SHELL_HOOKS = '@hookline/shell-hooks';
