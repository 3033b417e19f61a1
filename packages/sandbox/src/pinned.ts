import { chmodSync, lstatSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file as a person saw it before a command was approved. `path`: relative to the folder in which the command runs. */
export type Pinned = { path: string; bytes: Buffer; mode: number; changedAt: Date }

/**
 * Puts files into the view of a folder before a command starts, so that the command reads these bytes even if the folder has changed since.
 * @param view the layer above the folder, or the folder's copy; nothing else uses it yet @param folder the original folder, which gives the modes of
 * parent folders
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
