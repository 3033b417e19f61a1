import { spawnSync } from 'node:child_process'

/** Bubblewrap, where it is installed and may make a sandbox: a container often refuses it. */
export function findBwrap() {
  const path = '/usr/bin/bwrap'
  const tried = spawnSync(path, ['--unshare-user', '--unshare-all', '--ro-bind', '/', '/', '/usr/bin/true'])
  return tried.status === 0 ? path : undefined
}
