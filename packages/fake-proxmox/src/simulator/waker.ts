import type { Waker } from 'homelab-ports/ports'
import { bootGuest } from './power.ts'
import type { SimNode, World } from './world.ts'

/** Times in ms at speed 1. */
const bootMs = 18_000
const pollMs = 1_000
const patienceMs = 180_000

export function createWaker(world: World): Waker {
  return {
    async wake(name, { signal, onProgress }) {
      await world.arrive(signal)
      const node = world.node(name)
      if (node.offlineSince === undefined) return { cameOnline: true, wasOnline: true, afterMs: 0 }

      world.record('wake', name)
      onProgress?.(`Magic packet sent to ${name}`)
      if (!node.isWaking) {
        node.isWaking = true
        world.later(bootMs, () => {
          if (node.isWaking) bootNode(world, node)
        })
      }
      const sentAt = world.clock.now()
      onProgress?.(`Waiting until ${name} is seen online`)
      // Count the looks instead of using the clock, as in `power.ts`.
      for (let waitedMs = 0; node.offlineSince !== undefined && waitedMs < patienceMs; waitedMs += pollMs) {
        await world.wait(pollMs, signal)
      }
      const cameOnline = node.offlineSince === undefined
      return { cameOnline, wasOnline: false, afterMs: world.clock.now() - sentAt }
    },
  }
}

/** Boots a node: guests that start with it run again, the others are stopped. */
export function bootNode(world: World, node: SimNode) {
  node.offlineSince = undefined
  node.isWaking = false
  node.bootedAt = world.clock.now()
  for (const guest of world.guests.values()) {
    if (guest.node !== node.name) continue
    guest.isHeld = false
    if (guest.startsOnBoot) bootGuest(world, guest)
    else guest.status = 'stopped'
  }
}
