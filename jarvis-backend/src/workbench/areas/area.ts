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

/** One area of the workbench. Each file beside this one makes one area. */
export type Area = {
  name: AreaName
  tools: readonly Tool[]
  /** The programs and services that this machine lacks. Returns at once. */
  missing(): readonly Missing[]
  /** Facts about the area, for its page and `doctor`: `level full (bubblewrap 0.8.0)`. */
  facts?(): readonly string[]
  /** Tests what this machine supports, if only a test can show it. Called before the page is answered. */
  look?(): Promise<unknown>
  /** Returns true if the area is on when policy.yaml does not mention it. The web area, for example, is on if a search address is set. */
  isOnByItself?(): boolean
  /** Begins background work that must not delay the start. */
  start?(): void
  /** Ends child processes and timers. */
  stop?(): Promise<void> | void
  /** REST routes of the area. */
  routes?: readonly Route[]
  /** Called when a session was deleted. */
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
  /** The policy in force now. An edit of policy.yaml has an effect from the next call on. */
  policy(): WorkbenchPolicy
  /** JARVIS's own files and folders, absolute. No root reaches them. */
  ownPaths: readonly string[]
  /** Tells if a file or folder is protected. */
  isProtected(place: Place): boolean
  /** Returns true if a person may write in a session; false if there is no such session. @param person absent: the first owner */
  mayWriteIn(sessionId: string, person: string | undefined): boolean
  /** The root that a change of files names. @throws JarvisError `not_found` */
  rootOf(name: string): RootAt
  /** Bytes of files before and after changes, by their hash. */
  store: ContentStore
  /** Changes files for a call. After a crash, the next start finishes the changes. */
  applier: Applier
  /** Returns true if an address leads to JARVIS itself, which no page, command or fetch may reach. */
  isOwnPlace: IsOwnPlace
  /** Makes temporary folders. If this process is killed, a later start removes them. */
  scratch: MakeScratch
  /** Removes a folder of the data folder with its content. Never throws. */
  discard(path: string): void
}
