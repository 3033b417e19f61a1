import { oneLine, percent, plainName, spanOf } from 'node-kit/words'
import type { Guest, Node, Storage } from 'protocol'
import { shareOf } from 'protocol/facts'

export { oneLine, plainName } from 'node-kit/words'

/** Returns `part` divided by `whole`, 0..1; 0 if `whole` is 0. */
export const ratioOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0)

/** Formats a share as a percentage: `97 %`; `unknown` if it is not a number. */
export const percentOr = (share: number | null | undefined): string =>
  typeof share === 'number' ? percent(share) : 'unknown'

/** Formats bytes as `5.4 GiB`. */
const gibOf = (bytes: number): string => `${figure(bytes / 1024 ** 3)} GiB`

/** Formats a size: `1.69 TiB`, `358 GiB` or `41 MiB`. */
export function diskOf(bytes: number): string {
  if (bytes >= 1024 ** 4) return `${figure(bytes / 1024 ** 4, 2)} TiB`
  if (bytes >= 1024 ** 3) return `${figure(bytes / 1024 ** 3)} GiB`
  return bytes >= 1024 ** 2 ? `${figure(bytes / 1024 ** 2, 0)} MiB` : `${figure(bytes / 1024, 0)} KiB`
}

export const ageOf = (at: number, now: number): string => `${spanOf((now - at) / 1000)} ago`

const figure = (value: number, digits = 1) => String(Number(value.toFixed(digits)))

/** Formats the use of memory: `memory 5.4 of 8 GiB (68 %)`. */
export const memoryOf = (used: number, total: number): string =>
  `memory ${figure(used / 1024 ** 3)} of ${gibOf(total)} (${percent(ratioOf(used, total))})`

/** Continues a text about a node's memory with the size of its cache; empty if the cache is unknown or below 1 % of the memory. */
const cacheWords = ({ ramCacheBytes = 0, ramTotalBytes = 0 }: Node) =>
  ramCacheBytes < ramTotalBytes / 100 ? '' : `, of it ${diskOf(ramCacheBytes)} cache`

/** Describes a node in one line: `pve online, CPU 71 %, memory …, load 24.3, 81 °C, up 63 d`. */
export function nodeLine(node: Node, now: number): string {
  const isUp = node.status === 'online'
  const parts = [
    `${plainName(node.name)}${node.role === undefined ? '' : ` (${oneLine(node.role, 40)})`} ${node.status}`,
    node.cpuRatio === undefined ? isUp && 'CPU unknown' : `CPU ${percent(node.cpuRatio)}`,
    node.ramBytes === undefined || node.ramTotalBytes === undefined
      ? isUp && 'memory unknown'
      : `${memoryOf(node.ramBytes, node.ramTotalBytes)}${cacheWords(node)}`,
    node.load1 === undefined ? isUp && 'load unknown' : `load ${figure(node.load1)}`,
    node.temperatureC === undefined
      ? undefined
      : node.temperatureC === null
        ? 'temperature unknown'
        : `${Math.round(node.temperatureC)} °C`,
    node.uptimeS === undefined ? isUp && 'uptime unknown' : `up ${spanOf(node.uptimeS)}`,
    node.lastSeenAt !== undefined && !isUp && `last seen ${ageOf(node.lastSeenAt, now)}`,
    node.isProtected && 'protected',
  ]
  return parts.filter((part) => typeof part === 'string').join(', ')
}

/** Describes a guest in one line: `123 frigate vm running on pve, CPU 97 % of 4, …`. */
export function guestLine(guest: Guest, now: number): string {
  const isUp = guest.status === 'running' || guest.status === 'paused'
  const disk = shareOf(guest.diskBytes, guest.diskTotalBytes)
  const state = guest.isTemplate ? 'template' : guest.status
  const parts = [
    `${guest.vmid} ${plainName(guest.name)} ${guest.type} ${state} on ${plainName(guest.node)}`,
    isUp ? `CPU ${percentOr(guest.cpuRatio)}${guest.cpuCount === null ? '' : ` of ${guest.cpuCount}`}` : undefined,
    guest.ramTotalBytes === null
      ? 'memory unknown'
      : isUp && guest.ramBytes !== null
        ? memoryOf(guest.ramBytes, guest.ramTotalBytes)
        : `memory ${gibOf(guest.ramTotalBytes)}`,
    disk !== undefined && disk > 0 ? `disk ${percent(disk)}` : undefined,
    isUp && guest.uptimeS !== null ? `up ${spanOf(guest.uptimeS)}` : undefined,
    guest.backupAt === undefined
      ? 'no known backup'
      : guest.backupAt === null
        ? 'backup unknown'
        : `backup ${ageOf(guest.backupAt, now)}`,
    guest.lock === undefined ? undefined : `locked (${oneLine(guest.lock, 20)})`,
    guest.isHa ? 'HA' : undefined,
    guest.isProtected ? 'protected' : undefined,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

/** Describes a storage in one line: `nvme-fast zfspool on pve, 1.69 TiB of 1.86 TiB (91 %), holds images rootdir`. */
export function storageLine(storage: Storage): string {
  const { name, node, type, isActive, usedBytes, totalBytes, content } = storage
  const place = node === undefined ? 'shared' : `on ${plainName(node)}`
  const size = totalBytes === null ? 'size unknown' : `of ${diskOf(totalBytes)}`
  const fill =
    usedBytes === null
      ? `use unknown, ${size}`
      : `${diskOf(usedBytes)} ${size} (${percentOr(shareOf(usedBytes, totalBytes))})`
  const holds = content.length === 0 ? '' : `, holds ${oneLine(content.join(' '), 60)}`
  return `${plainName(name)} ${oneLine(type, 20)} ${place}, ${isActive === null ? 'unknown whether it can be reached, ' : isActive ? '' : 'not reachable, last known '}${fill}${holds}`
}
