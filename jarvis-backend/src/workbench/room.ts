import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AreaName,
  areaNames,
  type Card,
  JarvisError,
  type WorkbenchArea,
  type WorkbenchBody,
  type WorkbenchPreview,
  type WorkbenchReply,
  type WorkbenchRoot,
} from 'protocol'
import type { Identity } from '../auth/tokens.ts'
import { saveWorkbench } from '../calls/workbench-setting.ts'
import type { Area, Bench } from '../compose/workbench/area.ts'
import { type BrowserParts, composeBrowser } from '../compose/workbench/browser.ts'
import { composeDocker } from '../compose/workbench/docker.ts'
import { composeExec } from '../compose/workbench/exec.ts'
import { composeFiles } from '../compose/workbench/files.ts'
import { composeGit } from '../compose/workbench/git.ts'
import { composeWeb, type WebParts } from '../compose/workbench/web.ts'
import { policyText, textHash } from '../config/policy-file.ts'
import type { Foundation } from '../foundation.ts'
import { Mistake, type Place, type Root, type WorkbenchPolicy } from '../gate/index.ts'
import { editedPolicy, sectionNow } from '../gate/policy/change-workbench.ts'
import { workbenchOf } from '../gate/policy/workbench.ts'
import { defineRoom } from '../house.ts'
import { workbenchRoutes } from '../http/workbench.ts'
import { oldBefore, systemClock } from '../lib/clock.ts'
import { hasRoom } from '../lib/disk-room.ts'
import { createRemoval } from '../lib/removal.ts'
import { createApplyJournal } from '../store/sqlite/file-changes.ts'
import type { Tool } from '../tools/tool.ts'
import { areas, offReason } from './areas.ts'
import type { IsOwnPlace } from './egress/own-place.ts'
import { createApplier } from './files/applier.ts'
import { createContentStore } from './files/content-store.ts'
import { fileDiffOf, wholeDiff } from './files/diff.ts'
import { createRootOf } from './files/root-of.ts'
import { ownPathsOf } from './own-paths.ts'
import { rootProblem } from './root-problem.ts'
import { rootRefusal } from './root-refused.ts'
import { createScratches } from './scratch.ts'

/** The workbench on the host: files, commands, web, browser, Git and Docker, each an area in `compose/workbench/` and a name in `areasOf`. */
export const workbenchRoom = defineRoom({
  name: 'workbench',
  open(needs: { foundation: Foundation } & Parameters<typeof openWorkbench>[1]) {
    const workbench = openWorkbench(needs.foundation, needs)
    return {
      workbench,
      contributes: { tools: workbench.tools, routes: workbench.routes },
      resume: workbench.finish,
      start: workbench.start,
      stop: workbench.stop,
    }
  },
})

