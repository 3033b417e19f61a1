import { expect, test } from 'vitest'
import { z } from 'zod'
import { faithful } from './faithful.ts'

const Input = z.strictObject({
  vmid: z.int().optional(),
  node: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  force: z.boolean().optional(),
  names: z.array(z.string()).optional(),
  set: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  status: z.enum(['running', 'stopped']).optional(),
  at: z.strictObject({ hour: z.number() }).optional(),
  bare: z.string().nullable().optional(),
})

test.each<[Record<string, unknown>, Record<string, unknown>]>([
  [{ vmid: '105' }, { vmid: 105 }],
  [{ vmid: '0105' }, { vmid: '0105' }],
  [{ vmid: '1e2' }, { vmid: '1e2' }],
  [{ vmid: ' 105' }, { vmid: ' 105' }],
  [{ vmid: '2.5' }, { vmid: '2.5' }],
  [{ vmid: null, node: '', status: 'None' }, {}],
  [{ node: 'null', bare: 'None' }, {}],
  [
    { bare: '', node: 'nullhost' },
    { bare: '', node: 'nullhost' },
  ],
  [{ force: 'false' }, { force: false }],
  [{ force: 'no' }, { force: 'no' }],
  [{ names: '["a"]' }, { names: ['a'] }],
  [{ names: '["a"' }, { names: '["a"' }],
  [{ set: { a: '105' } }, { set: { a: '105' } }],
  [{ set: '{"a":1}' }, { set: { a: 1 } }],
  [{ at: { hour: '3' } }, { at: { hour: 3 } }],
  [{ at: { hour: null } }, { at: { hour: null } }],
  [{ bare: null }, { bare: null }],
  [{ other: '1' }, { other: '1' }],
])('%j is read as %j', (given, read) => {
  expect(faithful(Input, given)).toEqual(read)
})

test('a word for nothing stays where the argument must be there, or where it is one of the words that may be said', () => {
  const Texts = z.strictObject({ text: z.string(), mode: z.enum(['null', 'all']).optional() })
  expect(faithful(Texts, { text: 'null', mode: 'null' })).toEqual({ text: 'null', mode: 'null' })
})
