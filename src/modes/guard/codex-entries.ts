import { messageOf } from '../../base/errors';
import {
  codexTrust,
  codexTrustRequest,
  trustInCodex,
  type CodexTrust,
  type CodexTrustRequest,
} from '../../guard/config/codex/codex-trust';
import type { FoundAgent } from '../../guard/config/find-agents';
import { printText } from '../terminal/print';
import { confirmInTerminal, terminalQuestions } from '../terminal/terminal-question';
import type { GuardCommandLine } from './guard-command-line';
import { machineOf } from '../../guard/config/this-machine';

const BY_HAND =
  'Open Codex, run /hooks, and trust the entries of Hookline there: until then, Codex skips them in silence.';

/**
 * Asks whether Codex may trust the entries of Hookline, unless `--yes` was given or it does already, and makes it so. Resolves with
 * whether they are trusted.
 */
export async function trustEntries(line: GuardCommandLine, found: FoundAgent | undefined): Promise<boolean> {
  const { given, process } = line;
  const request = requestFor(line, found);
  if (request === undefined) {
    printText(
      process.stdout,
      `Codex was not found on PATH, so Hookline cannot see whether it trusts the entries. ${BY_HAND}\n`,
    );
    return false;
  }
  if ((await codexTrust(request)) === 'trusted') return true;
  const question =
    'Codex runs a new hook only after it was trusted. Trust these entries of Hookline, and nothing else?';
  const agrees = given.yes || (await confirmInTerminal(terminalQuestions(process), question)) === true;
  if (agrees) await trustInCodex(request);
  printText(process.stdout, agrees ? 'Codex trusts the entries of Hookline.\n' : `${BY_HAND}\n`);
  return agrees;
}

/** What is wrong with the trust of Codex in the entries of Hookline; undefined if nothing is. Never rejects. */
export async function trustProblem(line: GuardCommandLine, found: FoundAgent | undefined): Promise<string | undefined> {
  const request = requestFor(line, found);
  if (request === undefined) return undefined; // Then Codex runs nothing here.
  try {
    return PROBLEMS[await codexTrust(request)];
  } catch (error) {
    return `Codex does not say whether it trusts the entries: ${messageOf(error)}`;
  }
}

const PROBLEMS: Readonly<Record<CodexTrust, string | undefined>> = {
  trusted: undefined,
  untrusted: 'Codex does not trust the entries, and skips them in silence; run "hookline guard add codex"',
  disabled: 'the entries are turned off in Codex; turn them on with /hooks in Codex',
  unlisted: 'Codex does not list the entries: its hooks are turned off, or the file is not read',
};

function requestFor(
  { place, process, cwd }: GuardCommandLine,
  found: FoundAgent | undefined,
): CodexTrustRequest | undefined {
  return codexTrustRequest(found, { place, machine: machineOf(process), cwd });
}
