import type { PveReader } from 'homelab-ports/ports'
import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { groundOf } from '../src/watch/leaning.ts'
import { LeaningReader } from '../src/watch/read-leaning.ts'

const hourMs = 3_600_000
const state = {
  nodes: [
    { name: 'pve', status: 'online' },
    { name: 'Home', status: 'online' },
  ],
  guests: [
    { vmid: 103, type: 'vm', node: 'Home' },
    { vmid: 7, type: 'ct', node: 'pve' },
  ],
  storages: [
    { name: 'nas', content: [] },
    { name: 'cold', content: [] },
    { name: 'local', node: 'pve', content: [] },
  ],
} as unknown as ClusterState

const configs: Record<string, unknown> = {
  'nodes/Home/qemu/103/config': {
    scsi0: 'local:103/vm-103-disk-0.raw,size=32G',
    ide2: 'nas:iso/x.iso,media=cdrom',
    net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr1',
    ipconfig0: 'ip=10.0.4.3/24,gw=10.0.4.1',
    boot: 'order=scsi0',
  },
  'nodes/pve/lxc/7/config': {
    rootfs: 'nas:7/vm-7-disk-0.raw,size=8G',
    mp0: '/tank/media,mp=/media',
    mp1: 'local:7/x.raw,mp=/x',
    net0: 'name=eth0,bridge=vmbr0,ip=dhcp',
  },
}
const storage = [
  { storage: 'nas', type: 'nfs', server: '10.0.4.3', export: '/tank' },
  { storage: 'cold', type: 'cifs', server: 'far.example.org' },
  { storage: 'local', type: 'dir', path: '/var/lib/vz' },
]
const members = [{ type: 'cluster', name: 'lab' }, ...[{ type: 'node', name: 'pve', ip: '10.0.4.11' }]]

function reading(named: string[] = [], change: Record<string, unknown> = {}) {
  let kept: string | undefined
  const asked: string[] = []
  const answers: Record<string, unknown> = { ...configs, storage, 'cluster/status': members, ...change }
  const api: PveReader = {
    async get(path) {
      const key = path.join('/')
      asked.push(key)
      const answer = answers[key]
      if (answer === undefined) throw new Error('it does not answer')
      return answer
    },
  }
  const store = {
    read: () => kept,
    write(text: string) {
      kept = text
    },
  }
  const make = () => new LeaningReader({ store, named: () => named })
  const reader = make()
  const look = (now: number, of = reader, more: Partial<ClusterState> = {}) =>
    of.look({ api, state: { ...state, ...more }, now, signal: new AbortController().signal })
  return { reader, make, look, asked, answers }
}
const under = (leaning: ReturnType<LeaningReader['now']>, id: string) =>
  [...groundOf(state, leaning).under([id])].sort()

test('disks, bridges and the server of a storage are found in the configurations', async () => {
  const { reader, look } = reading()
  await look(0)
  expect(under(reader.now(), 'storage/nas')).toEqual(['bridge/Home/vmbr1', 'node/Home', 'storage/nas', 'vm/103'])
  expect(under(reader.now(), 'ct/7')).toEqual([
    ...['bridge/Home/vmbr1', 'bridge/pve/vmbr0', 'ct/7', 'node/Home', 'node/pve'],
    ...['storage/nas', 'storage/pve/local', 'vm/103'],
  ])
  expect(under(reader.now(), 'storage/cold')).toEqual(['storage/cold'])
})

test.each([
  ['one guest', ['vm/103'], 'vm/103'],
  ['a guest whose type is written wrong', ['ct/103'], 'vm/103'],
  ['one node, in lower case', ['node/home'], 'node/Home'],
  ['two, of which nobody knows which it is', ['vm/103', 'node/pve'], undefined],
])('what the policy names as storage serves what no address names: %s', async (_what, named, server) => {
  const { reader, look } = reading(named)
  await look(0)
  const cold = under(reader.now(), 'storage/cold')
  expect(cold).toEqual(server === undefined ? ['storage/cold'] : expect.arrayContaining([server]))
})

test('it is read once a day, kept over a restart and over what does not answer, and forgotten with the guest', async () => {
  const { reader, make, look, asked, answers } = reading()
  await look(0)
  const configReads = () => asked.filter((path) => path.endsWith('/config')).length
  expect(configReads()).toBe(2)
  await look(hourMs)
  expect(configReads()).toBe(2)
  for (const key of Object.keys(answers)) delete answers[key]
  await look(25 * hourMs)
  expect(configReads()).toBe(4)
  const again = make()
  expect(under(again.now(), 'storage/nas')).toEqual(under(reader.now(), 'storage/nas'))
  await look(50 * hourMs, again, { guests: state.guests.slice(0, 1) })
  expect([...again.now().guests.keys()]).toEqual([103])
})
