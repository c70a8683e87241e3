import { BUILDERS } from './builders';
import type { CommandTable } from './entry';
import { FILES } from './files';
import { GIT } from './git';

/** All commands that the gate knows. */
export const KNOWN_COMMANDS: CommandTable = { ...GIT, ...FILES, ...BUILDERS };
