import { expect, test } from 'vitest'
import { describe } from './card/card.ts'
import { decide } from './decide.ts'
import { type Effect, effectsOf } from './index.ts'
import { guestOf, nodeOf } from './lab.fixture.ts'
import { compilePolicy } from './policy/compile.ts'
import { parsePolicy } from './policy/parse.ts'
import { Replay } from './policy/replay.ts'
import { shippedPolicy, type Tools } from './policy/shipped.ts'
import { storageTarget } from './storages.ts'
import type { World } from './world.ts'

type Where = { storage: string; node?: string }

/** A tool as one may come: it deletes what a storage holds. */
const prune = {
  name: 'prune_backups',
  tier: 'yellow' as const,
  touches: [{ kind: 'destroy', on: 'storage' } as const],
  effects: (where: Where, world: World): Effect[] => [
    { kind: 'destroy', on: 'storage', target: storageTarget(where, world) },
  ],
}
const tools: Tools = new Map([[prune.name, { tier: prune.tier, touches: prune.touches, args: {} }]])

const storage = { type: 'nfs', content: ['backup'], isActive: true, usedBytes: 1, totalBytes: 4 }
function worldWith(policyYaml: string): World {
  const parsed = parsePolicy(policyYaml, tools)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return {
    cluster: {
      nodes: [nodeOf('pve'), nodeOf('Home')],
      guests: [guestOf(104)],
      storages: [
        { ...storage, name: 'Tank' },
        { ...storage, name: 'local', node: 'pve' },
        { ...storage, name: 'local', node: 'Home', isActive: false },
        { ...storage, name: 'zfs', node: 'Home', isActive: null, usedBytes: null },
      ],
    },
    policy: compilePolicy({ file: parsed.file }),
    now: 0,
  }
}
const call = (input: Where) => ({ toolName: prune.name, baseTier: prune.tier, input })
function verdictOf(policyYaml: string, input: Where) {
  const world = worldWith(policyYaml)
  const { tier, rule } = decide(call(input), effectsOf(prune, input, world), world)
  return `${tier} ${rule}`
}
const rule = (more: string) => `rules: [{name: mine, ${more}, tier: red, because: Mine.}]`
const tank = { storage: 'Tank' }
const local = { storage: 'local', node: 'pve' }

test.each<[string, Where, string]>([
  ['', tank, 'yellow base'],
  ['protected: [storage/tank]', tank, 'black protected_storage'],
  ['protected: [storage/TANK]', tank, 'black protected_storage'],
  ['protected: [storage/tan]', tank, 'yellow base'],
  ['protected: [storage/local]', local, 'black protected_storage'],
  ['protected: [storage/pve/local]', local, 'black protected_storage'],
  ['protected: [storage/home/local]', local, 'yellow base'],
  // A shared storage is on every node.
  ['protected: [storage/pve/tank]', tank, 'black protected_storage'],
  // A protected node protects its own storages, and no shared one.
  ['protected: [node/pve]', local, 'black protected_node'],
  ['protected: [node/pve]', tank, 'yellow base'],
  [rule('on: storage'), tank, 'red policy:mine'],
  [rule('effect: destroy, on: [guest, storage]'), tank, 'red policy:mine'],
  [rule('effect: create, on: storage'), tank, 'yellow base'],
  [rule('on: guest'), tank, 'yellow base'],
  [rule('on: storage, when: {target: storage/tank}'), tank, 'red policy:mine'],
  [rule('on: storage, when: {target: storage/home/local}'), local, 'yellow base'],
  [rule('on: storage, when: {target: node/PVE}'), local, 'red policy:mine'],
  [rule('on: storage, when: {node: pve}'), local, 'red policy:mine'],
  [rule('on: storage, when: {node: pve}'), tank, 'yellow base'],
])('with %s a change of %j is %s', (policy, input, expected) => {
  expect(verdictOf(policy, input)).toBe(expected)
})

test.each([
  [{ storage: 'tank' }, 'storage: there is no storage tank.'],
  [{ storage: 'zfs', node: 'pve' }, 'storage: there is no storage zfs on pve.'],
  [{ storage: 'local' }, 'node: local is on pve, Home. Name one of them.'],
])('%j is a mistake: %s', (input, message) => {
  expect(() => effectsOf(prune, input, worldWith(''))).toThrow(message)
})

test.each([
  [
    tank,
    { kind: 'storage', id: 'storage/Tank', name: 'Tank', status: 'active' },
    'The tool prune_backups runs once on the storage Tank.',
    'Tank is active, 25 % full',
  ],
  [
    { storage: 'local', node: 'Home' },
    { kind: 'storage', id: 'storage/Home/local', name: 'local', node: 'Home', status: 'inactive' },
    'The tool prune_backups runs once on the storage local on Home.',
    'local is inactive, 25 % full',
  ],
  [
    { storage: 'zfs' },
    { kind: 'storage', id: 'storage/Home/zfs', name: 'zfs', node: 'Home', status: 'unknown' },
    'The tool prune_backups runs once on the storage zfs on Home.',
    'not known',
  ],
])('a card of %j says what storage it is', (input, target, sentence, now) => {
  const world = worldWith('')
  const effects = effectsOf(prune, input, world)
  expect(effects.map((effect) => effect.target)).toEqual([target])
  const verdict = { tier: 'red', rule: 'base', reason: 'Why.' } as const
  const card = describe({ toolName: prune.name, effects, verdict }, world, 0)
  expect(card).toMatchObject({ sentence, now, affects: expect.stringMatching(/^Not known/) })
})

test('a recorded change of a storage is judged again by another policy', () => {
  const target = { kind: 'storage', id: 'storage/pve/local', name: 'local', node: 'pve' }
  const body = { toolUseId: 'tu_1', toolName: prune.name, toolInput: local, tier: 'yellow', rule: 'base', target }
  const policy = { ...shippedPolicy, protectedTargets: new Set(['storage/local']) }
  const replay = new Replay(policy, [prune])
  replay.add({ at: 0, kind: 'execution', body })
  expect(replay.result().changed).toMatchObject([{ target: target.id, to: { rule: 'protected_storage' } }])
})
