import type { CommandTable, ReadingForm } from './entry';

const DIFF_LONG = [
  ...['--abbrev=', '--cached', '--check', '--color=', '--color-words', '--diff-algorithm=', '--diff-filter='],
  ...[
    '--dirstat',
    '--exit-code',
    '--find-copies',
    '--find-renames',
    '--full-index',
    '--histogram',
    '--function-context',
  ],
  ...['--ignore-all-space', '--ignore-blank-lines', '--ignore-space-change', '--inter-hunk-context=', '--merge-base'],
  ...['--minimal', '--name-only', '--name-status', '--no-color', '--no-ext-diff', '--no-patch', '--no-prefix'],
  ...['--no-renames', '--no-textconv', '--numstat', '--patch', '--patch-with-stat', '--patience', '--quiet', '--raw'],
  ...['--relative', '--shortstat', '--staged', '--stat', '--stat=', '--submodule=short', '--summary', '--text'],
  ...['--unified=', '--word-diff', '--word-diff=', '--stat-width='],
];

const DIFF: ReadingForm = { flags: 'abBCDMpqRstuwWz', values: 'GSU', long: DIFF_LONG, operands: 'paths' };

const LOG: ReadingForm = {
  flags: 'abBCEFghimMPpqRstuwWz',
  values: 'GLnSU',
  number: true,
  long: [
    ...DIFF_LONG,
    ...['--abbrev-commit', '--after=', '--all', '--ancestry-path', '--author=', '--author-date-order', '--before='],
    ...[
      '--boundary',
      '--branches',
      '--cherry-pick',
      '--committer=',
      '--count',
      '--date-order',
      '--date=',
      '--decorate',
    ],
    ...['--decorate=', '--first-parent', '--follow', '--full-history', '--graph', '--grep=', '--invert-grep'],
    ...['--left-right', '--max-count=', '--merges', '--no-abbrev-commit', '--no-decorate', '--no-merges', '--no-notes'],
    ...['--oneline', '--parents', '--perl-regexp', '--pickaxe-all', '--pickaxe-regex', '--regexp-ignore-case'],
    ...['--remotes', '--reverse', '--simplify-by-decoration', '--since=', '--skip=', '--tags', '--topo-order'],
    ...['--until=', '--walk-reflogs', '--format=', '--pretty=', '--pretty'],
  ],
  operands: 'paths',
};

const LIST: ReadingForm = { operands: 'none', long: ['--porcelain'] };

const NAMES_LONG = ['--contains=', '--format=', '--merged=', '--no-merged=', '--points-at=', '--sort=', '--column'];

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
  'git blame': {
    reads: { flags: 'bcCeflMnpstw', values: 'L', long: ['--date=', '--porcelain', '--since='], operands: 'paths' },
  },
  'git branch': {
    reads: {
      flags: 'arv',
      long: ['--all', '--list', '--remotes', '--show-current', '--verbose', '--no-color', ...NAMES_LONG],
      operands: 'text',
      operandsWith: ['--list'],
    },
  },
  'git bisect': { risky: { word: /^run$/ } },
  'git bundle': { risky: { word: /^create$/ } },
  'git cat-file': { risky: { long: ['textconv', 'filters'] }, reads: { flags: 'epst', operands: 'paths' } },
  'git cherry-pick': { risky: { long: ['strategy'] } },
  'git clone': { risky: { long: ['config'], short: 'cu' } },
  // Many keys of its files name programs.
  'git config': {
    risky: {
      unless:
        /^(?:--(?:global|local|system|worktree|show-origin|show-scope|null|name-only) )*(?:-l|--list|--get|--get-all|--get-regexp|list|get)(?= |$)/,
    },
  },
  'git describe': { reads: { long: ['--abbrev=', '--all', '--always', '--long', '--tags'], operands: 'paths' } },
  'git diff': { reads: DIFF },
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
    reads: {
      flags: 'acEFGhHiIlLnoPpqvwW',
      values: 'ABCem',
      long: [
        ...[
          '--all-match',
          '--and',
          '--break',
          '--cached',
          '--color=',
          '--count',
          '--extended-regexp',
          '--fixed-strings',
        ],
        ...[
          '--files-with-matches',
          '--function-context',
          '--heading',
          '--ignore-case',
          '--line-number',
          '--max-depth=',
        ],
        ...['--name-only', '--not', '--only-matching', '--or', '--perl-regexp', '--untracked', '--word-regexp'],
      ],
      number: true,
      operands: 'pattern',
      patternless: ['-e'],
    },
  },
  'git log': { reads: LOG },
  'git ls-files': {
    reads: {
      flags: 'cdkmostuvz',
      values: 'x',
      long: [
        ...['--cached', '--deleted', '--exclude=', '--exclude-standard', '--full-name', '--ignored', '--modified'],
        ...['--others', '--stage', '--unmerged', '--directory', '--eol', '--error-unmatch'],
      ],
      operands: 'paths',
    },
  },
  'git ls-tree': {
    reads: { flags: 'dlrtz', long: ['--full-name', '--full-tree', '--long', '--name-only'], operands: 'paths' },
  },
  'git merge': MERGING,
  'git merge-base': { reads: { flags: 'a', long: ['--all', '--fork-point', '--is-ancestor'], operands: 'paths' } },
  'git mergetool': { risky: { long: ['tool'], short: 't' } },
  'git pull': MERGING,
  'git rebase': { risky: { long: ['strategy'], short: 'xs' } },
  'git reflog': {
    reads: { values: 'n', number: true, long: ['--date=', '--format=', '--max-count='], operands: 'none' },
  },
  'git remote': { reads: { flags: 'v', operands: 'none' } },
  'git rev-list': { reads: LOG },
  'git rev-parse': {
    reads: {
      flags: 'q',
      long: [
        ...[
          '--abbrev-ref',
          '--abbrev-ref=',
          '--absolute-git-dir',
          '--all',
          '--branches',
          '--git-common-dir',
          '--git-dir',
        ],
        ...['--is-bare-repository', '--is-inside-work-tree', '--quiet', '--short', '--short=', '--show-cdup'],
        ...['--show-prefix', '--show-toplevel', '--symbolic-full-name', '--tags', '--verify'],
      ],
      operands: 'paths',
    },
  },
  'git shortlog': {
    reads: { flags: 'ens', long: ['--all', '--no-merges', '--numbered', '--since=', '--summary'], operands: 'paths' },
  },
  'git show': { reads: LOG },
  'git show-ref': { reads: { flags: 'dqs', long: ['--heads', '--tags', '--branches', '--verify'], operands: 'text' } },
  'git stash list': { reads: LIST },
  'git status': {
    reads: {
      flags: 'bsvz',
      words: { '-uno': 0, '-uall': 0, '-unormal': 0 },
      long: [
        ...['--ahead-behind', '--branch', '--ignored', '--ignored=', '--long', '--no-ahead-behind', '--no-renames'],
        ...['--porcelain', '--porcelain=', '--short', '--show-stash', '--untracked-files', '--untracked-files='],
        '--verbose',
      ],
      operands: 'paths',
    },
  },
  'git submodule': { risky: { word: /^foreach$/ } },
  'git tag': {
    reads: {
      flags: 'ln',
      long: ['--list', ...NAMES_LONG],
      operands: 'text',
      operandsWith: ['-l', '--list'],
    },
  },
  'git worktree list': { reads: LIST },
};
