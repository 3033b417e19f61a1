import { expect, test } from 'vitest'
import {
  backupAgeTone,
  cpuOf,
  fillOf,
  isLongUnseen,
  modelWords,
  ramOf,
  storageTone,
  temperatureTone,
  usualLimits,
} from './facts.ts'
import type { Node, Storage } from './index.ts'

const node = (more: Partial<Node>): Node => ({ name: 'pve', status: 'online', isProtected: false, ...more })
const storage = (usedBytes: number | null, totalBytes: number | null): Storage => ({
  name: 'nas',
  type: 'nfs',
  content: [],
  isActive: true,
  usedBytes,
  totalBytes,
})

test.each<[string, Partial<Node>[], number | undefined]>([
  [
    'the mean over cores',
    [
      { cpuRatio: 1, cpuCount: 1 },
      { cpuRatio: 0, cpuCount: 3 },
    ],
    0.25,
  ],
  ['without a node whose figure is unknown', [{ cpuRatio: 0.5, cpuCount: 4 }, { cpuCount: 12 }], 0.5],
  [
    'without a node that is away',
    [
      { cpuRatio: 0.5, cpuCount: 4 },
      { status: 'offline', cpuRatio: 1, cpuCount: 4 },
    ],
    0.5,
  ],
  ['unknown where no figure is known', [{ cpuCount: 4 }], undefined],
  ['unknown without nodes', [], undefined],
])('CPU of a cluster: %s', (_name, nodes, ratio) => {
  expect(cpuOf(nodes.map(node))).toBe(ratio)
})

test('memory and storage of a cluster leave out what is not known on either side', () => {
  expect(ramOf([node({ ramBytes: 1, ramTotalBytes: 4 }), node({ ramTotalBytes: 96 })])).toBe(0.25)
  expect(fillOf([storage(1, 2), storage(null, 8), storage(5, null)])).toBe(0.5)
  expect(fillOf([storage(null, 8)])).toBeUndefined()
})

test('a figure needs a look from its first limit on, is bad from its second, and unknown is neither', () => {
  const hours = (age: number) => backupAgeTone(0, age * 3_600_000, usualLimits)
  expect([25.9, 26, 168].map(hours)).toEqual([undefined, 'warn', 'bad'])
  expect([0.84, 0.85, 0.95].map((used) => storageTone(storage(used, 1), usualLimits))).toEqual([
    undefined,
    'warn',
    'bad',
  ])
  expect([79, 80, 90].map((temperatureC) => temperatureTone(node({ temperatureC }), usualLimits))).toEqual([
    ...[undefined, 'warn', 'bad'],
  ])
  expect(temperatureTone(node({ temperatureC: null }), usualLimits)).toBeUndefined()
  expect(backupAgeTone(null, 0, usualLimits)).toBeUndefined()
})

test('a device is long unseen after 90 days', () => {
  const day = 86_400_000
  expect([isLongUnseen(5, 90 * day + 4), isLongUnseen(5, 90 * day + 5)]).toEqual([false, true])
})

test('what is known of a model is said, and what is not is said to be unknown', () => {
  expect(modelWords({})).toBe('not known: tools, pictures, thinking, window, price')
  expect(modelWords({ tools: false, windowTokens: 8_192, price: { input: 0, output: 0 } })).toBe(
    'no tools: it can only talk; reads 8,192 tokens; free; not known: pictures, thinking',
  )
  expect(
    modelWords({
      tools: true,
      pictures: true,
      thinking: false,
      windowTokens: 131_072,
      price: { input: 0.1, output: 0.0004 },
    }),
  ).toBe('tools; pictures; no thinking; reads 131,072 tokens; $0.10 in and $0.0004 out for a million')
})
