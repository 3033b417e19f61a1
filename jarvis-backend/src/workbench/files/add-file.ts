import { closeSync, constants, fchmodSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { JarvisError } from 'protocol'
import { type Held, type RootAt, within } from './walk.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/**
 * Writes bytes into a new file of a root. The folder is made if it is missing. No link on the path is followed, and no existing entry is replaced.
 * @param folder relative to the root @param names candidates for the name; the first free one is used
 * @returns the name @throws JarvisError `invalid_request` if a part of the path is a link; `conflict` if no name is free
 */
export function addFile(
  root: RootAt,
  { folder, names }: { folder: string; names: readonly string[] },
  bytes: Buffer,
): string {
  const parts = folder.split('/')
  for (const at of parts.keys()) within(root, parts.slice(0, at + 1).join('/'), makeFolder)
  const name = within(root, `${folder}/x`, ({ dir }) => names.find((one) => wroteNew(`${dir}/${one}`, bytes)))
  if (name === undefined)
    throw new JarvisError('conflict', `There is no free name in ${root.name}/${folder}. Delete files of it first.`)
  return name
}

/**
 * Writes bytes into a new file at a path of a root, as `addFile` does.
 * @returns false if something stands there already @throws JarvisError `invalid_request` if a part of the path is a link
 */
export function addFileAt(root: RootAt, path: string, { bytes, mode }: { bytes: Buffer; mode: number }): boolean {
  const parts = path.split('/')
  for (const at of parts.keys()) if (at > 0) within(root, parts.slice(0, at).join('/'), makeFolder)
  return within(root, path, ({ dir, name }) => wroteNew(`${dir}/${name}`, bytes, mode)) === true
}

function makeFolder({ dir, name }: Held): void {
  try {
    mkdirSync(`${dir}/${name}`, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Writes a new file. @param path a name in an open folder @returns false if the name exists already, also as a link */
function wroteNew(path: string, bytes: Buffer, mode = 0o600): boolean {
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeFileSync(file, bytes)
    if (mode !== 0o600) fchmodSync(file, mode)
    return true
  } catch (error) {
    // If the disk is full, no partly written file is left under a name that people trust.
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}
