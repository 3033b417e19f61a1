import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Card, DecisionChallenge, GrantRequest, JournalEntry, Page } from 'protocol'
import { onTestFinished } from 'vitest'
import { createAuthenticator } from './fake-authenticator.ts'
import { passkeyDoor } from './passkey-door.ts'
import { calls, says, scripted } from './scripted-model.ts'
import { type Screen, startJarvis } from './start-jarvis.ts'

/** A server whose cards must be signed, with one passkey, and a model that restarts guest 103 at each message. */
export async function opened({ policy = 'proof: passkey\n', dataDir = '', isEnrolled = true, cards = 1 } = {}) {
  const dir = dataDir === '' ? mkdtempSync(join(tmpdir(), 'jarvis-signed-')) : dataDir
  if (dataDir === '') onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'policy.yaml'), policy)
  const restart = calls(['restart_vm', { vmid: 103 }])
  const together = [
    ...Array.from({ length: cards }, () => restart),
    ...Array.from({ length: cards }, () => says('Done.')),
  ]
  const answers = Array.from({ length: 6 }, () => together).flat()
  const jarvis = await startJarvis({ dataDir: dir, model: scripted(...answers) })
  const door = passkeyDoor(jarvis)
  await jarvis.stepUp(door.token)
  const key = createAuthenticator(door.origin)
  if (isEnrolled) await door.enrol(key)
  const operator = await jarvis.connect()
  return {
    jarvis,
    door,
    key,
    operator,
    dir,
    challenge: (id: string, terms: { grant?: GrantRequest; alone?: true } = {}, as = door.token) =>
      door.ask<DecisionChallenge>('POST', `/confirmations/${id}/challenge`, { decision: 'approved', ...terms }, as),
    decide: async (id: string, body: object, as = door.token) => {
      const response = await door.send('POST', `/confirmations/${id}`, { confirmed: true, ...body }, as)
      return response.ok ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code
    },
    journal: async (kind: string) =>
      (await door.ask<Page<JournalEntry>>('GET', `/journal?kind=${kind}`)).items.map(
        ({ body }) => body as Record<string, unknown>,
      ),
    restarts: () => jarvis.controls.effects.length,
  }
}

/** The card of the next message. */
export async function cardIn(operator: Screen, sessionId?: string): Promise<Card & { sessionId: string }> {
  const sent = await operator.ask('chat:send', { message: 'Restart 103.', ...(sessionId && { sessionId }) })
  return { ...(await operator.next('chat:confirm_needed')), sessionId: sent.sessionId }
}
/** An approval with what a passkey made. */
export const passkey = (response: unknown) => ({ proof: { type: 'passkey', response } })
