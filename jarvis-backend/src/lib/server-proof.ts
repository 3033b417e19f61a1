import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { makeWhole } from 'node-kit/whole-file'
import { keptSecret } from './kept-secret.ts'

/**
 * The file with the key by which the server of a data directory proves its identity to a command on this machine, before the command sends a token
 * or a password. A program that took the server’s port while the server was down cannot read the key. The proof contains the port, so that no
 * program can pass on the proof of another server.
 */
const file = 'server-proof-key'
export const challengeHeader = 'x-jarvis-challenge'
export const proofHeader = 'x-jarvis-proof'
const challengeForm = /^[0-9a-f]{64}$/

export const newChallenge = (): string => randomBytes(32).toString('hex')

/** @returns the key of a data directory, which is created if it does not exist */
export function serverProofKey(dataDir: string): string {
  const known = keptSecret(dataDir, file)
  if (known !== undefined) return known
  // Another process may create the key first, so the file is read again.
  makeWhole(join(dataDir, file), `${randomBytes(32).toString('hex')}\n`)
  return keptSecret(dataDir, file) ?? ''
}

/** Computes the proof for a challenge. @param port the port at which the request arrived @returns undefined if the challenge is not valid */
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
