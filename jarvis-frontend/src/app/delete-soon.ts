import { deleteSession, deleteSessionAtLast } from '../api/session-acts.ts'
import { sessions } from '../api/sessions.ts'
import { say } from './announce.tsx'
import { type Deleting, deleting } from './deleting.ts'

/** How long a deletion can be taken back. */
const undoMs = 10_000
/** What is left at least when the pointer or the focus leaves Undo. */
const leastMs = 3_000

const timers = new Map<string, ReturnType<typeof setTimeout>>()

const without = (id: string) => deleting.get().filter((session) => session.id !== id)

function arm(session: Deleting): void {
  clearTimeout(timers.get(session.id))
  const end = async () => {
    await deleteSession(session.id).catch((error: Error) => say(`Not deleted. ${error.message}`))
    deleting.set(without(session.id))
    sessions.renew()
  }
  timers.set(
    session.id,
    setTimeout(() => void end(), session.until - Date.now()),
  )
}

/** @param session with its `versions`, which are deleted with it */
export function deleteSoon({ id, title, versions }: Omit<Deleting, 'until' | 'from'>): void {
  const from = document.querySelector<HTMLElement>(':focus-visible')
  const session = { id, title, versions, until: Date.now() + undoMs, ...(from !== null && { from }) }
  deleting.set([...without(id), session])
  arm(session)
  say(`Deleted ${title}${versions.length > 0 ? ' with all its versions' : ''}. It can be taken back for 10 seconds.`)
}

export function undoDelete(id: string): void {
  clearTimeout(timers.get(id))
  const title = deleting.get().find((session) => session.id === id)?.title
  deleting.set(without(id))
  if (title !== undefined) say(`${title} is kept.`)
  // The button that had the focus is gone, and nothing tells of that.
  holdDeletes(false)
}

/** Time stands still while a person is at Undo. */
export function holdDeletes(isHeld: boolean): void {
  if (isHeld) {
    for (const { id } of deleting.get()) clearTimeout(timers.get(id))
    return
  }
  const least = Date.now() + leastMs
  deleting.set(deleting.get().map((session) => ({ ...session, until: Math.max(session.until, least) })))
  for (const session of deleting.get()) arm(session)
}

// Who leaves the page meant what they said.
addEventListener('pagehide', () => {
  for (const { id } of deleting.get()) void deleteSessionAtLast(id).catch(() => undefined)
})
