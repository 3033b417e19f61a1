import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { argsFrom, bwrapOptions, bwrapPath, type Cell } from './argv.ts'
import { descends, hasEnded, type Load, loadOf } from './process-tree.ts'
import { seccompFilter } from './seccomp.ts'
import { taskGroup } from './task-group.ts'

/** `exitCode` of the program; by a signal 128 and its number. `isAlone`: nothing that it started is left. */
export type Ended =
  | { kind: 'ended'; exitCode: number; isAlone: boolean }
  /** The program never ran. `said`: what bubblewrap wrote. */
  | { kind: 'not_started'; said: string }

/** A program in a sandbox. Its output is not yet read, and a program whose output nobody reads stands still. */
export type Started = {
  stdin: Writable | null
  stdout: Readable
  /** The stderr of the program, or of bubblewrap if the program did not start. */
  stderr: Readable
  /** Resolves to true if bubblewrap itself began. The commands before it may fail, and the program may still not start. */
  began: Promise<boolean>
  ended: Promise<Ended>
  /** The processes of the sandbox now, with their memory in bytes. */
  processes(): Load
  /** Asks all processes of the sandbox to end. */
  terminate(): void
  /** Ends all processes of the sandbox at once. */
  kill(): void
}

/** `bwrap`: another program in its place, for tests. `before`: what mounts an overlay and then becomes bubblewrap. */
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
  const group = taskGroup()
  const grouped = group.kind === 'group' ? group.before : []
  const [file = bwrap, ...rest] = [...grouped, ...before, bwrap, ...argsFrom(5, program)]
  const child = spawn(file, rest, {
    stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: {},
    cwd: '/',
    // A group of its own, so that a Ctrl-C in JARVIS's terminal does not reach it.
    detached: true,
  })
  const report = reportOf(child)
  let isStopped = false
  // Node's types name five files alone.
  const files: readonly unknown[] = child.stdio
  give(files[3] as Writable, filter)
  give(files[5] as Writable, bwrapOptions(cell, { seccomp: 3, status: 4 }).join('\0'))
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < 4_096) said += chunk.toString()
  })
  const began = new Promise<boolean>((resolve) => {
    report.onFirst(() => resolve(true))
    child.on('error', () => resolve(false))
    child.on('close', () => resolve(false))
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('error', (error) => resolve({ kind: 'not_started', said: error.message }))
    child.on('close', async () => {
      const init = report.init()
      // Bubblewrap reports no exit code of a program that was ended before it ran, or together with the sandbox.
      const exitCode =
        report.exitCode() ?? (isStopped || (init !== undefined && child.signalCode !== null) ? 137 : undefined)
      if (exitCode === undefined) return resolve({ kind: 'not_started', said: said.trim() })
      // Bubblewrap ends before the first process of its namespace, which ends after all others.
      resolve({ kind: 'ended', exitCode, isAlone: init === undefined || (await hasEnded(init)) })
    })
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    began,
    ended,
    processes: () => loadOf(report.init()),
    terminate() {
      isStopped = true
      signalGroup(report.init(), 'SIGTERM')
    },
    kill() {
      isStopped = true
      const init = report.init()
      // The first process of the namespace: with it, the kernel ends all others.
      if (init !== undefined && descends(init, child.pid)) signal(init, 'SIGKILL')
      else if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
    },
  }
}

function give(stream: Writable, content: Buffer | string): void {
  // Where bubblewrap did not start, nobody reads it.
  stream.on('error', () => undefined)
  stream.end(content)
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
  return {
    init: () => number('child-pid'),
    exitCode: () => number('exit-code'),
    onFirst: (then: () => void) => stream.once('data', then),
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
    began: Promise.resolve(false),
    ended: Promise.resolve({ kind: 'not_started', said }),
    processes: () => loadOf(undefined),
    terminate: () => undefined,
    kill: () => undefined,
  }
}
