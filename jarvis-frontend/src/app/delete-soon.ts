import { deleteSession, deleteSessionAtLast } from '../api/session-acts.ts'
import { sessions } from '../api/sessions.ts'
import { say } from './announce.tsx'
import { type Deleting, deleting } from './deleting.ts'
import { Deletions } from './deletions.ts'

const deletions = new Deletions(deleting, { remove: deleteSession, settled: () => sessions.renew(), say })

/** Deletes a session after the time for Undo. @param session with its `versions`, which are deleted too */
export function deleteSoon(session: Pick<Deleting, 'id' | 'title' | 'versions'>): void {
  const from = document.querySelector<HTMLElement>(':focus-visible')
  deletions.add({ ...session, ...(from !== null && { from }) })
}

export const undoDelete = (id: string): void => deletions.undo(id)
export const holdDeletes = (isHeld: boolean): void => deletions.hold(isHeld)

// A person who leaves the page can no longer undo, so delete the sessions on the server now.
addEventListener('pagehide', () => {
  for (const { id } of deleting.get()) void deleteSessionAtLast(id).catch(() => undefined)
})
