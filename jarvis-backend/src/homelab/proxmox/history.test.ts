import { ApiError } from 'homelab-ports/failure'
import type { Past } from 'homelab-ports/samples'
import type { ClusterState, Guest } from 'protocol'
import { expect, test } from 'vitest'
import { readHistory } from './history.ts'
import type { Api } from './transport.ts'

const now = Date.UTC(2026, 0, 5, 12)

/** `nodes` of 16 cores, the second with twice the memory, and guests in turn on each, the later the busier. */
function stateWith(nodes: number, guests: number): ClusterState {
  const names = Array.from({ length: nodes }, (_, i) => `n${i + 1}`)
  return {
    name: 'lab',
    isDemo: false,
    at: now,
    tasks: [],
    isQuorate: true,
    missing: [],
    nodes: names.map((name, i) => ({
      name,
      status: 'online',
      isProtected: false,
      cpuCount: 16,
      ramBytes: 1,
      ramTotalBytes: i === 1 ? 200 : 100,
    })),
    guests: Array.from(
      { length: guests },
      (_, i): Guest => ({
        vmid: 100 + i,
        name: `g${i}`,
        type: i % 2 === 0 ? 'vm' : 'ct',
        node: names[i % nodes] ?? '',
        tags: [],
        status: 'running',
        isProtected: false,
        isHa: false,
        uptimeS: 1,
        cpuRatio: i / guests,
        cpuCount: 1,
        ramBytes: 1,
        ramTotalBytes: 2,
        diskBytes: 0,
        diskTotalBytes: 2,
      }),
    ),
    storages: [
      { name: 'nas', type: 'nfs', content: [], isActive: true, usedBytes: 1, totalBytes: 100 },
      { name: 'local', node: 'n1', type: 'dir', content: [], isActive: true, usedBytes: 1, totalBytes: 300 },
    ],
  }
}

/** Each thing with one row, a minute ago, as `answer` has it by its path. */
async function historyOf(state: ClusterState, answer: (path: string) => object) {
  const asked: string[] = []
  let under = 0
  let most = 0
  const get: Api['get'] = async (segments, query) => {
    const path = segments.join('/')
    asked.push(path)
    expect(query).toEqual({ timeframe: 'hour', cf: 'AVERAGE' })
    most = Math.max(most, ++under)
    await new Promise(setImmediate)
    under -= 1
    return [{ time: now / 1000 - 60, ...answer(path) }]
  }
  const missed: string[] = []
  const pasts: Past[] = []
  const source = { api: { get } as Api, state, storageNodes: new Map([['nas', ['n9', 'n2']]]), now }
  const options = { signal: new AbortController().signal, missed: (why: string) => void missed.push(why) }
  for await (const past of readHistory(source, 'hour', options)) pasts.push(past)
  const known = new Map<string, (number | undefined)[]>()
  for (const { name, values } of pasts.flatMap(({ samples }) => samples)) {
    const before = known.get(name) ?? []
    known.set(
      name,
      Array.from({ length: Math.max(values.length, before.length) }, (_, i) => values[i] ?? before[i]),
    )
  }
  return { asked, most, missed, known }
}

const figures = (path: string) => {
  if (path.includes('storage')) return { used: path.includes('nas') ? 50 : 30, total: 100 }
  if (/qemu|lxc/.test(path)) return { cpu: 0.5, mem: 1, maxmem: 2, netin: 10, netout: 5 }
  return path.startsWith('nodes/n1/') ? { cpu: 0.25, memused: 1, memtotal: 2 } : { cpu: 0.75, memused: 1, memtotal: 4 }
}

test('the whole is the sum of its parts, by their sizes', async () => {
  const { asked, known, missed } = await historyOf(stateWith(2, 3), figures)
  expect(asked).toEqual([
    ...['nodes/n1/rrddata', 'nodes/n2/rrddata', 'nodes/n2/storage/nas/rrddata', 'nodes/n1/storage/local/rrddata'],
    ...['nodes/n1/qemu/102/rrddata', 'nodes/n2/lxc/101/rrddata', 'nodes/n1/qemu/100/rrddata'],
  ])
  expect(known.get('cluster')).toEqual([0.5, (0.5 * 100 + 0.25 * 200) / 300, (0.5 * 100 + 0.3 * 300) / 400, 45])
  expect(known.get('node/n1')).toEqual([0.25, 0.5, undefined, undefined, 30])
  expect(known.get('storage/n1/local')).toEqual([0.3])
  expect(missed).toEqual([])
})

test('50 nodes with 2,000 guests are asked 200 questions, two at a time, and a sum that lacks a part is not known', async () => {
  const { asked, most, known } = await historyOf(stateWith(50, 2_000), figures)
  expect([asked.length, most]).toEqual([200, 2])
  expect(asked.slice(0, 50).every((path) => /^nodes\/n\d+\/rrddata$/.test(path))).toBe(true)
  expect(asked).toContain('nodes/n50/lxc/2099/rrddata')
  expect(known.get('cluster')?.map((value) => value !== undefined)).toEqual([true, true, true, false])
  expect(known.get('node/n1')?.[4]).toBeUndefined()
})

test('what may not be read has no past, and a node that does not answer is asked once', async () => {
  const { asked, known, missed } = await historyOf(stateWith(3, 6), (path) => {
    if (path.startsWith('nodes/n3/')) throw new ApiError('cluster_unreachable', 'n3 cannot be reached.')
    if (path.includes('qemu/100/')) throw new ApiError('cluster_refused', 'lacks a right', { status: 403 })
    if (path.includes('storage/nas')) throw new ApiError('cluster_refused', 'no such file', { status: 500 })
    return figures(path)
  })
  expect(asked.filter((path) => path.startsWith('nodes/n3/'))).toEqual(['nodes/n3/rrddata'])
  expect(missed).toEqual(['n3 cannot be reached.', 'no such file'])
  expect([...known.keys()].sort()).toEqual([
    ...['guest/101', 'guest/103', 'guest/104', 'node/n1', 'node/n2', 'storage/n1/local'],
  ])
  expect([known.get('node/n1')?.[4], known.get('node/n2')?.[4]]).toEqual([undefined, 30])
})
