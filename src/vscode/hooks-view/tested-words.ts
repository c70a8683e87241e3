import * as vscode from 'vscode';
import type { VersionTested } from '../../guard/config/tested-version';

/** An agent's version, and what the tests ran of the agent. */
export interface TestedAgent {
  /** Undefined where it could not be learned. */
  readonly version: string | undefined;
  readonly tested: VersionTested;
  /** The newest version that the tests ran; undefined where they ran none. */
  readonly testedVersion: string | undefined;
}

/** The version of an agent and whether it was tested, in words. */
export function testedText({ version = '', tested, testedVersion = '' }: TestedAgent): string {
  switch (tested) {
    case 'tested':
      return vscode.l10n.t('version {0}, tested', version);
    case 'newer':
      return vscode.l10n.t('not tested: version {0}', version);
    case 'other':
      return vscode.l10n.t('version {0}, tested with {1}', version, testedVersion);
    case 'unknown':
      return vscode.l10n.t('version unknown, tested with {0}', testedVersion);
    case 'untried':
      return version === ''
        ? vscode.l10n.t('not tried: made from its documentation')
        : vscode.l10n.t('not tried: made from its documentation; version {0}', version);
  }
}

/** Whether the guard of this agent was never seen to work as it is here. */
export function isUntested({ tested }: Pick<TestedAgent, 'tested'>): boolean {
  return tested === 'newer' || tested === 'untried';
}
