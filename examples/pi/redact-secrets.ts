import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** What looks like a secret. The part before it stays, so that the model knows what stood there. */
const SECRETS: readonly RegExp[] = [
  /((?:api[_-]?key|token|secret|password)["']?\s*[=:]\s*["']?)[^\s"',;]{6,}/gi,
  /(Authorization:\s*(?:Bearer|Basic)\s+)\S+/gi,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:-----END[A-Z -]*|$)/g,
];

/** Replaces secrets in the results of tools, also of failed ones, before they are stored and sent to the model. */
export default function redactSecrets(pi: ExtensionAPI) {
  pi.on('tool_result', event => {
    const content = event.content.map(part => {
      if (part.type !== 'text') return part;
      return { ...part, text: SECRETS.reduce((text, secret) => text.replace(secret, '$1[redacted]'), part.text) };
    });
    return { content };
  });
}
