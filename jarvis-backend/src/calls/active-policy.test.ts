import { expect, test } from 'vitest'
import { compilePolicy, parsePolicy } from '../gate/index.ts'
import { houseFacts } from '../tools/house.ts'
import { FilePolicy } from './active-policy.ts'
import { onlyOwner } from './people.ts'

function read(text: string) {
  const parsed = parsePolicy(text, houseFacts)
  if (!parsed.ok) throw new Error(text)
  return { kind: 'read' as const, hash: text, text, file: parsed.file }
}

function active() {
  const kept = new Map<string, string>()
  const said: string[] = []
  const shown = new Set<string>()
  const journalled: unknown[] = []
  let isFull = false
  const policy = new FilePolicy({
    written: { kind: 'absent' },
    hasTool: () => false,
    people: onlyOwner,
    protectedTargets: new Set(['node/Home']),
    nodeRoles: { setOfPolicy: () => {} },
    shownAsProtected: shown,
    settings: { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, value) },
    journal: { append: (_kind, body) => void journalled.push(body) },
    transactions: {
      untilFree: () => undefined,
      atomically: (work) => work(),
      together: async (work) => work(),
      durably(work) {
        if (isFull) throw new Error('The disk is full.')
        return work()
      },
      afterCommit: (work) => work(),
    },
    announce: (text) => void said.push(text),
  })
  const fill = (full: boolean) => {
    isFull = full
  }
  return { policy, kept, said, shown, journalled, fill }
}

test('what is protected now is shown, in the words it was written in', () => {
  const { policy, shown } = active()
  policy.edited(read('protected: [vm/105, node/Agent]'))
  expect([...shown]).toEqual(['node/Home', 'vm/105', 'node/Agent'])
  expect(policy.current().protectedTargets).toEqual(new Set(['node/home', 'vm/105', 'node/agent']))
  policy.edited({ kind: 'absent' })
  expect([...shown]).toEqual(['node/Home'])
})

test('a file that was touched and not changed is no news, and the same problems are told once', () => {
  const { policy, said, journalled } = active()
  policy.edited({ kind: 'absent' })
  policy.edited({ kind: 'broken', problems: ['policy.yaml:1:1  No.'] })
  policy.edited({ kind: 'broken', problems: ['policy.yaml:1:1  No.'] })
  expect(said).toEqual(['policy.yaml has a problem; the policy before stays in force. policy.yaml:1:1  No.'])
  expect(journalled).toEqual([])
})

test('an edit that cannot be journalled does not count until it can', () => {
  const { policy, fill } = active()
  const strict = read('tiers: {wake_node: red}')
  fill(true)
  expect(() => policy.edited(strict)).toThrow('The disk is full.')
  expect(policy.current().tiers).toEqual(compilePolicy({}).tiers)
  expect(policy.status()).toEqual({ profile: 'balanced' })
  fill(false)
  policy.edited(strict)
  expect(policy.current().tiers.get('wake_node')).toBe('red')
})

test('a profile that this version does not know is the strictest one', () => {
  const { policy, kept } = active()
  kept.set('profile', 'relaxed')
  expect(policy.current().profile).toBe('lockdown')
})
