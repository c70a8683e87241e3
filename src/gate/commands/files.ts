import type { CommandTable } from './entry';

const CHECKSUM = { reads: { operands: 'paths' } } as const;

const SEARCH_LONG = [
  ...['--color=', '--count', '--context=', '--after-context=', '--before-context=', '--files-with-matches'],
  ...['--fixed-strings', '--ignore-case', '--invert-match', '--line-number', '--max-count=', '--only-matching'],
  ...['--regexp=', '--word-regexp', '--no-messages', '--text', '--with-filename', '--no-filename', '--quiet'],
] as const;

/** Programs that read and list files, and what the shell itself does. */
export const FILES: CommandTable = {
  basename: { reads: { operands: 'text' } },
  cat: { reads: { flags: 'AbeEnstTuv', long: ['--number', '--show-all'], operands: 'paths' } },
  cd: { reads: { operands: 'here', least: 1, most: 1, isBuiltIn: true } },
  cut: {
    reads: { flags: 'ns', values: 'bcdf', long: ['--complement', '--delimiter=', '--fields='], operands: 'paths' },
  },
  date: { reads: { flags: 'u', operands: 'pattern', pattern: /^\+/, most: 1 } },
  df: { reads: { flags: 'hkT', operands: 'paths' } },
  dirname: { reads: { operands: 'text' } },
  du: { reads: { flags: 'achkms', values: 'd', long: ['--max-depth=', '--human-readable'], operands: 'paths' } },
  echo: { reads: { operands: 'any', isBuiltIn: true } },
  fd: { risky: { long: ['exec', 'exec-batch'], short: 'xX', valued: 'EedtScj' } },
  file: { reads: { flags: 'bi', long: ['--brief', '--mime-type'], operands: 'paths' } },
  find: {
    risky: {
      whole: ['exec', 'execdir', 'ok', 'okdir', 'delete', 'fprint', 'fprint0', 'fprintf', 'fls', 'files0-from'],
    },
    reads: {
      words: {
        ...{ '-name': 1, '-iname': 1, '-path': 1, '-ipath': 1, '-wholename': 1, '-regex': 1, '-iregex': 1, '-type': 1 },
        ...{
          '-maxdepth': 1,
          '-mindepth': 1,
          '-size': 1,
          '-mtime': 1,
          '-mmin': 1,
          '-atime': 1,
          '-ctime': 1,
          '-perm': 1,
        },
        ...{ '-printf': 1, '-user': 1, '-group': 1, '-regextype': 1, '-print': 0, '-print0': 0, '-prune': 0, '-ls': 0 },
        ...{ '-o': 0, '-or': 0, '-a': 0, '-and': 0, '-not': 0, '-empty': 0, '-depth': 0, '-mount': 0, '-xdev': 0 },
        '-executable': 0,
      },
      operands: 'paths',
    },
  },
  grep: {
    reads: {
      flags: 'acEFGhHiIlLnoPqrsvwx',
      values: 'ABCem',
      long: [...SEARCH_LONG, '--recursive', '--include=', '--exclude=', '--exclude-dir=', '--extended-regexp'],
      operands: 'pattern',
      patternless: ['-e', '--regexp'],
      number: true,
    },
  },
  head: { reads: { flags: 'qv', values: 'nc', long: ['--lines=', '--bytes='], number: true, operands: 'paths' } },
  ls: {
    reads: {
      flags: 'aAbBcCdfFgGhiklmnopqQrRsStuUvxX1',
      long: [
        ...['--all', '--almost-all', '--color=', '--human-readable', '--recursive', '--reverse', '--sort=', '--time='],
        ...['--full-time', '--time-style=', '--group-directories-first', '--directory', '--classify', '--size'],
      ],
      operands: 'paths',
    },
  },
  md5sum: CHECKSUM,
  nl: { reads: { flags: 'p', values: 'bnsvw', operands: 'paths' } },
  pwd: { reads: { flags: 'LP', operands: 'none', isBuiltIn: true } },
  readlink: { reads: { flags: 'efmn', operands: 'paths' } },
  realpath: { reads: { flags: 'emqs', operands: 'paths' } },
  rg: {
    risky: { long: ['pre', 'hostname-bin'] },
    reads: {
      flags: 'acFHiIlnNoPqsSUuvwx.',
      values: 'ABCegjMmtT',
      long: [
        ...SEARCH_LONG,
        ...['--files', '--files-without-match', '--glob=', '--hidden', '--iglob=', '--json', '--max-columns='],
        ...['--max-depth=', '--multiline', '--no-heading', '--heading', '--no-ignore', '--no-line-number', '--pcre2'],
        ...['--smart-case', '--sort=', '--sortr=', '--stats', '--type=', '--type-not=', '--vimgrep', '--no-config'],
        ...['--count-matches', '--passthru', '--trim', '--type-list', '--version'],
      ],
      operands: 'pattern',
      patternless: ['-e', '--regexp', '--files', '--type-list'],
    },
  },
  // Other scripts of `sed` write files and run commands.
  sed: { reads: { flags: 'nE', operands: 'pattern', pattern: /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/, least: 1 } },
  sha256sum: CHECKSUM,
  sort: {
    risky: { long: ['output', 'compress-program', 'temporary-directory'], short: 'oT', valued: 'kt' },
    reads: {
      flags: 'bcdfghimMnrRsuVz',
      values: 'kt',
      long: ['--numeric-sort', '--reverse', '--unique', '--key=', '--human-numeric-sort', '--version-sort'],
      operands: 'paths',
    },
  },
  stat: { reads: { flags: 't', values: 'c', long: ['--format=', '--printf='], operands: 'paths' } },
  tail: { reads: { flags: 'qrv', values: 'nc', long: ['--lines=', '--bytes='], number: true, operands: 'paths' } },
  tar: {
    risky: {
      long: [
        ...['to-command', 'checkpoint-action', 'use-compress-program', 'info-script', 'new-volume-script'],
        ...['rsh-command', 'rmt-command', 'directory', 'absolute-names', 'index-file', 'files-from'],
      ],
      short: 'IFPCT',
      valued: 'fbNXKLVHg',
      bundle: true,
    },
  },
  tr: { reads: { flags: 'cCdst', operands: 'text' } },
  tree: {
    risky: { long: ['output'], short: 'oR', valued: 'LPI' },
    reads: {
      flags: 'acCdfFhinpsStu',
      values: 'LPI',
      long: ['--dirsfirst', '--gitignore', '--noreport', '--prune', '--du', '--filelimit='],
      operands: 'paths',
    },
  },
  true: { reads: { operands: 'none', isBuiltIn: true } },
  uname: { reads: { flags: 'amnoprsv', operands: 'none' } },
  // A second file is written to.
  uniq: { reads: { flags: 'cdiu', values: 'fsw', long: ['--count'], operands: 'paths', most: 1 } },
  wc: { reads: { flags: 'clLmw', long: ['--lines', '--words', '--bytes'], operands: 'paths' } },
  which: { reads: { flags: 'a', operands: 'text' } },
  whoami: { reads: { operands: 'none' } },
};
