import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import type { McpServer } from '../../mcp/managed-server';
import type { ServerLog } from '../../mcp/connection/server-log';

interface Output {
  readonly channel: vscode.OutputChannel;
  readonly log: ServerLog;
  readonly following: Disposable;
}

/** An output channel for each server whose log somebody wants to see. */
export class ServerOutputs implements Disposable {
  private readonly outputs = new Map<string, Output>();

  /** Shows what a server said of late, and what it says from now on. */
  show(server: McpServer): void {
    this.follow(server, this.outputs.get(server.name)?.channel ?? newChannel(server.name)).channel.show(true);
  }

  /** A server that was started again has another log; its channel goes on. */
  update(servers: readonly McpServer[]): void {
    for (const server of servers) {
      const output = this.outputs.get(server.name);
      if (output !== undefined && output.log !== server.log) this.follow(server, output.channel);
    }
  }

  dispose(): void {
    for (const { channel, following } of this.outputs.values()) {
      following.dispose();
      channel.dispose();
    }
    this.outputs.clear();
  }

  private follow({ name, log }: McpServer, channel: vscode.OutputChannel): Output {
    const known = this.outputs.get(name);
    if (known?.log === log) return known;
    known?.following.dispose();
    for (const line of log.lines) channel.appendLine(line);
    const output = { channel, log, following: log.onDidAdd(line => channel.appendLine(line)) };
    this.outputs.set(name, output);
    return output;
  }
}

function newChannel(server: string): vscode.OutputChannel {
  return vscode.window.createOutputChannel(`Hookline MCP: ${server}`);
}
