import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from './clock.ts'

/** Removes folders that a model, a web page or a command filled. Their content cannot keep the process from starting or working. */
export type Removal = {
  /**
   * Moves a folder of the data directory away at once, regardless of its content, and removes it later. No error if the folder does not exist. Never
   * throws: a folder that cannot be removed is reported, and tried again every hour and at the next start.
   */
  discard(path: string): void
  /** Removes the file or folder at a path, if it exists. @returns false if a part of it is left; this is reported */
  remove(path: string): Promise<boolean>
  /** Begins to remove folders that earlier processes discarded. */
  start(): void
  /** Stops removing; the next start continues. */
  stop(): void
}

/**
 * The program that removes the paths in its arguments. It prints as JSON the paths that it could not remove completely. It runs in a process of its
 * own, because such a folder may hold any number of files. It is a text, so that the built server needs no further file.
 *
 * Each folder is opened without following links, and its entries are addressed relative to it. Nested folders are moved up beside their parents, so
 * that neither their depth nor the length of a path matters. Names are handled as bytes, because they may not be valid text.
 */
const source = `
const fs = require('node:fs')
const { randomBytes } = require('node:crypto')
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants
const pathOnly = 0x200000
try { require('node:os').setPriority(10) } catch {}
var problem
const at = (fd, name) => Buffer.concat([Buffer.from('/proc/self/fd/' + fd + '/'), name])

function unlinked(path) {
  try {
    fs.unlinkSync(path)
    return true
  } catch (error) {
    if (error.code === 'ENOENT') return true
    if (error.code === 'EISDIR') return false
    throw error
  }
}
function inFolder(path, work) {
  const held = fs.openSync(path, O_DIRECTORY | O_NOFOLLOW | pathOnly)
  let fd
  try {
    // Its owner may have closed it.
    try { fs.chmodSync('/proc/self/fd/' + held, 0o700) } catch {}
    fd = fs.openSync('/proc/self/fd/' + held + '/.', O_RDONLY | O_DIRECTORY)
  } finally {
    fs.closeSync(held)
  }
  try {
    return work(fd)
  } finally {
    fs.closeSync(fd)
  }
}
function each(fd, act) {
  let count = 0
  const folder = fs.opendirSync('/proc/self/fd/' + fd, { encoding: 'buffer', bufferSize: 512 })
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      try {
        if (act(at(fd, entry.name))) count += 1
      } catch (error) {
        problem ??= error.code
      }
    }
  } finally {
    folder.closeSync()
  }
  return count
}
function remove(path) {
  if (unlinked(path)) return
  inFolder(path, (top) => {
    const lift = (from) => {
      // A folder that its owner may not write cannot be moved.
      inFolder(from, () => undefined)
      fs.renameSync(from, at(top, Buffer.from(randomBytes(12).toString('hex'))))
      return true
    }
    const emptied = (from) => {
      if (unlinked(from)) return true
      const count = inFolder(from, (fd) => each(fd, (inner) => unlinked(inner) || lift(inner)))
      try {
        fs.rmdirSync(from)
        return true
      } catch (error) {
        problem ??= error.code
        return count > 0
      }
    }
    while (each(top, emptied) > 0);
  })
  fs.rmdirSync(path)
}
const left = {}
for (const path of process.argv.slice(1)) {
  problem = undefined
  try {
    remove(path)
  } catch (error) {
    if (error.code !== 'ENOENT') left[path] = problem ?? error.code
  }
}
process.stdout.write(JSON.stringify(left))
`

const againMs = 60 * 60_000
/** Maximum number of paths given to one child process. */
const mostAtOnce = 200

/** Creates the removal. @param dir a folder used only for this, on the same file system as the discarded folders */
export function createRemoval(
  dir: string,
  { clock, report }: { clock: Clock; report(error: unknown, message: string): void },
): Removal {
  const stuck = new Set<string>()
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let isWanted = false
  let disarm: () => void = () => undefined

  function told(path: string, why: unknown): void {
    if (stuck.has(path)) return
    stuck.add(path)
    report(why, `${path} could not be removed whole. It is tried again every hour and at the next start.`)
  }

  async function remove(path: string): Promise<boolean> {
    const left = await leftOf([path], stopping.signal)
    if (stopping.signal.aborted) return false
    for (const [one, why] of left) told(one, new Error(why))
    return left.size === 0
  }

  async function empty(): Promise<void> {
    do {
      isWanted = false
      const names = namesIn(dir)
      for (let from = 0; from < names.length; from += mostAtOnce) {
        const paths = names.slice(from, from + mostAtOnce).map((name) => join(dir, name))
        for (const [path, why] of await leftOf(paths, stopping.signal)) told(path, new Error(why))
        if (stopping.signal.aborted) return
      }
    } while (isWanted)
    if (stuck.size > 0) disarm = clock.after(againMs, begin)
  }

  function begin(): void {
    isWanted = true
    if (stopping.signal.aborted || running !== undefined) return
    disarm()
    running = empty()
      .catch((error: unknown) => report(error, `what was to be removed in ${dir} is still there`))
      .finally(() => {
        running = undefined
      })
  }

  return {
    remove,
    discard(path) {
      try {
        mkdirSync(dir, { recursive: true, mode: 0o700 })
        renameSync(path, join(dir, randomBytes(8).toString('hex')))
        begin()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
        remove(path).catch((why: unknown) => told(path, why))
      }
    },
    start: begin,
    stop() {
      disarm()
      stopping.abort()
    },
  }
}

/**
 * Removes paths in a child process. Returns the paths that could not be removed completely, each with the reason.
 * @throws Error if the child process did not end normally
 */
function leftOf(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--max-old-space-size=128', '-e', source, '--', ...paths], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {},
      cwd: '/',
      signal,
      killSignal: 'SIGKILL',
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.on('error', (error) => (signal.aborted ? resolve(new Map()) : reject(error)))
    child.on('close', (code, ended) => {
      if (signal.aborted) resolve(new Map())
      else if (code === 0) resolve(new Map(Object.entries(JSON.parse(said) as Record<string, string>)))
      else reject(new Error(`The removal ended with ${code ?? ended}.`))
    })
  })
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
