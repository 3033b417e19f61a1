import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import { cardContent, endedContent, isLight } from './cards.ts'
import { createSpeech } from './spoken.ts'

const say = createSpeech((text) => text)
const planted = 'planted-secret'

/** A clean restart of one guest, with something that must not leave in every field that is not the question's. */
const light: Card = {
  toolUseId: 'tu_1',
  toolName: 'restart_container',
  toolInput: { vmid: 104, note: planted },
  tier: 'red',
  sentence: planted,
  deed: planted,
  reason: planted,
  rule: planted,
  target: { kind: 'guest', id: planted, name: 'jellyfin', node: 'pve', vmid: 104, type: 'ct', status: planted },
  effect: { kind: 'power', on: 'guest', action: 'restart' },
  now: planted,
  then: 'running → off 20 s → running',
  affects: `Nothing else found (${planted})`,
  requestedBy: { kind: 'chat', name: planted },
  undo: { kind: 'none', sentence: planted },
  createdAt: 0,
  expiresAt: 60_000,
}
const heavy: Record<string, Partial<Card>> = {
  'is forced': { effect: { kind: 'power', on: 'guest', action: 'stop', isForced: true } },
  'affects something': { affects: '2 cameras stop recording' },
  'repeats foreign text': { rule: 'taint' },
  'has two reasons': { reasons: [planted, planted] },
  'runs over SSH': { toolName: 'execute_ssh', effect: { kind: 'execute', on: 'node' }, then: planted },
  'changes a configuration': { effect: { kind: 'config', on: 'guest' }, then: planted },
  'is of a node': { target: { kind: 'node', id: 'node/pve', node: 'pve' } },
  'is of a guest whose state is not known': { target: { ...light.target, status: 'unknown' } },
  'must be signed': { proof: 'passkey' },
  'takes two people': { approvals: { needed: 2, by: [], roles: ['operator'] } },
  'leads a plan': { plan: {} as NonNullable<Card['plan']> },
  'has something later': { later: { sentence: planted, at: 1 } },
  'follows another call': { isAfterAnother: true },
  'took the place of another card': { changed: planted },
}

test('of a light card its question and what follows leave, and nothing else', () => {
  expect(isLight(light)).toBe(true)
  const content = cardContent({ card: light, bindingHash: 'hash' }, { decides: 'approve', hidesNames: false }, say)
  expect(content).toMatchObject({
    title: 'Restart CT 104 jellyfin on pve?',
    lines: [
      'Then: running → off 20 s → running.',
      'It cannot be undone.',
      expect.stringMatching(/^It waits until \d\d:\d\d \S+\.$/),
    ],
    card: { deny: 'Do not restart 104 jellyfin', approve: 'Restart 104 jellyfin' },
  })
  expect(JSON.stringify(content)).not.toContain(planted)
  const ended = endedContent(
    content,
    { decision: 'approved', by: 'mira', via: 'Telegram', at: 0, hidesNames: false },
    say,
  )
  expect(ended).toMatchObject({ lines: [expect.stringMatching(/^Approved by mira, Telegram, /)], isOver: true })
  expect(ended).not.toHaveProperty('card')
})

test.each(Object.entries(heavy))(
  'a card that %s has no button that approves, and tells nothing of it',
  (_what, more) => {
    const card = { ...light, ...more }
    expect(isLight(card)).toBe(false)
    const content = cardContent({ card, bindingHash: 'hash' }, { decides: 'approve', hidesNames: false }, say)
    expect(content.card).toEqual({ toolUseId: 'tu_1', bindingHash: 'hash', deny: 'Do not run it' })
    expect(JSON.stringify(content)).not.toContain(planted)
  },
)

test.each([
  [
    { toolName: 'set_guest_config', deed: 'change memory, cores of 104' },
    'Change memory, cores of CT 104 jellyfin on pve?',
  ],
  [
    { toolName: 'delete_snapshot', deed: `delete snapshot ${planted} of 104` },
    'Run delete_snapshot for CT 104 jellyfin on pve?',
  ],
])('a card of a change names the guest and the change, and no argument', (more, title) => {
  const card: Card = { ...light, ...more, effect: { kind: 'config', on: 'guest' } }
  expect(cardContent({ card, bindingHash: 'hash' }, { decides: 'deny', hidesNames: false }, say).title).toBe(title)
})

test.each([
  ['none', {}],
  ['deny', { deny: 'Do not run it' }],
  ['approve', { deny: 'Do not run it' }],
] as const)('where names are hidden, who may %s reads no name', (decides, buttons) => {
  const content = cardContent({ card: light, bindingHash: 'hash' }, { decides, hidesNames: true }, say)
  expect(content).toMatchObject({ title: 'A call waits for you.' })
  expect(content.card).toEqual({ toolUseId: 'tu_1', bindingHash: 'hash', ...buttons })
  expect(JSON.stringify(content)).not.toMatch(/jellyfin|104|pve|planted/)
})
