type Refusal = Error & { error: unknown; param?: unknown }

/** A server's refusal with all fields of its error. */
export const saidIn = (error: unknown): string =>
  error instanceof Error && 'error' in error
    ? JSON.stringify([error.message, (error as Refusal).error, (error as Refusal).param])
    : ''

/** Moves an error of another form under `error`, the only place where the SDK reads it. */
export const withErrorUnderError =
  (fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>) =>
  async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    if (response.ok) return response
    const text = await response.text()
    return { ...response, text: async () => wrapped(text) }
  }

function wrapped(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || 'error' in body) return text
    return JSON.stringify({ error: { message: text } })
  } catch {
    return text
  }
}
