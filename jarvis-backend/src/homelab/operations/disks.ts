import { ApiError } from 'homelab-ports/failure'
import type { Partial, PveReader } from 'homelab-ports/ports'
import { present } from 'node-kit/present'
import type { Node } from 'protocol'
import { z } from 'zod'
import { figure, readAs, rowsOf, words } from '../pve/answers.ts'
import { readEach } from './read-each.ts'

/** Time limit for an answer, ms. A disk that must spin up first answers late. */
const answerMs = 25_000

/** A disk. Fields that its node does not report are absent. */
export type Disk = {
  node: string
  /** `/dev/sda` */
  path: string
  model?: string
  serial?: string
  sizeBytes?: number
  /** `nvme`, `ssd`, `hdd`, `usb`, … */
  kind?: string
  /** The disk's use: `ZFS`, `LVM`, `mounted`, … */
  use?: string
  /** SMART's verdict; null: the disk reports none. */
  isHealthy: boolean | null
  /** Fraction of its rated life that a solid-state disk has left, 0..1. */
  lifeLeftRatio?: number
}

/** A device of a pool that is in a bad state or has counted errors. */
export type PoolFault = { device: string; state?: string; read: number; write: number; checksum: number }

export type Pool = {
  node: string
  name: string
  /** `ONLINE`, `DEGRADED`, … */
  health: string
  sizeBytes?: number
  usedBytes?: number
  /** Fragmentation of the free space, 0..1. */
  fragmentRatio?: number
  faults: PoolFault[]
  /** ZFS's text about errors in the data; absent if no error is known. */
  errors?: string
  /** ZFS's text about the last scrub. */
  scan?: string
  /**
   * End of the last scrub, Unix ms, exact to a day, because ZFS prints it in the node's time zone. Null: ZFS does not report it, for example after a
   * resilver.
   */
  scrubbedAt: number | null
  /** Why the pool's details could not be read; absent if they were read. */
  missing?: string
}

export type ThinPool = {
  node: string
  /** `pve/data` */
  name: string
  sizeBytes?: number
  usedBytes?: number
  metadataBytes?: number
  metadataUsedBytes?: number
}

const DiskRow = z.object({
  devpath: z.string().min(1),
  model: words,
  serial: words,
  size: figure,
  type: words,
  used: words,
  health: words,
  wearout: figure,
})
const PoolRow = z.object({ name: z.string().min(1), health: words, size: figure, alloc: figure, frag: figure })
type Device = z.output<typeof DeviceRow>
const DeviceRow = z.object({
  name: words,
  state: words,
  read: figure,
  write: figure,
  cksum: figure,
  children: z.array(z.unknown()).optional().catch(undefined),
})
const PoolDetail = DeviceRow.extend({ errors: words, scan: words })
const ThinRow = z.object({
  vg: z.string().min(1),
  lv: z.string().min(1),
  lv_size: figure,
  used: figure,
  metadata_size: figure,
  metadata_used: figure,
})
const SmartAnswer = z.object({
  health: words,
  type: words,
  text: words,
  attributes: z.array(z.unknown()).optional().catch(undefined),
})
const SmartRow = z.object({ name: z.string(), value: words, worst: words, threshold: words, raw: words, fail: words })

type Nodes = readonly Pick<Node, 'name' | 'status'>[]

/** Reads the disks of the nodes with SMART's verdict and their wear. @throws only the signal's reason */
export const readDisks = (api: PveReader, nodes: Nodes, signal: AbortSignal): Promise<Partial<Disk>> =>
  readEach(nodes, { what: 'disks', needs: 'Sys.Audit on /nodes', signal }, async (node) => {
    const { rows } = rowsOf(DiskRow, await api.get(['nodes', node, 'disks', 'list'], {}, { signal, answerMs }))
    return rows.map(({ devpath, model, serial, size, type, used, health, wearout }) => ({
      node,
      path: devpath,
      ...present({ model: trimmed(model), serial, kind: type === 'unknown' ? undefined : type, use: used }),
      ...present({ sizeBytes: size, lifeLeftRatio: wearout === undefined ? undefined : wearout / 100 }),
      isHealthy: /^(PASSED|OK)$/.test(health ?? '') ? true : /^UNKNOWN$|^$/.test(health ?? '') ? null : false,
    }))
  })

/** Reads the ZFS pools of the nodes, each with its devices' errors and its last scrub. @throws only the signal's reason */
export const readPools = (api: PveReader, nodes: Nodes, signal: AbortSignal): Promise<Partial<Pool>> =>
  readEach(nodes, { what: 'ZFS pools', needs: 'Sys.Audit on /', signal }, async (node) => {
    const answer = await api.get(['nodes', node, 'disks', 'zfs'], {}, { signal, answerMs }).catch((error: unknown) => {
      if (hasNoZfs(error)) return []
      throw error
    })
    const { rows } = rowsOf(PoolRow, answer)
    const pools: Pool[] = []
    for (const row of rows) pools.push(await poolOf(api, { ...row, node }, signal))
    return pools
  })

/** True if the node has no ZFS tools, so that it has no pool. */
const hasNoZfs = (error: unknown) => error instanceof ApiError && error.words.includes('zfsutils-linux not installed')

type NodePool = z.output<typeof PoolRow> & { node: string }

