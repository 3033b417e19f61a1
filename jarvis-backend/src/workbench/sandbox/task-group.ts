import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Tasks, which are processes and their threads, of all commands together. */
const most = 1_024
/** Where the kernel counts them: its first version of control groups, and the second. */
const hierarchies = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
const script = 'echo $$ > "$0" && exec /usr/bin/env -i "$@"'

/** `unneeded`: the kernel's own limit (`prlimit --nproc`) holds. `none`: it does not, and no group could be made. */
export type TaskGroup = { kind: 'unneeded' | 'none' } | { kind: 'group'; before: readonly string[] }

let found: TaskGroup | undefined

/**
 * What bounds the processes of commands where JARVIS runs as the machine's root, whom `--nproc` does not bind: a fork bomb would take all process
 * ids before anybody looks. The group is made once, is shared by all commands, and stays when JARVIS ends. `before` puts a program into it.
 */
export function taskGroup(): TaskGroup {
  found ??= isRealRoot() ? madeGroup() : { kind: 'unneeded' }
  return found
}

/** Root of a container with users of its own is an ordinary user to the kernel. */
const isRealRoot = () => process.getuid?.() === 0 && /^\s*0\s+0\s/.test(readFileSync('/proc/self/uid_map', 'utf8'))

function madeGroup(): TaskGroup {
  for (const hierarchy of hierarchies) {
    const group = join(hierarchy, 'jarvis-commands')
    try {
      if (!existsSync(join(hierarchy, 'cgroup.procs'))) continue
      mkdirSync(group, { recursive: true })
      writeFileSync(join(group, 'pids.max'), String(most))
      return { kind: 'group', before: ['/bin/sh', '-c', script, join(group, 'cgroup.procs')] }
    } catch {
      // A container may read its groups and not change them.
    }
  }
  return { kind: 'none' }
}

/** Warns operators if no cgroup bounds the processes of commands. */
export const unboundedWords = (group = taskGroup()): string[] =>
  group.kind === 'none'
    ? [
        'JARVIS runs as root, whose processes the kernel does not limit, and may make no control group: a command that starts thousands is ended late. Run JARVIS as an ordinary user.',
      ]
    : []
