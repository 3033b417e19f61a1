import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionChallenge } from 'protocol'
import type { Socket } from 'socket.io-client'
import { createAuthenticator } from '../test/support/fake-authenticator.ts'
import { passkeyDoor } from '../test/support/passkey-door.ts'
import { connect } from './client.ts'
import type { Row } from './rows.ts'
import { lazily, type Setup } from './setup.ts'
import { median } from './statistics.ts'

const cards = 20

type Card = { sessionId: string; runId: string; toolUseId: string }

/**
 * Approvals over REST of a card that must be signed by a passkey, and of one that needs no signature, in turns: what the signature adds for the
 * server. What the key itself takes is not counted.
 */
export function signedRow(setup: Setup): Row {
  const open = lazily(async () => {
    const ready = async (policy: string) => {
      const dir = setup.newDir()
      writeFileSync(join(dir, 'policy.yaml'), policy)
      const server = await setup.startServer('jarvis', dir)
      const door = passkeyDoor({ url: server.url, token: () => server.token })
      await door.ask('POST', '/auth/step-up', { password: setup.password })
      const key = createAuthenticator(door.origin)
      await door.enrol(key)
      const [socket] = await connect(server, ['/chat'])
      if (socket === undefined) throw new Error('no socket')
      return { door, key, socket }
    }
    return { signed: await ready('proof: passkey\n'), plain: await ready('') }
  })
  return {
    name: 'signed',
    lines: [
      { title: 'an approval that is signed, more than one that is not, ms p50', most: 3 },
      { title: 'the same with asking for what is to be signed, ms p50' },
      { title: 'an approval that is not signed, ms p50' },
    ],
    async ours() {
      const { signed, plain } = await open()
      const more: number[] = []
      const whole: number[] = []
      const without: number[] = []
      for (let at = 0; at < cards; at += 1) {
        const took = await approve(plain, false)
        const [challengeMs, decisionMs] = await approve(signed, true)
        without.push(took[1])
        more.push(decisionMs - took[1])
        whole.push(challengeMs + decisionMs - took[1])
      }
      return [median(more), median(whole), median(without)]
    },
  }
}

/** Has a card made and approves it. @returns how long the challenge and the decision took, ms */
async function approve(
  {
    door,
    key,
    socket,
  }: { socket: Socket; door: ReturnType<typeof passkeyDoor>; key: ReturnType<typeof createAuthenticator> },
  isSigned: boolean,
): Promise<[challengeMs: number, decisionMs: number]> {
  const card = await cardIn(socket)
  const path = `/confirmations/${card.toolUseId}`
  let challengeMs = 0
  let proof = {}
  if (isSigned) {
    const since = performance.now()
    const { options } = await door.ask<DecisionChallenge>('POST', `${path}/challenge`, { decision: 'approved' })
    challengeMs = performance.now() - since
    if (options === undefined) throw new Error('No passkey can sign here.')
    proof = { proof: { type: 'passkey', response: key.get(options) } }
  }
  const done = ended(socket, card.runId)
  const since = performance.now()
  const response = await door.send('POST', path, { confirmed: true, ...proof })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  const decisionMs = performance.now() - since
  await done
  return [challengeMs, decisionMs]
}

/** A VM that is off refuses at once. */
function cardIn(socket: Socket): Promise<Card> {
  return new Promise((resolve, reject) => {
    socket.once('chat:confirm_needed', resolve)
    socket.emit('chat:send', { message: 'call restart_vm {"vmid":142}' }, (reply: { ok: boolean }) => {
      if (!reply.ok) reject(new Error(JSON.stringify(reply)))
    })
  })
}

function ended(socket: Socket, runId: string): Promise<void> {
  return new Promise((resolve) => {
    const hear = (event: { runId: string }) => {
      if (event.runId !== runId) return
      socket.off('chat:done', hear)
      resolve()
    }
    socket.on('chat:done', hear)
  })
}
