import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { bwrapArgv, bwrapPath, type Cell } from './argv.ts'
import { seccompFilter } from './seccomp.ts'

/** `exitCode` of the program; by a signal 128 and its number. */
export type Ended =
  | { kind: 'ended'; exitCode: number }
  /** The program never ran. `said`: what bubblewrap wrote. */
  | { kind: 'not_started'; said: string }

/** A program in a sandbox. Its output is not yet read, and a program whose output nobody reads stands still. */
export type Started = {
  stdin: Writable | null
  stdout: Readable
  /** Of the program and, where it did not start, of bubblewrap. */
  stderr: Readable
  ended: Promise<Ended>
  /** Asks all processes of the sandbox to end. */
  terminate(): void
  /** Ends all processes of the sandbox at once. */
  kill(): void
}

/** How a sandbox is started: the program before bubblewrap's own arguments, for an overlay that is mounted first, and bubblewrap itself. */
export type Starter = { bwrap?: string; before?: readonly string[]; hasStdin?: true }

/**
 * Starts a program in a sandbox of bubblewrap. Call it on the main thread: the kernel ends the sandbox with the thread that started it.
 * @param program with the full path inside the sandbox
 */
export function startInCell(cell: Cell, program: readonly string[], starter: Starter = {}): Started {
  const { bwrap = bwrapPath, before = [], hasStdin } = starter
  const filter = seccompFilter({
    sockets: cell.egress === undefined ? 'inet' : 'unix',
    ...(cell.nests && { nests: true }),
  })
  if (filter === undefined) return neverStarted(`There is no filter of system calls for ${process.arch}.`)
  const [file = bwrap, ...rest] = [...before, bwrap, ...bwrapArgv(cell, { seccomp: 3, status: 4 }, program)]
  const child = spawn(file, rest, {
    stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: {},
    cwd: '/',
    // A group of its own, so that a Ctrl-C in JARVIS's terminal does not reach it.
    detached: true,
  })
  const report = reportOf(child)
  const rules = child.stdio[3] as Writable
  // Where bubblewrap did not start, nobody reads the filter.
  rules.on('error', () => undefined)
  rules.end(filter)
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < 4_096) said += chunk.toString()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('error', (error) => resolve({ kind: 'not_started', said: error.message }))
    child.on('close', () => {
      const exitCode = report.exitCode()
      if (exitCode !== undefined) resolve({ kind: 'ended', exitCode })
      // Killed before it could report, and yet it ran.
      else if (report.init() !== undefined && (child.signalCode !== null || report.isStopped))
        resolve({ kind: 'ended', exitCode: 137 })
      else resolve({ kind: 'not_started', said: said.trim() })
    })
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    ended,
    terminate: () => signalGroup(report.init(), 'SIGTERM'),
    kill() {
      report.isStopped = true
      const init = report.init()
      // The first process of the namespace: with it, the kernel ends all others.
      if (init !== undefined && isOurs(init, child.pid)) signal(init, 'SIGKILL')
      else if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
    },
  }
}

/** Bubblewrap's report, a line of JSON for each event: the first process's id, and the exit code once the program has run. */
function reportOf(child: ChildProcess) {
  let text = ''
  const stream = child.stdio[4] as Readable
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const number = (name: string) => {
    const found = new RegExp(`"${name}": ?(\\d+)`).exec(text)?.[1]
    return found === undefined ? undefined : Number(found)
  }
  return { init: () => number('child-pid'), exitCode: () => number('exit-code'), isStopped: false }
}

/** Whether the process still descends from ours: its number may have been given to another one. */
function isOurs(pid: number, ancestor: number | undefined): boolean {
  for (let at = pid; at > 1; ) {
    if (at === ancestor) return true
    const parent = parentOf(at)
    if (parent === undefined) return false
    at = parent
  }
  return false
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in brackets, which may hold brackets and spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** The sandbox's first process ignores it, so that the others may end by themselves. */
function signalGroup(init: number | undefined, name: NodeJS.Signals): void {
  if (init !== undefined) signal(-init, name)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

function neverStarted(said: string): Started {
  const child = spawn('/bin/true', { stdio: ['ignore', 'pipe', 'pipe'] })
  return {
    stdin: null,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: Promise.resolve({ kind: 'not_started', said }),
    terminate: () => undefined,
    kill: () => undefined,
  }
}
