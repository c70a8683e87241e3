import type { McpPrompt } from './connection/server-offer';
import type { ManagedServer } from './managed-server';
import {
  describePrompt,
  expandedPrompt,
  promptArguments,
  type ExpandedPrompt,
  type McpCommand,
} from './tools/server-prompt';
import { mcpNames } from './tools/tool-names';

interface Named {
  readonly name: string;
  readonly server: ManagedServer;
  readonly prompt: McpPrompt;
}

/** The prompts of all servers as slash commands: `/mcp__<server>__<prompt>`. */
export class McpPrompts {
  constructor(private readonly servers: () => readonly ManagedServer[]) {}

  list(): readonly McpCommand[] {
    return this.named().map(({ name, prompt, server }) => ({ name, description: describePrompt(prompt, server.name) }));
  }

  /**
   * The prompt for a command; undefined when there is no command of that name. `typed` is the text after the command.
   * @throws Error with a message for the user when an argument is missing or the server fails
   */
  async expand(command: string, typed: string, signal?: AbortSignal): Promise<ExpandedPrompt | undefined> {
    const found = this.named().find(({ name }) => name === command);
    const connection = found?.server.connection;
    if (found === undefined || connection === undefined) return undefined;
    const params = { name: found.prompt.name, arguments: promptArguments(typed, found.prompt) };
    const answer = await connection.request('prompts/get', params, { signal, repeatable: true });
    return expandedPrompt(answer, found.server.name);
  }

  private named(): readonly Named[] {
    const offered = this.servers().flatMap(server => (server.offer?.prompts ?? []).map(prompt => ({ server, prompt })));
    const names = mcpNames(offered.map(({ server, prompt }) => ({ server: server.name, name: prompt.name })));
    return offered.map((each, index) => ({ ...each, name: names[index] ?? '' }));
  }
}
