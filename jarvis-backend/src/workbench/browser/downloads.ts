import { constants, copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Download } from 'playwright-core'
import type { Clock } from '../../lib/clock.ts'

/** The most bytes of one file, and the most files of one browser. */
const mostBytes = 50 * 1024 ** 2
const mostFiles = 20
const lookMs = 250

/**
 * Keeps the files that pages hand out in the session's folder, under `downloads`, and opens none of them.
 * @param from where Chromium writes @param to makes the folder on first use
 * @returns for each download what became of it, as a sentence
 */
export function createDownloads(from: string, to: () => string, clock: Clock) {
  let count = 0
  return async function keep(download: Download): Promise<string> {
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
    const bytes = path === undefined ? 0 : statSync(path).size
    if (watch.isTooLarge || bytes > mostBytes) {
      await download.delete().catch(() => undefined)
      return `The page offered the file ${offered}. It was refused: it is larger than 50 MB.`
    }
    if (path === undefined) return `The download of ${offered} failed: ${failure ?? 'it was cancelled'}.`
    const folder = join(to(), 'downloads')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const kept = copyTo(path, folder, offered)
    await download.delete().catch(() => undefined)
    return `The page handed out a file: session/downloads/${kept}, ${bytes} bytes. It was not opened.`
  }
}

/** The largest file that Chromium writes now. */
function sizeOf(folder: string): number {
  try {
    return Math.max(
      0,
      ...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).size),
    )
  } catch {
    return 0
  }
}

/** A name of the page's choice as a plain one. */
export const nameOf = (offered: string): string => {
  const plain = offered.replace(/[^\w.-]+/g, '_').replace(/^[._-]+/, '')
  const kept = plain.slice(0, 80 - extname(plain).slice(0, 16).length) + extname(plain.slice(80)).slice(0, 16)
  return kept === '' ? 'file' : kept
}

/** @returns the name, with a number where there was such a file. */
function copyTo(path: string, folder: string, name: string): string {
  for (let tries = 1; ; tries += 1) {
    const end = extname(name)
    const candidate = tries === 1 ? name : `${name.slice(0, name.length - end.length)}-${tries}${end}`
    try {
      copyFileSync(path, join(folder, candidate), constants.COPYFILE_EXCL)
      return candidate
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 99) throw error
    }
  }
}
