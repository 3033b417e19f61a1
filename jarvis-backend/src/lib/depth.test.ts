import fc from 'fast-check'
import { canonicalJson } from 'node-kit/canonical'
import { createRedactor } from 'redaction/redact'
import { expect, test } from 'vitest'
import { runs } from '../../../scripts/property-runs.ts'
import { anyCharacter } from '../../test/support/any-character.ts'
import { parseCommand } from '../agent/command.ts'
import { deepestInput, unfitInput } from './depth.ts'

const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)

test.each([
  ['1e309', '{"a": 1e309}', /too large or no number/],
  ['-1e400 in a list of lists', '{"a": [[{"b": -1e400}]]}', /too large or no number/],
  ['minus zero', '{"a": -0}', undefined],
  ['a number with more digits than a double holds', '{"a": 9007199254740993}', undefined],
  ['half of a character', '{"a\\ud800": "\\udc00"}', undefined],
  ['a key that names the prototype', '{"__proto__": {"a": 1}, "constructor": 1}', undefined],
])('%s', (_what, json, refused) => {
  const reason = unfitInput(JSON.parse(json))
  if (refused === undefined) expect(reason).toBeUndefined()
  else expect(reason).toMatch(refused)
})

test('no number, and values nested deeper than arguments may be, are refused', () => {
  expect(unfitInput({ a: Number.NaN })).toMatch(/too large or no number/)
  expect(unfitInput(nested(deepestInput))).toBeUndefined()
  expect(unfitInput(nested(deepestInput + 2))).toMatch(/nested more than 50/)
  expect(unfitInput(nested(5_000))).toMatch(/nested more than 50/)
})

test('a typed command with such a number is not understood', () => {
  expect(parseCommand('/set_guest_config set={"cores": 1e309}')).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/too large or no number/),
  })
})

// JSON text, because a parser makes numbers and keys that no literal has.
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('1e309', '-1e400', '-0', '0.0', '1e-400', '9007199254740993', '123456789012345678901234567890'),
)
const text = fc
  .oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('__proto__', 'constructor', '\ud800', '\udc00a', '\0', 'password'),
  )
  .map((value) => JSON.stringify(value))
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    number,
    text,
    fc.constantFrom('true', 'null'),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(text, tie('json')), { maxLength: 4 })
      .map((all) => `{${all.map((pair) => pair.join(':')).join()}}`),
  ),
}))

test('arguments that are taken can be bound, redacted and kept, and are read back as they were', () => {
  const redactor = createRedactor(['a configured secret'])
  fc.assert(
    fc.property(json, (source) => {
      const input: unknown = JSON.parse(source)
      if (unfitInput(input) !== undefined) {
        expect(() => canonicalJson(input)).toThrow(TypeError)
        return
      }
      const bound = canonicalJson(input)
      expect(canonicalJson(JSON.parse(JSON.stringify(input)))).toBe(bound)
      expect(canonicalJson(JSON.parse(Buffer.from(bound).toString()))).toBe(bound)
      expect(() => canonicalJson(redactor.value(input))).not.toThrow()
      expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    }),
    runs(300),
  )
})
