import { basename, dirname, relative } from 'node:path';
import * as vscode from 'vscode';
import { slashed } from '../../base/files/slashed';
import { isPinned } from '../../packages/install/pinned';
import type { UpdateState } from '../../packages/install/update-check';
import type { PartKind } from '../../packages/part-filter';
import type { ListedPackage, ListedPart } from '../../packages/package-overview';

/** One row of the packages view. The view's commands accept rows. */
export type PackageNode =
  | { readonly kind: 'package'; readonly listed: ListedPackage }
  | { readonly kind: 'part'; readonly listed: ListedPackage; readonly part: ListedPart }
  | { readonly kind: 'problem'; readonly listed: ListedPackage; readonly message: string; readonly index: number };

/** What the rows are made from. */
export interface PackageTreeData {
  readonly packages: readonly ListedPackage[];
  readonly parts: readonly ListedPart[];
  /** The result of the last check for updates; undefined when the package was not checked yet. */
  readonly updateOf: (listed: ListedPackage) => UpdateState | undefined;
}

/** The rows below a row; for undefined, the top rows. */
export function packageNodeChildren(node: PackageNode | undefined, facts: PackageTreeData): readonly PackageNode[] {
  if (node === undefined) return facts.packages.map(listed => ({ kind: 'package', listed }));
  if (node.kind !== 'package') return [];
  const { listed } = node;
  const problems = listed.state === 'missing' ? [] : listed.installed.problems;
  return [
    ...problems.map(({ message }, index): PackageNode => ({ kind: 'problem', listed, message, index })),
    ...facts.parts
      .filter(({ identity }) => identity === listed.declared.identity)
      .map((part): PackageNode => ({ kind: 'part', listed, part })),
  ];
}

/** The row as a tree item of VS Code. Its id does not change when the state changes. */
export function packageItem(node: PackageNode, facts: PackageTreeData): vscode.TreeItem {
  switch (node.kind) {
    case 'package':
      return itemOfPackage(node.listed, facts.updateOf(node.listed));
    case 'part':
      return itemOfPart(node.listed, node.part);
    case 'problem':
      return itemOfProblem(node);
  }
}

/** The name of a package that lists show. */
export function packageName(listed: ListedPackage): string {
  if (listed.state !== 'missing') return listed.installed.name;
  const { source } = listed.declared;
  if (source.type === 'npm') return source.name;
  return basename(source.path);
}

/** The path of a part inside of its package, with forward slashes. */
export function partPath({ declared }: ListedPackage, { path }: ListedPart): string {
  const way = relative(declared.folder, path);
  return way === '' ? basename(path) : slashed(way);
}

function itemOfPackage(listed: ListedPackage, update: UpdateState | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(packageName(listed), vscode.TreeItemCollapsibleState.Collapsed);
  const { declared } = listed;
  item.id = `${declared.scope}\n${declared.identity}`;
  const state = stateText(listed);
  const version = listed.state === 'missing' ? undefined : listed.installed.version;
  const news = update?.type === 'outdated' ? newsText(listed, update) : undefined;
  const words = [state, version, news, declared.written, scopeText(declared.scope)];
  item.description = words.filter(word => word !== undefined).join(' · ');
  item.iconPath = new vscode.ThemeIcon(...iconOf(listed, update));
  item.contextValue = contextOf(listed, update);
  item.tooltip = [declared.written, ...(listed.state === 'missing' ? [listed.problem.message] : [declared.folder])]
    .concat(listed.state === 'held' ? [listed.why] : [])
    .concat(isPinned(declared.source) ? [vscode.l10n.t('Pinned to this version. Updates skip this package.')] : [])
    .join('\n');
  item.accessibilityInformation = { label: `${packageName(listed)}, ${item.description}` };
  return item;
}

function newsText({ declared }: ListedPackage, { to }: Extract<UpdateState, { type: 'outdated' }>): string {
  return vscode.l10n.t('update: {0}', declared.source.type === 'git' ? to.slice(0, 7) : to);
}

