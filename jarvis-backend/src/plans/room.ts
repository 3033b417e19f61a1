import { join } from 'node:path'
import { hashOf } from 'node-kit/canonical'
import { JarvisError, mainAgentId, type PersonRef, PlanProposal, personFor, type ToolInput } from 'protocol'
import { unknownWriter } from '../agent/principal.ts'
import type { Runs } from '../agent/runs.ts'
import type { Shown } from '../auth/closed-words.ts'
import { locksOf } from '../calls/judge.ts'
import type { Gate } from '../calls/room.ts'
import type { Foundation } from '../foundation.ts'
import { Mistake, usualTier } from '../gate/index.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { planRoutes } from '../http/plans.ts'
import { runbookRoutes } from '../http/runbooks.ts'
import { handOverJobs } from '../jobs/hand-over.ts'
import type { JobStore } from '../jobs/job.ts'
import { RunbookLibrary } from '../runbooks/library.ts'
import { shippedRunbooks } from '../runbooks/shipped/index.ts'
import type { Catalog } from '../tools/catalog.ts'
import { planTools } from '../tools/plans/index.ts'
import type { PlanPorts } from '../tools/plans/plan-tool.ts'
import { runbookTools } from '../tools/runbooks/index.ts'
import type { RunbookPorts } from '../tools/runbooks/runbook-tool.ts'
import { type Whose, withPorts } from '../tools/tool.ts'
import { createWorkspace } from '../workspace/files.ts'
import type { Writers } from '../workspace/text-files.ts'
import { createFollowing } from './follow.ts'
import { procedureOf } from './from-calls.ts'
import { PlanGuide } from './guide.ts'
import { Planner, planKind } from './planner.ts'
import { previewOf } from './preview.ts'
import { shownPlan } from './shown.ts'
import { toolFacts } from './tool-facts.ts'
import { undoRequest } from './undo.ts'

/** Time limit of a read while a plan is made, with its retries, ms. */
const longestReadMs = 60_000
const tooLong = `It took longer than ${longestReadMs / 1_000} s.`

/**
 * The room of the workspace’s runbooks, and of the planner, which makes plans from runbooks and from proposed calls. Publishes the fact
 * `runbook.saved`.
 */
export const runbooksRoom = defineRoom({
  name: 'runbooks',
  open(needs: {
    foundation: Foundation
    facts: JarvisFacts
    catalog: Catalog
    gate: Gate
    writers: Writers
    jobStore: Pick<JobStore, 'list' | 'save'>
  }) {
    const { catalog, gate, writers } = needs
    const { clock, dataDir, settings, database, journal, redactor, report, activity } = needs.foundation
    const runbookSaved = needs.facts.teller('runbook.saved')
    const asks = (toolUseId: string) => {
      const card = gate.confirmations.ofCall(toolUseId)
      return card !== undefined && card.resolution === undefined
    }
    const tools = toolFacts(catalog, ({ name, tier }) =>
      usualTier({ toolName: name, baseTier: tier }, gate.policy.current()),
    )
    /**
     * Withdraws other people’s waiting cards for a runbook whose text has changed. These people had asked for the old text, and such a card would
     * show the new one.
     */
    function withdrawOthers(name: string, by: string) {
      const { confirmations } = gate
      for (const { toolUseId, toolName, toolInput, requestedBy } of confirmations.pending()) {
        if (toolName !== 'run_runbook' || toolInput.name !== name || requestedBy.person === personFor(by).person)
          continue
        confirmations.cancel(toolUseId, by, `The runbook ${name} was changed. Ask for it again.`)
      }
    }
    const library = new RunbookLibrary({
      files: createWorkspace(join(dataDir, 'workspace')),
      tools,
      shipped: shippedRunbooks,
      settings,
      lastRun(name) {
        const [last] = gate.plans.list({ limit: 1, runbook: name })
        return last && { at: last.startedAt, state: shownPlan(last, asks).state }
      },
      record({ path, ...change }, work) {
        database.durably(() => {
          journal.append('runbook', change)
          if (change.hash !== undefined) writers.note(path, change.hash, change.by)
          if (change.change === 'saved') handOverJobs(needs.jobStore, journal, change)
          work()
        })
        if (change.change === 'saved') runbookSaved({ runbook: change.runbook, by: change.by })
        withdrawOthers(change.runbook, change.by)
      },
      changed: () => activity.changed({ what: 'runbooks' }),
      report,
    })
    const planner = new Planner({
      catalog,
      redactor,
      world: () => gate.world(),
      judge: (...call) => gate.seeingJudge(...call),
      lookAgain: (...call) => gate.lookAgain(...call),
      async read(call, { name, whose = {} }, signal) {
        const { isClient: _, ...who } = whose
        const late = new AbortController()
        const disarm = clock.after(longestReadMs, () => late.abort())
        const limit = AbortSignal.any([signal, late.signal])
        try {
          const done = await gate.executor.read(call, {
            principal: { ...who, kind: planKind(whose), name },
            signal: limit,
          })
          return late.signal.aborted ? { ...done, output: { ...done.output, summary: tooLong, isError: true } } : done
        } finally {
          disarm()
        }
      },
      policyHash: () => gate.policy.status().hash,
    })
    const plan = ({ name, inputs }: { name: string; inputs: ToolInput }, signal: AbortSignal, whose: Whose) => {
      const { procedure, hash } = library.procedure(name)
      const { text, isShipped } = library.get(name)
      const writtenBy = writers.of(`runbooks/${name}.md`, hash) ?? (isShipped ? undefined : unknownWriter)
      return planner.make({ procedure, hash, runbook: name, said: text, writtenBy, inputs, whose }, name, signal)
    }
    return {
      library,
      planner,
      plan,
      tools,
      asks,
      /** Writes the runbooks that come with JARVIS into the workspace. */
      resume: () => library.ship(),
      guide: new PlanGuide({
        clock,
        plans: () => gate.plans,
        // Quiet: these reads are not journalled, because the journal gets their outcome together with the step.
        read: (call, principal, signal) => gate.executor.read(call, { principal, signal, isQuiet: true }),
        targetsOf: (toolName, toolInput) => locksOf(gate.effectsOf(toolName, toolInput)),
        async look({ toolName, toolInput }, asker) {
          const [effect] = gate.effectsOf(toolName, toolInput)
          if (effect !== undefined) await gate.lookAgain({ toolName, toolInput }, effect.target, { whose: asker })
        },
      }),
    }
  },
})

