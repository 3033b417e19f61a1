import type { Node } from 'protocol'
import { expect, test } from 'vitest'
import { nodeLine } from './format.ts'

test.each<[Partial<Node>, string]>([
  [{}, 'pve online, CPU unknown, memory unknown, load unknown, uptime unknown'],
  [
    { cpuRatio: 0.5, ramBytes: 2 ** 30, ramTotalBytes: 2 ** 31, load1: 0, uptimeS: 60, temperatureC: null },
    'pve online, CPU 50 %, memory 1 of 2 GiB (50 %), load 0, temperature unknown, up 1 min',
  ],
  [{ status: 'offline', lastSeenAt: 0 }, 'pve offline, last seen 1 min ago'],
])('of a node that says %j stands in its line: %s', (said, line) => {
  expect(nodeLine({ name: 'pve', status: 'online', isProtected: false, ...said }, 60_000)).toBe(line)
})