/** Says why a package does not run; undefined when it runs. */
function stateText(listed: ListedPackage): string | undefined {
  switch (listed.state) {
    case 'missing':
      return vscode.l10n.t('not installed');
    case 'held':
      return listed.reason === 'unreadable'
        ? vscode.l10n.t('cannot be checked')
        : vscode.l10n.t('waiting for approval');
    case 'untrusted':
      return vscode.l10n.t('held back until this folder is trusted');
    case 'off':
      return vscode.l10n.t('turned off');
    case 'runs':
      return undefined;
  }
}

function iconOf(listed: ListedPackage, update: UpdateState | undefined): [id: string, color?: vscode.ThemeColor] {
  if (listed.state === 'missing') return ['error', new vscode.ThemeColor('list.errorForeground')];
  if (listed.state === 'off') return ['circle-slash'];
  if (listed.state !== 'runs') return ['shield', new vscode.ThemeColor('list.warningForeground')];
  if (listed.installed.problems.length > 0) return ['warning', new vscode.ThemeColor('list.warningForeground')];
  return [update?.type === 'outdated' ? 'arrow-circle-up' : 'package'];
}

/** The words of the row's context value, which `when` clauses of package.json match. */
function contextOf(listed: ListedPackage, update: UpdateState | undefined): string {
  const isThere = listed.state !== 'missing';
  return [
    'package',
    listed.declared.source.type === 'local' ? 'local' : 'installable',
    ...(isThere ? ['there', listed.state] : ['missing']),
    ...(update?.type === 'outdated' ? ['outdated'] : []),
    ...(isThere && listed.installed.changelog !== undefined ? ['changelog'] : []),
  ].join(' ');
}

function itemOfPart(listed: ListedPackage, part: ListedPart): vscode.TreeItem {
  const isSkill = basename(part.path) === 'SKILL.md';
  const item = new vscode.TreeItem(isSkill ? basename(dirname(part.path)) : basename(part.path));
  item.id = `${listed.declared.scope}\n${listed.declared.identity}\n${part.path}`;
  const state = part.isOn ? vscode.l10n.t('on') : vscode.l10n.t('off');
  item.description = kindText(part.kind);
  item.tooltip = `${partPath(listed, part)}\n${kindText(part.kind)}, ${state}`;
  item.iconPath = new vscode.ThemeIcon(KIND_ICONS[part.kind]);
  item.contextValue = part.isOn ? 'part on' : 'part off';
  item.checkboxState = {
    state: part.isOn ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked,
    tooltip: part.isOn ? vscode.l10n.t('On. Select to turn it off.') : vscode.l10n.t('Off. Select to turn it on.'),
  };
  item.command = { command: 'vscode.open', title: vscode.l10n.t('Open'), arguments: [vscode.Uri.file(part.path)] };
  return item;
}

const KIND_ICONS: Readonly<Record<PartKind, string>> = {
  extensions: 'zap',
  skills: 'mortar-board',
  prompts: 'comment',
  themes: 'symbol-color',
};

function kindText(kind: PartKind): string {
  switch (kind) {
    case 'extensions':
      return vscode.l10n.t('extension');
    case 'skills':
      return vscode.l10n.t('skill');
    case 'prompts':
      return vscode.l10n.t('prompt template');
    case 'themes':
      return vscode.l10n.t('theme (not used)');
  }
}

/** A phrase that says for whom a package is declared. */
export function scopeText(scope: ListedPackage['declared']['scope']): string {
  switch (scope) {
    case 'user':
      return vscode.l10n.t('all folders');
    case 'project':
      return vscode.l10n.t('this folder');
    case 'temporary':
      return vscode.l10n.t('temporary');
  }
}

function itemOfProblem({ listed, message, index }: Extract<PackageNode, { kind: 'problem' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(message.split('\n')[0] ?? '');
  item.id = `${listed.declared.scope}\n${listed.declared.identity}\nproblem\n${index}`;
  item.tooltip = message;
  item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
  item.contextValue = 'problem';
  return item;
}
