import { expect, test } from 'vitest'
import { z } from 'zod'
import { readAs } from './read-as.ts'

const Note = z.strictObject({ text: z.string().max(5), tags: z.array(z.string()).max(2).optional() })

test('what fits is read, and each field that does not is named', () => {
  expect(readAs(Note, { text: 'Hi' })).toEqual({ ok: true, value: { text: 'Hi' } })
  expect(readAs(Note, { text: 'Too long', tags: 'a' })).toEqual({
    ok: false,
    problem: expect.stringMatching(/^text: .+; tags: .+$/),
  })
  expect(readAs(Note, 'Hi')).toEqual({ ok: false, problem: expect.stringMatching(/^Invalid input/) })
})

test.each(['text', 'tags'])('a length that is no number is refused and not thrown, at %s', (key) => {
  const hostile: unknown = JSON.parse('{"length": {"valueOf": 1, "toString": 1}}')
  expect(readAs(Note, { text: 'Hi', [key]: hostile }).ok).toBe(false)
})
