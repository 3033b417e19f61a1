import { setTimeout as sleep } from 'node:timers/promises'
import { mcpToken } from './mcp.ts'
import type { Setup } from './setup.ts'
import { waitOverV1 } from './v1.ts'

const streams = 200
/** A token may have no more cards at a time. */
const cardsOfToken = 5
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

/** Holds streams over `/v1` whose cards wait, and says what they cost at first and at the end. @param minutes how long */
export async function held(setup: Setup, minutes: number): Promise<string> {
  const dir = setup.newDir()
  const server = await setup.startServer('jarvis', dir, { CONFIRM_TTL_SECONDS: String(minutes * 60 + 600) })
  const comments: number[] = []
  let broken = 0
  let isOver = false
  const open = async (count: number, isCounted: boolean) => {
    for (let left = count; left > 0; left -= cardsOfToken) {
      const token = mcpToken(dir, `held-${count}-${left}`)
      await Promise.all(
        Array.from({ length: cardsOfToken }, async () => {
          const at = isCounted ? comments.push(0) - 1 : -1
          await waitOverV1(server.url, token, (text) => {
            if (text === undefined) broken += isOver ? 0 : 1
            else if (at >= 0) comments[at] = (comments[at] ?? 0) + text.split(': waiting').length - 1
          })
        }),
      )
    }
  }
  // Code that is compiled on the way is no part of a stream.
  await open(100, false)
  const before = await server.read('collect')
  await open(streams, true)
  const first = await server.read('collect')
  await sleep(minutes * 60_000)
  const last = await server.read('collect')
  isOver = true
  await server.stop()
  const each = (bytes: number) => kB(bytes / streams)
  return [
    `${streams} streams over /v1 whose cards wait, held for ${minutes} min on loopback:`,
    `live heap and buffers a stream: ${each(first.liveBytes - before.liveBytes)} at first, ${each(last.liveBytes - before.liveBytes)} at the end`,
    `resident memory: ${kB(first.rssBytes)} at first, ${kB(last.rssBytes)} at the end`,
    `CPU while they waited: ${((last.cpuMs - first.cpuMs) / (minutes * 60)).toFixed(2)} ms a second`,
    `comments a stream: ${Math.min(...comments)} to ${Math.max(...comments)}; streams that ended early: ${broken}`,
  ].join('\n')
}
