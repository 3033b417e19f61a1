import { randomBytes } from 'node:crypto'
import { base32 } from './totp.ts'

const count = 10
const secretBytes = 10

/** A recovery code. Its number tells which stored hash to check, so that a guess costs one hash and not ten. */
export type RecoveryCode = { number: number; secret: string }

export const makeRecoveryCodes = (): RecoveryCode[] =>
  Array.from({ length: count }, (_, number) => ({ number, secret: base32(randomBytes(secretBytes)).toLowerCase() }))

/** The code as a person sees it: `3-abcd-efgh-ijkl-mnop`. */
export const recoveryText = ({ number, secret }: RecoveryCode): string =>
  [number, ...(secret.match(/.{4}/g) ?? [])].join('-')

/** Reads what a person typed, with or without dashes and spaces. @returns undefined if it is not a recovery code */
export function readRecoveryCode(text: string): RecoveryCode | undefined {
  const [, number, secret] = /^(\d)([a-z2-7]{16})$/.exec(text.toLowerCase().replace(/[\s-]/g, '')) ?? []
  return number === undefined || secret === undefined ? undefined : { number: Number(number), secret }
}
