import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { parseObject } from '../../base/json/parse-object';
import type { McpCredentials, McpLogin } from '../../mcp/login/mcp-auth-file';

const PREFIX = 'hookline.mcpLogin.';

/** Logins to MCP servers in VS Code's encrypted `SecretStorage`, shared by all windows. */
export class SecretMcpLogins implements McpCredentials {
  /** `storageDir`: absolute path of a folder that all windows share. It contains the lock that a window takes to change a login. */
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

/** Reads a stored login. Undefined when it is not valid; then the next login replaces it. */
function loginIn(text: string): McpLogin | undefined {
  return parseObject(text);
}
