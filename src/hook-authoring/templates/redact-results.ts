import { importOf, NEWEST_FIRST } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const redactResults: HookTemplate = {
  label: 'Redact results',
  detail: 'Removes secrets from tool results before the model sees them',
  fileName: 'redact',
  dialects: NEWEST_FIRST,
  body: (shape, { camel }) => `
${importOf(shape)}

/** What the model must not see. */
const SECRETS = [/\\bsk-[\\w-]{8,}/g, /\\bghp_\\w{8,}/g${CURSOR}];

/** Replaces secrets in the results of all tools. Results without secrets stay as they are. */
export default function ${camel}(pi: ${shape.api}) {
  pi.on('tool_result', async event => {
    let found = false;
    const content = event.content.map(part => {
      if (part.type !== 'text') return part;
      const text = SECRETS.reduce((rest, secret) => rest.replace(secret, '[secret]'), part.text);
      found ||= text !== part.text;
      return { ...part, text };
    });
    return found ? { content } : undefined;
  });
}`,
};
