import type { Guest } from 'protocol'
import { lockHolder, unlockCommand } from 'protocol/locks'
import { plainName } from './format.ts'

type Locked = Pick<Guest, 'vmid' | 'node' | 'type'>

/** Says how a person removes a lock that outlived its task. */
const unlockWords = (guest: Locked): string =>
  `a person who is sure that nothing works on it removes it on ${plainName(guest.node)}: ${unlockCommand(guest)}`

/** Advice about a guest's lock, in sentences. */
export function lockAdvice(guest: Locked, seen: Parameters<typeof lockHolder>[1]): string {
  const holder = lockHolder(guest, seen)
  if (holder === 'none')
    return `No running task that could hold the lock is seen on ${plainName(guest.node)}, so it may be left from one that ended, and waiting does not help: ${unlockWords(guest)}.`
  if (holder === 'unknown')
    return `Whether its task still runs is not known: look with get_recent_tasks. If none does, ${unlockWords(guest)}.`
  return `The task ${plainName(holder.type)} on ${plainName(holder.node)} may hold it: wait until get_recent_tasks shows it ended, then call again.`
}
