import { startClaudeServer } from '../test/support/claude-server.ts'
import { connect, run } from './client.ts'
import type { Row } from './rows.ts'
import { lazily, type Setup } from './setup.ts'

const questions = 10

/** The price of a conversation with a model that thinks and calls tools, by the provider's accounting of its cache. */
export function cacheRow(setup: Setup): Row {
  const claude = lazily(async () => {
    const claude = await startClaudeServer({ rounds: 2 })
    setup.onClose(claude.stop)
    const server = await setup.startServer('jarvis', setup.newDir(), { ANTHROPIC_BASE_URL: claude.url })
    return { claude, sockets: await connect(server, ['/chat']) }
  })
  return {
    name: 'cache',
    lines: [{ title: 'ten questions to a model that thinks: times a token is paid in full', most: 1.1 }],
    async ours() {
      const { claude: upstream, sockets } = await claude()
      const [socket] = sockets
      if (socket === undefined) throw new Error('no socket')
      upstream.forget()
      let sessionId: string | undefined
      for (let i = 0; i < questions; i++) {
        const asked = await run(socket, `Is all well? ${i}`, sessionId === undefined ? {} : { sessionId })
        sessionId = asked.sessionId
      }
      return [upstream.paidInFull()]
    },
  }
}
