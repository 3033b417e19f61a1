import { run } from './client.ts'
import type { Row } from './rows.ts'
import { lazily, type Pool, type Setup } from './setup.ts'
import { median } from './statistics.ts'

const runs = 10
const rounds = 20

/** One run of many rounds, as an agent that looks around makes it: each round is a reply of the model with one green call, and its result. */
export const loopRow = (setup: Setup): Row => ({
  name: 'loop',
  lines: [
    { title: 'a round of a run of 20 green calls, CPU ms', most: 1 },
    { title: 'the same round, ms', most: 1 },
  ],
  ours: async () => looping(await setup.pool('jarvis')),
  base: { name: 'relay', measure: async () => looping(await setup.pool('relay')), isGoal: true },
})

/** The same run on a server whose memory has the embedded model, beside one that searches notes by words alone. */
export function loopWithMemoryRow(setup: Setup): Row {
  const remembering = lazily(async () =>
    setup.openPool(await setup.startServer('jarvis', setup.newDir(), { JARVIS_EMBEDDINGS: 'local' })),
  )
  return {
    name: 'loop-memory',
    lines: [
      { title: 'a round with the embedded model, CPU ms', most: 1.05 },
      { title: 'the same round, ms', most: 1.05 },
    ],
    ours: async () => looping(await remembering()),
    base: { name: 'without the model', measure: async () => looping(await setup.pool('jarvis')), isGoal: true },
  }
}

/** @returns CPU ms and ms of a round */
async function looping({ server, sockets }: Pool): Promise<number[]> {
  const took: number[] = []
  const before = await server.read()
  for (const socket of sockets.slice(0, runs)) {
    const since = performance.now()
    const { results } = await run(socket, `rounds ${rounds} get_recent_tasks limit`)
    if (results !== rounds) throw new Error(`${results} of ${rounds} rounds were made`)
    took.push((performance.now() - since) / rounds)
  }
  const { cpuMs } = await server.read()
  return [(cpuMs - before.cpuMs) / (runs * rounds), median(took)]
}
