import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { packTestModels, TEST_MODELS_ID } from '../../support/test-models';
import { until } from './extension';

/** A part of a message as the scripted vendor saw it. */
export interface SeenPart {
  readonly text?: string;
  readonly call?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly result?: string;
  readonly content?: readonly SeenPart[];
  readonly mime?: string;
}

/** What the scripted vendor and its tools were asked. */
export interface SeenByVendor {
  readonly requests: {
    readonly model: string;
    readonly messages: readonly { readonly role: number; readonly content: readonly SeenPart[] }[];
    readonly tools: readonly { readonly name: string; readonly inputSchema: unknown }[];
  }[];
  readonly cancelled: number;
  readonly toolCalls: { readonly name: string; readonly input?: unknown }[];
}

/** The scripted vendor, running in this extension host. */
export interface TestModels {
  readonly state: SeenByVendor;
  offer(): void;
  withdraw(): void;
}

/** Installs the extension with scripted models and tools, once per window. */
export async function installTestModels(): Promise<TestModels> {
  if (vscode.extensions.getExtension(TEST_MODELS_ID) === undefined) {
    const dir = mkdtempSync(join(tmpdir(), 'hookline-vsix-'));
    try {
      const file = vscode.Uri.file(packTestModels(dir));
      await vscode.commands.executeCommand('workbench.extensions.installExtension', file);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  const extension = await until('the test extension is there', () =>
    vscode.extensions.getExtension<TestModels>(TEST_MODELS_ID),
  );
  const exports = await extension.activate();
  assert.equal(typeof exports.offer, 'function');
  return exports;
}
