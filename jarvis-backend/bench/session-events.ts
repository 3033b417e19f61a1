import { createParser } from 'eventsource-parser'

type Place = { url: string; token: string }

/** Asks over REST in a session of its own, and hears its server-sent events. @returns the length of the streamed text */
export async function runOverEvents({ url, token }: Place, message: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const { id } = (await (await post('/api/sessions', {})).json()) as { id: string }
  const leave = new AbortController()
  const { body, status } = await fetch(`${url}/api/sessions/${id}/events`, { headers, signal: leave.signal })
  if (status !== 200 || body === null) throw new Error(`${status} in place of events`)
  let chars = 0
  let isDone = false
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'chat:token') chars += (JSON.parse(data) as { text: string }).text.length
      if (event === 'chat:error') throw new Error(data)
      isDone ||= event === 'chat:done'
    },
  })
  const sent = post(`/api/sessions/${id}/messages`, { message })
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  while (!isDone) {
    const { value, done } = await reader.read()
    if (done) throw new Error('the events ended before the answer')
    parser.feed(value)
  }
  await (await sent).body?.cancel()
  leave.abort()
  return chars
}
