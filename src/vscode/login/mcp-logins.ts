import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { isRecord } from '../../base/json/is-record';
import type { McpCredentials, McpLogin } from '../../mcp/login/credentials';

const PREFIX = 'hookline.mcpLogin.';

/** Logins to MCP servers in VS Code's encrypted `SecretStorage`, shared by all windows. */
export class SecretMcpLogins implements McpCredentials {
  /** `storageDir` (absolute, shared by all windows) holds nothing but the lock under which one window at a time changes a login. */
  constructor(
    private readonly storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>,
    private readonly storageDir: string,
  ) {}

  async load(key: string): Promise<McpLogin | undefined> {
    const text = await this.storage.get(PREFIX + key);
    return text === undefined ? undefined : loginIn(text);
  }

  async update(key: string, change: (login: McpLogin | undefined) => McpLogin | undefined): Promise<void> {
    await mkdir(this.storageDir, { recursive: true });
    await withFileLock(join(this.storageDir, 'mcp-logins'), async () => {
      const changed = change(await this.load(key));
      if (changed === undefined) await this.storage.delete(PREFIX + key);
      else await this.storage.store(PREFIX + key, JSON.stringify(changed));
    });
  }
}

/** What cannot be read is not a login: the next one takes its place. */
function loginIn(text: string): McpLogin | undefined {
  try {
    const login: unknown = JSON.parse(text);
    return isRecord(login) ? login : undefined;
  } catch {
    return undefined; // Nobody but this class writes it, and nobody could use it.
  }
}
