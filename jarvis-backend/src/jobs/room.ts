import { join } from 'node:path'
import { mainAgentId, type PersonRef } from 'protocol'
import type { Shown } from '../auth/closed-words.ts'
import type { ComposedBudgets } from '../budgets/room.ts'
import type { People } from '../calls/people.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { heartbeatRoutes } from '../http/heartbeat.ts'
import { jobRoutes } from '../http/jobs.ts'
import { ownZone } from '../lib/zone.ts'
import type { Library } from '../runbooks/library.ts'
import { jobTools } from '../tools/jobs/index.ts'
import type { JobPorts } from '../tools/jobs/ports.ts'
import { withPorts } from '../tools/tool.ts'
import type { Watch } from '../watch/watch.ts'
import { createWorkspace } from '../workspace/files.ts'
import type { Writers } from '../workspace/text-files.ts'
import { ApprovedDrills, type ApprovedDrillsParts } from './adapters/approved-drills.ts'
import { WatchFindings, WorkspaceFiles } from './adapters/heartbeat-parts.ts'
import { JudgedCalls } from './adapters/job-calls.ts'
import { ClusterGuests } from './adapters/job-guests.ts'
import { Makers, type MakersParts } from './adapters/job-makers.ts'
import { SessionRuns, type SessionRunsParts } from './adapters/job-runs.ts'
import { RunTraces } from './adapters/job-traces.ts'
import { RunbookWorker } from './adapters/runbook-job.ts'
import { DrillWorker, drillJob } from './drill-job.ts'
import { Heartbeat, heartbeatJob } from './heartbeat.ts'
import type { JobBudget, JobStore } from './job.ts'
import { Teller } from './job-notices.ts'
import { Jobs } from './jobs.ts'
import { JobSwitches } from './switches.ts'
import { WorkKinds } from './work-kinds.ts'

type JobsNeeds = Omit<ApprovedDrillsParts, 'now' | 'changed'> &
  Omit<SessionRunsParts, 'zone' | 'report'> &
  Omit<MakersParts, 'now'> & {
    foundation: Foundation
    facts: JarvisFacts
    jobStore: JobStore
    gate: ApprovedDrillsParts['gate'] & SessionRunsParts['gate']
    writers: Writers
    shown(person: PersonRef | undefined): Shown
    people: Pick<People, 'find'>
    watch: Pick<Watch, 'alerts' | 'checks' | 'checkNow'>
    runbooks: Pick<Library, 'get'>
    budgets: Pick<ComposedBudgets, 'keeper'>
    /**
     * True for the demo cluster and the demo model. The model costs nothing there, so a heartbeat runs every two minutes and visitors soon see one.
     */
    isDemo: boolean
  }

const demoBeatMinutes = 2

/**
 * The room of jobs: the scheduler, the heartbeat and the nightly drill. Publishes `notice.due`; subscribes to `runbook.saved`, `files.changed` and
 * `cluster.left`.
 */
export const jobsRoom = defineRoom({
  name: 'jobs',
  open(needs: JobsNeeds) {
    const { facts, people, shown } = needs
    const { jobs, heartbeat, approvals, traces } = openJobs(needs)
    facts.on('runbook.saved', () => jobs.storeChanged())
    facts.on('files.changed', () => jobs.look())
    facts.on('cluster.left', () => jobs.leaveCluster())
    const ports: JobPorts = {
      zone: ownZone(),
      list: (asker) => shown(people.find(asker?.person)).jobs(jobs.list()),
      find: (name) => jobs.find(name),
      preview: (schedule) => jobs.preview(schedule),
      problemOf: (body) => jobs.problemOf(body),
      make: (body, maker) => jobs.make(body, maker),
      pause: (id, by, why) => jobs.pause(id, by, why),
    }
    return {
      jobs,
      contributes: {
        tools: withPorts(jobTools, ports),
        routes: [...jobRoutes({ jobs, approvals, traces, shown }), ...heartbeatRoutes({ jobs, heartbeat, shown })],
      },
      start: () => jobs.start(),
      stop: () => jobs.stop(),
    }
  },
})

function openJobs(needs: JobsNeeds) {
  const { foundation, facts, jobStore, runs, store, gate, homelab, drills } = needs
  const { clock, now, database, settings, journal, redactor, redact, report, activity, isStopping } = foundation
  const zone = ownZone()
  const teller = new Teller({ announce: foundation.announce('job'), notice: facts.teller('notice.due'), activity })
  const approvals = new ApprovedDrills({ homelab, drills, gate, now, changed: () => teller.changed() })
  const heartbeat = new Heartbeat({
    store: jobStore,
    settings,
    zone,
    now,
    findings: new WatchFindings(needs.watch),
    files: new WorkspaceFiles({
      workspace: createWorkspace(join(foundation.dataDir, 'workspace')),
      writers: needs.writers,
      redact,
    }),
  })
  const workers = {
    heartbeat,
    runbook: new RunbookWorker(needs.runbooks),
    drill: new DrillWorker({ guests: approvals, settings, zone, now }),
  }
  const budget: JobBudget = {
    usedUp: (jobId) => needs.budgets.keeper.usedUp({ agent: mainAgentId, jobId }),
  }
  const jobs = new Jobs({
    clock,
    zone,
    journal,
    redact,
    report,
    isStopping,
    budget,
    approvals,
    teller,
    store: jobStore,
    transactions: database,
    switches: new JobSwitches({ store: jobStore, settings, journal, transactions: database, now }),
    kinds: new WorkKinds(new JudgedCalls(gate), workers),
    runs: new SessionRuns({ runs, store, gate, zone, report }),
    guests: new ClusterGuests(homelab.cluster),
    makers: new Makers({ apiTokens: needs.apiTokens, mayAsk: needs.mayAsk, now }),
    shipped: [heartbeatJob(needs.isDemo ? demoBeatMinutes : undefined), drillJob(zone)],
  })
  return { jobs, heartbeat, approvals, traces: new RunTraces({ store, journal, redactor }) }
}
