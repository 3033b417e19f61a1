import { type Guest, type Node, profileNames, type Storage, type ToolInput } from 'protocol'
import { expect, test } from 'vitest'
import { beyondRole, compilePolicy, decide, effectsOf, observedBy, parsePolicy, type World } from '../src/gate/index.ts'
import { guestOf, nodeOf, runningUnits } from '../src/gate/lab.fixture.ts'
import type { When } from '../src/gate/policy/schema.ts'
import { houseFacts, houseTools } from '../src/tools/house.ts'

const yaml = `
rules:
  - {name: prod-off, effect: power, when: {target: tag:prod}, tier: black, because: Prod stays on.}
  - {name: two-of-us, tools: [destroy_guest], when: {target: tag:vault}, tier: red, because: Two.,
     approve: {count: 2}, proof: passkey}
  - {name: frozen, tools: all, when: {target: tag:frozen}, tier: black, because: Nothing changes here.}
  - {name: kids-pool, effect: power, when: {target: pool:kids}, tier: red, because: Ask first.}
  - {name: on-attic, effect: power, when: {node: attic}, tier: black, because: The attic stays on.}
  - {name: watched, tools: [set_guest_config], when: {target: tag:watched}, tier: observed, because: Told.}
roles:
  gamer: [{may: [config, power], on: tag:games}]
topology:
  jarvis: vm/120
  groups: {web: [vm/101, vm/102]}
`
const guests = [
  guestOf(101, { tags: ['Prod', 'web'] }),
  guestOf(102, { tags: ['vault'], pool: 'kids' }),
  guestOf(103, { name: 'plain', tags: ['media'] }),
  guestOf(104, { name: 'pihole' }),
  guestOf(105, { tags: ['games'] }),
  guestOf(106, { tags: ['group-dns'] }),
  guestOf(120, { name: 'box' }),
  guestOf(190, { pool: 'jarvis-drill', tags: ['group-dns'], status: 'running' }),
]
const file = (() => {
  const parsed = parsePolicy(yaml, houseFacts)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'))
  return parsed.file
})()
const worldOf = (profile: (typeof profileNames)[number] = 'balanced'): World => ({
  cluster: { nodes: [nodeOf('pve'), nodeOf('attic'), nodeOf('third')], guests, storages: [] },
  policy: compilePolicy({ file, profile }),
  now: 1_800_000_000_000,
  unitOf: runningUnits,
})

function callOf(toolName: string, raw: ToolInput, world: World) {
  const tool = houseTools.find(({ name }) => name === toolName)
  if (tool === undefined) throw new Error(`There is no tool ${toolName}.`)
  const input = tool.input.parse(raw)
  return { call: { toolName, baseTier: tool.tier, input }, effects: effectsOf(tool, input, world) }
}
function judged(toolName: string, input: ToolInput, world = worldOf()) {
  const { call, effects } = callOf(toolName, input, world)
  return decide(call, effects, world)
}
const tags = (vmid: number, now: string) => ['set_guest_config', { vmid, set: { tags: now } }] as const

test.each<[string, string, ToolInput, string]>([
  ['takes a tag that a rule names', ...tags(101, 'web'), 'red changes_marks'],
  ['removes all tags', 'set_guest_config', { vmid: 101, remove: ['tags'] }, 'red changes_marks'],
  ['gives a tag that a rule names', ...tags(103, 'media;PROD'), 'red changes_marks'],
  ['gives a tag under which nothing may change', ...tags(103, 'media;frozen'), 'black policy:frozen'],
  ['gives a tag that a role names', ...tags(103, 'games'), 'red changes_marks'],
  ['gives a tag that an observed rule names', ...tags(103, 'media;watched'), 'red changes_marks'],
  ['gives a tag that makes it the DNS', ...tags(103, 'media;dns'), 'red changes_marks'],
  ['leaves a group', ...tags(106, ''), 'red changes_marks'],
  ['joins a group, and makes it look better served', ...tags(103, 'group-dns'), 'red changes_marks'],
  ['renames the DNS', 'set_guest_config', { vmid: 104, set: { name: 'plain2' } }, 'red changes_marks'],
  [
    'clones a guest with a tag that a rule names',
    'clone_guest',
    { vmid: 101, newId: 150, name: 'copy' },
    'red changes_marks',
  ],
  ['clones a guest of a group', 'clone_guest', { vmid: 106, newId: 150, name: 'copy' }, 'red changes_marks'],
  ['names a clone as the gateway', 'clone_guest', { vmid: 103, newId: 150, name: 'opnsense' }, 'red changes_marks'],
  ['makes a guest on a node that a rule names', 'create_guest', made('attic'), 'red changes_marks'],
  ['moves a guest to a node that a rule names', 'migrate_guest', { vmid: 103, target: 'attic' }, 'red changes_marks'],
  ['moves the guest that JARVIS runs on', 'migrate_guest', { vmid: 120, target: 'third' }, 'red changes_marks'],
  [
    'writes a drill’s mark into a note',
    'set_guest_config',
    { vmid: 103, set: { description: 'JARVIS restore drill 1 of 2' } },
    'red always_asks',
  ],
  [
    'changes the note of a drill’s copy',
    'set_guest_config',
    { vmid: 190, set: { description: 'x' } },
    'red always_asks',
  ],
])('a call that %s asks, whatever the profile', (_what, tool, input, expected) => {
  for (const profile of profileNames) {
    const { tier, rule } = judged(tool, input, worldOf(profile))
    const is = profile === 'lockdown' && !expected.startsWith('black') ? 'black profile' : expected
    expect(`${tier} ${rule}`, profile).toBe(is)
  }
})

