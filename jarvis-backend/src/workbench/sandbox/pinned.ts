import { chmodSync, lstatSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file as a person saw it before a command was approved. `path`: relative to the folder that the command runs in. */
export type Pinned = { path: string; bytes: Buffer; mode: number; changedAt: Date }

/**
 * Puts files into a view of a folder before a command starts on it, so that the command reads these bytes whatever the folder holds by then.
 * @param view the layer that hides the folder, or its copy; nothing else uses it yet @param folder it has the modes of the folders on the way
 */
export function pin(view: string, folder: string, files: readonly Pinned[]): void {
  for (const { path, bytes, mode, changedAt } of files) {
    const parts = path.split('/').slice(0, -1)
    for (const at of parts.keys()) {
      const part = parts.slice(0, at + 1).join('/')
      if (lstatSync(join(view, part), { throwIfNoEntry: false })?.isDirectory()) continue
      rmSync(join(view, part), { force: true })
      mkdirSync(join(view, part))
      chmodSync(join(view, part), (lstatSync(join(folder, part), { throwIfNoEntry: false })?.mode ?? 0o755) & 0o777)
    }
    const full = join(view, path)
    rmSync(full, { recursive: true, force: true })
    writeFileSync(full, bytes, { mode: 0o600, flag: 'wx' })
    chmodSync(full, mode)
    utimesSync(full, changedAt, changedAt)
  }
}
