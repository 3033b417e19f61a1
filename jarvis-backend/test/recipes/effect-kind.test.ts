import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createJudge } from '../../src/calls/judge.ts'
import { effectKinds } from '../../src/gate/effect-kinds.ts'
import { compilePolicy, type Effect, parsePolicy } from '../../src/gate/index.ts'
import { isHeavy } from '../../src/gate/proof.ts'
import { scopeSentence } from '../../src/gate/roles/words.ts'
import { createCatalog } from '../../src/tools/catalog.ts'
import { houseFacts } from '../../src/tools/house.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { shownCode } from '../support/recipe.ts'

const row = shownCode('An effect kind', 'jarvis-backend/src/gate/effect-kinds.ts')
/** The table of kinds, which the type system does not let a test extend. */
const kinds: Record<string, unknown> = effectKinds

beforeAll(() => void Object.assign(kinds, runInNewContext(`({ ${row} })`)))
afterAll(() => void delete kinds.print)

const parsed = (text: string) => {
  const policy = parsePolicy(text, houseFacts)
  if (!policy.ok) throw new Error(JSON.stringify(policy.problems))
  return policy.file
}

test('a rule and a role may name the kind of the recipe', () => {
  const file = parsed(
    'rules: [{name: paper, effect: print, tier: red, because: Paper is dear.}]\nroles: {clerk: [{may: print, on: all}]}\n',
  )
  expect(file.rules?.[0]?.effect).toEqual(['print'])
  const [scope] = file.roles?.clerk ?? []
  expect(scope && scopeSentence(scope)).toBe('May print on everything.')
})

test('a rule about the kind raises a call of a tool that declares it', () => {
  const touch = { kind: 'print', on: 'site' } as unknown as Effect
  const print = defineTool({
    name: 'print_report',
    title: 'Print a report',
    description: 'Prints a report.',
    tier: 'yellow',
    timeoutMs: 1,
    input: z.strictObject({}),
    touches: [touch],
    effects: () => [{ ...touch, target: { kind: 'none', id: '' } }],
    run: async () => ({ text: '', summary: '' }),
  })
  const judgedBy = (text: string) =>
    createJudge(createCatalog([print]), () => ({
      cluster: { nodes: [], guests: [] },
      policy: compilePolicy({ file: parsed(text) }),
      now: 0,
    }))('print_report', {}).verdict
  expect(judgedBy('')).toMatchObject({ tier: 'yellow' })
  expect(judgedBy('rules: [{name: paper, effect: print, tier: red, because: Paper is dear.}]')).toMatchObject({
    tier: 'red',
    rule: 'policy:paper',
  })
  expect(isHeavy([touch])).toBe(true)
})

test('a policy.yaml that names a kind of an earlier version stays valid', () => {
  const file = parsed('rules: [{name: told, effect: [notify, credential], tier: red, because: Once there.}]\n')
  expect(file.rules?.[0]?.effect).toEqual(['notify', 'credential'])
  expect(() => parsed('rules: [{name: told, effect: sing, tier: red, because: Never there.}]\n')).toThrow(
    /must be of read/,
  )
})
