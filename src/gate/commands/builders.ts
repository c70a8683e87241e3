import type { CommandTable, RiskyArguments } from './entry';

/** An assignment of a variable, by which `make` and its kin run any program. */
const VARIABLE = /^[^-=][^=]*=/;

/** What npm and its kin take; `--config.name=value` sets any configuration of pnpm. */
const PACKAGE_SCRIPTS: RiskyArguments = {
  long: [
    ...['prefix', 'script-shell', 'shell', 'node-options', 'userconfig', 'globalconfig', 'init-module', 'logs-dir'],
    ...['git', 'editor', 'viewer', 'browser', 'call', 'pack-destination', 'dir', 'cwd', 'modules-dir', 'store-dir'],
    ...['modules-folder', 'cache-folder', 'global-folder', 'link-folder', 'use-yarnrc', 'preload', 'require', 'config'],
  ],
  harmless: ['global'],
  oneDash: true,
  short: 'Cc',
};

/** What passes arguments to a compiler of Rust. */
const RUSTC: RiskyArguments = {
  long: ['codegen', 'emit', 'out-dir', 'sysroot', 'extern'],
  short: 'CoZL',
  valued: 'ADFPWl',
  afterEnd: true,
};

/** Programs that build, test and run. */
export const BUILDERS: CommandTable = {
  npm: { risky: PACKAGE_SCRIPTS },
  pnpm: { risky: PACKAGE_SCRIPTS },
  yarn: { risky: PACKAGE_SCRIPTS },
  bun: { risky: { ...PACKAGE_SCRIPTS, short: 'Ccr' } },
  make: {
    risky: { long: ['file', 'makefile', 'directory', 'include-dir', 'eval'], short: 'fCIE', word: VARIABLE },
  },
  just: {
    risky: {
      long: ['shell', 'shell-arg', 'set', 'justfile', 'working-directory', 'command', 'chooser', 'dotenv-path'],
      short: 'fdc',
      word: VARIABLE,
    },
  },
  rake: {
    risky: {
      long: ['execute', 'rakefile', 'require', 'rakelibdir', 'rakelib', 'libdir', 'directory', 'execute-print'],
      short: 'efrRIEpC',
      word: VARIABLE,
    },
  },
  cargo: {
    risky: {
      long: ['config', 'manifest-path', 'target-dir', 'artifact-dir', 'out-dir', 'root'],
      short: 'CZ',
      word: /^\+/,
    },
  },
  'cargo bench': { risky: { long: ['logfile'], afterEnd: true } },
  'cargo clippy': { risky: RUSTC },
  'cargo rustc': { risky: RUSTC },
  'cargo rustdoc': { risky: RUSTC },
  'cargo test': { risky: { long: ['logfile'], afterEnd: true } },
  go: {
    risky: {
      whole: [
        ...[
          'exec',
          'toolexec',
          'vettool',
          'overlay',
          'modfile',
          'compiler',
          'ldflags',
          'gcflags',
          'asmflags',
          'o',
          'C',
        ],
        ...['gccgoflags', 'pkgdir', 'coverprofile', 'cpuprofile', 'memprofile', 'blockprofile', 'mutexprofile'],
        ...['trace', 'outputdir', 'testlogfile', 'w', 'fuzzcachedir', 'gocoverdir'],
      ],
    },
  },
};
