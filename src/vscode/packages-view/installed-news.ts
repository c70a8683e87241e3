import * as vscode from 'vscode';
import { basename, dirname } from 'node:path';
import type { ListedPackage, ListedPart } from '../../packages/package-overview';
import { packageName, scopeText } from './package-nodes';

/** How many parts are named. */
const NAMED_PARTS = 3;

/** What to say of a package that was installed. */
export interface InstalledNews {
  readonly text: string;
  readonly isWarning: boolean;
  /** What to do next. */
  readonly next: { readonly title: string; readonly command: string };
}

/** Says what was installed for whom, what it brings, and what keeps it from running. */
export function installedNews(listed: ListedPackage, parts: readonly ListedPart[]): InstalledNews {
  const { declared } = listed;
  const installed = vscode.l10n.t('{0} is installed ({1}).', packageName(listed), scopeText(declared.scope));
  const show = { title: vscode.l10n.t('Show Packages'), command: 'hookline.packages.focus' };
  const waits = (why: string, next: InstalledNews['next']): InstalledNews => ({
    text: `${installed} ${why}`,
    isWarning: true,
    next,
  });
  switch (listed.state) {
    case 'missing':
      return waits(listed.problem.message, show);
    case 'held': {
      const review = { title: vscode.l10n.t('Review…'), command: 'hookline.reviewPackages' };
      return waits(vscode.l10n.t('It does not run yet: {0}', listed.why), review);
    }
    case 'untrusted': {
      const trust = { title: vscode.l10n.t('Manage Trust'), command: 'workbench.trust.manage' };
      return waits(vscode.l10n.t('It does not run until you trust this folder.'), trust);
    }
    case 'off':
      return waits(vscode.l10n.t('It is turned off.'), show);
    case 'runs': {
      const [problem] = listed.installed.problems;
      if (problem !== undefined) return waits(problem.message, show);
      const own = parts.filter(({ identity }) => identity === declared.identity).map(nameOf);
      if (own.length > 0) return { text: `${installed} ${broughtText(own)}`, isWarning: false, next: show };
      const nothing = vscode.l10n.t('{0} has no extension, skill or prompt that Hookline could use.', declared.folder);
      return waits(nothing, show);
    }
  }
}

function broughtText(names: readonly string[]): string {
  const named = names.slice(0, NAMED_PARTS).join(', ');
  const more = names.length - NAMED_PARTS;
  return more > 0 ? vscode.l10n.t('It brings {0} and {1} more.', named, more) : vscode.l10n.t('It brings {0}.', named);
}

function nameOf({ path }: ListedPart): string {
  return basename(path) === 'SKILL.md' ? basename(dirname(path)) : basename(path);
}
