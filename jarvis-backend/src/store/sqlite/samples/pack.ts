import { fieldsOf, type Sample } from 'homelab-ports/samples'
import type { SampleField } from 'protocol'

/** Series in each row of samples. With this number a row fits on one page, and few rows are written each minute. */
export const seriesInRow = 96
const unknown = 0xffff
const most = unknown - 1
/** Column of each field. No kind of series has two fields in the same column. */
const columns: Record<SampleField, number> = {
  cpuRatio: 0,
  usedRatio: 0,
  ramRatio: 1,
  load1: 2,
  diskRatio: 2,
  storageRatio: 2,
  temperatureC: 3,
  diskBps: 3,
  netBps: 4,
}
const columnCount = 5
const seriesBytes = columnCount * 2

type Scale = { up(value: number): number; down(stored: number): number }
const linear = (by: number): Scale => ({ up: (value) => value * by, down: (stored) => stored / by })
/** Precise to a twentieth of a percent, up to 60 GB/s. */
const logarithmic: Scale = {
  up: (value) => Math.log2(1 + Math.max(0, value)) * 1_800,
  down: (stored) => 2 ** (stored / 1_800) - 1,
}
const scaleOf = (field: SampleField): Scale =>
  field === 'netBps' || field === 'diskBps'
    ? logarithmic
    : field === 'load1' || field === 'temperatureC'
      ? linear(100)
      : linear(most)

export type InRow = { slot: number; sample: Sample }

/** Packs samples into a row, two bytes for each value. Known values of `before` stay. */
export function rowOf(there: readonly InRow[], before: Buffer = Buffer.alloc(0)): Buffer {
  const slots = Math.max(...there.map(({ slot }) => slot)) + 1
  const row = Buffer.alloc(Math.max(slots * seriesBytes, before.length), 0xff)
  before.copy(row)
  for (const { slot, sample } of there) {
    fieldsOf(sample.name).forEach((field, at) => {
      const value = sample.values[at]
      const offset = slot * seriesBytes + columns[field] * 2
      if (value === undefined || !Number.isFinite(value) || row.readUInt16LE(offset) !== unknown) return
      row.writeUInt16LE(Math.min(most, Math.max(0, Math.round(scaleOf(field).up(value)))), offset)
    })
  }
  return row
}

/** Reads the values of a series; undefined for an unknown value, and for a slot that the row does not have. */
export function take(row: Buffer, slot: number, fields: readonly SampleField[]): (number | undefined)[] {
  return fields.map((field) => {
    const offset = slot * seriesBytes + columns[field] * 2
    const stored = offset + 2 > row.length ? unknown : row.readUInt16LE(offset)
    return stored === unknown ? undefined : scaleOf(field).down(stored)
  })
}

/** The mean of the known values of several rows. @param isGuest tells if a slot belongs to a guest, whose fourth value is a rate too */
export function meanRow(rows: readonly Buffer[], isGuest: (slot: number) => boolean): Buffer {
  const length = Math.max(0, ...rows.map((row) => row.length))
  const mean = Buffer.alloc(length, 0xff)
  for (let at = 0; at < length; at += 2) {
    // Rates are stored as logarithms, so they are decoded before the mean; linear scales need no decoding.
    const column = (at / 2) % columnCount
    const isRate = column === columns.netBps || (column === columns.diskBps && isGuest(Math.floor(at / seriesBytes)))
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
