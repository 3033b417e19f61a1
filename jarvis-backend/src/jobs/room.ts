import { join } from 'node:path'
import { whoseIs } from 'homelab-ports/guest-identity'
import { JarvisError, type JobTrace, type JobWork, mainAgentId, type PersonRef } from 'protocol'
import { unknownWriter, withCauses } from '../agent/principal.ts'
import { outcomeOf, saidIn, stepsOf } from '../agent/run-trace.ts'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { Shown } from '../auth/closed-words.ts'
import type { ComposedBudgets } from '../budgets/room.ts'
import type { People } from '../calls/people.ts'
import type { Gate } from '../calls/room.ts'
import type { Drills } from '../drill/drills.ts'
import type { Foundation } from '../foundation.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom, type FactTypes, type JarvisFacts } from '../house.ts'
import { heartbeatRoutes } from '../http/heartbeat.ts'
import { jobRoutes } from '../http/jobs.ts'
import { newId } from '../lib/ids.ts'
import { firstOf } from '../lib/words.ts'
import { ownZone } from '../lib/zone.ts'
import { dailyAddition, ownHeading } from '../memory/daily.ts'
import type { Library } from '../runbooks/library.ts'
import type { createJobStore } from '../store/sqlite/jobs.ts'
import { jobTools } from '../tools/jobs/index.ts'
import { withPorts } from '../tools/tool.ts'
import type { Watch } from '../watch/watch.ts'
import { createWorkspace } from '../workspace/files.ts'
import { hashOfText, type Writers } from '../workspace/text-files.ts'
import { createApprovedDrills } from './approval/approved-drills.ts'
import { createDrillWorker, drillJob } from './drill-job.ts'
import { createHeartbeat, heartbeatId, heartbeatJob } from './heartbeat.ts'
import type { JobRuns, Standing, StoredJob, Worker } from './job.ts'
import { tellOfJobs } from './job-notices.ts'
import { createJobs, personOfJob } from './jobs.ts'

/** Jobs: the scheduler, the heartbeat and the nightly drill. Tells `notice.due`; hears `runbook.saved`, `files.changed` and `cluster.left`. */
export const jobsRoom = defineRoom({
  name: 'jobs',
  open(
    needs: { foundation: Foundation; facts: JarvisFacts } & Omit<Parameters<typeof openJobs>[1], 'notice' | 'shown'> & {
        shown(person: PersonRef | undefined): Shown
        people: Pick<People, 'find'>
      },
  ) {
    const { foundation, facts, people, ...parts } = needs
    const opened = openJobs(foundation, { ...parts, notice: facts.teller('notice.due') })
    const { jobs } = opened
    facts.on('runbook.saved', jobs.storeChanged)
    facts.on('files.changed', jobs.look)
    facts.on('cluster.left', jobs.leaveCluster)
    return {
      jobs,
      contributes: {
        tools: withPorts(jobTools, {
          ...jobs,
          list: (asker) => parts.shown(people.find(asker?.person)).jobs(jobs.list()),
          zone: ownZone(),
        }),
        routes: [...opened.routes, ...opened.heartbeatRoutes],
      },
      start: jobs.start,
      stop: jobs.stop,
    }
  },
})

