import type { CommandTable } from './entry';

/** Programs that read and list files. */
export const FILES: CommandTable = {
  fd: { risky: { long: ['exec', 'exec-batch'], short: 'xX', valued: 'EedtScj' } },
  find: {
    risky: {
      whole: ['exec', 'execdir', 'ok', 'okdir', 'delete', 'fprint', 'fprint0', 'fprintf', 'fls', 'files0-from'],
    },
  },
  rg: { risky: { long: ['pre', 'hostname-bin'] } },
  sort: { risky: { long: ['output', 'compress-program', 'temporary-directory'], short: 'oT', valued: 'kt' } },
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
  tree: { risky: { long: ['output'], short: 'oR', valued: 'LPI' } },
};
