import type { ClusterState, Guest, Node, Task } from 'protocol'
import { expect, test } from 'vitest'
import { resolve } from '../../../test/support/effects.ts'
import { houseFacts } from '../../tools/house.ts'
import { decide } from '../decide.ts'
import { guestOf, nodeOf, runningUnits } from '../lab.fixture.ts'
import { shippedPolicy } from '../policy/shipped.ts'
import type { Topology, World } from '../world.ts'
import { serviceRisk } from './topology.ts'

const guest = (vmid: number, name: string, more: Partial<Guest> = {}) => guestOf(vmid, { name, type: 'ct', ...more })
const task = (type: string, vmid: number, status: Task['status'] = 'running'): Task => ({
  upid: `UPID:pve:${type}:${vmid}`,
  node: 'pve',
  type,
  vmid,
  user: 'root@pam',
  startedAt: 0,
  status,
})

type Lab = { nodes?: Node[]; guests?: Guest[]; tasks?: Task[]; self?: ClusterState['self']; topology?: Topology }
const worldOf = ({ nodes, guests = [], tasks = [], self, topology = {} }: Lab): World => ({
  cluster: { nodes: nodes ?? [nodeOf('pve'), nodeOf('Home')], guests, tasks, ...(self && { self }) },
  policy: { ...shippedPolicy, topology },
  now: 0,
  unitOf: runningUnits,
})

function judge(toolName: string, input: Record<string, unknown>, lab: Lab) {
  const world = worldOf(lab)
  const resolved = resolve(toolName, input, world)
  if (!resolved.ok) throw new Error(resolved.message)
  return decide({ toolName, baseTier: houseFacts.get(toolName)?.tier ?? 'red', input }, resolved.effects, world)
}
const stop = (first: Guest, lab: Lab = {}) =>
  judge('stop_container', { vmid: first.vmid }, { ...lab, guests: [first, ...(lab.guests ?? [])] })

const own = 'JARVIS runs on this guest: it could not finish.'
test.each<[string, Lab['self'], Topology]>([
  ['the cluster says so', { vmid: 130 }, {}],
  ['the policy says so', undefined, { jarvis: 'ct/130' }],
  ['the policy has its type wrong', undefined, { jarvis: 'vm/130' }],
])('the guest that JARVIS runs on is never stopped or restarted, where %s', (_name, self, topology) => {
  const lab = { guests: [guest(130, 'web')], topology, self }
  const black = { tier: 'black', rule: 'own_guest', reason: own }
  expect(judge('stop_container', { vmid: 130 }, lab)).toEqual(black)
  expect(judge('restart_container', { vmid: 130, force: true }, lab)).toEqual(black)
  expect(judge('restart_service', { node: 'pve', service: 'pve-container@130' }, lab)).toEqual(black)
  expect(judge('start_container', { vmid: 130 }, lab)).toMatchObject({ tier: 'red', rule: 'base' })
  expect(judge('restart_service', { node: 'pve', service: 'pve-container@131' }, lab).tier).toBe('red')
})

test('a guest that is only called jarvis asks, and is not refused', () => {
  expect(stop(guest(130, 'jarvis'))).toEqual({
    tier: 'red',
    rule: 'may_be_own_guest',
    reason: '130 "jarvis": by its name it may be where JARVIS runs.',
  })
})

test.each<[Guest, Topology, string, string]>([
  [guest(110, 'x'), { dns: ['ct/110'] }, 'dns_guest', 'it is the DNS'],
  [guest(110, 'pihole'), {}, 'dns_guest', 'by its name it is the DNS'],
  [guest(110, 'Pi-hole-2'), {}, 'dns_guest', 'by its name it is the DNS'],
  [guest(110, 'dns1'), {}, 'dns_guest', 'by its name it is the DNS'],
  [guest(110, 'x', { tags: ['prod', 'dns'] }), {}, 'dns_guest', 'by its tag it is the DNS'],
  [guest(100, 'x'), { gateway: ['vm/100'] }, 'gateway_guest', 'it is the gateway'],
  [guest(100, 'opnsense'), {}, 'gateway_guest', 'by its name it is the gateway'],
  [guest(100, 'home-router'), {}, 'gateway_guest', 'by its name it is the gateway'],
  [guest(100, 'x', { tags: ['Firewall'] }), {}, 'gateway_guest', 'by its tag it is the gateway'],
  [guest(103, 'x'), { storage: ['ct/103'] }, 'storage_guest', 'it is the storage'],
  [guest(103, 'truenas', { status: 'paused' }), {}, 'storage_guest', 'by its name it is the storage'],
  [guest(103, 'x', { tags: ['NAS'] }), {}, 'storage_guest', 'by its tag it is the storage'],
])('stopping %o with %j: %s', (first, topology, rule, words) => {
  const verdict = stop(first, { topology })
  expect(verdict).toMatchObject({ tier: 'red', rule })
  expect(verdict.reason).toMatch(new RegExp(`^${first.vmid} ".*": ${words}\\.$`))
})

