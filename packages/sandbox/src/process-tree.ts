import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** The number of processes, and the sum of their memory. */
export type Load = { count: number; memoryBytes: number }

const pageBytes = 4096

/** The number and memory of a process and all its descendants. */
export function loadOf(root: number | undefined): Load {
  const all = below(root)
  return { count: all.length, memoryBytes: all.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) }
}

/** The ids of a process and all that descend from it. */
export const descendants = (root: number | undefined): number[] => below(root).map(({ pid }) => pid)

/**
 * Returns a process and all its descendants; empty if the process does not exist. An orphan is reparented to the init process of its PID namespace,
 * or, if the tree has no namespace of its own, to a process outside the tree, and is then missing here.
 */
function below(root: number | undefined): Stat[] {
  if (root === undefined) return []
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []))
  const children = byParent(all)
  const found: Stat[] = []
  const open = all.filter(({ pid }) => pid === root)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next)
    open.push(...(children.get(next.pid) ?? []))
  }
  return found
}

/** Returns true if a process still descends from another one. The process id may have been reused for an unrelated process. */
export function descends(pid: number, ancestor: number | undefined): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = statOf(at)?.parent)
    if (at === ancestor) return true
  return false
}

const longestEndMs = 5_000

/** Waits until a process has ended, for 5 s at most. A zombie process counts as ended. */
export async function hasEnded(pid: number): Promise<boolean> {
  for (const until = Date.now() + longestEndMs; Date.now() < until; ) {
    if ('ZX'.includes(statOf(pid)?.state ?? 'X')) return true
    await setTimeout(2)
  }
  return false
}

/** `state`: the kernel's letter. `Z` and `X` stand for a process that has ended. */
type Stat = { pid: number; parent: number; state: string; memoryBytes: number }

function statOf(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in brackets, which may hold brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid, parent: Number(fields[1]), state: fields[0] ?? 'X', memoryBytes: Number(fields[21]) * pageBytes }
  } catch {
    return undefined
  }
}

function byParent(all: readonly Stat[]): Map<number, Stat[]> {
  const found = new Map<number, Stat[]>()
  for (const one of all) {
    const siblings = found.get(one.parent)
    if (siblings === undefined) found.set(one.parent, [one])
    else siblings.push(one)
  }
  return found
}
