import { redactAssignments, redacted } from './assignments.ts'
import type { Shape } from './shape.ts'

/** Maximum number of characters of a base64 word that are decoded. A longer word is judged by its beginning. */
const longestRead = 8_192

/**
 * Returns base64 texts that show that the bytes occur within longer base64, for each offset: the characters that do not depend on the neighbouring
 * bytes.
 */
export function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const own = whole
      .replace(/(?<!=)=+$/, '')
      .slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6))
    return [own]
  })
}

const anywhere = ['passw', 'Passw', 'PASSW', 'secret', 'SECRET', 'token', 'TOKEN', 'api_k', 'apiKe', 'API_K', 'PRIVATE']
const accounts = [
  'admin',
  'administrator',
  'root',
  'user',
  'guest',
  'operator',
  'ubuntu',
  'postgres',
  'service',
  'backup',
]
const atStart = [...accounts.map((name) => `${name}:`), '-----BEGIN']
const hint = [
  ...anywhere.flatMap((word) => inBase64(Buffer.from(word))),
  // The last base64 letter also depends on the bytes that follow.
  ...atStart.map((word) =>
    Buffer.from(word)
      .toString('base64')
      .slice(0, Math.floor((word.length * 8) / 6)),
  ),
]
  .map((word) => word.replaceAll('+', '\\+'))
  // A JSON document.
  .concat('(?<!\\w)(?:eyJ|eyA|ewo)')
  .join('|')

const pair = new RegExp(`^(?:(?:${accounts.join('|')})|[\\w.+-]{1,64}@[\\w.-]{3,64}):[!-~]{4,}\\s*$`, 'i')
const readable = /^[\t\n\r -~]+$/

/** Tests if a base64 word, decoded, holds a secret: a user and a password, a document or file with an assignment, or a private key. */
function holdsSecret(coded: string): boolean {
  const said = Buffer.from(coded.slice(0, longestRead), 'base64').toString('latin1')
  if (!readable.test(said)) return false
  return pair.test(said) || said.includes('PRIVATE KEY-') || redactAssignments(said) !== said
}

export const base64Shape: Shape = {
  find: /(?<![\w+/=.-])[\w+/-]{10,}(?![\w+/.-])={0,2}/g,
  put: (match) => (holdsSecret(match) ? redacted : match),
  hint,
  open: 'line',
}
