import { Type } from 'typebox';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * A tool that gives a task to another agent with a context of its own, and returns only its answer. In Hookline `pi` is
 * Hookline's own command line, so the same hooks guard the other agent.
 */
export default function subagent(pi: ExtensionAPI) {
  pi.registerTool({
    name: 'delegate',
    label: 'Delegate',
    description: 'Lets another agent do a task that needs no knowledge of this conversation, and returns its answer.',
    parameters: Type.Object({ task: Type.String({ minLength: 1 }) }),
    execute: async (_id, { task }, signal, _onUpdate, ctx) => {
      // One argument for the whole task: no shell reads it. A task that begins with a dash is no option behind "-p".
      const { stdout, stderr, code } = await pi.exec('pi', ['--no-session', '-p', `Task: ${task}`], {
        cwd: ctx.cwd,
        signal,
      });
      if (code !== 0) throw new Error(`The other agent failed: ${stderr.trim() || `exit code ${code}`}`);
      return { content: [{ type: 'text', text: stdout.trim() }], details: undefined };
    },
  });
}
