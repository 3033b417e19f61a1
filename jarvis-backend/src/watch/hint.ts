import type { Clock } from '../lib/clock.ts'
import type { Check } from './check.ts'

/** The checks that a notification of Proxmox concerns, by its type. */
const about: Readonly<Record<string, readonly string[]>> = {
  vzdump: ['backup-failed', 'backup-verify'],
  replication: ['replication'],
  'package-updates': ['updates', 'updates-security', 'repositories'],
  fencing: ['ha-state'],
}
const pauseMs = 60_000

/** @returns a function that lets the checks of a kind of notification sweep soon, all of them for an unknown kind; once a minute at most */
export function createHints(parts: {
  checks(): readonly Check[]
  soon(ids: readonly string[]): void
  clock: Clock
}): (type: string | undefined) => void {
  const wanted = new Set<string>()
  let isPausing = false
  function look() {
    if (isPausing || wanted.size === 0) return
    isPausing = true
    parts.soon([...wanted])
    wanted.clear()
    parts.clock.after(pauseMs, () => {
      isPausing = false
      look()
    })
  }
  return (type) => {
    const known = type !== undefined && Object.hasOwn(about, type) ? about[type] : undefined
    for (const id of known ?? parts.checks().map((check) => check.id)) wanted.add(id)
    look()
  }
}
