import type { Verdict } from 'protocol'
import { expect, test } from 'vitest'
import type { Walk } from '../call.ts'
import type { Ready } from '../judgement.ts'
import type { StepParts } from './parts.ts'
import { Turn } from './turn.ts'

const verdict: Verdict = { tier: 'red', rule: 'base', reason: 'It stops a guest.' }
const readyBy = (more: Partial<Verdict>) =>
  ({
    kind: 'ready',
    hash: 'h',
    target: { kind: 'none', id: '' },
    grantScopes: [],
    verdict: { ...verdict, ...more },
  }) as unknown as Ready

test.each<[string, Partial<Verdict>, boolean]>([
  ['the same verdict, in other words', { reason: 'It stops a guest that runs.' }, true],
  ['several people', { approve: { count: 2, by: ['operator'], notAsker: true } }, false],
  ['a signature', { proof: 'passkey' }, false],
])('a granted call that waited runs where policy.yaml wants the same as before: %s', async (_, more, runs) => {
  const taken: string[] = []
  const parts = {
    judge: () => readyBy(more),
    lookAgain: () => Promise.resolve(),
    ways: {
      tryTake: (_: unknown, { type }: { type: string }) => {
        taken.push(type)
        return { state: 'running' }
      },
    },
  } as unknown as StepParts
  const turn = new Turn(parts, {
    follow(_walk, current) {
      taken.push(JSON.stringify((current as Ready).verdict))
      return { state: 'judged' } as never
    },
  })
  const context = {
    before: Promise.resolve(),
    signal: new AbortController().signal,
    isRehearsal: () => false,
    principal: {},
  }
  const walk = { state: 'due', call: { toolName: 'stop_vm', toolInput: {} }, context, ready: readyBy({}) }
  await turn.take(walk as unknown as Walk)
  expect(taken).toEqual([runs ? 'same' : JSON.stringify({ ...verdict, ...more })])
})
