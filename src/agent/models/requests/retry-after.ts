/** How long the headers of a response ask to wait before the next request, in ms. Undefined if they do not say. */
export function retryAfterOf(headers: Pick<Headers, 'get'>): number | undefined {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const given = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(given);
  const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
