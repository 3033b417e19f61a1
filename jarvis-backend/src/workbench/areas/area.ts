import type { AreaName, Missing } from 'protocol'
import type { Foundation } from '../../foundation.ts'
import type { Place, WorkbenchPolicy } from '../../gate/index.ts'
import type { Route } from '../../http/route.ts'
import type { Tool } from '../../tools/tool.ts'
import type { IsOwnPlace } from '../egress/own-place.ts'
import type { Applier } from '../files/applier.ts'
import type { ContentStore } from '../files/content-store.ts'
import type { RootAt } from '../files/walk.ts'
import type { MakeScratch } from '../scratch.ts'

/** One area of the workbench. Each is made by a file beside this one. */
export type Area = {
  name: AreaName
  tools: readonly Tool[]
  /** The programs and services that this machine lacks. Returns at once. */
  missing(): readonly Missing[]
  /** Lines about it for the page and `doctor`: `level full (bubblewrap 0.8.0)`. */
  facts?(): readonly string[]
  /** Tries what only a try shows, before the page is answered. */
  look?(): Promise<unknown>
  /** Tells if the area is on when policy.yaml does not say: the web tools are if a search address is set. */
  isOnByItself?(): boolean
  /** Begins background work that must not delay the start. */
  start?(): void
  /** Ends children and timers. */
  stop?(): Promise<void> | void
  /** REST routes of the area. */
  routes?: readonly Route[]
  /** The session was deleted. */
  forget?(sessionId: string): void
}

/** The parts of the foundation that areas use. */
export type BenchFoundation = Pick<
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
>

/** The parts that every area builds on. */
export type Bench = BenchFoundation & {
  /** The policy in force now; an edit of policy.yaml counts from the next call. */
  policy(): WorkbenchPolicy
  /** JARVIS's own files and folders, absolute: no root reaches them. */
  ownPaths: readonly string[]
  /** Tells if a file or folder is protected. */
  isProtected(place: Place): boolean
  /** Tells if a person may write in a conversation; false if there is no such conversation. @param person absent: the first owner */
  mayWriteIn(sessionId: string, person: string | undefined): boolean
  /** The root that a change of files names. @throws JarvisError `not_found` */
  rootOf(name: string): RootAt
  /** Bytes of files before and after changes, by their hash. */
  store: ContentStore
  /** Changes files for a call, and finishes that after a crash. */
  applier: Applier
  /** Tells if an address leads to JARVIS itself, which no page, command or fetch may reach. */
  isOwnPlace: IsOwnPlace
  /** Makes folders that a later start removes if this process is killed. */
  scratch: MakeScratch
  /** Removes a folder of the data dir with its content. Never throws. */
  discard(path: string): void
}
