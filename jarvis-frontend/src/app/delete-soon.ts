import { deleteSession, deleteSessionAtLast } from '../api/session-acts.ts'
import { sessions } from '../api/sessions.ts'
import { say } from './announce.tsx'
import { type Deleting, deleting } from './deleting.ts'
import { Deletions } from './deletions.ts'

const deletions = new Deletions(deleting, { remove: deleteSession, settled: () => sessions.renew(), say })

/** @param session with its `versions`, which are deleted with it */
export function deleteSoon(session: Pick<Deleting, 'id' | 'title' | 'versions'>): void {
  const from = document.querySelector<HTMLElement>(':focus-visible')
  deletions.add({ ...session, ...(from !== null && { from }) })
}

export const undoDelete = (id: string): void => deletions.undo(id)
export const holdDeletes = (isHeld: boolean): void => deletions.hold(isHeld)

// A person who leaves the page no longer wants to take a deletion back.
addEventListener('pagehide', () => {
  for (const { id } of deleting.get()) void deleteSessionAtLast(id).catch(() => undefined)
})
