import type { Shell, Terminals } from 'homelab-ports/ports'
import { lineShell } from './line-shell.ts'
import type { World } from './world.ts'

/** Shells that answer commands from the demo cluster's state. */
export function createTerminals(world: World, shell: Shell): Terminals {
  return {
    async open(name, { signal, ...on }) {
      await world.arrive(signal)
      world.onlineNode(name)
      return lineShell(
        {
          greeting: `Linux ${name}, a node of the demo cluster. What reads answers here: pveversion, qm list, df -h. exit ends.\n`,
          prompt: `root@${name}:~# `,
          run: (stages, running) => shell.run(name, stages, { signal: running }),
        },
        on,
      )
    },
  }
}
