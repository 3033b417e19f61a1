import { chmodSync, lstatSync, mkdirSync, rmdirSync, type Stats, symlinkSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Survey } from './survey.ts'

/** A throw-away view of a folder, in a folder of its own. Writes go to `upper`, and the original folder stays unchanged. */
export type Layers = { dir: string; lower: string; upper: string; merged: string }

/**
 * A shell script that mounts an overlay and then runs a program. Without `userxattr`, an overlay that is not mounted by real root cannot hide
 * entries. The names are relative, because a comma in a path would end the mount option. The environment is emptied, because the shell adds its
 * working folder to it, and a command can read the environment of the sandbox's first process.
 */
const script =
  'cd "$1" && shift && mount -t overlay overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work merged && exec /usr/bin/env -i "$@"'
const readScript =
  'cd "$1" && shift && mount -t overlay overlay -o ro,userxattr,lowerdir=upper:lower merged && cd merged && exec "$@"'
const ownNamespace = ['/usr/bin/unshare', '--user', '--map-root-user', '--mount', '--', '/bin/sh', '-c']

/** Makes the layers over a folder in `dir`, which must not exist. */
export function madeLayers(dir: string, folder: string): Layers {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (const name of ['upper', 'work', 'merged']) mkdirSync(join(dir, name), { mode: 0o700 })
  symlinkSync(folder, join(dir, 'lower'))
  // The merged folder gets the mode of the upper one.
  chmodSync(join(dir, 'upper'), lstatSync(folder).mode & 0o777)
  return { dir, lower: folder, upper: join(dir, 'upper'), merged: join(dir, 'merged') }
}

/** The start of a command line that mounts the layers in its own namespace and then executes the arguments that follow. */
export const overMounted = ({ dir }: Layers): string[] => [...ownNamespace, script, 'sh', dir]

/** The same as `overMounted`, but read-only and with the merged folder as the working folder. */
export const overMountedToRead = ({ dir }: Layers): string[] => [...ownNamespace, readScript, 'sh', dir]

/** Copies the folder in place of the mount, for a kernel that refuses overlays. Secrets are empty in the copy. */
export async function copied({ lower, merged }: Layers, secrets: Survey['secrets']): Promise<void> {
  const hidden = new Set(secrets.map(({ path }) => join(lower, path)))
  rmdirSync(merged)
  await cp(lower, merged, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: (from) => !hidden.has(from) && isCopied(lstatSync(from)),
  })
  for (const { path, isFolder } of secrets) {
    if (isFolder) mkdirSync(join(merged, path))
    else writeFileSync(join(merged, path), '')
  }
}

/** Returns true for entries that are copied. Pipes, sockets and devices are left out. */
const isCopied = (stat: Stats) => stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
