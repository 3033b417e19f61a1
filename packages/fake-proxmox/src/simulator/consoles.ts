import type { ConsoleGuest, Consoles } from 'homelab-ports/ports'
import { spanOf } from 'node-kit/words'
import { JarvisError } from 'protocol'
import { kernel } from './facts.ts'
import { lineShell } from './line-shell.ts'
import { rfbServer } from './rfb.ts'
import { clockTime, short } from './shell-text.ts'
import type { SimGuest, World } from './world.ts'

/** The demo's consoles: a small shell for a container, and for a VM a screen that shows facts about it. */
export function createConsoles(world: World): Consoles {
  async function runningGuest({ vmid }: ConsoleGuest, signal: AbortSignal): Promise<SimGuest> {
    await world.arrive(signal)
    const guest = world.guest(vmid)
    world.onlineNode(guest.node)
    if (guest.status !== 'stopped') return guest
    throw new JarvisError('cluster_refused', `Proxmox refused (500): ${vmid} is not running.`)
  }
  /** Calls `ended` when the guest no longer runs. @returns stops watching */
  function watchEnd(guest: SimGuest, ended: (reason: string) => void): () => void {
    const look = () => {
      if (world.guests.get(guest.vmid) === guest && guest.status !== 'stopped') return
      world.listeners.delete(look)
      ended(`${guest.name} stopped`)
    }
    world.listeners.add(look)
    return () => void world.listeners.delete(look)
  }

  return {
    async terminal(asked, { signal, onOutput, onEnd }) {
      const guest = await runningGuest(asked, signal)
      const programs = programsOf(world, guest)
      let reason: string | undefined
      const session = lineShell(
        {
          greeting: `Linux ${guest.name}, a container of the demo cluster. It knows ${Object.keys(programs).join(', ')}. exit ends.\n`,
          prompt: `root@${guest.name}:~# `,
          async run([[name = ''] = []]) {
            const program = programs[name]
            if (program === undefined) return { stdout: '', stderr: `bash: ${name}: command not found\n` }
            return { stdout: program(), stderr: '' }
          },
        },
        {
          onOutput,
          onEnd(code) {
            unwatch()
            onEnd(reason ?? (code === undefined ? undefined : `its shell ended with exit code ${code}`))
          },
        },
      )
      const unwatch = watchEnd(guest, (why) => {
        reason = why
        session.close()
      })
      return session
    },
    async screen(asked, { signal, onOutput, onEnd }) {
      const guest = await runningGuest(asked, signal)
      const unwatch = watchEnd(guest, (why) => screen.end(why))
      const screen = rfbServer({
        name: `${guest.name} (VM ${guest.vmid})`,
        clock: world.clock,
        lines: () => [
          `${guest.name}   VM ${guest.vmid} on ${guest.node}   demo cluster`,
          '',
          `status   ${guest.status}, up ${spanOf((world.clock.now() - guest.startedAt) / 1000)}`,
          `cpu      ${Math.round(guest.cpuRatio * 100)} % of ${guest.cpuCount}`,
          `memory   ${short(guest.ramRatio * guest.ramTotalBytes, 'i')} of ${short(guest.ramTotalBytes, 'i')}`,
          `time     ${clockTime(world.clock.now())} UTC`,
        ],
        onOutput,
        onEnd(reason) {
          unwatch()
          onEnd(reason)
        },
      })
      return screen
    },
  }
}

function programsOf(world: World, guest: SimGuest): Record<string, () => string> {
  const upFor = () => spanOf((world.clock.now() - guest.startedAt) / 1000)
  return Object.assign(Object.create(null) as Record<string, () => string>, {
    hostname: () => `${guest.name}\n`,
    whoami: () => 'root\n',
    uname: () => `Linux ${guest.name} ${kernel}\n`,
    uptime: () => ` ${clockTime(world.clock.now())} up ${upFor()}, ${guest.cpuCount} CPUs\n`,
    free: () =>
      `memory: ${short(guest.ramRatio * guest.ramTotalBytes, 'i')} used of ${short(guest.ramTotalBytes, 'i')}\n`,
  })
}
