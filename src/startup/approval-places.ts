import { homedir, tmpdir } from 'node:os';
import type { ApprovalSettings } from '../gate/approval-settings';
import { realPathOf } from '../gate/calls/real-path';

/**
 * The folders of this machine that approval rules refer to. `own` are the folders of Hookline's and pi's own files,
 * `editor` those of the editor that runs Hookline.
 */
export function approvalPlaces(
  own: readonly (string | undefined)[],
  editor: readonly string[] = [],
  platform: NodeJS.Platform = process.platform,
): ReturnType<ApprovalSettings['places']> {
  const real = (path: string): string => realPathOf(path) ?? path;
  const temporary = platform === 'win32' ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp'];
  return {
    platform,
    home: real(homedir()),
    own: own.flatMap(path => (path === undefined ? [] : [real(path)])),
    editor: editor.map(real),
    temporary: temporary.map(real),
  };
}
