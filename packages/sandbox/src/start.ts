import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { argsFrom, bwrapOptions, bwrapPath, type Cell } from './argv.ts'
import { descends, hasEnded, type Load, loadOf } from './process-tree.ts'
import { seccompFilter } from './seccomp.ts'
import { taskGroup } from './task-group.ts'

/**
 * The end of a program. `exitCode`: the program's exit code; 128 plus the signal's number if a signal ended it. `isAlone`: none of the processes
 * that it started is left.
 */
export type Ended =
  | { kind: 'ended'; exitCode: number; isAlone: boolean }
  /** The program never ran. `said`: the output of bubblewrap. */
  | { kind: 'not_started'; said: string }

/** A program in a sandbox. Its output must be read, because the program blocks if nobody reads it. */
export type Started = {
  stdin: Writable | null
  stdout: Readable
  /** The stderr of the program, or of bubblewrap if the program did not start. */
  stderr: Readable
  /** Resolves to true if bubblewrap itself started. The programs before it may fail, and the sandboxed program may still not start. */
  began: Promise<boolean>
  ended: Promise<Ended>
  /** The processes of the sandbox now, with their memory in bytes. */
  processes(): Load
  /** Asks all processes of the sandbox to end. */
  terminate(): void
  /** Ends all processes of the sandbox at once. */
  kill(): void
}

/** `bwrap`: replaces bubblewrap, for tests. `before`: a program that mounts an overlay and then becomes bubblewrap. */
export type Starter = { bwrap?: string; before?: readonly string[]; hasStdin?: true }

/**
 * Starts a program in a bubblewrap sandbox. Call it on the main thread, because the kernel ends the sandbox together with the thread that started
 * it.
 * @param program the full path inside the sandbox, and the arguments
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
    // The sandbox is in its own process group, so that Ctrl-C in this process's terminal does not reach it.
    detached: true,
  })
  const report = reportOf(child)
  let isStopped = false
  // Node's types declare only five file descriptors.
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
      // Bubblewrap reports no exit code if the program was ended before it ran, or together with the sandbox.
      const exitCode =
        report.exitCode() ?? (isStopped || (init !== undefined && child.signalCode !== null) ? 137 : undefined)
      if (exitCode === undefined) return resolve({ kind: 'not_started', said: said.trim() })
      // Bubblewrap ends before the first process of its namespace, and that process ends after all others.
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
      // The kernel ends all processes of the namespace together with its first process.
      if (init !== undefined && descends(init, child.pid)) signal(init, 'SIGKILL')
      else if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
    },
  }
}

function give(stream: Writable, content: Buffer | string): void {
  // If bubblewrap did not start, nobody reads the stream.
  stream.on('error', () => undefined)
  stream.end(content)
}

/** Reads bubblewrap's status report, one line of JSON for each event: the id of the first process, and the exit code after the program has run. */
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

/** Sends a signal to the sandbox's process group. The first process ignores it, so the other processes may end by themselves. */
function signalGroup(init: number | undefined, name: NodeJS.Signals): void {
  if (init !== undefined) signal(-init, name)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended in the meantime.
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
