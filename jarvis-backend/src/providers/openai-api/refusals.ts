type Refusal = Error & { error: unknown; param?: unknown }

/** A server's refusal with all fields of its error. */
export const saidIn = (error: unknown): string =>
  error instanceof Error && 'error' in error
    ? JSON.stringify([error.message, (error as Refusal).error, (error as Refusal).param])
    : ''
