import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The limit of tasks (processes and their threads) for all commands together. */
const most = 1_024
/** The folders in which the kernel counts tasks: of the first version of control groups, and of the second. */
const hierarchies = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
const script = 'echo $$ > "$0" && exec /usr/bin/env -i "$@"'

/** The limit on processes. `unneeded`: the kernel's own limit (`prlimit --nproc`) works. `none`: it does not, and no control group could be made. */
export type TaskGroup = { kind: 'unneeded' | 'none' } | { kind: 'group'; before: readonly string[] }

let found: TaskGroup | undefined

/**
 * The control group that limits the processes of commands if the caller runs as the host's root. `--nproc` does not limit root, and a fork bomb would
 * use up all process ids before anybody notices. The group is made once, is shared by all commands, and stays when the caller ends. `before`: a program
 * that puts another program into the group.
 */
export function taskGroup(): TaskGroup {
  found ??= isRealRoot() ? madeGroup() : { kind: 'unneeded' }
  return found
}

/** Returns true for root of the host. Root of a container with its own user namespace is an ordinary user to the kernel. */
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
      // Inside a container, control groups may be readable but not writable.
    }
  }
  return { kind: 'none' }
}
