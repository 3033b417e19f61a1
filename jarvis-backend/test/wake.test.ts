import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Cluster } from 'homelab-ports/ports'
import { type ClusterState, JarvisError, type Node } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { createWaker } from '../src/homelab/wol/index.ts'
import { createFakeClock } from './support/fake-clock.ts'

/** A cluster of one node that is as the test says. */
function oneNode(status: Node['status'], answers = true) {
  let isAwake = answers
  const listeners = new Set<() => void>()
  const node: Node = { name: 'pve3', status, isProtected: false }
  const cluster: Pick<Cluster, 'state' | 'watch' | 'nodeDetail'> = {
    state: () => ({ nodes: [{ ...node }] }) as ClusterState,
    async nodeDetail(name) {
      if (isAwake) return { name }
      throw new JarvisError('cluster_unreachable', `${name} cannot be reached.`)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const turn = (next: Node['status']) => {
    node.status = next
    for (const listener of listeners) listener()
  }
  const wakeUp = () => {
    isAwake = true
    turn('online')
  }
  return { cluster, turn, wakeUp, watchers: () => listeners.size }
}

/** A network card on loopback. */
async function networkCard() {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return {
    target: { address: '127.0.0.1', port: socket.address().port },
    packet: async () => ((await once(socket, 'message')) as [Buffer])[0],
  }
}

const mac = 'aa:bb:cc:dd:ee:03'
const options = () => ({ signal: new AbortController().signal })

test('a sleeping node gets a magic packet, and the time until it is online is reported', async () => {
  const { cluster, turn, watchers } = oneNode('offline')
  const { target, packet } = await networkCard()
  const clock = createFakeClock(1_000)
  const waker = createWaker({ cluster, macOf: () => mac, target, clock })
  const said: string[] = []

  const waking = waker.wake('pve3', { ...options(), onProgress: (line) => said.push(line) })
  expect((await packet()).toString('hex')).toBe('ff'.repeat(6) + 'aabbccddee03'.repeat(16))
  await expect.poll(watchers).toBe(1)
  turn('unknown')
  // It is sent again as long as nothing is seen.
  const again = packet()
  await clock.advance(15_000)
  await again
  await clock.advance(5_000)
  turn('online')

  expect(await waking).toEqual({ cameOnline: true, wasOnline: false, afterMs: 20_000 })
  expect(said).toEqual([
    `Magic packet sent to pve3 (${mac}) by way of 127.0.0.1:${target.port}`,
    'Waiting until pve3 is seen online',
  ])
  expect({ watchers: watchers(), timers: clock.pending() }).toEqual({ watchers: 0, timers: 0 })
})

test('a node that does not come online is given up after three minutes', async () => {
  const { cluster, watchers } = oneNode('offline')
  const { target, packet } = await networkCard()
  const clock = createFakeClock(0)
  const waking = createWaker({ cluster, macOf: () => mac, target, clock }).wake('pve3', options())
  await packet()
  for (let sent = 1; sent < 12; sent += 1) {
    await expect.poll(() => clock.pending()).toBe(1)
    const next = packet()
    await clock.advance(15_000)
    await next
  }
  await expect.poll(() => clock.pending()).toBe(1)
  await clock.advance(15_000)
  expect(await waking).toEqual({ cameOnline: false, wasOnline: false, afterMs: 180_000 })
  expect(watchers()).toBe(0)
})

test('a node that is online is left alone', async () => {
  const waker = createWaker({
    cluster: oneNode('online').cluster,
    macOf: () => mac,
    target: { address: '127.0.0.1', port: 0 },
    clock: createFakeClock(0),
  })
  expect(await waker.wake('pve3', options())).toEqual({ cameOnline: true, wasOnline: true, afterMs: 0 })
})

test('a node that is listed as online but does not answer is woken, and counts as online once it answers', async () => {
  const { cluster, turn, wakeUp, watchers } = oneNode('online', false)
  const { target, packet } = await networkCard()
  const clock = createFakeClock(0)
  const waking = createWaker({ cluster, macOf: () => mac, target, clock }).wake('pve3', options())
  await packet()
  await expect.poll(watchers).toBe(1)
  turn('online')
  await clock.advance(5_000)
  wakeUp()
  expect(await waking).toEqual({ cameOnline: true, wasOnline: false, afterMs: 5_000 })
})

test('aborting ends the wait', async () => {
  const { cluster, watchers } = oneNode('offline')
  const { target, packet } = await networkCard()
  const stop = new AbortController()
  const clock = createFakeClock(0)
  const waking = createWaker({ cluster, macOf: () => mac, target, clock }).wake('pve3', { signal: stop.signal })
  await packet()
  await expect.poll(watchers).toBe(1)
  stop.abort(new Error('stopped'))
  await expect(waking).rejects.toThrow('stopped')
  expect({ watchers: watchers(), timers: clock.pending() }).toEqual({ watchers: 0, timers: 0 })
})

test('an unknown node, a missing MAC address and a failed send are reported', async () => {
  const parts = { cluster: oneNode('offline').cluster, clock: createFakeClock(0) }
  const nowhere = { address: '255.255.255.255', port: 0 }
  await expect(createWaker({ ...parts, macOf: () => mac, target: nowhere }).wake('pve9', options())).rejects.toThrow(
    'There is no node "pve9". Nodes: pve3.',
  )
  await expect(
    createWaker({ ...parts, macOf: () => undefined, target: nowhere }).wake('pve3', options()),
  ).rejects.toThrow('Add it to JARVIS_NODES, for example pve3=ADDRESS@aa:bb:cc:dd:ee:01.')
  await expect(createWaker({ ...parts, macOf: () => mac, target: nowhere }).wake('pve3', options())).rejects.toThrow(
    /could not be sent to 255\.255\.255\.255:0 \(.*\)\. WOL_BROADCAST should be/,
  )
})
