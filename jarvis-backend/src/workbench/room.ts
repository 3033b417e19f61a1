import { mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import {
  type AreaName,
  type CheckpointFile,
  firstOwnerId,
  JarvisError,
  type WorkbenchBody,
  type WorkbenchPreview,
  type WorkbenchReply,
  type WorkbenchRoot,
} from 'protocol'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { writersIn } from '../agent/sessions/written-files.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { ActivePolicy } from '../calls/active-policy.ts'
import type { People } from '../calls/people.ts'
import type { ConfirmationStore } from '../calls/ports.ts'
import { saveWorkbench } from '../calls/workbench-setting.ts'
import type { Config } from '../config/config.ts'
import { policyText, textHash } from '../config/policy-file.ts'
import type { Foundation } from '../foundation.ts'
import { isProtectedPlace, pathReason, type Root, sessionRoot, type WorkbenchPolicy } from '../gate/index.ts'
import { editedPolicy, sectionNow } from '../gate/policy/change-workbench.ts'
import { workbenchOf } from '../gate/policy/workbench.ts'
import { defineRoom } from '../house.ts'
import type { Route } from '../http/route.ts'
import { sessionFileRoutes } from '../http/session-files.ts'
import { workbenchRoutes } from '../http/workbench.ts'
import { oldBefore } from '../lib/clock.ts'
import { hasRoom, leavesReserve } from '../lib/disk-room.ts'
import { createRemoval } from '../lib/removal.ts'
import { SqliteApplyJournal } from '../store/sqlite/file-changes.ts'
import type { Area, Bench, BenchFoundation } from './areas/area.ts'
import { AreaSet } from './areas/area-set.ts'
import { type BrowserParts, composeBrowser } from './areas/browser.ts'
import { composeDocker } from './areas/docker.ts'
import { composeExec } from './areas/exec.ts'
import { composeFiles } from './areas/files.ts'
import { composeGit } from './areas/git.ts'
import { composeWeb, type WebParts } from './areas/web.ts'
import { branchedFiles, type LaterCall } from './branched-files.ts'
import { createIsOwnPlace } from './egress/own-place.ts'
import { createApplier } from './files/applier.ts'
import { type ContentStore, createContentStore } from './files/content-store.ts'
import { fileDiffOf, wholeDiff } from './files/diff.ts'
import { createRootOf, sessionRootName } from './files/root-of.ts'
import { ownPathsOf } from './own-paths.ts'
import { rootProblem } from './root-problem.ts'
import { rootRefusal } from './root-refused.ts'
import { createScratches } from './scratch.ts'
import { FolderFiles, type SessionFiles } from './session-files.ts'

type WorkbenchNeeds = {
  foundation: BenchFoundation & Pick<Foundation, 'journal' | 'secrets' | 'settings'>
  config: Pick<Config, 'search' | 'port' | 'publicUrl'>
  /** The policy in force. */
  policy: Pick<ActivePolicy, 'current'>
  /** Reloads policy.yaml after it was written. */
  policyWritten(): void
  cards: Pick<ConfirmationStore, 'list'>
  transcripts: Pick<TranscriptStore, 'session' | 'entriesOfTypes'>
  reach: SessionReach
  people: Pick<People, 'find'>
  /** Replacements for the network and for Chromium, for tests. */
  replaced: { browser?: BrowserParts | undefined; web?: Partial<WebParts> | undefined }
}

/** The parts of the workbench that other rooms use. */
export interface Workbench {
  state(): WorkbenchReply
  /**
   * The outcome of a call's file changes, once they have ended.
   * @returns undefined if the call began none
   */
  applied(callId: string): Promise<{ outcome: 'done' | 'failed' | 'unknown'; text: string } | undefined>
  /** The files of sessions' own folders, for people and programs that may read the session. */
  files: SessionFiles
  /** Gives a branch its own copy of the session's folder. @returns the files of the copy that could not go back */
  branched(branch: { from: string; to: string; later: readonly LaterCall[] }): Promise<CheckpointFile[]>
  /** Deletes the folder of a session that was deleted. */
  forget(sessionId: string): void
}

/** The workbench on the host: files, commands, web, browser, Git and Docker. Each is an area in `areas/` with a line in `areasOf`. */
export const workbenchRoom = defineRoom({
  name: 'workbench',
  open(needs: WorkbenchNeeds) {
    const { foundation, replaced } = needs
    const policy = () => needs.policy.current().workbench
    const { dataDir, database, now, clock, report } = foundation
    const home = join(dataDir, 'workbench')
    const ownPaths = ownPathsOf(dataDir)
    const rootOf = createRootOf({ policy, ownPaths, sessionDir: (sessionId) => madeDir(home, sessionId) })
    const store = createContentStore(join(home, 'kept'), foundation.secrets)
    const journal = new SqliteApplyJournal(database, now)
    const applier = createApplier({
      journal,
      partsOf: () => ({ rootOf, read: store.read }),
      hasRoom: () => hasRoom(dataDir),
      report,
    })
    const removal = createRemoval(join(home, 'removed'), { clock: systemClock, report })
    const scratches = createScratches(dataDir, removal, report)
    const own = { ownPaths, rootOf, store, applier, scratch: scratches.make, discard: removal.discard }
    const bench: Bench = {
      ...foundation,
      ...own,
      policy,
      isProtected: (place) => isProtectedPlace(place, { policy: needs.policy.current() }),
      mayWriteIn: mayWriteIn(needs),
      isOwnPlace: createIsOwnPlace(needs.config),
    }
    const web = { search: needs.config.search, ...replaced.web }
    const areas = new AreaSet(areasOf(bench, { browser: replaced.browser, web }), policy)
    const settings = settingsOf({ ...needs, policy }, areas, ownPaths)
    const files = new FolderFiles({
      home,
      rootOf: (sessionId) => rootOf(sessionRootName(sessionId)),
      closed: (path) => pathReason({ root: sessionRoot, path }, { policy: needs.policy.current(), ownPaths }),
      isSession: (id) => needs.transcripts.session(id) !== undefined,
      writers: (sessionId) => writersIn(needs.transcripts, sessionId),
      redactor: foundation.redactor,
      hasRoom: () => hasRoom(dataDir),
    })
    const workbench: Workbench = {
      state: settings.state,
      files,
      async applied(callId) {
        // Wait for the file changes: a call may be stopped while its files are written, and writing is not stopped in the middle.
        await applier.idle()
        return applier.outcomeOf(callId)
      },
      branched: (branch) =>
        branchedFiles(
          {
            home,
            rootOf,
            changesOf: (id) => journal.changesOf(id),
            applier,
            hasRoomFor: (bytes) => leavesReserve(statfsSync(dataDir), bytes),
          },
          branch,
        ),
      forget(sessionId) {
        areas.forget(sessionId)
        removal.discard(join(home, sessionId))
      },
    }
    return {
      workbench,
      contributes: {
        tools: areas.tools(),
        routes: [...routesOf(needs, { areas, settings, store }), ...sessionFileRoutes(files), ...areas.routes()],
      },
      /** Finishes file changes that an earlier process began. Called before runs continue. */
      resume: applier.finish,
      start() {
        journal.prune(oldBefore(clock, keptForMs))
        store.prune(new Set())
        void scratches.clear()
        removal.start()
        areas.start()
      },
      async stop() {
        await areas.stop()
        await applier.idle()
        removal.stop()
      },
    }
  },
})

/** The areas in the order in which their tools are offered. Append a new area: providers cache the order. */
const areasOf = (
  bench: Bench,
  { browser, web }: { browser: BrowserParts | undefined; web: WebParts },
): readonly Area[] => [
  composeFiles(bench),
  composeDocker(bench),
  composeExec(bench, browser?.reaching),
  composeGit(bench),
  composeBrowser(bench, browser),
  composeWeb(bench, web),
]

/** Returns true if a person may write in a session; false if there is no such session. */
const mayWriteIn =
  ({ people, transcripts, reach }: Pick<WorkbenchNeeds, 'people' | 'transcripts' | 'reach'>) =>
  (sessionId: string, id = firstOwnerId) => {
    const person = people.find(id)
    return person !== undefined && transcripts.session(sessionId) !== undefined && reach.mayTalk(person, sessionId)
  }

/** Makes the folder of a session if it is missing. @throws Error if the id is not an id of a session */
function madeDir(home: string, sessionId: string): string {
  if (!/^ses_[A-Za-z0-9_-]+$/.test(sessionId)) throw new Error(`${sessionId} is no session.`)
  const dir = join(home, sessionId)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return dir
}

type Settings = {
  state(): WorkbenchReply
  preview(body: WorkbenchBody): WorkbenchPreview
  save(body: WorkbenchBody, by: string): void
}

/** Reads and writes the section `workbench` of policy.yaml. */
function settingsOf(
  needs: Pick<WorkbenchNeeds, 'foundation' | 'policyWritten'> & { policy(): WorkbenchPolicy },
  areas: AreaSet,
  ownPaths: readonly string[],
): Settings {
  const { dataDir, settings, journal, database } = needs.foundation
  const file = policyText(dataDir)
  const refusal = (path: string) => rootRefusal(path, ownPaths)
  return {
    state: () => ({
      areas: areas.shown(),
      roots: needs.policy().roots.map(shownRoot),
      ...sectionNow(file),
    }),
    preview(body) {
      const { before, after } = editedPolicy(file, body, refusal)
      const [was, willBe] = [before, after].map((text) => {
        const parsed = file.parse(text)
        return areas.namesOn(workbenchOf(parsed.ok ? parsed.file.workbench : undefined))
      })
      const beyond = (names: AreaName[] = [], others: AreaName[] = []) => names.filter((name) => !others.includes(name))
      return {
        diff: fileDiffOf('policy.yaml', before, after),
        turnsOn: beyond(willBe, was),
        turnsOff: beyond(was, willBe),
      }
    },
    save(body, by) {
      saveWorkbench({ file, refusal, hashOf: textHash, settings, journal, transactions: database }, body, by)
      needs.policyWritten()
    },
  }
}

function routesOf(
  needs: WorkbenchNeeds,
  { areas, settings, store }: { areas: AreaSet; settings: Settings; store: ContentStore },
): Route[] {
  const { foundation, cards, reach } = needs
  const { redactor, now } = foundation
  return workbenchRoutes({
    async state() {
      await areas.look()
      return settings.state()
    },
    preview: (body) => redactor.value(settings.preview(body)),
    save: settings.save,
    async diff(toolUseId, person) {
      const card = cards
        .list(now() - cardsKeptMs)
        .find((one) => one.toolUseId === toolUseId && reach.reads(person, one.sessionId))
      if (card === undefined) throw new JarvisError('unknown_confirmation', 'There is no such card.')
      return redactor.later(wholeDiff(card.diff ?? [], store.read))
    },
  })
}

function shownRoot(root: Root): WorkbenchRoot {
  const problem = rootProblem(root.path)
  return { ...root, problem }
}

/** Time for which the outcome of a call's file changes is kept, ms. */
const keptForMs = 90 * 24 * 60 * 60_000
/** Time for which the diff of a decided card is shown, ms. */
const cardsKeptMs = 24 * 60 * 60_000
