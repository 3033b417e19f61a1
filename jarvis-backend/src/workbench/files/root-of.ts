import { JarvisError } from 'protocol'
import type { Place, WorkbenchPolicy } from '../../gate/index.ts'
import { sessionRoot } from '../../gate/index.ts'
import type { RootAt } from './walk.ts'

const ofSession = `${sessionRoot}:`

/** The name of a session folder's root in a change. */
export const sessionRootName = (sessionId: string): string => `${ofSession}${sessionId}`

/** True if a root in a change is the folder of a session. */
export const isSessionRoot = (root: string): boolean => root.startsWith(ofSession)

/** The name of a place's root in a change. For a session's own folder it is `session:ID`, so that the change always refers to this session. */
export function rootName({ root }: Place, sessionId: string | undefined): string {
  if (root === undefined) throw new JarvisError('invalid_request', 'The path is outside the roots of policy.yaml.')
  if (root !== sessionRoot) return root
  if (sessionId === undefined || sessionId === '')
    throw new JarvisError('invalid_request', 'There is no session here, so it has no folder.')
  return sessionRootName(sessionId)
}

/** Finds the root with the name in a change. @throws JarvisError `not_found` if policy.yaml does not list it any more */
export const createRootOf =
  (parts: { policy(): WorkbenchPolicy; ownPaths: readonly string[]; sessionDir(sessionId: string): string }) =>
  (name: string): RootAt => {
    if (name.startsWith(ofSession))
      return { name: sessionRoot, path: parts.sessionDir(name.slice(ofSession.length)), write: true, own: [] }
    const root = parts.policy().roots.find((one) => one.name === name)
    if (root === undefined) throw new JarvisError('not_found', `policy.yaml names no root ${name} under workbench.`)
    return { ...root, own: parts.ownPaths }
  }
