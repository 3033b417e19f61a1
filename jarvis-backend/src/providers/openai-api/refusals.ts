type Refusal = Error & { error: unknown; param?: unknown }

/** Returns a server's refusal with all fields of its error, as text; empty if the error has none. */
export const saidIn = (error: unknown): string =>
  error instanceof Error && 'error' in error
    ? JSON.stringify([error.message, (error as Refusal).error, (error as Refusal).param])
    : ''
