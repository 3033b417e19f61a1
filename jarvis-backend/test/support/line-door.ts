import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { JarvisError } from 'protocol'
import { z } from 'zod'
import type { Watcher } from '../../src/agent/watchers.ts'
import type { Jarvis } from '../../src/process.ts'

const Line = z.union([
  z.object({ start: z.string(), sessionId: z.string().optional() }),
  z.object({ watch: z.string(), from: z.int().optional() }),
  z.object({ decide: z.string(), confirmed: z.boolean() }),
])

/** A door as small as one can be: requests and events as JSON, one a line. Ends with its input. */
export async function serveLines(hub: Jarvis['hub'], by: string, input: Readable, output: Writable): Promise<void> {
  const say = (line: object) => void output.write(`${JSON.stringify(line)}\n`)
  const watcher: Watcher = { isOperator: true, tell: (event, payload) => say({ event, ...payload }) }
  const ends = new Map<string, () => void>()
  async function answer(line: z.infer<typeof Line>) {
    if ('start' in line) {
      say(hub.start({ text: line.start, by, ...(line.sessionId !== undefined && { sessionId: line.sessionId }) }))
    } else if ('watch' in line) {
      const { snapshot, end } = hub.watch(line.watch, watcher)
      ends.get(line.watch)?.()
      ends.set(line.watch, end)
      say({ snapshot: snapshot(line.from) })
    } else await hub.decide({ toolUseId: line.decide, confirmed: line.confirmed, by })
  }
  for await (const text of createInterface({ input })) {
    try {
      await answer(Line.parse(JSON.parse(text)))
    } catch (error) {
      say({ error: error instanceof JarvisError ? error.code : 'invalid_request' })
    }
  }
  for (const end of ends.values()) end()
}