function openJobs(
  foundation: Foundation,
  parts: {
    jobStore: ReturnType<typeof createJobStore>
    runs: Pick<Runs, 'startJob' | 'watch' | 'abort' | 'remove'>
    store: Pick<TranscriptStore, 'entriesOfRun' | 'unfinishedRuns' | 'session'>
    gate: Pick<Gate, 'judge' | 'confirmations' | 'grants'>
    apiTokens: Pick<ApiTokens, 'list'>
    /** Returns true if a person may ask for anything now; undefined: the first owner. */
    mayAsk(person: string | undefined): boolean
    writers: Writers
    shown(person: PersonRef): Pick<Shown, 'job' | 'jobs' | 'slot' | 'trace'>
    homelab: Pick<ComposedHomelab, 'cluster'>
    drills: Pick<Drills, 'newestOf' | 'plan' | 'ids'>
    watch: Pick<Watch, 'alerts' | 'checks' | 'checkNow'>
    runbooks: Pick<Library, 'get'>
    budgets: Pick<ComposedBudgets, 'keeper' | 'store' | 'midnight'>
    notice(due: FactTypes['notice.due']): void
    /** The demo cluster and the demo's model, which costs nothing: a stranger sees a beat soon. */
    isDemo: boolean
  },
) {
  const { clock, now, database, settings, journal, redact, report, activity, isStopping } = foundation
  const { runs, store, gate, apiTokens, budgets } = parts
  const zone = ownZone()
  const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })

  const standing: JobRuns['standing'] = ({ sessionId, runId }) => {
    const ended = outcomeOf(store.entriesOfRun(runId))
    if (ended !== undefined) return ended
    const isThere = store.session(sessionId) !== undefined
    if (!isThere || !store.unfinishedRuns(sessionId).some(({ id }) => id === runId)) return undefined
    return { state: gate.confirmations.pending(sessionId).length > 0 ? 'waiting' : 'running' }
  }
  const jobRuns: JobRuns = {
    standing,
    start({ job, slot, work, causedBy, link }) {
      const { id: jobId, name, by, askedBy } = job
      const isForeign = askedBy !== undefined || work.isForeign === true
      const origin = {
        kind: 'job' as const,
        jobId,
        name,
        slot,
        by,
        ...withCauses(personOfJob(job), causedBy),
        ...(askedBy?.token !== undefined && { token: askedBy.token }),
        ...(isForeign && { isForeign: true as const }),
      }
      const does =
        work.kind === 'call'
          ? { call: { toolName: work.toolName, toolInput: work.toolInput } }
          : { messageId: newId('msg'), text: work.text }
      runs.startJob({ origin: { ...origin, ...does }, title: `${name}, ${moment.format(slot)}`, link })
    },
    follow(run, tell) {
      const watch = runs.watch(run.sessionId, {
        isOperator: false,
        tell(event, payload) {
          if (payload.runId !== run.runId || !toldBy.has(event)) return
          const now: Standing | undefined = standing(run)
          if (now === undefined) return
          // The listener may start a run, and a run must not begin within an event of another run.
          setImmediate(tell, now)
          if (now.state !== 'running' && now.state !== 'waiting') setImmediate(watch.end)
        },
      })
    },
    stop: (sessionId, by) => runs.abort(sessionId, by),
    remove(sessionId) {
      if (store.session(sessionId) === undefined) return
      runs
        .remove(sessionId, 'jarvis')
        .catch((error: unknown) => report(error, 'an old session of a job was not deleted'))
    },
  }

  /** A token made again under the same name is another one. */
  function makerProblem(job: StoredJob): string | undefined {
    const { askedBy, createdAt: askedAt } = job
    if (!parts.mayAsk(personOfJob(job).person)) return 'Whoever it belongs to may not ask for anything any more.'
    const { token } = askedBy ?? {}
    if (token === undefined) return undefined
    const isKnown = apiTokens
      .list()
      .some(
        ({ name, createdAt, expiresAt = Number.POSITIVE_INFINITY }) =>
          name === token && createdAt <= askedAt && expiresAt > now(),
      )
    return isKnown ? undefined : `The token ${token}, whose client asked for this job, is gone.`
  }

  const drills = createApprovedDrills({ ...parts, now })
  const files = createWorkspace(join(foundation.dataDir, 'workspace'))
  const { jobStore } = parts
  const heartbeat = createHeartbeat({
    store: jobStore,
    settings,
    zone,
    now,
    findings() {
      const told = parts.watch
        .alerts()
        .filter(
          ({ state, hiddenBy, silenced, acknowledged }) =>
            state !== 'pending' && !hiddenBy && !silenced && !acknowledged,
        )
      const unseen = parts.watch.checks().items.filter(({ state }) => state === 'unknown')
      return {
        items: told.map(({ check, object, severity, sentence }) => ({
          key: `${check} ${object.id} ${severity}`,
          line: `${severity}: ${sentence}`,
        })),
        unseen:
          unseen.length === 0
            ? undefined
            : firstOf(
                unseen.map(({ id }) => id),
                5,
              ),
      }
    },
    lookNow: () => parts.watch.checkNow(),
    files: {
      read(path) {
        try {
          return files.read(path).text
        } catch (error) {
          if (error instanceof JarvisError && error.code === 'not_found') return undefined
          throw error
        }
      },
      writerOf: (path, text) => parts.writers.of(path, hashOfText(text)) ?? unknownWriter,
      // Below its own heading, so that it stays others' words wherever it is recalled.
      add: (path, text) =>
        files.append(path, dailyAddition(files.tail(path, 64) === undefined ? '' : ownHeading, redact(text), 'jarvis')),
    },
  })
  const runbook: Worker = {
    isReading(work) {
      if (work.kind !== 'runbook') return false
      const { faults, steps } = parts.runbooks.get(work.name)
      return faults.length === 0 && steps.every(({ tier }) => tier === 'green')
    },
    refusal(work) {
      if (work.kind !== 'runbook') return undefined
      const [fault] = parts.runbooks.get(work.name).faults
      return fault && `the runbook ${work.name} cannot run, line ${fault.line}: ${fault.message}`
    },
    begin: async ({ work }) =>
      work.kind === 'runbook'
        ? { work: { kind: 'call', toolName: 'run_runbook', toolInput: { name: work.name, inputs: work.inputs } } }
        : { state: 'failed', summary: 'It is no runbook.' },
  }

  /** The guest whose number a work names. */
  function guestIn(work: JobWork) {
    const named = work.kind === 'call' ? work.toolInput : work.kind === 'runbook' ? work.inputs : {}
    return parts.homelab.cluster.state().guests.find(({ vmid }) => vmid === named.vmid)
  }
  const jobs = createJobs({
    clock,
    settings,
    journal,
    redact,
    report,
    zone,
    isStopping,
    makerProblem,
    shipped: [heartbeatJob(parts.isDemo ? demoBeatMinutes : undefined), drillJob(zone)],
    workers: {
      heartbeat: heartbeat.worker,
      runbook,
      drill: createDrillWorker({ ...drills, settings, zone, now }),
    },
    approvedUntil: drills.approvedUntil,
    guestOf: (work) => {
      const id = guestIn(work)?.identity?.id
      return id === undefined ? undefined : { id }
    },
    guestProblem({ work, guest: meant, createdAt }) {
      const guest = guestIn(work)
      const whose = guest && whoseIs(guest.identity, { identity: meant, at: createdAt })
      // A job of an older release names no guest; its calls ask as others do.
      if (guest === undefined || whose === 'own' || (whose === 'unknown' && meant === undefined)) return undefined
      const is = whose === 'earlier' ? 'is another guest than' : 'may be another guest than'
      return `${guest.vmid} ${is} the one that this job was made for. Resume it to mean the one that is there now.`
    },
    overBudget: (jobId) => budgets.keeper.usedUp({ agent: mainAgentId, jobId }),
    usedToday: (jobId) => budgets.store.sum({ since: budgets.midnight(), jobId }).tokens,
    store: jobStore,
    transactions: database,
    runs: jobRuns,
    calls: {
      isReading({ toolName, toolInput }) {
        const judged = gate.judge(toolName, toolInput)
        return judged.kind === 'ready' && judged.effects.every(({ kind, isReadOnly }) => kind === 'read' || isReadOnly)
      },
      refusal({ toolName, toolInput }, asker) {
        const judged = gate.judge(toolName, toolInput, undefined, asker)
        return judged.kind === 'ready' ? undefined : judged.verdict.reason
      },
    },
    announce: foundation.announce('job'),
    ended: tellOfJobs(parts.notice),
    changed: () => activity.changed({ what: 'jobs' }),
  })

  function trace(slot: ReturnType<typeof jobs.slot>): JobTrace {
    const entries = slot.runId === undefined ? [] : store.entriesOfRun(slot.runId)
    const said = saidIn(entries)
    const [begun, ended] = [entries.at(0)?.at ?? 0, entries.at(-1)?.at ?? 0]
    const entryOf = slot.sessionId === undefined ? undefined : journal.entriesOfCalls(slot.sessionId, begun, ended)
    const steps = stepsOf(entries).map(({ toolUseId, ...step }) => {
      const entry = entryOf?.get(toolUseId)
      const toolInput = foundation.redactor.value(step.toolInput)
      return { ...step, toolInput, ...(entry !== undefined && { entry }) }
    })
    return { ...slot, steps, ...(said !== undefined && { said }) }
  }

  return {
    jobs,
    routes: jobRoutes(jobs, {
      trace,
      shown: parts.shown,
      approve(id, isAllowed, by) {
        const job = jobs.stored(id)
        if (isAllowed) drills.approve(job, by)
        else drills.withdraw(id, by)
        activity.changed({ what: 'jobs' })
      },
    }),
    heartbeatRoutes: heartbeatRoutes({
      reply(person) {
        const job = jobStore.get(heartbeatId)
        return heartbeat.reply(job, job && jobs.get(heartbeatId).next[0], parts.shown(person).slot)
      },
      switchTo: (isOn, by) => void jobs.change(heartbeatId, { isPaused: !isOn }, by),
      run: (by) => void jobs.run(heartbeatId, by),
    }),
  }
}

const demoBeatMinutes = 2

/** Events that may change how a run stands. */
const toldBy: ReadonlySet<string> = new Set(['chat:confirm_needed', 'chat:confirm_resolved', 'chat:done', 'chat:error'])
