import type { RecoveryCodesReply, SecondFactorOffer } from 'protocol'
import { codeOf, stepAt } from '../../src/auth/totp.ts'
import type { TestJarvis } from './start-jarvis.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** An authenticator app that was told a secret in base32. */
export function authenticatorApp(secret: string) {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const seed = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  return { codeAt: (at: number) => codeOf(seed, stepAt(at)) }
}

/** Turns a second factor on. The code of the server's present is used up by it. @param headers of a token that gave the password */
export async function enrol(jarvis: Pick<TestJarvis, 'rest' | 'now'>, headers: Record<string, string> = {}) {
  const offered = await jarvis.rest('/api/second-factor', { method: 'POST', headers })
  const { secret, uri } = (await offered.json()) as SecondFactorOffer
  const app = authenticatorApp(secret)
  const confirmed = await jarvis.rest('/api/second-factor/confirm', {
    method: 'POST',
    headers,
    json: { code: app.codeAt(jarvis.now()) },
  })
  if (!confirmed.ok) throw new Error(`${confirmed.status} ${await confirmed.text()}`)
  const { recoveryCodes } = (await confirmed.json()) as RecoveryCodesReply
  return { app, secret, uri, recoveryCodes }
}