function made(node: string): ToolInput {
  const size = { diskGib: 8, cores: 1, memoryMib: 512 }
  return { type: 'vm', newId: 150, name: 'made', node, source: 'nas:iso/x.iso', storage: 'nas', ...size }
}

test.each<[string, ToolInput, string]>([
  [...tags(103, 'media;films'), 'yellow base'],
  [...tags(103, ''), 'yellow base'],
  [...tags(101, 'Prod;web;films'), 'yellow base'],
  // The name says so already.
  [...tags(104, 'dns'), 'yellow base'],
  ['set_guest_config', { vmid: 101, set: { description: 'The web server.' } }, 'yellow base'],
  ['set_guest_config', { vmid: 101, remove: ['description'] }, 'yellow base'],
  ['set_guest_config', { vmid: 103, set: { name: 'plainer' } }, 'red risky_arguments'],
  ['clone_guest', { vmid: 103, newId: 150, name: 'copy' }, 'red base'],
  ['create_guest', made('pve'), 'red base'],
  ['migrate_guest', { vmid: 103, target: 'third' }, 'red base'],
])('%s %j is asked as little as ever: %s', (tool, input, expected) => {
  const { tier, rule } = judged(tool, input)
  expect(`${tier} ${rule}`).toBe(expected)
})

test('who must approve what a tag stands for must approve that it goes or comes, and sign as there', () => {
  const wanted = { approve: { count: 2, by: ['operator'], notAsker: true }, proof: 'passkey' }
  for (const profile of ['balanced', 'permissive', 'unrestricted'] as const) {
    expect(judged(...tags(102, ''), worldOf(profile))).toMatchObject(wanted)
    expect(judged(...tags(103, 'vault'), worldOf(profile))).toMatchObject(wanted)
    expect(judged(...tags(103, 'prod'), worldOf(profile)).approve).toBeUndefined()
  }
})

test('the tags that a guest’s configuration holds count where the cluster’s list has none', () => {
  const world = worldOf()
  const { call, effects } = callOf(...tags(103, 'media'), world)
  const read = effects.map((effect) => ({ ...effect, becomes: { ...effect.becomes, had: ['media', 'prod'] } }))
  expect([decide(call, effects, world).rule, decide(call, read, world).rule]).toEqual(['base', 'changes_marks'])
})

test('the card says which rule reads what changes', () => {
  expect(judged(...tags(101, 'web')).reason).toBe(
    'Later calls about 101 are judged otherwise, because it changes "tag:prod", which the rule prod-off reads.',
  )
})

test('an observed rule hears of a tag that comes, and a role must hold before and after', () => {
  const world = worldOf()
  const given = callOf(...tags(103, 'watched'), world)
  expect(observedBy(given.call, given.effects, world).map(({ name }) => name)).toEqual(['policy:watched'])
  const gamer = world.policy.roles.get('gamer')
  if (gamer === undefined) throw new Error('no role')
  const beyond = (now: string, vmid: number) => {
    const { call, effects } = callOf(...tags(vmid, now), world)
    return beyondRole(gamer, { call, effects, tier: 'yellow' }, world) !== undefined
  }
  expect([beyond('games;mine', 105), beyond('mine', 105), beyond('games', 103)]).toEqual([false, true, true])
})

test('a restore drill’s copy stands in for nobody', () => {
  expect(judged('stop_vm', { vmid: 106 })).toMatchObject({ tier: 'red', rule: 'last_of_group' })
})

/**
 * `mark`: read by rules, roles or the topology, and a call that changes it says so in `becomes`. `now`: read afresh at each call, and a call
 * that changes it is judged by its own kind (power, move, destroy). `number`: the identity of the thing. `never`: no rule reads it.
 */
type Input = 'mark' | 'now' | 'number' | 'never'
const guestInputs: Record<keyof Guest, Input> = {
  name: 'mark',
  tags: 'mark',
  pool: 'mark',
  node: 'mark',
  vmid: 'number',
  type: 'number',
  identity: 'number',
  status: 'now',
  lock: 'now',
  haState: 'now',
  madeAt: 'now',
  isTemplate: 'now',

  isProtected: 'never',
  isHa: 'never',
  backupAt: 'never',
  backupDoubt: 'never',
  uptimeS: 'never',
  cpuRatio: 'never',
  cpuCount: 'never',
  ramBytes: 'never',
  ramTotalBytes: 'never',
  diskBytes: 'never',
  diskTotalBytes: 'never',
  netInBps: 'never',
  netOutBps: 'never',
  diskBps: 'never',
}
/** Nobody but the operator says what a node is for, and no tool makes or names a node or storage. */
const nodeInputs = { name: 'number', status: 'now', role: 'now' } as const satisfies Partial<Record<keyof Node, Input>>
const storageInputs = { name: 'number', node: 'number', isActive: 'now' } as const satisfies Partial<
  Record<keyof Storage, Input>