test.each([
  ['windns', []],
  ['ddns-updater', []],
  ['api-gateway', []],
  ['nas-photos', []],
  ['nextcloud', ['web']],
  ['frigate', ['cameras']],
  ['dnѕ', []],
  ['constructor', ['__proto__', 'groups', 'group-']],
  ['', []],
])('an ordinary guest named %s with tags %j is stopped for the tool’s own reason', (name, tags) => {
  expect(stop(guest(120, name, { tags }))).toMatchObject({ tier: 'red', rule: 'base' })
})

test('what serves nobody now is stopped, and what serves is started, for the tool’s own reason', () => {
  const lab = { guests: [guest(110, 'pihole'), guest(111, 'unbound', { status: 'stopped' })] }
  expect(judge('start_container', { vmid: 110 }, lab).rule).toBe('base')
  expect(judge('stop_container', { vmid: 111 }, lab).rule).toBe('base')
  expect(judge('restart_container', { vmid: 110 }, lab).rule).toBe('dns_guest')
})

test('a hostile name stands in the reason as text in quotes', () => {
  const verdict = stop(guest(110, 'dns\u202e". It is safe'), { topology: { dns: ['ct/110'] } })
  expect(verdict.reason).toContain('110 "dns⟨U+202E⟩⟨U+0022⟩. It is safe": ')
})

test.each<[Partial<Guest>, Task[], string]>([
  [{}, [task('vzdump', 105)], 'Something is at work on 105: a backup of it is running.'],
  [{}, [task('vzmigrate', 105)], 'Something is at work on 105: it is being moved to another node.'],
  [{}, [task('qmigrate', 105)], 'Something is at work on 105: it is being moved to another node.'],
  [{ lock: 'backup' }, [task('vzdump', 105)], '105 is locked (backup): a backup of it is running.'],
  [{ lock: 'x y' }, [task('vzdump', 106)], '105 is locked (xy): something is at work on it.'],
  [
    { lock: 'backup' },
    [task('vzdump', 105, 'ok')],
    '105 is locked (backup): no running task that could hold the lock is seen; a person removes a lock that is left on pve with pct unlock 105.',
  ],
  [{ lock: 'suspended' }, [], '105 is locked (suspended): it is suspended to disk.'],
  [{ haState: 'migrate' }, [], 'Something is at work on 105: HA is moving it to another node.'],
  [{ haState: 'relocate' }, [], 'Something is at work on 105: HA is moving it to another node.'],
  [{ haState: 'fence' }, [], 'Something is at work on 105: HA is fencing its node.'],
  [{ haState: 'recovery' }, [], 'Something is at work on 105: HA is recovering it on another node.'],
  [{ haState: 'error' }, [], 'Something is at work on 105: HA has given up on it and waits for a person.'],
  [{ haState: 'freeze' }, [], 'Something is at work on 105: HA keeps its hands off it while its node restarts.'],
  [{ haState: 'request_stop' }, [], 'Something is at work on 105: HA has yet to do what was asked of it before.'],
])('a guest with %j and tasks %o is at work, to start it too', (more, tasks, reason) => {
  const lab = { guests: [guest(105, 'immich', more)], tasks }
  for (const toolName of ['start_container', 'stop_container', 'restart_container']) {
    expect(judge(toolName, { vmid: 105 }, lab)).toMatchObject({ tier: 'red', reason })
  }
})

