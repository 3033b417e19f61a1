import fc from 'fast-check'
import { createRedactor } from 'redaction/redact'
import { createStreamRedactor } from 'redaction/stream'
import { expect, test } from 'vitest'
import { isNight, runs } from '../../scripts/property-runs.ts'

const redactor = createRedactor([])

/** A secret of `length` characters or more, every part of which is recognised. */
const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length))
const word = (length: number) => filled('Zq9x', length)
const letters = (length: number) => filled('ZqNine', length)
const phrase = (length: number) => filled('Zq9 x; ', length)
const base64Of = (length: number, before: string, after = '') =>
  Buffer.from(before + word(length) + after).toString('base64')

/** Each way in which a text holds a value whose end the syntax tells. `gone`: a part that recurs in the value. */
const formats: readonly [how: string, make: (length: number) => string, gone: string][] = [
  // Assignments
  ['a quoted value', (length) => `password="${phrase(length)}"`, 'Zq9'],
  ['a quoted value with an escaped quote', (length) => `password="a\\"${phrase(length)}"`, 'Zq9'],
  ['a quoted value without its end', (length) => `password="${phrase(length)}`, 'Zq9'],
  ['a quoted value in a JSON string', (length) => `"{\\"password\\": \\"${phrase(length)}\\"}"`, 'Zq9'],
  ['a value in three quotes', (length) => `password = """\n${filled('Zq9 x\n', length)}"""`, 'Zq9'],
  ['a word of a shell', (length) => `DB_PASSWORD=${word(length)}`, 'Zq9'],
  ['a query', (length) => `https://h/?token=${word(length)}&vmid=101`, 'Zq9'],
  ['an option', (length) => `mysqld --password ${word(length)} --port 1`, 'Zq9'],
  ['a word of YAML', (length) => `password: ${word(length)}`, 'Zq9'],
  ['letters', (length) => `password: ${letters(length)}`, 'ZqNine'],
  ['a phrase of long words', (length) => `password: correct ${letters(length)} horse`, 'ZqNine'],
  ['the line below', (length) => `password:\n  ${word(length)}`, 'Zq9'],
  ['a block of YAML', (length) => `password: |\n  ${filled('Zq9 x\n  ', length).trimEnd()}`, 'Zq9'],
  ['one line of a block', (length) => `password: >-\n  ${phrase(length)}`, 'Zq9'],
  ['a block with blank lines', (length) => `password: |\n  a\n${'\n'.repeat(9)}  ${phrase(length)}`, 'Zq9'],
  ['a member that is no string', (length) => `{'password': ${word(length)}, 'x': 1}`, 'Zq9'],
  // JSON
  ['JSON', (length) => JSON.stringify({ password: phrase(length), x: 1 }), 'Zq9'],
  ['JSON that is cut', (length) => `{"x": 1, "password": "${phrase(length)}`, 'Zq9'],
  ['arguments', (length) => JSON.stringify(['mysqld', '--password', word(length), '-x']), 'Zq9'],
  ['arguments of Python', (length) => `['mysqld', '--password', '${phrase(length)}', '-x']`, 'Zq9'],
  ['arguments in YAML', (length) => `- --password\n- ${word(length)}`, 'Zq9'],
  // Headers
  ['a bearer', (length) => `Authorization: Bearer ${word(length)}`, 'Zq9'],
  ['a cookie', (length) => `Cookie: session=${phrase(length)}`, 'Zq9'],
  ['a key of a header', (length) => `X-Api-Key: ${word(length)}`, 'Zq9'],
  ['basic', (length) => `Authorization: Basic ${base64Of(length, 'u:')}`, 'WnE5eFpx'],
  ["docker's config", (length) => `{"auth": "${base64Of(length, 'u:')}"}`, 'WnE5eFpx'],
  [
    'a secret of Kubernetes',
    (length) => `.dockerconfigjson: ${base64Of(length, '{"auths":{"r":{"auth":"', '"}}}')}`,
    'WnE5eFpx',
  ],
  // URLs
  ['a URL', (length) => `https://user:${word(length)}@host/path`, 'Zq9'],
  ['a URL with a token only', (length) => `https://${word(length)}@host/path`, 'Zq9'],
  ['a URL of a database', (length) => `root:${word(length)}@tcp(db:3306)/x`, 'Zq9'],
  ['a URL of Oracle', (length) => `scott/${word(length)}@//db:1521/x`, 'Zq9'],
  ['a query in a query', (length) => `/login?next=%2Fx%3Ftoken%3D${word(length)}%26a`, 'Zq9'],
  ['a URL in a query', (length) => `/open?u=https%3A%2F%2Fuser%3A${word(length)}%40host`, 'Zq9'],
  ['a fragment', (length) => `https://h/#/send/abc/key=${word(length)}`, 'Zq9'],
  // Files and commands
  ['XML', (length) => `<password>${phrase(length)}</password>`, 'Zq9'],
  ['XML with a name', (length) => `<entry key="password">${phrase(length)}</entry>`, 'Zq9'],
  ['netrc', (length) => `login bob password ${word(length)}`, 'Zq9'],
  ['a pipe', (length) => `echo '${word(length)}' | sudo -S ls`, 'Zq9'],
  ['expect', (length) => `expect "assword:"; send "${phrase(length)}\\n"`, 'Zq9'],
  ['recovery codes', (length) => `recovery codes: ${filled('Zq9x-4Zq9, ', length)}`, 'Zq9'],
  ['recovery codes, one a line', (length) => `Recovery codes:\n${filled('  Zq9x-4Zq9\n', length)}`, 'Zq9'],
  ['a seed', (length) => `totp secret: ${filled('ZQ7X', length)}`, 'ZQ7X'],
  ['an authenticator', (length) => `${filled('ZQ7X', length)}\n" TOTP_AUTH`, 'ZQ7X'],
  ['a token', (length) => `ghp_${word(length)}`, 'Zq9'],
  // Keys
  ['PEM', (length) => `-----BEGIN PRIVATE KEY-----\n${filled('Zq9x\n', length)}-----END PRIVATE KEY-----`, 'Zq9'],
  ['PEM without its head', (length) => `${filled(`${word(64)}\n`, length)}-----END PRIVATE KEY-----`, 'Zq9'],
  ['PEM on a line', (length) => `b\n${word(length)}\n-----END PRIVATE KEY-----`, 'Zq9'],
  ['a key of PuTTY', (length) => `Private-Lines: 9\n${filled(`${word(64)}\n`, length)}Private-MAC: 1`, 'Zq9'],
]

