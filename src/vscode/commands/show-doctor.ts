import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { runProcess } from '../../agent/tools/shell/process';

/** How long the report may take, in ms. */
const REPORT_MS = 60_000;

/** Where the report is made. All paths are absolute. */
export interface DoctorPlace {
  /** The extension. */
  readonly dir: string;
  readonly agentDir: string;
  /** The folder that the agent works in; undefined without one. */
  readonly folder: string | undefined;
}

/**
 * Shows what `hookline doctor` reports about this machine and folder, in an editor. Rejects when it cannot be started or says nothing.
 */
export async function showDoctor({ dir, agentDir, folder }: DoctorPlace): Promise<void> {
  let report = '';
  let fault = '';
  const end = await runProcess({
    command: process.execPath,
    args: [join(dir, 'dist', 'cli.js'), 'doctor'],
    cwd: folder ?? homedir(),
    env: {
      ...process.env,
      PI_CODING_AGENT_DIR: agentDir,
      ...('electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
    },
    timeoutMs: REPORT_MS,
    onStdout: chunk => {
      report += chunk.toString('utf8');
    },
    onStderr: chunk => {
      fault += chunk.toString('utf8');
    },
  });
  if (report === '') throw end.kind === 'failed' ? end.error : new Error(fault.trim());
  const document = await vscode.workspace.openTextDocument({ language: 'plaintext', content: report });
  await vscode.window.showTextDocument(document);
}
