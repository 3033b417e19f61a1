import type { Client, Transport } from '@modelcontextprotocol/client'

/** Closes both; what is gone already is no error. */
export async function close(client: Client | undefined, transport: Transport | undefined) {
  try {
    await client?.close()
  } catch {
    // It is gone already.
  }
  await transport?.close().catch(() => {})
}

/** The outcome of work, or the signal's reason where that comes first. */
export function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** `fetch failed` has its reason in `cause`. */
export function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error && error.cause.message !== '' ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`
}
