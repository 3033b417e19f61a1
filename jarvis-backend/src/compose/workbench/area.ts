import type { AreaName, Missing } from 'protocol'
import type { Foundation } from '../../foundation.ts'
import type { Place, WorkbenchPolicy } from '../../gate/index.ts'
import type { Route } from '../../http/route.ts'
import type { Tool } from '../../tools/tool.ts'
import type { IsOwnPlace } from '../../workbench/egress/own-place.ts'
import type { Applier } from '../../workbench/files/applier.ts'
import type { ContentStore } from '../../workbench/files/content-store.ts'
import type { RootAt } from '../../workbench/files/walk.ts'
import type { MakeScratch } from '../../workbench/scratch.ts'

/** One area of the workbench: its tools, and what it says of itself. A file beside this one makes each. */
export type Area = {
  name: AreaName
  tools: readonly Tool[]
  /** What this machine lacks; empty where all is there. It waits for nothing. */
  missing(): readonly Missing[]
  /** Lines about it for the page and `doctor`: `level full (bubblewrap 0.8.0)`. */
  facts?(): readonly string[]
  /** Finds out what only a try shows, before the page is answered. */
  look?(): Promise<unknown>
  /** It is on where policy.yaml does not say: the web tools, where a search address is set. */
  isOnByItself?(): boolean
  /** Begins background work that must not delay the start. */
  start?(): void
  /** Ends children and timers. */
  stop?(): Promise<void> | void
  /** What the dashboard and other programs ask of it. */
  routes?: readonly Route[]
  /** The session was deleted. */
  forget?(sessionId: string): void
}

/** What every area builds on. */
export type Bench = Pick<
  Foundation,
  | 'clock'
  | 'now'
  | 'dataDir'
  | 'database'
  | 'redactor'
  | 'redact'
  | 'report'
  | 'log'
  | 'announce'
  | 'activity'
  | 'stopping'
> & {
  /** In force now; an edit of policy.yaml counts from the next call. */
  policy(): WorkbenchPolicy
  /** JARVIS's own files and folders, absolute: no root reaches them. */
  ownPaths: readonly string[]
  /** Whether a file or folder is protected. */
  isProtected(place: Place): boolean
  /** Whether a person may write in a conversation, which must be there. @param person absent: the first owner */
  mayWriteIn(sessionId: string, person: string | undefined): boolean
  /** The root that a change of files names. @throws JarvisError `not_found` */
  rootOf(name: string): RootAt
  /** Bytes by their hash: what files held, and what they are to hold. */
  store: ContentStore
  /** Changes files for a call, and finishes that after a crash. */
  applier: Applier
  /** What leads to JARVIS itself: no page, command or fetch reaches it. */
  isOwnPlace: IsOwnPlace
  /** Folders that a later start removes where this process is killed. */
  scratch: MakeScratch
  /** Takes a folder of the data dir away, whatever it holds. Never throws. */
  discard(path: string): void
}
