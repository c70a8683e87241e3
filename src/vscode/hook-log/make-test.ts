import { join } from 'node:path';
import * as vscode from 'vscode';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import { hookTest, TEST_HELPER, testHelper } from '../../hook-insight/replay/hook-test';

/** The suggested folder for tests of hooks, relative to the workspace folder. */
const OWN_FOLDER = '.pi/hooks-test';
/** Common names of test folders, which are offered when they exist. */
const USUAL_FOLDERS = ['test', 'tests', 'spec'];

/**
 * Writes a mocha test that expects from a hook what the entry recorded, and the helper file that it needs, into a folder
 * that the user chooses. Opens the test and resolves with its absolute path, or undefined when the user cancels. Rejects
 * without a workspace folder, and when no test can be made of the entry. `cli` is the path of the command line.
 */
export async function makeHookTest(
  entry: LogEntry,
  cli: string,
  workspace: vscode.WorkspaceFolder | undefined,
): Promise<string | undefined> {
  const folder = await chooseFolder(workspace);
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
  vscode.window.setStatusBarMessage(vscode.l10n.t('Run it with: {0}', command), 10_000);
  return file.fsPath;
}

async function chooseFolder(workspace: vscode.WorkspaceFolder | undefined): Promise<vscode.Uri | undefined> {
  if (workspace === undefined) {
    throw new Error(vscode.l10n.t('Open a folder first. Hookline stores tests of hooks in it.'));
  }
  const usual = await existing(workspace.uri, USUAL_FOLDERS);
  const items = [
    { label: OWN_FOLDER, description: vscode.l10n.t('beside the hooks') },
    ...usual.map(label => ({ label, description: '' })),
  ].map(item => ({ ...item, uri: vscode.Uri.joinPath(workspace.uri, item.label) }));
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
      defaultUri: workspace.uri,
    })) ?? [];
  return folder;
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
  for (let count = 2; taken.has(free); count++) free = name.replace(/\.test\.mjs$/, `-${count}.test.mjs`);
  return vscode.Uri.joinPath(folder, free);
}

/** Absolute path of the command line that is shipped with the extension. */
export function cliIn(extensionDir: string): string {
  return join(extensionDir, 'dist', 'cli.js');
}
