/** Examples that behave otherwise here, with the reason. */
export const UNLIKE: Readonly<Record<string, string>> = {
  'commands.ts': 'it lists the commands of all extensions, and pi registers /mcp and /llama by extensions of its own',
  gondolin: 'a package that it needs is in no registry; what is said then differs in words',
  'provider-payload.ts': 'it writes requests to a file, and the texts of our instructions and tools are our own',
};
