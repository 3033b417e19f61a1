import type { CommandOutput, Shell } from 'homelab-ports/ports'
import type { Metrics } from './metrics.ts'
import { ls } from './shell-files.ts'
import { filterCommands } from './shell-filters.ts'
import { proxmoxCommands } from './shell-proxmox.ts'
import { systemCommands } from './shell-system.ts'
import type { SimNode, World } from './world.ts'

/** A program's output; a string alone is standard output with exit code 0. */
export type Reply = string | { stdout?: string; stderr?: string; exitCode: number }
/** A program of the shell. @param stdin the output of the previous program in a pipe */
export type Program = (
  args: readonly string[],
  host: { world: World; node: SimNode; guestFile: GuestFileOf },
  stdin?: string,
) => Reply

/** Reads a guest's file: the lines of its configuration, and its snapshots, oldest first. */
export type GuestFileOf = (vmid: number) => { config: string; snapshots: readonly { name: string; snaptime: number }[] }

const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries({ ...systemCommands, ...filterCommands, ls, ...proxmoxCommands }),
)

/** Answers reading commands from the demo cluster's state; other programs are not installed. */
export function createShell(world: World, metrics: Metrics, guestFile: GuestFileOf): Shell {
  return {
    async run(name, stages, { signal, input }) {
      await world.arrive(signal)
      const node = world.onlineNode(name)
      metrics.upToNow()
      world.record('command', `${name}: ${stages.map((argv) => argv.join(' ')).join(' | ')}`)
      let output: CommandOutput = { stdout: '', stderr: '', exitCode: 0, truncated: false }
      for (const [index, [program = '', ...args]] of stages.entries()) {
        const stdin = index === 0 ? input : output.stdout
        const run = programs.get(program)
        const reply = run?.(args, { world, node, guestFile }, stdin) ?? {
          stderr: `bash: line 1: ${program}: command not found\n`,
          exitCode: 127,
        }
        const next = typeof reply === 'string' ? { stdout: reply, exitCode: 0 } : reply
        output = { truncated: false, stdout: '', ...next, stderr: output.stderr + (next.stderr ?? '') }
      }
      return output
    },
  }
}
