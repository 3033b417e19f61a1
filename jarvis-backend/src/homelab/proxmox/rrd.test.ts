import { minuteMs } from 'homelab-ports/samples'
import { expect, test } from 'vitest'
import { type RrdKind, readRrd } from './rrd.ts'

const noon = Date.UTC(2026, 0, 5, 12)
const s = noon / 1000
const minutesAgo = (row: { minutes: number[] }) => row.minutes.map((at) => (noon - at) / minuteMs)

test.each<[string, RrdKind, unknown, (number | undefined)[] | undefined]>([
  [
    'a node by its own names',
    'node',
    { cpu: 0.25, memused: 20, memtotal: 80, loadavg: 1.5, maxcpu: 16, netin: 9, iowait: 0.1 },
    [0.25, 0.25, 1.5],
  ],
  ['a node without memory', 'node', { cpu: 0.25 }, [0.25, undefined, undefined]],
  ['a node that was away', 'node', { memtotal: 80, cpu: null }, undefined],
  [
    'a container by its own names',
    'guest',
    { cpu: 0.5, mem: 1, maxmem: 4, disk: 3, maxdisk: 4, netin: 100, netout: 50.5, diskread: 7 },
    [0.5, 0.25, 0.75, 150.5, 7],
  ],
  [
    'a VM, whose disk is always 0',
    'guest',
    { cpu: 0, mem: 1, maxmem: 4, disk: 0, maxdisk: 4 },
    [0, 0.25, undefined, undefined, undefined],
  ],
  ['figures as text', 'guest', { cpu: '0.5', mem: '1', maxmem: '4', netin: '7' }, [0.5, 0.25, undefined, 7, undefined]],
  [
    'a VM’s process above its memory',
    'guest',
    { cpu: 0.1, mem: 5, maxmem: 4 },
    [0.1, undefined, undefined, undefined, undefined],
  ],
  ['a guest that was off', 'guest', { maxcpu: 4, maxmem: 4, maxdisk: 4 }, undefined],
  ['a guest that was off, in zeros', 'guest', { cpu: 0, mem: 0, maxmem: 4, disk: 3, maxdisk: 4 }, undefined],
  ['nonsense in a figure', 'guest', { cpu: 'NaN', mem: {}, maxmem: -1 }, undefined],
  ['a storage', 'storage', { used: 3, total: 4 }, [0.75]],
  ['a storage of no size', 'storage', { used: 0, total: 0 }, undefined],
])('%s', (_name, kind, row, values) => {
  const read = readRrd(kind, [{ ...(row as object), time: s }], { from: noon - 10 * minuteMs, until: noon })
  expect(read.map((one) => one.values)).toEqual(values === undefined ? [] : [values])
})

test.each<[string, unknown, number[][]]>([
  ['minutes, with one missing', [{ time: s - 180 }, { time: s - 120 }, { time: s }], [[3], [2], [0]]],
  ['out of order, as text, and twice', [{ time: String(s) }, { time: s - 60 }, { time: s }], [[1], [0]]],
  [
    'half hours, each the mean of those before it',
    [{ time: s - 1_800 }, { time: s }],
    [[30, 31], Array.from({ length: 30 }, (_, at) => at)],
  ],
  [
    'what is too old, or still to come',
    [{ time: s - 3_600 }, { time: s - 60 }, { time: s }, { time: s + 60 }],
    [[1], [0]],
  ],
  ['a time that is none', [{ time: null }, {}, null, 7, { time: s }], [[0]]],
  ['no list', { time: s }, []],
  ['nothing', undefined, []],
])('times: %s', (_name, rows, ago) => {
  const filled = Array.isArray(rows)
    ? rows.map((row) => (typeof row === 'object' && row ? { cpu: 0.1, ...row } : row))
    : rows
  expect(readRrd('node', filled, { from: noon - 32 * minuteMs, until: noon }).map(minutesAgo)).toEqual(ago)
})
