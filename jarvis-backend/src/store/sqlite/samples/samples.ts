import {
  dayMs,
  fieldsOf,
  minuteMs,
  type Past,
  quarterMs,
  type Sample,
  type SampleStore,
  weekMs,
} from 'homelab-ports/samples'
import type { Database } from '../database.ts'
import { createSettings } from '../settings.ts'
import { type InRow, meanRow, rowOf, seriesInRow, take } from './pack.ts'

/** Most series that are stored. */
const mostSeries = 20_000
const clusterKey = 'samples_of'
type Row = { at: number; data: Buffer }

/**
 * Stores samples. Each series keeps a place while any of its values is kept. A row holds 96 series at one moment, so a minute of 2,000
 * guests takes 22 rows, and a day of one guest 1,440 small reads.
 */
export function createSampleStore(database: Database): SampleStore {
  const { sql, atomically } = database
  const settings = createSettings(database)
  const places = sql.prepare<[], { name: string; place: number; last_at: number }>('SELECT * FROM sample_series')
  const settle = sql.prepare(
    'INSERT INTO sample_series (name, place, last_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at',
  )
  const leave = sql.prepare('DELETE FROM sample_series WHERE name = ?')
  const write = sql.prepare('INSERT OR REPLACE INTO samples (step, part, at, data) VALUES (?, ?, ?, ?)')
  const one = sql.prepare<[number, number, number], Pick<Row, 'data'>>(
    'SELECT data FROM samples WHERE step = ? AND part = ? AND at = ?',
  )
  const between = sql.prepare<[number, number, number, number], Row>(
    'SELECT at, data FROM samples WHERE step = ? AND part = ? AND at >= ? AND at < ? ORDER BY at',
  )
  // Values in the future were written before the clock was set back.
  const forget = sql.prepare('DELETE FROM samples WHERE step = ? AND part = ? AND (at < ? OR at > ?)')
  const newest = sql.prepare<[number, number], { at: number | null }>(
    'SELECT max(at) AS at FROM samples WHERE step = ? AND part = ?',
  )
  const oldest = sql.prepare<[number, number], { at: number | null }>(
    'SELECT min(at) AS at FROM samples WHERE step = ? AND part = ?',
  )

  const known = new Map<string, { place: number; lastAt: number }>()
  const taken = new Set<number>()
  /** Places of guests. */
  const guests = new Set<number>()
  const settled = (name: string, place: number) => {
    if (name.startsWith('guest/')) guests.add(place)
    else guests.delete(place)
  }
  let free = 0
  function load() {
    known.clear()
    taken.clear()
    free = 0
    for (const { name, place, last_at } of places.all()) {
      known.set(name, { place, lastAt: last_at })
      taken.add(place)
      settled(name, place)
    }
  }
  load()

  /** The lowest free place. */
  function newPlace(): number {
    while (taken.has(free)) free += 1
    taken.add(free)
    return free
  }

  function placeOf(name: string, at: number): number | undefined {
    const before = known.get(name)
    if (before === undefined && known.size >= mostSeries) return undefined
    const place = before?.place ?? newPlace()
    // The time last seen needs no more precision than this, which saves a write per minute.
    if (before === undefined || at - before.lastAt >= quarterMs) {
      settle.run(name, place, at)
      known.set(name, { place, lastAt: at })
      settled(name, place)
    }
    return place
  }

  /** Frees the places of series that are older than all kept values. */
  function clear(at: number) {
    for (const [name, { place, lastAt }] of known) {
      if (at - lastAt <= weekMs + quarterMs) continue
      leave.run(name)
      known.delete(name)
      taken.delete(place)
      free = Math.min(free, place)
    }
  }

  /** Stores the means of the quarter hours that have ended. */
  function fold(part: number, at: number) {
    const folded = newest.get(quarterMs, part)?.at ?? undefined
    const from = folded === undefined ? oldest.get(minuteMs, part)?.at : folded + quarterMs
    if (from === null || from === undefined) return
    const first = from - (from % quarterMs)
    const end = Math.floor(at / quarterMs) * quarterMs
    for (let quarter = Math.max(first, end - dayMs); quarter < end; quarter += quarterMs) foldQuarter(part, quarter)
  }

  function foldQuarter(part: number, quarter: number) {
    const rows = between.all(minuteMs, part, quarter, quarter + quarterMs)
    if (rows.length > 0)
      write.run(
        quarterMs,
        part,
        quarter,
        meanRow(
          rows.map(({ data }) => data),
          (slot) => guests.has(part * seriesInRow + slot),
        ),
      )
  }

  /** Groups samples by row. */
  function inParts(at: number, samples: readonly Sample[]) {
    const rows = new Map<number, InRow[]>()
    for (const sample of samples) {
      const place = placeOf(sample.name, at)
      if (place === undefined) continue
      const part = Math.floor(place / seriesInRow)
      const row = rows.get(part) ?? []
      row.push({ slot: place % seriesInRow, sample })
      rows.set(part, row)
    }
    return rows
  }

  function keep(at: number, samples: readonly Sample[]) {
    if (at % quarterMs === 0) clear(at)
    const rows = inParts(at, samples)
    const parts = Math.floor(Math.max(0, ...taken) / seriesInRow) + 1
    for (let part = 0; part < parts; part += 1) {
      const there = rows.get(part) ?? []
      if (there.length > 0) write.run(minuteMs, part, at, rowOf(there))
      fold(part, at)
      forget.run(minuteMs, part, at - dayMs, at)
      forget.run(quarterMs, part, at - weekMs, at)
    }
  }

  function fill(past: readonly Past[]) {
    const touched = new Map<number, Set<number>>()
    for (const { minutes, samples } of past) {
      for (const [part, there] of inParts(minutes.at(-1) ?? 0, samples)) {
        const quarters = touched.get(part) ?? new Set<number>()
        touched.set(part, quarters)
        const alone = rowOf(there)
        for (const at of minutes) {
          const before = one.get(minuteMs, part, at)?.data
          write.run(minuteMs, part, at, before === undefined ? alone : rowOf(there, before))
          quarters.add(at - (at % quarterMs))
        }
      }
    }
    for (const [part, quarters] of touched) {
      const from = oldest.get(minuteMs, part)?.at ?? 0
      // Quarters after the newest mean are folded later, by `fold`.
      const until = newest.get(quarterMs, part)?.at ?? Number.NEGATIVE_INFINITY
      for (const quarter of quarters) if (quarter >= from && quarter <= until) foldQuarter(part, quarter)
    }
  }

  function written(work: () => void) {
    try {
      atomically(work)
    } catch (error) {
      // The maps are read again, because the database was rolled back.
      load()
      throw error
    }
  }

  return {
    keepOf(addresses) {
      const before = settings.get(clusterKey)
      const now = addresses.join(',')
      if (before === now) return
      const isSame = before === undefined || before.split(',').some((address) => addresses.includes(address))
      atomically(() => {
        settings.set(clusterKey, now)
        if (!isSame) sql.exec('DELETE FROM samples; DELETE FROM sample_series')
      })
      load()
    },

    keep: (at, samples) => written(() => keep(at, samples)),
    fill: (past) => written(() => fill(past)),

    *read(names, stepMs, from, count) {
      const inRows = new Map<number, { name: string; slot: number }[]>()
      for (const name of names) {
        const place = known.get(name)?.place
        if (place === undefined) continue
        const part = Math.floor(place / seriesInRow)
        const others = inRows.get(part) ?? []
        others.push({ name, slot: place % seriesInRow })
        inRows.set(part, others)
      }
      for (const [part, series] of inRows) {
        const rows = between.all(stepMs, part, from, from + count * stepMs)
        for (const { name, slot } of series) {
          const values: (readonly (number | undefined)[])[] = Array.from({ length: count }, () => [])
          for (const { at, data } of rows) values[(at - from) / stepMs] = take(data, slot, fieldsOf(name))
          yield [name, values]
        }
      }
    },
  }
}
