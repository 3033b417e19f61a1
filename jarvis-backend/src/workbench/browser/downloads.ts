import { lstatSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { Download } from 'playwright-core'
import type { Clock } from '../../lib/clock.ts'
import { addFile } from '../files/add-file.ts'
import { bytesOf, type RootAt, withFile, within } from '../files/walk.ts'
import { nameOf, namesFor } from '../new-name.ts'

/** The largest file, bytes (`mostBytes`), and the most files of one browser (`mostFiles`). */
const mostBytes = 50 * 1024 ** 2
const mostFiles = 20
const lookMs = 250

/** Keeps a download in the session's folder. @returns a sentence about the result */
export type KeepDownload = (
  download: Pick<Download, 'suggestedFilename' | 'cancel' | 'failure' | 'path' | 'delete'>,
) => Promise<string>

/**
 * Keeps files that pages offer for download in the session's folder, under `downloads`. No file is opened. Chromium can write to the one folder and
 * a model's commands to the other, so both are opened first and then used through the open folder, and no link in them is followed.
 * @param folder where Chromium writes @param to `root`: makes the session's folder on first use; `kept`: called with the path of each kept file
 * @returns a function that keeps one download and returns a sentence about the result
 */
export function createDownloads(
  folder: string,
  to: { root(): RootAt; kept?: ((path: string) => void) | undefined },
  clock: Clock,
): KeepDownload {
  const from: RootAt = { name: 'the downloads', path: folder, write: false, own: [] }
  let count = 0
  return async function keep(download) {
    const offered = nameOf(download.suggestedFilename())
    count += 1
    if (count > mostFiles) {
      await download.cancel().catch(() => undefined)
      return `The page offered the file ${offered}. It was refused: a browser keeps ${mostFiles} files.`
    }
    const watch: { isTooLarge: boolean; stop(): void } = { isTooLarge: false, stop: () => undefined }
    const look = () => {
      if (sizeOf(from) > mostBytes) {
        watch.isTooLarge = true
        void download.cancel().catch(() => undefined)
      } else watch.stop = clock.after(lookMs, look)
    }
    look()
    const failure = await download.failure()
    watch.stop()
    const path = failure === null ? await download.path() : undefined
    const written = path === undefined || watch.isTooLarge ? undefined : bytesIn(from, basename(path))
    if (watch.isTooLarge || written === 'too large') {
      await download.delete().catch(() => undefined)
      return `The page offered the file ${offered}. It was refused: it is larger than 50 MB.`
    }
    if (written === undefined) return `The download of ${offered} failed: ${failure ?? 'it was cancelled'}.`
    const kept = addFile(to.root(), { folder: 'downloads', names: namesFor(offered) }, written)
    to.kept?.(`downloads/${kept}`)
    await download.delete().catch(() => undefined)
    return `The page handed out a file: session/downloads/${kept}, ${written.length} bytes. It was not opened.`
  }
}

/** The bytes of a download; undefined if it is not a file. */
const bytesIn = (from: RootAt, name: string): Buffer | 'too large' | undefined =>
  within(from, name, (held) =>
    withFile(held, name, (file, stats) => (stats.isFile() ? (bytesOf(file, mostBytes) ?? 'too large') : undefined)),
  )

/** The size of the largest file in Chromium's download folder, bytes. Chromium makes no folders there. */
function sizeOf(from: RootAt): number {
  const sizes = within(from, '', ({ dir }) =>
    readdirSync(dir).map((name) => lstatSync(`${dir}/${name}`, { throwIfNoEntry: false })?.size ?? 0),
  )
  return Math.max(0, ...(sizes ?? []))
}
