import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const MARK = '[redacted]';

/** What looks like a secret. The first group stays readable, so that the model still knows what stood there. */
const SECRETS: readonly RegExp[] = [
  /\b([A-Z0-9_]*(?:API_?KEY|TOKEN|SECRET|PASSWORD)["']?\s*[=:]\s*["']?)[^\s"',;]+/gi,
  /\b(Bearer\s+)[\w.~+/-]{8,}=*/gi,
  /()\b(?:sk|pk|ghp|gho|xox[abp])[-_][\w-]{8,}/g,
];

/** Removes secrets from the results of `read` and `bash` before the model or the session file sees them. */
export default function redactor(pi: ExtensionAPI) {
  pi.on('tool_result', async event => {
    if (event.toolName !== 'read' && event.toolName !== 'bash') return undefined;
    let found = false;
    const content = event.content.map(part => {
      if (part.type !== 'text') return part;
      const text = SECRETS.reduce((rest, secret) => rest.replace(secret, `$1${MARK}`), part.text);
      found ||= text !== part.text;
      return { ...part, text };
    });
    return found ? { content } : undefined;
  });
}
