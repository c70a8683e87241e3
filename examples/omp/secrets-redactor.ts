import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';

/** What looks like a secret; the part before it stays, so that the model knows what stood there. */
const SECRETS: readonly RegExp[] = [
  /((?:api[_-]?key|token|secret|password)["']?\s*[=:]\s*["']?)[^\s"',;]{6,}/gi,
  /(Authorization:\s*(?:Bearer|Basic)\s+)\S+/gi,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?-----END/g,
];

/**
 * Takes secrets out of tool output before the model reads it. Failed calls are shown to hooks of this dialect but cannot
 * be changed by them, so this one also refuses to print the files that usually hold secrets.
 */
export default function secretsRedactor(pi: HookAPI): void {
  pi.on('tool_result', event => {
    if (event.isError) return undefined;
    let found = false;
    const content = event.content.map(part => {
      if (part.type !== 'text') return part;
      const text = SECRETS.reduce((result, secret) => result.replace(secret, '$1[hidden]'), part.text);
      found ||= text !== part.text;
      return { ...part, text };
    });
    return found ? { content } : undefined;
  });

  pi.on('tool_call', event => {
    if (event.toolName !== 'bash') return undefined;
    const prints = /\b(?:cat|less|head|tail|base64|xxd)\b[^|;&]*\.(?:env|pem|key)\b/.test(String(event.input.command));
    return prints ? { block: true, reason: 'This file may hold secrets. Ask the user for what you need.' } : undefined;
  });
}
