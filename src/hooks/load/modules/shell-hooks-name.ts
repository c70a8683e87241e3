/** What the adapter of shell hooks imports; ours, and of no package. */
export const SHELL_HOOKS = '@hookline/shell-hooks';