>
/** Conditions of the policy: those of a guest are marks or its number, the others are of the call, the time and the operator. */
const conditions: Record<keyof When, string> = {
  target: 'vm, ct: number; tag, pool: mark; node, service, storage: number',
  node: 'mark',
  args: 'call',
  hours: 'time',
  days: 'time',
  profile: 'operator',
}
/** Tools that change a guest in a way that may change marks, with the marks that each says. */
const changing: Record<string, string> = {
  set_guest_config: 'tags, name',
  clone_guest: 'name, node, tags or unread',
  create_guest: 'name, node',
  restore_guest: 'name, node, unread',
  migrate_guest: 'node',
  rollback_snapshot: 'unread',
  take_snapshot: '',
  resize_disk: '',
  back_up_guest: '',
  run_replication: '',
}

test('each tool that makes or changes a guest says which marks it changes', () => {
  const kinds = ['config', 'create', 'data']
  const found = houseTools.filter(({ name, touches }) =>
    name === 'undo' ? false : touches.some(({ kind, on }) => on === 'guest' && kinds.includes(kind)),
  )
  expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(changing).sort())
  expect(Object.keys(conditions).sort()).toEqual(['args', 'days', 'hours', 'node', 'profile', 'target'])
})

const readable = (guest: Guest) =>
  Object.fromEntries(Object.entries(guest).filter(([field]) => guestInputs[field as keyof Guest] !== 'never')) as Guest

test('the gate reads nothing of the cluster but what this table names', () => {
  const read = new Set<string>()
  const spied = <T extends object>(thing: T, kind: string): T =>
    new Proxy(thing, {
      get(from, key) {
        if (typeof key === 'string') read.add(`${kind}.${key}`)
        return Reflect.get(from, key)
      },
    })
  const world = worldOf()
  const storages = [{ name: 'nas', type: 'nfs', content: ['images'], isActive: true, usedBytes: 1, totalBytes: 2 }]
  const seen: World = {
    ...world,
    cluster: {
      nodes: world.cluster.nodes.map((node) => spied(node, 'node')),
      // A copy of a guest has all of its fields, which is no reading of them: the rest is left out.
      guests: world.cluster.guests.map((guest) => spied(readable(guest), 'guest')),
      storages: storages.map((storage) => spied(storage, 'storage')),
    },
  }
  const archive = 'nas:backup/vzdump-qemu-101-2026_01_01-00_00_00.vma.zst'
  const calls: [string, ToolInput][] = [
    ...world.cluster.guests.flatMap(({ vmid, type }): [string, ToolInput][] => [
      [type === 'vm' ? 'stop_vm' : 'stop_container', { vmid }],
      ['set_guest_config', { vmid, set: { tags: 'x', memory: 512 } }],
      ['take_snapshot', { vmid, name: 'one' }],
    ]),
    ['clone_guest', { vmid: 101, newId: 150, name: 'copy' }],
    ['create_guest', made('pve')],
    ['restore_guest', { archive, newId: 150, name: 'x', node: 'pve', storage: 'nas' }],
    ['migrate_guest', { vmid: 103, target: 'third' }],
    ['rollback_snapshot', { vmid: 103, name: 'one' }],
    ['reboot_node', { node: 'pve' }],
    ['restart_service', { node: 'pve', service: 'corosync' }],
    ['execute_ssh', { node: 'pve', command: 'dig plain' }],
  ]
  const sources = () => ({
    results: [{ toolUseId: 'a', toolName: 'get_vms', text: '103 plain', isComposed: true }],
    operatorTexts: [],
  })
  for (const [toolName, input] of calls) {
    const { call, effects } = callOf(toolName, input, seen)
    decide({ ...call, sources: sources as never }, effects, seen)
    for (const role of seen.policy.roles.values()) beyondRole(role, { call, effects, tier: 'red' }, seen)
  }
  const known = [
    ...Object.entries(guestInputs).flatMap(([field, is]) => (is === 'never' ? [] : [`guest.${field}`])),
    ...Object.keys(nodeInputs).map((field) => `node.${field}`),
    ...Object.keys(storageInputs).map((field) => `storage.${field}`),
  ]
  expect([...read].filter((field) => !known.includes(field))).toEqual([])
  const marks = Object.entries(guestInputs).flatMap(([field, is]) => (is === 'mark' ? [`guest.${field}`] : []))
  expect(marks.filter((field) => !read.has(field))).toEqual([])
})
