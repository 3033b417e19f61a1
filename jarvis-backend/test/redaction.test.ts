import fc from 'fast-check'
import { createRedactor } from 'redaction/redact'
import { createStreamRedactor } from 'redaction/stream'
import { describe, expect, test } from 'vitest'
import { isNight, rowsOf, runs } from '../../scripts/property-runs.ts'
import { secretsInFiles } from './corpora/redaction-files.ts'
import { harmlessInFiles } from './corpora/redaction-files-harmless.ts'
import { harmlessOfHomelab, secretsOfHomelab } from './corpora/redaction-homelab.ts'
import { lookalikes as ownLookalikes } from './corpora/redaction-lookalikes.ts'
import { secrets as ownSecrets } from './corpora/redaction-secrets.ts'
import { failingRows } from './support/failing-rows.ts'

const redactor = createRedactor([])
const secrets = [...ownSecrets, ...secretsInFiles, ...secretsOfHomelab]
const lookalikes = [...ownLookalikes, ...harmlessInFiles, ...harmlessOfHomelab]

/** Only what follows tells that it is one: a stream, which was shown before that, cannot know. What is kept is whole. */
const isToldLate = ([text, gone]: readonly [string, string]) =>
  redactor.text(text.slice(0, text.indexOf(gone) + gone.length)).includes(gone)
const inStreams = [...ownSecrets, ...[...secretsInFiles, ...secretsOfHomelab].filter((row) => !isToldLate(row))]

/** The text in pieces, cut where `sizes` say, over and over. */
function piecesOf(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}
function streamed(text: string, sizes: readonly number[]): string {
  const stream = createStreamRedactor(redactor)
  return (
    piecesOf(text, sizes)
      .map((piece) => stream.push(piece))
      .join('') + stream.flush()
  )
}
const sizes = fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 12 })

test('the corpus is large enough, and half of it holds no secret', () => {
  expect(new Set([...secrets.map(([text]) => text), ...lookalikes]).size).toBe(secrets.length + lookalikes.length)
  expect(secrets.length).toBeGreaterThanOrEqual(370)
  expect(lookalikes.length).toBeGreaterThanOrEqual(250)
})

test('a secret goes', async () => {
  const judge = ([text, gone]: readonly [string, string]) => {
    expect(text).toContain(gone)
    const clean = redactor.text(text)
    expect(clean).not.toContain(gone)
    expect(clean).toContain('[redacted]')
    expect(redactor.text(clean)).toBe(clean)
    expect(JSON.stringify(redactor.value({ deep: [{ note: `before\n${text}\nafter` }] }))).not.toContain(gone)
  }
  expect(await failingRows(secrets, judge)).toEqual([])
})

test('what only looks like a secret stays whole', async () => {
  const judge = (text: string) => {
    expect(redactor.text(text)).toBe(text)
    expect(redactor.text(`before\n${text}\nafter`)).toBe(`before\n${text}\nafter`)
  }
  expect(await failingRows(lookalikes, judge)).toEqual([])
})