type PlansNeeds = {
  foundation: Pick<Foundation, 'clock' | 'redactor' | 'now'>
  runbooks: ReturnType<typeof runbooksRoom.open>
  gate: Gate
  runs: Runs
  shown(person: PersonRef): Pick<Shown, 'plan'>
}

/** The tools and routes of runbooks and plans. */
export const plansRoom = defineRoom({
  name: 'plans',
  open(needs: PlansNeeds) {
    const { gate, runs } = needs
    const { asks, library, plan, planner, tools } = needs.runbooks
    const follow = createFollowing({
      runs,
      clock: needs.foundation.clock,
      plans: gate.plans,
      shown: (one) => shownPlan(one, asks),
    })
    const ports: RunbookPorts = {
      list: () => library.list(),
      plan: async ({ name, inputs, whose }, signal) => previewOf(await plan({ name, inputs }, signal, whose)),
      follow,
    }
    const planPorts: PlanPorts = {
      async propose(proposal, signal, whose) {
        const { goal, criteria, ...calls } = PlanProposal.parse(proposal)
        const procedure = procedureOf({ goal, ...calls }, tools)
        const words = { goal, criteria }
        return previewOf(
          await planner.make({ procedure, hash: hashOf(calls), ...words, inputs: {}, whose }, 'plan', signal),
        )
      },
      undo: async (id, signal, whose) =>
        previewOf(
          await planner.make(
            { ...undoRequest(gate.plans.get(id), (id) => gate.changes.get(id)), whose },
            'plan',
            signal,
          ),
        ),
      follow,
    }
    return {
      contributes: {
        tools: [...withPorts(runbookTools, ports), ...withPorts(planTools, planPorts)],
        routes: [...runbookRoutesOf(needs), ...planRoutesOf(needs)],
      },
    }
  },
})

function runbookRoutesOf({ foundation: { redactor, now }, runbooks: { library, planner }, runs }: PlansNeeds) {
  return runbookRoutes({
    library,
    redact: redactor.value,
    now,
    make: ({ text, inputs, by, signal }) => {
      const { procedure, hash } = library.parse(text)
      return procedure && planner.make({ procedure, hash, said: text, inputs, whose: personFor(by) }, by, signal)
    },
    run({ name, inputs, by }) {
      const { title } = library.get(name)
      library.procedure(name)
      const line = `/run_runbook name=${JSON.stringify(name)} inputs=${JSON.stringify(inputs)}`
      const { sessionId } = runs.start({ text: line, by, agent: mainAgentId })
      runs.rename(sessionId, `Runbook: ${title}`)
      return { sessionId }
    },
  })
}

function planRoutesOf({ gate, runs, shown, runbooks: { asks } }: PlansNeeds) {
  const known = (id: string) => {
    const found = gate.plans.get(id)
    if (found === undefined) throw new JarvisError('not_found', 'There is no such plan.')
    return found
  }
  const planOf = (id: string) => shownPlan(known(id), asks)
  return planRoutes({
    shown,
    list: (query) => gate.plans.list(query).map((one) => shownPlan(one, asks)),
    one: planOf,
    stop(id, by) {
      const { sessionId, runId, steps, notes } = gate.plans.stop(id, by)
      const isWaiting = steps.some(({ number, toolUseId }) => asks(toolUseId) || notes[number]?.state === 'checking')
      if (isWaiting) runs.stopRun(sessionId, runId, by)
      return planOf(id)
    },
    undo(id, by) {
      const { facts } = known(id)
      try {
        undoRequest(known(id), (id) => gate.changes.get(id))
      } catch (error) {
        throw error instanceof Mistake ? new JarvisError('conflict', error.message.replace(/^plan: /, '')) : error
      }
      const { sessionId } = runs.start({ text: `/undo_plan plan=${JSON.stringify(id)}`, by, agent: mainAgentId })
      runs.rename(sessionId, `Undo: ${facts.title}`)
      return { sessionId }
    },
  })
}
