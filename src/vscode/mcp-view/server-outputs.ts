import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import type { McpServer } from '../../mcp/managed-server';
import type { ServerLog } from '../../mcp/connection/server-log';

interface Output {
  readonly channel: vscode.OutputChannel;
  readonly log: ServerLog;
  readonly following: Disposable;
}

/** Output channels for the servers whose logs the user has opened. */
export class ServerOutputs implements Disposable {
  private readonly outputs = new Map<string, Output>();

  /** Opens the channel with the recent lines of a server's log. New lines are added as they come. */
  show(server: McpServer): void {
    this.follow(server, this.outputs.get(server.name)?.channel ?? newChannel(server.name)).channel.show(true);
  }

  /** A restarted server has a new log, which continues in its channel. */
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
