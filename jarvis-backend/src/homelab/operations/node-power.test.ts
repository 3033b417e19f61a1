import type { Cluster, PveApi } from 'homelab-ports/ports'
import type { ClusterState, Node } from 'protocol'
import { expect, test } from 'vitest'
import { nodePower } from './node-power.ts'

type Look = Pick<Node, 'status'> & { uptimeS?: number }
const up = (uptimeS?: number): Look => ({ status: 'online', uptimeS })
const off: Look = { status: 'offline' }

/** A cluster whose looks at its one node say this, three seconds apart; the last one stays. */
function looking(looks: readonly Look[]) {
  let now = 0
  const node = () => ({ name: 'pve1', ...looks[Math.min(now / 3_000, looks.length - 1)] })
  const cluster = { state: () => ({ nodes: [node()] }) as ClusterState, watch: () => () => {} }
  const api = {
    change: async () => null,
    now: () => now,
    wait: async (ms: number) => {
      now += ms
    },
  }
  return { cluster: cluster as Pick<Cluster, 'state' | 'watch'>, api: api as unknown as PveApi }
}

test.each<[string, 'reboot' | 'shutdown', Look[], { isDown: boolean; isBack: boolean }]>([
  ['a reboot that is seen off', 'reboot', [up(900), off, off, up(1)], { isDown: true, isBack: true }],
  ['a reboot between two looks', 'reboot', [up(900), up(903), up(2)], { isDown: true, isBack: true }],
  ['a node that stays off', 'reboot', [up(900), off], { isDown: true, isBack: false }],
  ['a node that stays up', 'reboot', [up(900), up(903)], { isDown: false, isBack: false }],
  ['an older answer about the uptime', 'reboot', [up(900), up(890)], { isDown: false, isBack: false }],
  ['an uptime that is not known before', 'reboot', [up(), up(2)], { isDown: false, isBack: false }],
  ['a shutdown', 'shutdown', [up(900), off], { isDown: true, isBack: false }],
  ['a shutdown that ends in a reboot', 'shutdown', [up(900), up(2)], { isDown: false, isBack: false }],
])('%s', async (_what, command, looks, seen) => {
  const calm = { signal: new AbortController().signal, onProgress() {} }
  expect(await nodePower(looking(looks), { node: 'pve1', command }, calm)).toMatchObject(seen)
})
