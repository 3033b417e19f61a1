import type { MemoryStatus } from '../src/protocol/index.ts'
import { connect, run } from './client.ts'
import type { Row } from './rows.ts'
import { lazily, type Server, type Setup } from './setup.ts'

const chats = 10

/**
 * What ten ordinary conversations (a green call, then an answer) cost to remember, words and meaning, beside what holding
 * them cost. The embedded model is loaded before.
 */
export function rememberRow(setup: Setup): Row {
  const ready = lazily(async () => {
    const server = await setup.startServer('jarvis', setup.newDir(), { JARVIS_EMBEDDINGS: 'local' })
    const [socket] = await connect(server, ['/chat'])
    if (socket === undefined) throw new Error('no socket')
    const { sessionId } = await run(socket, 'flat 8')
    for (let i = 0; i < chats; i++) await run(socket, `call get_cluster_status {} Warm ${i}?`)
    await remembered(server, sessionId)
    return { server, socket, sessionId }
  })
  let asked = 0
  const hold = async () => {
    const { server, socket } = await ready()
    const before = await server.read()
    for (let i = 0; i < chats; i++) {
      asked += 1
      // What follows the call is no order to the upstream, and makes each question another.
      await run(socket, `call get_cluster_status {} Is all well on evening ${asked}, and what needs a look?`)
    }
    return (await server.read()).cpuMs - before.cpuMs
  }
  return {
    name: 'remember',
    lines: [{ title: 'remembering ten chats, CPU ms', most: 0.5 }],
    async ours() {
      const { server, sessionId } = await ready()
      // Those of the baseline's turn are not counted.
      await remembered(server, sessionId)
      await hold()
      const before = await server.read()
      await remembered(server, sessionId)
      return [(await server.read()).cpuMs - before.cpuMs]
    },
    base: { name: 'holding them', measure: async () => [await hold()], isGoal: true },
  }
}

/** Resolves once all that was said is found by its words and its meaning. */
async function remembered({ url, token }: Server, forgotten: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  // The index looks for changes once a minute, and whenever a session is to be forgotten.
  const { status } = await fetch(`${url}/api/memory/sessions/${forgotten}`, { method: 'DELETE', headers })
  if (status !== 204) throw new Error(`forgetting answered ${status}`)
  for (let isDone = false; !isDone; ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const index = (await (await fetch(`${url}/api/memory/status`, { headers })).json()) as MemoryStatus
    isDone = index.state === 'ready' && index.embeddable > 0 && index.embedded === index.embeddable
  }
}
