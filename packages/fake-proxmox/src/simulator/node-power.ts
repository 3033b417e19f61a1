import { endTask } from './tasks.ts'
import { bootNode } from './waker.ts'
import type { World } from './world.ts'

/** Times at speed 1, ms: until the node's guests are stopped, until the node is off, and until it is back after a reboot. */
const tookMs = { guests: 3_000, off: 5_000, boot: 20_000 }

/** Stops a node's guests and switches the node off. After a reboot the node comes back. */
export function nodePower(world: World, name: string, command: 'reboot' | 'shutdown') {
  const node = world.onlineNode(name)
  world.later(tookMs.guests, () => {
    for (const guest of world.guests.values()) if (guest.node === name) guest.status = 'stopped'
  })
  world.later(tookMs.off, () => {
    node.offlineSince = world.clock.now()
    const cut = world.tasks.filter((task) => task.node === name && task.status === 'running')
    for (const { upid } of cut) endTask(world, upid, 'unexpected status')
  })
  if (command === 'reboot')
    world.later(tookMs.off + tookMs.boot, () => {
      if (node.offlineSince !== undefined) bootNode(world, node)
    })
}
