/** A hook that does what the command asks for; what a command makes shows that it ran. */
export const GATE_HOOK = `import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export default function (pi) {
  const tell = content => pi.sendMessage({ customType: 'note', content, display: true });

  pi.on('input', async event => {
    if (event.text.includes('noted')) tell('beside the prompt');
    return event.text.includes('forbidden') ? { action: 'handled' } : undefined;
  });

  pi.on('tool_call', async (event, ctx) => {
    const command = String(event.input.command ?? '');
    if (command.includes('blocked')) return { block: true, reason: 'Not on a Sunday.' };
    if (command.includes('changed')) event.input.command = 'mkdir another';
    if (command.includes('noted')) tell('before the call');
    if (command.includes('asked')) {
      const answer = await ctx.ui.select('Run it?', ['Yes', 'Dry run', 'No']);
      if (answer === 'Dry run') event.input.command = 'mkdir dry';
      else if (answer !== 'Yes') return { block: true, reason: 'The answer was ' + answer + '.' };
    }
    if (command.includes('confirmed') && !(await ctx.ui.confirm('Run it?', 'It makes a folder.'))) {
      return { block: true, reason: 'The answer was no.' };
    }
    if (command.includes('waited')) {
      writeFileSync(join(ctx.cwd, 'waiting'), '');
      await new Promise(() => {});
    }
    return undefined;
  });

  pi.on('tool_result', async event => {
    const text = event.content.map(part => part.text ?? '').join('');
    if (text.includes('is noted')) tell('after the call');
    if (text.includes('secret 42')) return { content: [{ type: 'text', text: 'The result is withheld.' }] };
    return undefined;
  });
}
`;
