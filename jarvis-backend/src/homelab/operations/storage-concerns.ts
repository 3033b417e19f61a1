import { percent, spanOf } from 'node-kit/words'
import { shareOf } from 'protocol/facts'
import { oneLine, plainName } from '../format.ts'
import type { Disk, Pool, PoolFault, ThinPool } from './disks.ts'

/** Limits at which a disk or pool needs a person. Full metadata of a thin pool stops all writes, just as full data does. */
const limits = { lifeLeftRatio: 0.2, scrubMs: 40 * 86_400_000, thinRatio: 0.8 }

/** Returns lines about a disk's problems, such as `/dev/nvme0n1 on pve has 12 % of its life left`. */
export function diskConcerns({ node, path, isHealthy, lifeLeftRatio }: Disk): string[] {
  const who = `${oneLine(path, 40)} on ${plainName(node)}`
  return [
    ...(isHealthy === false ? [`${who} fails by its own word (SMART): replace it`] : []),
    ...(lifeLeftRatio !== undefined && lifeLeftRatio <= limits.lifeLeftRatio
      ? [`${who} has ${percent(lifeLeftRatio)} of its life left`]
      : []),
  ]
}

export function poolConcerns(pool: Pool, now: number): string[] {
  const { node, name, health, faults, errors, scrubbedAt, missing } = pool
  const who = `pool ${plainName(name)} on ${plainName(node)}`
  return [
    ...(health === 'ONLINE' ? [] : [`${who} is ${plainName(health)}`]),
    ...faults.map((fault) => `${who}: ${faultWords(fault)}`),
    ...(errors === undefined ? [] : [`${who}: ${oneLine(errors, 160)}`]),
    // If ZFS does not report the last scrub, there may still have been one. The check `zfs-scrub` remembers its time.
    ...(missing !== undefined || scrubbedAt === null ? [] : scrubConcern(who, scrubbedAt, now)),
  ]
}

function scrubConcern(who: string, scrubbedAt: number, now: number): string[] {
  return now - scrubbedAt > limits.scrubMs ? [`${who} was scrubbed ${spanOf((now - scrubbedAt) / 1000)} ago`] : []
}

export const faultWords = ({ device, state, read, write, checksum }: PoolFault): string =>
  `${oneLine(device, 60)} ${state === undefined ? '' : `${plainName(state)}, `}${read} read, ${write} write, ${checksum} checksum errors`

export function thinConcerns({ node, name, ...pool }: ThinPool): string[] {
  const parts = [
    { of: 'data', share: shareOf(pool.usedBytes, pool.sizeBytes) },
    { of: 'metadata', share: shareOf(pool.metadataUsedBytes, pool.metadataBytes) },
  ]
  return parts.flatMap(({ of, share }) =>
    share !== undefined && share >= limits.thinRatio
      ? [`thin pool ${plainName(name)} on ${plainName(node)}: ${of} ${percent(share)} full; at 100 % its guests stop`]
      : [],
  )
}
