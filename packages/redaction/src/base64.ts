import { redactAssignments, redacted } from './assignments.ts'
import type { Shape } from './shape.ts'

/** Longer words are judged by their beginning, characters. */
const longestRead = 8_192

/** Spellings of bytes within base64, at any offset: the part that does not depend on neighbouring bytes. */
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
  // The last letter depends on what follows.
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

/** Tests if base64 of a text holds a secret: user and password, a document or file with an assignment, a private key. */
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