async function poolOf(api: PveReader, pool: NodePool, signal: AbortSignal): Promise<Pool> {
  const { node, name, health = 'unknown', size, alloc, frag } = pool
  const figures = {
    sizeBytes: size,
    usedBytes: alloc,
    fragmentRatio: frag === undefined ? undefined : frag / 100,
  }
  const known = { node, name, health, ...present(figures) }
  try {
    const place = ['nodes', node, 'disks', 'zfs', name]
    const detail = readAs(PoolDetail, await api.get(place, {}, { signal, answerMs }), node)
    const { errors, scan } = detail
    return {
      ...known,
      faults: faultsIn(detail),
      ...present({ errors: /^No known data errors$/i.test(errors ?? '') ? undefined : errors, scan }),
      scrubbedAt: scrubbedAtIn(scan),
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return { ...known, faults: [], scrubbedAt: null, missing: error instanceof Error ? error.message : String(error) }
  }
}

/** A spare that is available (`AVAIL`) is in order. */
const isInOrder = (state: string | undefined) =>
  state === undefined || state === '' || state === 'ONLINE' || state === 'AVAIL'

function faultsIn(device: Device): PoolFault[] {
  const below = (device.children ?? []).flatMap((child) => {
    const parsed = DeviceRow.safeParse(child)
    return parsed.success ? faultsIn(parsed.data) : []
  })
  const { name = '', state, read = 0, write = 0, cksum = 0 } = device
  // The pool's counts repeat those of its devices, so only the devices are listed.
  if (below.length > 0 || (isInOrder(state) && read + write + cksum === 0)) return below
  return [{ device: name, ...present({ state }), read, write, checksum: cksum }]
}

/**
 * ZFS's report of its last scrub or resilver of a pool. ZFS keeps one line for both, so a newer resilver hides an older scrub. `none`: neither has
 * ever run. `other`: no text, or a text that is not recognised.
 */
export type Scan = 'none' | 'other' | `${'scrub' | 'resilver'} ${'finished' | 'runs' | 'paused' | 'canceled'}`

/** @param scan the text of `zpool status`, whose lines Proxmox joins */
export function scanOf(scan: string | undefined): Scan {
  const words = scan?.trim() ?? ''
  if (/^none\b/i.test(words)) return 'none'
  if (scrubbedAtIn(words) !== null) return 'scrub finished'
  // An error scrub does not count as a scrub: it reads only the blocks that are known to be bad.
  if (/^(?:resilvered|rebuilt)\b/i.test(words)) return 'resilver finished'
  const [, kind = '', how = ''] =
    /^(scrub|resilver|rebuild)(?: \([^)]*\))? (in progress|paused|cancell?ed)\b/i.exec(words) ?? []
  if (kind === '') return 'other'
  const what = /^scrub$/i.test(kind) ? 'scrub' : 'resilver'
  return /^in/i.test(how) ? `${what} runs` : /^p/i.test(how) ? `${what} paused` : `${what} canceled`
}

/**
 * Reads when a scrub ended, from a text such as `scrub repaired 0B in 00:12:34 with 0 errors on Sun Oct 12 00:36:35 2025`. @returns Unix ms; null if
 * the text does not report the end of a scrub
 */
export function scrubbedAtIn(scan: string | undefined): number | null {
  const words = scan ?? ''
  const ended = /(?:^|\s)(?<!error )scrub (?:repaired|completed)\b/.exec(words)
  const rest = ended === null ? '' : words.slice(ended.index, ended.index + 260)
  const said = /\bon \w{3} (\w{3}) {1,4}(\d{1,2}) ([\d:]{8}) (\d{4})\b/.exec(rest)
  if (said === null) return null
  const [, month, day, time, year] = said
  const at = Date.parse(`${day} ${month} ${year} ${time} UTC`)
  return Number.isNaN(at) ? null : at
}

/** Reads the LVM-thin pools of the nodes. @throws only the signal's reason */
export const readThinPools = (api: PveReader, nodes: Nodes, signal: AbortSignal): Promise<Partial<ThinPool>> =>
  readEach(nodes, { what: 'LVM-thin pools', needs: 'Sys.Audit on /', signal }, async (node) => {
    const { rows } = rowsOf(ThinRow, await api.get(['nodes', node, 'disks', 'lvmthin'], {}, { signal, answerMs }))
    return rows.map(({ vg, lv, lv_size, used, metadata_size, metadata_used }) => ({
      node,
      name: `${vg}/${lv}`,
      ...present({ sizeBytes: lv_size, usedBytes: used }),
      ...present({ metadataBytes: metadata_size, metadataUsedBytes: metadata_used }),
    }))
  })

/** Reads SMART's report of one disk, line by line. @throws ApiError; the signal's reason */
export async function readSmart(
  api: PveReader,
  { node, disk }: { node: string; disk: string },
  signal: AbortSignal,
): Promise<{ health: string; lines: string[] }> {
  const answer = await api.get(['nodes', node, 'disks', 'smart'], { disk }, { signal, answerMs })
  const { health = 'UNKNOWN', text, attributes } = readAs(SmartAnswer, answer, node)
  if (text !== undefined) return { health, lines: text.split('\n').filter((line) => line.trim() !== '') }
  const lines = rowsOf(SmartRow, attributes ?? []).rows.map(
    ({ name, value = '?', worst = '?', threshold = '?', raw = '?', fail }) =>
      `${name}: ${raw} (value ${value.trim()}, worst ${worst.trim()}, threshold ${threshold.trim()})${fail === undefined || fail === '-' ? '' : ` FAILED ${fail}`}`,
  )
  return { health, lines }
}

const trimmed = (text: string | undefined) => text?.trim() || undefined
