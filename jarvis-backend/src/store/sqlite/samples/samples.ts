import {
  dayMs,
  fieldsOf,
  minuteMs,
  type Past,
  quarterMs,
  type Sample,
  type SampleSpan,
  type SampleStore,
  weekMs,
} from 'homelab-ports/samples'
import type { Settings } from '../../../auth/password.ts'
import type { Database } from '../database.ts'
import { SqliteSettings } from '../settings.ts'
import { SqliteStore } from '../sqlite-store.ts'
import { type InRow, meanRow, rowOf, seriesInRow, take } from './pack.ts'

/** Maximum number of series that are stored. */
const mostSeries = 20_000
const clusterKey = 'samples_of'
type Row = { at: number; data: Buffer }

/**
 * Stores samples. Each series keeps a place while any of its values is kept. A row holds 96 series at one moment, so a minute of 2,000
 * guests takes 22 rows, and a day of one guest 1,440 small reads.
 */
export class SqliteSampleStore extends SqliteStore implements SampleStore {
  readonly #atomically: Database['atomically']
  readonly #settings: Settings
  readonly #selectPlaces = this.sql.prepare<[], { name: string; place: number; last_at: number }>(
    'SELECT * FROM sample_series',
  )
  readonly #putSeries = this.sql.prepare(
    'INSERT INTO sample_series (name, place, last_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET last_at = excluded.last_at',
  )
  readonly #deleteSeries = this.sql.prepare('DELETE FROM sample_series WHERE name = ?')
  readonly #putRow = this.sql.prepare('INSERT OR REPLACE INTO samples (step, part, at, data) VALUES (?, ?, ?, ?)')
  readonly #selectRow = this.sql.prepare<[number, number, number], Pick<Row, 'data'>>(
    'SELECT data FROM samples WHERE step = ? AND part = ? AND at = ?',
  )
  readonly #selectRows = this.sql.prepare<[number, number, number, number], Row>(
    'SELECT at, data FROM samples WHERE step = ? AND part = ? AND at >= ? AND at < ? ORDER BY at',
  )
  // Values in the future were written before the clock was set back.
  readonly #deleteRows = this.sql.prepare('DELETE FROM samples WHERE step = ? AND part = ? AND (at < ? OR at > ?)')
  readonly #selectNewest = this.sql.prepare<[number, number], { at: number | null }>(
    'SELECT max(at) AS at FROM samples WHERE step = ? AND part = ?',
  )
  readonly #selectOldest = this.sql.prepare<[number, number], { at: number | null }>(
    'SELECT min(at) AS at FROM samples WHERE step = ? AND part = ?',
  )

  readonly #known = new Map<string, { place: number; lastAt: number }>()
  readonly #taken = new Set<number>()
  /** Places of guests. */
  readonly #guests = new Set<number>()
  /** All places below this one are taken. */
  #free = 0

  constructor(database: Database) {
    super(database)
    this.#atomically = database.atomically
    this.#settings = new SqliteSettings(database)
    this.#load()
  }

  keepOf(addresses: readonly string[]): void {
    const before = this.#settings.get(clusterKey)
    const now = addresses.join(',')
    if (before === now) return
    const isSame = before === undefined || before.split(',').some((address) => addresses.includes(address))
    this.#atomically(() => {
      this.#settings.set(clusterKey, now)
      if (!isSame) this.sql.exec('DELETE FROM samples; DELETE FROM sample_series')
    })
    this.#load()
  }

  keep(at: number, samples: readonly Sample[]): void {
    this.#written(() => {
      if (at % quarterMs === 0) this.#clear(at)
      const rows = this.#inParts(at, samples)
      const parts = Math.floor(Math.max(0, ...this.#taken) / seriesInRow) + 1
      for (let part = 0; part < parts; part += 1) {
        const there = rows.get(part) ?? []
        if (there.length > 0) this.#putRow.run(minuteMs, part, at, rowOf(there))
        this.#fold(part, at)
        this.#deleteRows.run(minuteMs, part, at - dayMs, at)
        this.#deleteRows.run(quarterMs, part, at - weekMs, at)
      }
    })
  }

  fill(past: readonly Past[]): void {
    this.#written(() => {
      for (const [part, quarters] of this.#fillMinutes(past)) {
        const from = this.#selectOldest.get(minuteMs, part)?.at ?? 0
        // Quarters after the newest stored mean are folded later by `keep`.
        const until = this.#selectNewest.get(quarterMs, part)?.at ?? Number.NEGATIVE_INFINITY
        for (const quarter of quarters) if (quarter >= from && quarter <= until) this.#foldQuarter(part, quarter)
      }
    })
  }

  *read(names: readonly string[], { stepMs, from, count }: SampleSpan): ReturnType<SampleStore['read']> {
    const inRows = new Map<number, { name: string; slot: number }[]>()
    for (const name of names) {
      const place = this.#known.get(name)?.place
      if (place === undefined) continue
      const part = Math.floor(place / seriesInRow)
      const others = inRows.get(part) ?? []
      others.push({ name, slot: place % seriesInRow })
      inRows.set(part, others)
    }
    for (const [part, series] of inRows) {
      const rows = this.#selectRows.all(stepMs, part, from, from + count * stepMs)
      for (const { name, slot } of series) {
        const values: (readonly (number | undefined)[])[] = Array.from({ length: count }, () => [])
        for (const { at, data } of rows) values[(at - from) / stepMs] = take(data, slot, fieldsOf(name))
        yield [name, values]
      }
    }
  }

  #load(): void {
    this.#known.clear()
    this.#taken.clear()
    this.#free = 0
    for (const { name, place, last_at } of this.#selectPlaces.all()) {
      this.#known.set(name, { place, lastAt: last_at })
      this.#taken.add(place)
      this.#settled(name, place)
    }
  }

  #settled(name: string, place: number): void {
    if (name.startsWith('guest/')) this.#guests.add(place)
    else this.#guests.delete(place)
  }

  /** The lowest free place. */
  #newPlace(): number {
    while (this.#taken.has(this.#free)) this.#free += 1
    this.#taken.add(this.#free)
    return this.#free
  }

  #placeOf(name: string, at: number): number | undefined {
    const before = this.#known.get(name)
    if (before === undefined && this.#known.size >= mostSeries) return undefined
    const place = before?.place ?? this.#newPlace()
    // The time at which a series was last seen is stored to a quarter hour, which saves a write each minute.
    if (before === undefined || at - before.lastAt >= quarterMs) {
      this.#putSeries.run(name, place, at)
      this.#known.set(name, { place, lastAt: at })
      this.#settled(name, place)
    }
    return place
  }

  /** Frees the places of series that are older than all kept values. */
  #clear(at: number): void {
    for (const [name, { place, lastAt }] of this.#known) {
      if (at - lastAt <= weekMs + quarterMs) continue
      this.#deleteSeries.run(name)
      this.#known.delete(name)
      this.#taken.delete(place)
      this.#free = Math.min(this.#free, place)
    }
  }

  /** Stores the means of the quarter hours that have ended. */
  #fold(part: number, at: number): void {
    const folded = this.#selectNewest.get(quarterMs, part)?.at ?? undefined
    const from = folded === undefined ? this.#selectOldest.get(minuteMs, part)?.at : folded + quarterMs
    if (from === null || from === undefined) return
    const first = from - (from % quarterMs)
    const end = Math.floor(at / quarterMs) * quarterMs
    for (let quarter = Math.max(first, end - dayMs); quarter < end; quarter += quarterMs)
      this.#foldQuarter(part, quarter)
  }

  #foldQuarter(part: number, quarter: number): void {
    const rows = this.#selectRows.all(minuteMs, part, quarter, quarter + quarterMs)
    if (rows.length === 0) return
    const isGuest = (slot: number) => this.#guests.has(part * seriesInRow + slot)
    const mean = meanRow(
      rows.map(({ data }) => data),
      isGuest,
    )
    this.#putRow.run(quarterMs, part, quarter, mean)
  }

  /** Groups samples by row. */
  #inParts(at: number, samples: readonly Sample[]): Map<number, InRow[]> {
    const rows = new Map<number, InRow[]>()
    for (const sample of samples) {
      const place = this.#placeOf(sample.name, at)
      if (place === undefined) continue
      const part = Math.floor(place / seriesInRow)
      const row = rows.get(part) ?? []
      row.push({ slot: place % seriesInRow, sample })
      rows.set(part, row)
    }
    return rows
  }

  /** Writes past minutes. @returns the quarter hours with changed minutes, by part */
  #fillMinutes(past: readonly Past[]): Map<number, Set<number>> {
    const touched = new Map<number, Set<number>>()
    for (const { minutes, samples } of past) {
      for (const [part, there] of this.#inParts(minutes.at(-1) ?? 0, samples)) {
        const quarters = touched.get(part) ?? new Set<number>()
        touched.set(part, quarters)
        const alone = rowOf(there)
        for (const at of minutes) {
          const before = this.#selectRow.get(minuteMs, part, at)?.data
          this.#putRow.run(minuteMs, part, at, before === undefined ? alone : rowOf(there, before))
          quarters.add(at - (at % quarterMs))
        }
      }
    }
    return touched
  }

  #written(work: () => void): void {
    try {
      this.#atomically(work)
    } catch (error) {
      // The database was rolled back, so the maps are read again.
      this.#load()
      throw error
    }
  }
}
