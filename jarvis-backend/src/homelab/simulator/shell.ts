import type { CommandOutput, Shell } from '../ports.ts'
import type { Metrics } from './metrics.ts'
import { fileCommands } from './shell-files.ts'
import { proxmoxCommands } from './shell-proxmox.ts'
import { systemCommands } from './shell-system.ts'
import type { SimNode, World } from './world.ts'

/** What a program printed; a string alone is its standard output, with exit code 0. */
export type Reply = string | { stdout?: string; stderr?: string; exitCode: number }
export type Program = (args: readonly string[], host: { world: World; node: SimNode }) => Reply

const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries({ ...systemCommands, ...fileCommands, ...proxmoxCommands }),
)

/** Answers reading commands from the demo cluster's state; whatever else is not installed. */
export function createShell(world: World, metrics: Metrics): Shell {
  return {
    async run(name, argv, { signal }) {
      await world.arrive(signal)
      const node = world.onlineNode(name)
      metrics.upToNow()
      world.record('command', `${name}: ${argv.join(' ')}`)
      const [program = '', ...args] = argv
      const run = programs.get(program.replace(/^\/(usr\/)?s?bin\//, ''))
      if (run === undefined) return output({ stderr: `bash: line 1: ${program}: command not found\n`, exitCode: 127 })
      return output(run(args, { world, node }))
    },
  }
}

function output(reply: Reply): CommandOutput {
  if (typeof reply === 'string') return { stdout: reply, stderr: '', exitCode: 0, truncated: false }
  return { stdout: '', stderr: '', truncated: false, ...reply }
}
