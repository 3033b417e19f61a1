import type { SampleField } from '../../protocol/index.ts'

/** Series lie in rows of so many: a row stays on one page, and few rows are written a minute. */
export const seriesInRow = 96
const unknown = 0xffff
const most = unknown - 1
/** Where a field stands among a series' values; no kind has two in one column. */
const columns: Record<SampleField, number> = {
  cpuRatio: 0,
  usedRatio: 0,
  ramRatio: 1,
  load1: 2,
  diskRatio: 2,
  storageRatio: 2,
  temperatureC: 3,
  netBps: 4,
}
const columnCount = 5
const seriesBytes = columnCount * 2

type Scale = { up(value: number): number; down(stored: number): number }
const linear = (by: number): Scale => ({ up: (value) => value * by, down: (stored) => stored / by })
/** To a twentieth of a percent, up to 60 GB a second. */
const logarithmic: Scale = {
  up: (value) => Math.log2(1 + Math.max(0, value)) * 1_800,
  down: (stored) => 2 ** (stored / 1_800) - 1,
}
const scaleOf = (field: SampleField): Scale =>
  columns[field] === columns.netBps
    ? logarithmic
    : field === 'load1' || field === 'temperatureC'
      ? linear(100)
      : linear(most)

/** A row for slots 0..`slots` - 1, in which nothing is known yet. Two bytes a value. */
export const emptyRow = (slots: number): Buffer => Buffer.alloc(slots * seriesBytes, 0xff)

export function put(
  row: Buffer,
  slot: number,
  fields: readonly SampleField[],
  values: readonly (number | undefined)[],
): void {
  for (const [at, field] of fields.entries()) {
    const value = values[at]
    if (value === undefined || !Number.isFinite(value)) continue
    const stored = Math.min(most, Math.max(0, Math.round(scaleOf(field).up(value))))
    row.writeUInt16LE(stored, slot * seriesBytes + columns[field] * 2)
  }
}

/** Undefined for what was not known, and for a slot that was not there yet. */
export function take(row: Buffer, slot: number, fields: readonly SampleField[]): (number | undefined)[] {
  return fields.map((field) => {
    const offset = slot * seriesBytes + columns[field] * 2
    const stored = offset + 2 > row.length ? unknown : row.readUInt16LE(offset)
    return stored === unknown ? undefined : scaleOf(field).down(stored)
  })
}

/** The mean of what is known in several rows. */
export function meanRow(rows: readonly Buffer[]): Buffer {
  const length = Math.max(0, ...rows.map((row) => row.length))
  const mean = Buffer.alloc(length, 0xff)
  for (let at = 0; at < length; at += 2) {
    // The mean of logarithms is not that of the rates; all other scales keep it.
    const isRate = (at / 2) % columnCount === columns.netBps
    let total = 0
    let count = 0
    for (const row of rows) {
      const stored = at + 2 > row.length ? unknown : row.readUInt16LE(at)
      if (stored === unknown) continue
      total += isRate ? logarithmic.down(stored) : stored
      count += 1
    }
    if (count === 0) continue
    mean.writeUInt16LE(Math.round(isRate ? logarithmic.up(total / count) : total / count), at)
  }
  return mean
}
