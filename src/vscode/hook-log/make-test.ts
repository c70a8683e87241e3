import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { isWithin } from '../../base/files/is-within';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import {
  COMMON_FOLDERS,
  hookTest,
  TEST_ENDING,
  TEST_HELPER,
  testHelper,
  TESTS_FOLDER,
} from '../../hook-insight/hook-tests/hook-test';
import { shortPath } from '../short-path';

/** The suggested folder for tests of hooks, relative to the workspace folder. */
const OWN_FOLDER = `.pi/${TESTS_FOLDER}`;

/** Where tests can be written, and what they call. Paths are absolute. */
export interface TestSurroundings {
  readonly cli: string;
  readonly agentDir: string;
  readonly workspace: vscode.WorkspaceFolder | undefined;
}

/**
 * Writes a mocha test that expects from a hook what the entry recorded, and the helper file that it needs, into a folder
 * that the user chooses. Opens the test and resolves with its absolute path, or undefined when the user cancels. Rejects
 * if there is no folder for it, and when no test can be made of the entry.
 */
export async function makeHookTest(entry: LogEntry, surroundings: TestSurroundings): Promise<string | undefined> {
  const { cli } = surroundings;
  const folder = await chooseFolder(entry, surroundings);
  if (folder === undefined) return undefined;
  const made = hookTest(entry, folder.fsPath);
  if ('why' in made) throw new Error(vscode.l10n.t('Hookline cannot make a test from this record: {0}.', made.why));
  await vscode.workspace.fs.createDirectory(folder);
  const file = await freeName(folder, made.name);
  const encoder = new TextEncoder();
  await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, TEST_HELPER), encoder.encode(testHelper(cli)));
  await vscode.workspace.fs.writeFile(file, encoder.encode(made.text));
  await vscode.window.showTextDocument(file);
  const command = `npx mocha ${vscode.workspace.asRelativePath(file, false)}`;
  vscode.window.setStatusBarMessage(vscode.l10n.t('Run it in the Testing view, or with: {0}', command), 10_000);
  return file.fsPath;
}

async function chooseFolder(
  { hook }: LogEntry,
  { workspace, agentDir }: TestSurroundings,
): Promise<vscode.Uri | undefined> {
  const ofUser = vscode.Uri.file(join(agentDir, TESTS_FOLDER));
  const isOfUser = isWithin(hook, agentDir);
  if (workspace === undefined && !isOfUser) {
    throw new Error(vscode.l10n.t('Open a folder first. Hookline stores tests of hooks in it.'));
  }
  const description = vscode.l10n.t('beside the hooks');
  const items = [
    ...(isOfUser ? [{ label: shortPath(ofUser.fsPath), description, uri: ofUser }] : []),
    ...(workspace === undefined ? [] : await foldersIn(workspace.uri, isOfUser ? '' : description)),
  ];
  const other = { label: vscode.l10n.t('Another folder…'), description: '', uri: undefined };
  const chosen = await vscode.window.showQuickPick([...items, other], {
    title: vscode.l10n.t('Make a test of this call'),
    placeHolder: vscode.l10n.t('Where do you want to save the test?'),
  });
  if (chosen === undefined || chosen.uri !== undefined) return chosen?.uri;
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      defaultUri: workspace?.uri ?? ofUser,
    })) ?? [];
  return folder;
}

async function foldersIn(
  root: vscode.Uri,
  description: string,
): Promise<readonly (vscode.QuickPickItem & { uri: vscode.Uri })[]> {
  const usual = await existing(root, COMMON_FOLDERS);
  const items = [{ label: OWN_FOLDER, description }, ...usual.map(label => ({ label, description: '' }))];
  return items.map(item => ({ ...item, uri: vscode.Uri.joinPath(root, item.label) }));
}

async function existing(root: vscode.Uri, names: readonly string[]): Promise<readonly string[]> {
  const there = await vscode.workspace.fs.readDirectory(root);
  const folders = there.filter(([, type]) => (type & vscode.FileType.Directory) !== 0).map(([name]) => name);
  return names.filter(name => folders.includes(name));
}

/** A file name that is not used yet, so that no existing file is overwritten. */
async function freeName(folder: vscode.Uri, name: string): Promise<vscode.Uri> {
  const taken = new Set((await vscode.workspace.fs.readDirectory(folder)).map(([each]) => each));
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${basename(name, TEST_ENDING)}-${count}${TEST_ENDING}`;
  return vscode.Uri.joinPath(folder, free);
}

/** Absolute path of the command line that is shipped with the extension. */
export function cliIn(extensionDir: string): string {
  return join(extensionDir, 'dist', 'cli.js');
}
