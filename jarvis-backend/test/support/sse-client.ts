import { createParser, type EventSourceMessage } from 'eventsource-parser'

export type Heard = { id?: string; event: string; data: Record<string, unknown> }

/** One client of a stream of server-sent events, which remembers what it heard. */
export type EventClient = {
  headers: Headers
  heard: Heard[]
  comments: number
  retryMs: number | undefined
  /** The first event so far, or still to come, that is such a one. Rejects where the stream ends before. */
  until(isWanted: (heard: Heard) => boolean): Promise<Heard>
  next(event: string): Promise<Heard>
  /** Resolves once the server has ended the stream, or it broke. */
  ended: Promise<void>
  close(): void
}

/** @throws Error with status and body where the server refuses */
export async function openEvents(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<EventClient> {
  const gone = new AbortController()
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers }, signal: gone.signal })
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`)
  let isOver = false
  const wake: (() => void)[] = []
  const tell = () => {
    for (const run of wake.splice(0)) run()
  }
  const client: EventClient = {
    headers: response.headers,
    heard: [],
    comments: 0,
    retryMs: undefined,
    async until(isWanted) {
      for (;;) {
        const found = client.heard.find(isWanted)
        if (found !== undefined) return found
        if (isOver) throw new Error(`the stream ended after ${client.heard.map(({ event }) => event).join(', ')}`)
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    next: (event) => client.until((one) => one.event === event),
    ended: Promise.resolve(),
    close: () => gone.abort(),
  }
  const parser = createParser({
    onEvent({ id, event = '', data }: EventSourceMessage) {
      client.heard.push({ ...(id !== undefined && { id }), event, data: JSON.parse(data) as Heard['data'] })
    },
    onComment: () => void client.comments++,
    onRetry: (ms) => {
      client.retryMs = ms
    },
  })
  const { body } = response
  client.ended = (async () => {
    try {
      const text = new TextDecoder()
      for await (const bytes of body) {
        parser.feed(text.decode(bytes as Uint8Array, { stream: true }))
        tell()
      }
    } catch {
      // It was cut.
    }
    isOver = true
    tell()
  })()
  return client
}
