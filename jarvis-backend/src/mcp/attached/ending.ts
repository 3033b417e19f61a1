import type { Client, Transport } from '@modelcontextprotocol/client'

/** Closes the client and the transport. A part that is closed already is not an error. */
export async function close(client: Client | undefined, transport: Transport | undefined) {
  try {
    await client?.close()
  } catch {
    // The client is closed already.
  }
  await transport?.close().catch(() => {})
}

/** Settles like `work`, or rejects with the signal's reason if the signal aborts first. */
export function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** Returns the message of an error with its cause, because `fetch failed` has its reason only in `cause`. */
export function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error && error.cause.message !== '' ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`
}
