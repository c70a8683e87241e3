import type { CommandTable } from './entry';

const MERGING = { risky: { long: ['strategy'], short: 's' } } as const;

/** `git` and its verbs. */
export const GIT: CommandTable = {
  git: {
    risky: {
      long: [
        ...['output', 'output-directory', 'ext-diff', 'exec', 'exec-path', 'upload-pack', 'receive-pack', 'extcmd'],
        ...['config-env', 'git-dir', 'work-tree', 'separate-git-dir', 'template', 'export-marks', 'namespace'],
        ...['sendmail-cmd', 'smtp-server', 'to-cmd', 'cc-cmd', 'header-cmd', 'build-fake-ancestor', 'unsafe-paths'],
      ],
    },
    beforeVerb: { short: 'cC' },
  },
  'git archive': { risky: { short: 'o' } },
  'git bisect': { risky: { word: /^run$/ } },
  'git bundle': { risky: { word: /^create$/ } },
  'git cat-file': { risky: { long: ['textconv', 'filters'] } },
  'git cherry-pick': { risky: { long: ['strategy'] } },
  'git clone': { risky: { long: ['config'], short: 'cu' } },
  // Many keys of its files name programs.
  'git config': {
    risky: {
      unless:
        /^(?:--(?:global|local|system|worktree|show-origin|show-scope|null|name-only) )*(?:-l|--list|--get|--get-all|--get-regexp|list|get)(?= |$)/,
    },
  },
  'git difftool': { risky: { long: ['tool'], short: 'xt' } },
  'git filter-branch': {
    risky: {
      long: [
        ...['setup', 'env-filter', 'tree-filter', 'index-filter', 'parent-filter', 'msg-filter', 'commit-filter'],
        ...['tag-name-filter'],
      ],
      short: 'd',
    },
  },
  'git format-patch': { risky: { short: 'o' } },
  'git grep': {
    risky: { long: ['open-files-in-pager', 'textconv'], harmless: ['text'], short: 'O', valued: 'ABCefm' },
  },
  'git merge': MERGING,
  'git mergetool': { risky: { long: ['tool'], short: 't' } },
  'git pull': MERGING,
  'git rebase': { risky: { long: ['strategy'], short: 'xs' } },
  'git submodule': { risky: { word: /^foreach$/ } },
};
