import { isDeepStrictEqual } from 'node:util'
import type { NextStart } from 'protocol'
import type { Config } from './config.ts'
import { placeOf } from './proxmox.ts'

/**
 * Settings of the cluster and SSH that were saved since this start and take effect at the next; undefined if there are none. @param next the
 * configuration that a start would read now
 */
export function nextStart(running: Config, next: Config): NextStart | undefined {
  const urls = isDeepStrictEqual(running.proxmox, next.proxmox) ? undefined : [...(next.proxmox?.urls ?? [])]
  const ways = ({ ssh, nodes, wolTarget }: Config) => ({ ssh, nodes, wolTarget })
  const hasNewSsh = !isDeepStrictEqual(ways(running), ways(next))
  if (urls === undefined && !hasNewSsh) return undefined
  return { urls, hasNewSsh, isAnotherCluster: placeOf(running) !== placeOf(next) }
}