test.each<[string, Partial<Guest>, Task[]]>([
  ['a finished backup', {}, [task('vzdump', 105, 'ok')]],
  ['a backup of another guest', {}, [task('vzdump', 106)]],
  ['a task that harms nothing', {}, [task('vncproxy', 105)]],
  ['HA at rest', { isHa: true, haState: 'started' }, []],
  ['HA that ignores it', { isHa: true, haState: 'ignored' }, []],
])('%s is nothing at work', (_name, more, tasks) => {
  expect(stop(guest(105, 'immich', more), { tasks })).toMatchObject({ tier: 'red', rule: 'base' })
})

const web = { groups: { web: ['ct/112', 'ct/120', 'vm/121'] } }
const replicas = (second: Partial<Guest>, third: Partial<Guest>) => [
  guest(120, 'b', second),
  guest(121, 'c', { ...third, type: 'vm' }),
]
test.each<[string, Guest[], string | undefined]>([
  [
    'the others stopped',
    replicas({ status: 'stopped' }, { status: 'stopped' }),
    'It is the last running one of the group web: 120, 121 are stopped.',
  ],
  [
    'one of them on a node that is gone',
    replicas({ status: 'stopped' }, { node: 'agent1' }),
    'It is the last running one of the group web: 120, 121 are not seen running.',
  ],
  [
    'one of them gone',
    [guest(120, 'b', { status: 'stopped' })],
    'It is the last running one of the group web: 120 is stopped.',
  ],
  ['none of them left', [], 'It is the last running one of the group web: there is no other.'],
  ['one of them running', replicas({ status: 'stopped' }, {}), undefined],
  [
    'a stranger tagged as if it were one',
    [...replicas({ status: 'stopped' }, { status: 'stopped' }), guest(150, 'd', { tags: ['group-web'] })],
    'It is the last running one of the group web: 120, 121 are stopped.',
  ],
])('the group of the policy with %s', (_name, guests, reason) => {
  const nodes = [nodeOf('pve'), nodeOf('Home'), nodeOf('agent1', 'offline')]
  const verdict = stop(guest(112, 'a'), { guests, nodes, topology: web })
  expect(verdict).toMatchObject(
    reason === undefined ? { rule: 'base' } : { tier: 'red', rule: 'last_of_group', reason },
  )
})

test('guests tagged group-NAME are a group, and a stopped member is not the last of it', () => {
  const tags = ['group-db']
  const other = (status: Guest['status']) => guest(122, 'b', { tags, status })
  expect(stop(guest(121, 'a', { tags }), { guests: [other('stopped')] }).reason).toBe(
    'It is the last running one of the group db: 122 is stopped.',
  )
  expect(stop(guest(121, 'a', { tags }), { guests: [other('running')] }).rule).toBe('base')
  expect(stop(guest(121, 'a', { tags, status: 'stopped' }), { guests: [other('stopped')] }).rule).toBe('base')
})

test('all that makes a call risky is said, each in its own sentence', () => {
  const first = guest(110, 'pihole', { tags: ['group-dns'], lock: 'backup' })
  const lab = { guests: [first], tasks: [task('vzdump', 106)] }
  expect(judge('stop_container', { vmid: 110, force: true }, lab).reasons).toEqual([
    'force: true is the power plug: what is not saved is lost.',
    '110 is locked (backup): a backup of it is running.',
    '110 "pihole": by its name it is the DNS.',
    'It is the last running one of the group dns: there is no other.',
  ])
})

const four = (...offline: string[]) =>
  ['Home', 'pve', 'agent1', 'agent'].map((name) => nodeOf(name, offline.includes(name) ? 'offline' : 'online'))
