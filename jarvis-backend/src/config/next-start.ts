import { isDeepStrictEqual } from 'node:util'
import type { NextStart } from '../protocol/index.ts'
import type { Config } from './config.ts'
import { placeOf } from './proxmox.ts'

/**
 * What of the cluster and of SSH was saved since this start, and counts from the next one; undefined where nothing was.
 * @param next the configuration of a start that began now
 */
export function nextStart(running: Config, next: Config): NextStart | undefined {
  const urls = isDeepStrictEqual(running.proxmox, next.proxmox) ? undefined : [...(next.proxmox?.urls ?? [])]
  const ways = ({ ssh, nodes, wolTarget }: Config) => ({ ssh, nodes, wolTarget })
  const hasNewSsh = !isDeepStrictEqual(ways(running), ways(next))
  if (urls === undefined && !hasNewSsh) return undefined
  return { ...(urls !== undefined && { urls }), hasNewSsh, isAnotherCluster: placeOf(running) !== placeOf(next) }
}