function openWorkbench(
  foundation: Foundation,
  parts: {
    policy(): WorkbenchPolicy
    /** Takes up policy.yaml, which was written just now. */
    policyWritten(): void
    /** A card that waits or was decided lately, where the person sees it. */
    card(toolUseId: string, person: Identity['person']): Pick<Card, 'diff'> | undefined
    isProtected(place: Place): boolean
    /** Whether a person may write in a conversation, which must be there. @param person absent: the first owner */
    mayWriteIn(sessionId: string, person: string | undefined): boolean
    isOwnPlace: IsOwnPlace
    browser?: BrowserParts
    /** What of the web is set, and what tests put in its place. */
    web: WebParts
  },
) {
  const { dataDir } = foundation
  const home = join(dataDir, 'workbench')
  const sessionDir = (sessionId: string) => {
    if (!/^ses_[A-Za-z0-9_-]+$/.test(sessionId)) throw new Error(`${sessionId} is no session.`)
    const dir = join(home, sessionId)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return dir
  }
  const ownPaths = ownPathsOf(dataDir)
  const rootOf = createRootOf({ policy: parts.policy, ownPaths, sessionDir })
  const store = createContentStore(join(home, 'kept'), foundation.secrets)
  const journal = createApplyJournal(foundation.database, foundation.now)
  const applier = createApplier({
    journal,
    partsOf: () => ({ rootOf, read: store.read }),
    hasRoom: () => hasRoom(dataDir),
    report: foundation.report,
  })
  const removal = createRemoval(join(home, 'removed'), { clock: systemClock, report: foundation.report })
  const scratches = createScratches(dataDir, removal, foundation.report)
  const own = { ownPaths, rootOf, store, applier, scratch: scratches.make, discard: removal.discard }
  const { policy, isProtected, mayWriteIn, isOwnPlace } = parts
  const bench: Bench = { ...foundation, policy, isProtected, mayWriteIn, isOwnPlace, ...own }
  const made: readonly Area[] = areasOf(bench, parts)
  const shownOrder = made.toSorted((one, other) => areaNames.indexOf(one.name) - areaNames.indexOf(other.name))
  const isOn = ({ name, isOnByItself }: Area, policy: WorkbenchPolicy) =>
    areas[name].isOn(policy) ?? isOnByItself?.() ?? false

  /** Offers a tool where its area is on, and refuses it elsewhere. */
  function switched(area: Area): Tool[] {
    const group = { name: `workbench ${area.name}`, isServed: () => isOn(area, parts.policy()) }
    return area.tools.map((tool) => ({
      ...tool,
      group,
      effects(input, world) {
        if (!isOn(area, world.policy.workbench)) throw new Mistake(offReason(area.name))
        return tool.effects(input, world)
      },
    }))
  }

  const stateOf = (area: Area): WorkbenchArea => ({
    name: area.name,
    isOn: isOn(area, parts.policy()),
    allows: areas[area.name].allows,
    key: areas[area.name].key,
    missing: [...area.missing()],
    facts: [...(area.facts?.() ?? [])],
    tools: area.tools.map(({ name }) => name),
  })
  const file = policyText(dataDir)
  const state = (): WorkbenchReply => ({
    areas: shownOrder.map(stateOf),
    roots: parts.policy().roots.map(shownRoot),
    ...sectionNow(file),
  })
  const refusal = (path: string) => rootRefusal(path, ownPaths)
  const { settings, journal: records, database: transactions } = foundation
  const setting = { file, refusal, hashOf: textHash, settings, journal: records, transactions }

  function preview(body: WorkbenchBody): WorkbenchPreview {
    const { before, after } = editedPolicy(file, body, refusal)
    const [was, willBe] = [before, after].map((text) => {
      const parsed = file.parse(text)
      const policy = workbenchOf(parsed.ok ? parsed.file.workbench : undefined)
      return shownOrder.filter((area) => isOn(area, policy)).map(({ name }) => name)
    })
    const beyond = (names: AreaName[] = [], others: AreaName[] = []) => names.filter((name) => !others.includes(name))
    return {
      diff: fileDiffOf('policy.yaml', before, after),
      turnsOn: beyond(willBe, was),
      turnsOff: beyond(was, willBe),
    }
  }

  return {
    tools: made.flatMap(switched),
    state,
    routes: [
      ...workbenchRoutes({
        async state() {
          await Promise.all(made.map((area) => area.look?.()))
          return state()
        },
        preview: (body) => foundation.redactor.value(preview(body)),
        save(body, by) {
          saveWorkbench(setting, body, by)
          parts.policyWritten()
        },
        async diff(toolUseId, person) {
          const card = parts.card(toolUseId, person)
          if (card === undefined) throw new JarvisError('unknown_confirmation', 'There is no such card.')
          return foundation.redactor.later(wholeDiff(card.diff ?? [], store.read))
        },
      }),
      ...made.flatMap(({ routes }) => routes ?? []),
    ],
    /** Finishes changes of files that an earlier process began. Called before runs go on. */
    finish: applier.finish,
    /** What became of the files that a call changes, once nothing changes them any more; undefined where none were begun. */
    async applied(callId: string) {
      // The call may have been stopped while its files are written, which is not stopped in the middle.
      await applier.idle()
      return applier.outcomeOf(callId)
    },
    /** Begins background work that must not delay the start. */
    start() {
      journal.prune(oldBefore(foundation.clock, keptForMs))
      store.prune(new Set())
      void scratches.clear()
      removal.start()
      for (const { start } of made) start?.()
    },
    async stop() {
      for (const { stop } of made) await stop?.()
      await applier.idle()
      removal.stop()
    },
    /** Deletes the folder of a session that was deleted. */
    forget(sessionId: string) {
      for (const { forget } of made) forget?.(sessionId)
      removal.discard(join(home, sessionId))
    },
  }
}

export type ComposedWorkbench = ReturnType<typeof openWorkbench>

function shownRoot(root: Root): WorkbenchRoot {
  const problem = rootProblem(root.path)
  return { ...root, ...(problem !== undefined && { problem }) }
}

/** How long it is known what became of a call's files, ms. */
const keptForMs = 90 * 24 * 60 * 60_000

/** The areas in the order in which their tools are offered. A new one is appended: a provider caches the order. */
const areasOf = (bench: Bench, { browser, web }: { browser?: BrowserParts; web: WebParts }): readonly Area[] => [
  composeFiles(bench),
  // One a line.
  composeDocker(bench),
  composeExec(bench, browser?.reaching),
  composeGit(bench),
  composeBrowser(bench, browser),
  composeWeb(bench, web),
]
