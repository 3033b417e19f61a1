import type { MemoryStatus } from 'protocol'
import type { Socket } from 'socket.io-client'
import { connect, run } from './client.ts'
import type { Row } from './rows.ts'
import { lazily, type Server, type Setup } from './setup.ts'

const chats = 10

/**
 * What ten ordinary conversations (a green call, then an answer) cost to remember by their words, and then to read by meaning
 * once somebody searches, each beside what holding them cost. The embedded model is loaded before.
 */
export function rememberRow(setup: Setup): Row {
  const ready = lazily(async () => {
    const server = await setup.startServer('jarvis', setup.newDir(), { JARVIS_EMBEDDINGS: 'local' })
    const [socket, events] = await connect(server, ['/chat', '/events'])
    if (socket === undefined || events === undefined) throw new Error('no socket')
    const { sessionId } = await run(socket, 'flat 8')
    for (let i = 0; i < chats; i++) await run(socket, `call get_cluster_status {} Warm ${i}?`)
    await remember(server, sessionId)
    await readByMeaning(server, events)
    return { server, socket, events, sessionId }
  })
  let asked = 0
  const hold = async () => {
    const { server, socket } = await ready()
    return cpuOf(server, async () => {
      for (let i = 0; i < chats; i++) {
        asked += 1
        // The words after the call are no order to the upstream, and make each question another.
        await run(socket, `call get_cluster_status {} Is all well on evening ${asked}, and what needs a look?`)
      }
    })
  }
  return {
    name: 'remember',
    lines: [
      { title: 'remembering ten chats by words, CPU ms', most: 0.5 },
      { title: 'reading them by meaning once somebody searches, CPU ms' },
    ],
    async ours() {
      const { server, events, sessionId } = await ready()
      // Requests of the baseline's turn are not counted.
      await remember(server, sessionId)
      await readByMeaning(server, events)
      await hold()
      return [
        await cpuOf(server, () => remember(server, sessionId)),
        await cpuOf(server, () => readByMeaning(server, events)),
      ]
    },
    base: {
      name: 'holding them',
      async measure() {
        const cpuMs = await hold()
        return [cpuMs, cpuMs]
      },
      isGoal: true,
    },
  }
}

async function cpuOf(server: Server, work: () => Promise<void>): Promise<number> {
  const before = await server.read()
  await work()
  return (await server.read()).cpuMs - before.cpuMs
}

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Resolves once all that was said is found by its words. */
async function remember({ url, token }: Server, forgotten: string): Promise<void> {
  // The index looks for changes once a minute, and before an answer to a request to forget a session.
  const { status } = await fetch(`${url}/api/memory/sessions/${forgotten}`, { method: 'DELETE', ...as(token) })
  if (status !== 204) throw new Error(`forgetting answered ${status}`)
}

/** Searches, and resolves once all that was said is found by its meaning too. */
async function readByMeaning({ url, token }: Server, events: Socket): Promise<void> {
  const { status } = await fetch(`${url}/api/memory/search?q=what+needs+a+look+on+evening`, as(token))
  if (status !== 200) throw new Error(`searching answered ${status}`)
  for (let isDone = false; !isDone; ) {
    // The server announces each change of the index, the last one included.
    const changed = new Promise((resolve) => events.once('changed', resolve))
    const index = (await (await fetch(`${url}/api/memory/status`, as(token))).json()) as MemoryStatus
    isDone = index.state === 'ready' && index.embedded > 0 && index.waiting === 0
    if (!isDone) await changed
  }
}