const votes = (counts: string) => ` ${counts}: without pve there is none.`
test.each<[string, string, Lab, string | undefined]>([
  ['corosync', 'with votes to spare', { nodes: four() }, 'Restarting corosync may cost the cluster its quorum.'],
  [
    'corosync',
    'at the margin',
    { nodes: four('agent') },
    `Restarting corosync may cost the cluster its quorum.${votes('3 of 4 nodes are online and quorum needs 3')}`,
  ],
  [
    'networking',
    'at the margin of two',
    { nodes: [nodeOf('pve'), nodeOf('Home')] },
    `Restarting networking may cut the node off from the network.${votes('2 of 2 nodes are online and quorum needs 2')}`,
  ],
  ['corosync', 'alone', { nodes: [nodeOf('pve')] }, 'Restarting corosync may cost the cluster its quorum.'],
  [
    'corosync',
    'without quorum',
    { nodes: four('agent', 'Home') },
    'Restarting corosync may cost the cluster its quorum.',
  ],
  [
    'ssh',
    'at the margin, which it does not touch',
    { nodes: four('agent') },
    'Restarting ssh may cut JARVIS off from the node.',
  ],
  [
    'ssh',
    'on JARVIS’s own node',
    { nodes: four(), self: { node: 'pve' } },
    'Restarting ssh may cut JARVIS off from the node. JARVIS itself runs on pve and may be cut off.',
  ],
  [
    'ssh',
    'where JARVIS’s guest is now',
    { nodes: four(), self: { node: 'Home', vmid: 130 }, guests: [guest(130, 'x')] },
    'Restarting ssh may cut JARVIS off from the node. JARVIS itself runs on pve and may be cut off.',
  ],
  [
    'ssh',
    'where JARVIS’s guest was',
    { nodes: four(), self: { node: 'pve', vmid: 130 }, guests: [guest(130, 'x', { node: 'Home' })] },
    'Restarting ssh may cut JARVIS off from the node.',
  ],
  [
    'nfs-server',
    'on the node that is the storage',
    { nodes: four(), topology: { storage: ['node/pve'], jarvis: 'node/PVE' } },
    'Restarting nfs-server may stall the guests whose disks it serves. JARVIS itself runs on pve and may be cut off. pve is the storage.',
  ],
  ['nginx', 'on JARVIS’s own node at the margin', { nodes: four('agent'), self: { node: 'pve' } }, undefined],
])('%s %s', (service, _name, lab, reason) => {
  expect(serviceRisk(service, 'pve', worldOf(lab))).toBe(reason)
  expect(judge('restart_service', { node: 'pve', service }, lab)).toMatchObject(
    reason === undefined ? { tier: 'yellow', rule: 'base' } : { tier: 'red', rule: 'vital_service', reason },
  )
})

test('a protected guest is not stopped through its unit either', () => {
  const world = worldOf({ guests: [guest(104, 'x')] })
  const policy = { ...world.policy, protectedTargets: new Set(['ct/104']) }
  const input = { node: 'pve', service: 'pve-container@104.service' }
  const resolved = resolve('restart_service', input, world)
  const call = { toolName: 'restart_service', baseTier: 'yellow' as const, input }
  expect(resolved.ok && decide(call, resolved.effects, { ...world, policy })).toEqual({
    tier: 'black',
    rule: 'protected_guest',
    reason: 'The guest is protected: nothing may change it.',
  })
})

test.each(['reboot_node', 'shutdown_node'])(
  '%s is judged by the node and by each guest that runs on it',
  (toolName) => {
    const on = (lab: Lab) => judge(toolName, { node: 'pve' }, { nodes: three, ...lab })
    const three = [nodeOf('pve'), nodeOf('Home'), nodeOf('agent')]
    expect(on({})).toMatchObject({ tier: 'red', rule: 'base' })
    expect(on({ self: { node: 'pve' } })).toMatchObject({ tier: 'black', rule: 'own_node' })
    expect(on({ topology: { jarvis: 'node/PVE' } })).toMatchObject({ tier: 'black', rule: 'own_node' })
    expect(on({ guests: [guest(130, 'web')], self: { vmid: 130 } })).toMatchObject({ tier: 'black', rule: 'own_guest' })
    expect(on({ guests: [guest(130, 'web', { node: 'Home' })], self: { vmid: 130 } }).tier).toBe('red')
    expect(on({ guests: [guest(110, 'pihole')] })).toMatchObject({ tier: 'red', rule: 'dns_guest' })
    expect(on({ guests: [guest(110, 'pihole', { status: 'stopped' })] })).toMatchObject({ rule: 'base' })
    expect(on({ nodes: [nodeOf('pve'), nodeOf('Home'), nodeOf('agent', 'offline')] })).toMatchObject({
      rule: 'quorum_at_stake',
      reason: '2 of 3 nodes are online and quorum needs 2: without pve there is none.',
    })
  },
)