/** A stream has shown these before their end tells that they are secrets. */
const toldLate = /^(?:PEM without|PEM on|an authenticator|a pipe|a URL of)/

test.each(formats)('no part of a long value shows: %s', (how, make, gone) => {
  // One that is short, and one that is longer than a step of redaction.
  for (const length of isNight ? [450, 5_000, 20_000] : [450, 20_000]) {
    const text = `Before.\n${make(length)}\nand on.\n`
    const clean = redactor.text(text)
    expect(clean).not.toContain(gone)
    expect(clean).toContain('Before.')
    if (!/without its end|cut/.test(how)) expect(clean).toContain('and on.')
    expect(redactor.text(clean)).toBe(clean)
    if (toldLate.test(how)) continue
    for (const size of isNight || length < 5_000 ? [97, 4_096] : [4_096]) {
      const stream = createStreamRedactor(redactor)
      let shown = ''
      for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size))
      shown += stream.flush()
      expect(shown, `in pieces of ${size}, ${length}`).not.toContain(gone)
      if (!/without its end|cut/.test(how)) expect(shown, `in pieces of ${size}, ${length}`).toContain('and on.')
    }
  }
})

test('the end of a key is found where its text begins with a line end', async () => {
  // In steps here and below, so that the limit of a test ends one that does not end.
  expect(await redactor.later(`\n${'MIIEvQIBADANBgkq'.repeat(3)}\n-----END PRIVATE KEY-----\n`)).toBe('\n[redacted]\n')
})

/** Pieces that redaction looks at, in any order: line ends, marks, names, and runs that are longer than one of its steps. */
const pieces = [
  ...['\n', '\r\n', '\r', '\\n', '\\', ' ', '\t', '> ', '"', "'", '`', ':', '=', '|\n', 'x y', 'token="', 'password: '],
  ...['MIIEvQIBADANBgkqhkiG9w0B', '-----END PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----', '{"a":"', '["--token",'],
  ...['A'.repeat(17_000), 'A\n'.repeat(9_000), '\n'.repeat(17_000)],
]
test('redaction comes to an end for every order of what it looks at', async () => {
  const text = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 }).map((some) => some.join(''))
  await fc.assert(
    fc.asyncProperty(text, async (given) => void (await redactor.later(given))),
    runs(150),
  )
})