describe('JSON stays JSON, and loses its secrets', () => {
  const texts = [...secrets.map(([text]) => text), ...lookalikes]
  const packed: [string, (text: string) => unknown][] = [
    ['flat', (text) => ({ a: text, b: 1 })],
    ['in JSON', (text) => ({ a: JSON.stringify({ c: [text], d: 2 }), b: [true, null] })],
    ['in JSON in JSON', (text) => [JSON.stringify({ c: JSON.stringify([{ text }]) })]],
  ]
  test.each(packed)('%s', (how, pack) => {
    for (const text of how === 'flat' ? texts : rowsOf(texts, 200)) {
      for (const written of [JSON.stringify(pack(text)), JSON.stringify(pack(text), null, 2)]) {
        const clean = redactor.text(`Exit code 0.\nstdout:\n${written}\n`).slice(21)
        expect(JSON.stringify(redactor.value(pack(text)))).toBe(JSON.stringify(JSON.parse(clean)))
        const [, gone] = secrets.find(([secret]) => secret === text) ?? []
        if (gone !== undefined) expect(clean).not.toContain(gone)
        else expect(clean.trim()).toBe(written)
      }
    }
  })

  test.each([
    ['{"password":20251121,"b":1}', '{"password":"[redacted]","b":1}'],
    [
      '{"password":["a1b2c3","x"],"n":12345678901234567890}',
      '{"password":["[redacted]","[redacted]"],"n":12345678901234567890}',
    ],
    ['{"password":"a\\\\"}', '{"password":"[redacted]"}'],
    ['{"password":"a\\"b,c","d":"\\u00e9"}', '{"password":"[redacted]","d":"\\u00e9"}'],
    ['{ "token": null,\n  "secret" : {"a": 1.50} }', '{ "token": null,\n  "secret" : {"a": 1.50} }'],
    ['{"authorization":"Bearer 9f2c7e1ab04d8855","x":"y"}', '{"authorization":"Bearer [redacted]","x":"y"}'],
    ['{"a":1}\n{"pwd":"hunter22x"}\n', '{"a":1}\n{"pwd":"[redacted]"}\n'],
  ])('%s', (text, clean) => expect(redactor.text(text)).toBe(clean))

  test.each([
    ['cut off', '{"a":"b","password":"Winter2025","c":{"d', '{"a":"b","password":"[redacted]","c":{"d'],
    ['cut off in the secret', '{"a":"b","password":"Winter20', '{"a":"b","password":"[redacted]'],
    ['deep', `${'['.repeat(5_000)}"password=Winter2025"`, `${'['.repeat(5_000)}"password=[redacted]"`],
  ])('what is no JSON is text: %s', (_how, text, clean) => expect(redactor.text(text)).toBe(clean))
})

test('a stream loses every secret and keeps every look-alike, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.constantFrom(...inStreams), sizes, ([text, gone], cuts) => {
      expect(streamed(`Here: \n${text}\n\nand on.`, cuts)).not.toContain(gone)
    }),
    runs(300),
  )
  fc.assert(
    fc.property(fc.constantFrom(...lookalikes), sizes, (text, cuts) => {
      const whole = `Here: \n${text}\n\nand on.`
      expect(streamed(whole, cuts)).toBe(whole)
    }),
    runs(300),
  )
})

test('a secret inside other text is redacted, and the rest stays readable', () => {
  fc.assert(
    fc.property(fc.constantFrom(...lookalikes), fc.constantFrom(...secrets), sizes, (before, [text, gone], cuts) => {
      const whole = `${before}\n\n${text}\n`
      expect(redactor.text(whole)).not.toContain(gone)
      if (inStreams.some((row) => row[0] === text)) expect(streamed(whole, cuts)).not.toContain(gone)
    }),
    runs(200),
  )
})

describe('time grows with the length only', () => {
  /** CPU time of one run, in µs. */
  const costOf = (text: string) => {
    const before = process.cpuUsage()
    redactor.text(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  /** Beginnings of secrets that do not go on like one, repeated. */
  const units = [
    ...ownSecrets.flatMap(([text]) => [0.3, 0.6, 0.9].map((part) => text.slice(0, Math.ceil(text.length * part)))),
    // Every fourth shape of files: their beginnings are alike.
    ...[...secretsInFiles, ...secretsOfHomelab].flatMap(([text], index) =>
      index % 4 === 0 ? text.slice(0, Math.ceil(text.length * 0.8)) : [],
    ),
  ]

  test.each([
    ...new Set([
      ...units,
      ' ',
      '\n',
      '"',
      ':',
      '=',
      '-',
      '$',
      'a',
      'A',
      '0',
      '://',
      '<a>',
      'a.b',
      'curl -u ',
      'password login ',
    ]),
  ])('%s', (unit) => {
    const length = isNight ? 16_384 : 4_096
    const [small, large] = [filled(unit, length), filled(unit, 4 * length)]
    // Four times the text: four times the work, and sixteen times where it is not linear.
    const isLinear = () => costOf(large) < 10 * Math.max(costOf(small), 2_000)
    // A busy machine can slow one run down; what is not linear is slow in each.
    expect([1, 2, 3, 4, 5].some(isLinear)).toBe(true)
  })
})
