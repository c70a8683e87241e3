// Stands in for @opentelemetry/api, which the Mistral client imports and nobody here installs: tracing that records
// nothing. Only what that client calls exists.
const span = {
  isRecording: () => false,
  spanContext: () => ({ traceId: '', spanId: '', traceFlags: 0 }),
  setAttribute: () => span,
  setAttributes: () => span,
  setStatus: () => span,
  updateName: () => span,
  addEvent: () => span,
  recordException: () => undefined,
  end: () => undefined,
};
const tracer = { startSpan: () => span };
const emptyContext = {};

export const SpanStatusCode = { UNSET: 0, OK: 1, ERROR: 2 };
export const context = { active: () => emptyContext, with: (_context: unknown, callback: () => unknown) => callback() };
export const propagation = { getBaggage: () => undefined, inject: () => undefined };
export const trace = {
  getTracer: () => tracer,
  getTracerProvider: () => ({ getTracer: () => tracer }),
  getSpan: () => undefined,
  setSpan: (given: unknown) => given,
};
