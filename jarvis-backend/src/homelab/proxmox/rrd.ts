import { minuteMs, type Sample } from 'homelab-ports/samples'

export type RrdKind = 'node' | 'guest' | 'storage'
/** Mean values over `minutes` (Unix ms). `values`: in the order of a sample; undefined for values that Proxmox does not record. */
export type RrdRow = { minutes: number[]; values: Sample['values'] }

type Raw = Record<string, unknown>
const isRaw = (row: unknown): row is Raw => typeof row === 'object' && row !== null

/** Longest step between two rows, seconds: rows are a minute or half an hour apart. One mean does not cover a longer gap. */
const mostStepS = 1_800

/**
 * Parses the answer to `rrddata`: rows after `from` and up to `until` (Unix ms), oldest first. A row's time is the end of its interval. Figures may
 * be missing, null or text. A row without any figure means that the node, guest or storage was off.
 */
export function readRrd(kind: RrdKind, data: unknown, { from, until }: { from: number; until: number }): RrdRow[] {
  const byTime = new Map<number, Raw>()
  for (const row of Array.isArray(data) ? (data as unknown[]) : []) {
    const time = isRaw(row) ? figure(row.time) : undefined
    if (isRaw(row) && time !== undefined) byTime.set(time, row)
  }
  const rows = [...byTime].map(([time, row]) => ({ time, row })).sort((a, b) => a.time - b.time)
  const apart = rows.slice(1).map(({ time }, before) => time - (rows[before]?.time ?? 0))
  const stepS = apart.length === 0 ? 60 : Math.min(mostStepS, ...apart.filter((step) => step >= 60))
  const stepMinutes = Math.round(stepS / 60)
  return rows.flatMap(({ time, row }) => {
    const values = valuesOf[kind](row)
    if (values === undefined) return []
    const end = Math.floor((time * 1000) / minuteMs) * minuteMs
    const minutes = Array.from({ length: stepMinutes }, (_, at) => end - at * minuteMs)
    const within = minutes.filter((at) => at > from && at <= until)
    return within.length === 0 ? [] : [{ minutes: within, values }]
  })
}

const valuesOf: Record<RrdKind, (row: Raw) => Sample['values'] | undefined> = {
  node(row) {
    const cpu = figure(row.cpu)
    return cpu === undefined ? undefined : [cpu, share(row.memused, row.memtotal), figure(row.loadavg)]
  },
  guest(row) {
    const cpu = figure(row.cpu)
    const used = share(row.mem, row.maxmem)
    // As in the cluster's state: a value above the whole memory is not the guest's own use.
    const ram = used === undefined || used > 1 ? undefined : used
    // A guest that was off has no figures, or only zeros.
    if (cpu === undefined || (cpu === 0 && (used ?? 0) === 0)) return undefined
    // A VM's disk use is not measured: 0 means unknown.
    return [
      cpu,
      ram,
      (figure(row.disk) ?? 0) > 0 ? share(row.disk, row.maxdisk) : undefined,
      sum(row.netin, row.netout),
      sum(row.diskread, row.diskwrite),
    ]
  },
  storage(row) {
    const used = share(row.used, row.total)
    return used === undefined ? undefined : [used]
  },
}

function sum(first: unknown, second: unknown): number | undefined {
  const [a, b] = [figure(first), figure(second)]
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
}

function share(part: unknown, whole: unknown): number | undefined {
  const [a, b] = [figure(part), figure(whole)]
  return a === undefined || b === undefined || b === 0 ? undefined : a / b
}

/** Parses a figure without zod, for speed: one guest's day has about 20,000 figures. */
function figure(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}
