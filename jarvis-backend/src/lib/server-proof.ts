import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { makeWhole } from 'node-kit/whole-file'
import { keptSecret } from './kept-secret.ts'

/**
 * How the server of a data dir proves itself to a command of this machine before that sends a token or a password: whoever took its port while
 * it is down cannot read the key in the data dir. The proof names the port, so that nobody passes another server's on.
 */
const file = 'server-proof-key'
export const challengeHeader = 'x-jarvis-challenge'
export const proofHeader = 'x-jarvis-proof'
const challengeForm = /^[0-9a-f]{64}$/

export const newChallenge = (): string => randomBytes(32).toString('hex')

/** @returns the key of a data dir, which is made where there is none */
export function serverProofKey(dataDir: string): string {
  const known = keptSecret(dataDir, file)
  if (known !== undefined) return known
  // Another process may be first.
  makeWhole(join(dataDir, file), `${randomBytes(32).toString('hex')}\n`)
  return keptSecret(dataDir, file) ?? ''
}

/** @param port that the request came to @returns undefined for what is no challenge */
export function proofOf(key: string, challenge: unknown, port: number | undefined): string | undefined {
  if (typeof challenge !== 'string' || !challengeForm.test(challenge) || key === '') return undefined
  return createHmac('sha256', key).update(`jarvis server v1\0${port}\0${challenge}`).digest('hex')
}

export function isProof(
  given: string | null,
  { key, challenge, port }: { key: string; challenge: string; port: number },
): boolean {
  const right = Buffer.from(proofOf(key, challenge, port) ?? '')
  const said = Buffer.from(given ?? '')
  return right.length > 0 && said.length === right.length && timingSafeEqual(right, said)
}
