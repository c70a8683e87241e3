import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Emitter } from '../../src/base/event';
import { silentLog } from '../../src/base/log';
import type { RegisteredMcpServer } from '../../src/hook-typings/registered/mcp';
import { McpAuthFile } from '../../src/mcp/login/mcp-auth-file';
import type { McpServer } from '../../src/mcp/managed-server';
import { McpServers, type McpServersParts } from '../../src/mcp/mcp-servers';
import type { ToolResult } from '../../src/agent/tools/tool';

/** MCP servers of a folder that is made for the test. */
export class McpRig {
  readonly root = mkdtempSync(join(tmpdir(), 'hookline mcp ä '));
  readonly agentDir = join(this.root, 'agent');
  readonly cwd = join(this.root, 'work');
  readonly pages: URL[] = [];
  /** What hooks registered. */
  registered: RegisteredMcpServer[] = [];
  private readonly registeredEmitter = new Emitter<void>();
  isTrusted = true;
  readonly servers: McpServers;

  constructor(more: Partial<McpServersParts> = {}) {
    mkdirSync(this.cwd, { recursive: true });
    mkdirSync(this.agentDir, { recursive: true });
    this.servers = new McpServers({
      place: { agentDir: this.agentDir, cwd: this.cwd, includeProject: () => this.isTrusted },
      registrations: { list: () => this.registered, onDidChange: this.registeredEmitter.event },
      credentials: new McpAuthFile(join(this.agentDir, 'mcp-auth.json')),
      providerToken: () => Promise.resolve(undefined),
      env: process.env,
      version: '0',
      openPage: url => this.pages.push(url),
      log: silentLog,
      ...more,
    });
  }

  /** Writes an mcp.json; a text as it is, an object as its servers. */
  write(scope: 'user' | 'project', content: object | string): string {
    const file = scope === 'user' ? join(this.agentDir, 'mcp.json') : join(this.cwd, '.pi', 'mcp.json');
    mkdirSync(dirname(file), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify({ mcpServers: content }, null, 2);
    writeFileSync(file, text);
    return file;
  }

  /** Reads what is written and waits until every server stands somewhere. */
  async start(servers?: object): Promise<void> {
    if (servers !== undefined) this.write('user', servers);
    await this.servers.reload();
    await this.servers.ready(undefined);
  }

  register(...servers: RegisteredMcpServer[]): void {
    this.registered = servers;
    this.registeredEmitter.fire();
  }

  server(name: string): McpServer {
    const server = this.servers.find(name);
    if (server === undefined) throw new Error(`there is no server ${name}`);
    return server;
  }

  /** Calls a tool as the agent does. */
  call(name: string, args: object = {}, signal?: AbortSignal, heard: string[] = []): Promise<ToolResult> {
    const tool = this.servers.tools.all().find(each => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool.execute('call', args, signal, partial => heard.push(textOf(partial)));
  }

  async close(): Promise<void> {
    await this.servers.dispose();
    this.registeredEmitter.dispose();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The text parts of a result. */
export function textOf({ content }: Pick<ToolResult, 'content'>): string {
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
